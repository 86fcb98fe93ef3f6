package ai.inlay;

import java.util.Map;

/** A value that a model gets or returns: a tensor, sequence, map or optional. */
public interface OnnxValue extends AutoCloseable {
    /** ONNX Runtime's kinds; opaque values and sparse tensors do not occur. */
    enum OnnxValueType {
        ONNX_TYPE_UNKNOWN(0),
        ONNX_TYPE_TENSOR(1),
        ONNX_TYPE_SEQUENCE(2),
        ONNX_TYPE_MAP(3),
        ONNX_TYPE_OPAQUE(4),
        ONNX_TYPE_SPARSETENSOR(5),
        ONNX_TYPE_OPTIONAL(6);

        public final int value;

        OnnxValueType(int value) { this.value = value; }
    }

    OnnxValueType getType();

    /** A copy as objects of Java, as each class has it. */
    Object getValue() throws OrtException;

    ValueInfo getInfo();

    /** Frees what it has, once; every later use is an IllegalStateException. */
    @Override void close();

    boolean isClosed();

    static void close(Iterable<? extends OnnxValue> values) {
        for (OnnxValue value : values) {
            value.close();
        }
    }

    static void close(Map<String, ? extends OnnxValue> values) { close(values.values()); }
}
