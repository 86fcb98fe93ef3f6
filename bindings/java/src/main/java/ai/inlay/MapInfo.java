package ai.inlay;

/** The type of a map. */
public class MapInfo implements ValueInfo {
    /** How many entries; -1 for an input or output of a model. */
    public final int size;
    /** INT64 or STRING. */
    public final OnnxJavaType keyType;
    /** Of values that are tensors; else UNKNOWN. */
    public final OnnxJavaType valueType;

    MapInfo(int size, OnnxJavaType keyType, OnnxJavaType valueType) {
        this.size = size;
        this.keyType = keyType;
        this.valueType = valueType;
    }

    @Override
    public String toString() {
        return "MapInfo(size=" + size + ",keyType=" + keyType + ",valueType=" + valueType + ")";
    }
}
