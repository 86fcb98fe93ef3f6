package ai.inlay;

import ai.inlay.TensorInfo.OnnxTensorType;

/** Types as ONNX writes them: "seq(map(int64,tensor(float)))". */
final class TypeText {
    private TypeText() {}

    /** What no class here describes is a tensor of an undefined type. */
    static ValueInfo info(String text) {
        int open = text.indexOf('(');
        if (open < 0 || !text.endsWith(")")) {
            return tensor(text);
        }
        String contents = text.substring(open + 1, text.length() - 1);
        switch (text.substring(0, open)) {
            case "seq": return new SequenceInfo(-1, info(contents));
            case "optional": return new OptionalInfo(info(contents));
            case "map":
                int comma = contents.indexOf(',');
                ValueInfo value = info(contents.substring(comma + 1));
                OnnxJavaType valueType = value instanceof TensorInfo ? ((TensorInfo) value).type : OnnxJavaType.UNKNOWN;
                return new MapInfo(-1, tensor(contents.substring(0, Math.max(comma, 0))).type, valueType);
            default: return tensor(contents);
        }
    }

    private static TensorInfo tensor(String element) {
        return new TensorInfo(new long[0], -1, new String[0], OnnxTensorType.mapFromText(element));
    }
}
