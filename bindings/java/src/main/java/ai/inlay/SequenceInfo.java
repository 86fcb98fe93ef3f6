package ai.inlay;

/** The type of a sequence. */
public class SequenceInfo implements ValueInfo {
    public final boolean sequenceOfMaps;
    /** Of elements that are tensors; else UNKNOWN. */
    public final OnnxJavaType sequenceType;
    /** Of elements that are maps; else null. */
    public final MapInfo mapInfo;
    /** How many elements; -1 for an input or output of a model. */
    public final int length;

    private final ValueInfo elementInfo;

    SequenceInfo(int length, ValueInfo elementInfo) {
        this.length = length;
        this.elementInfo = elementInfo;
        this.sequenceOfMaps = elementInfo instanceof MapInfo;
        this.mapInfo = sequenceOfMaps ? (MapInfo) elementInfo : null;
        this.sequenceType = elementInfo instanceof TensorInfo ? ((TensorInfo) elementInfo).type : OnnxJavaType.UNKNOWN;
    }

    public boolean isSequenceOfMaps() { return sequenceOfMaps; }

    /** The type of the elements; null for an empty sequence. */
    public ValueInfo getElementInfo() { return elementInfo; }

    @Override
    public String toString() {
        return "SequenceInfo(length=" + length + ",element=" + elementInfo + ")";
    }
}
