package ai.inlay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A map of int64 or strings to values, in the order of the keys. */
public class OnnxMap extends NativeObject implements OnnxValue {
    private final int size;

    OnnxMap(Handle handle, int size) {
        super(handle);
        this.size = size;
    }

    /**
     * keys: Long or String. values: what a tensor is created of, as Float; or an OnnxValue, which may be closed then.
     */
    public static OnnxMap create(OrtEnvironment env, Map<?, ?> entries) throws OrtException {
        List<OnnxValue> items = new ArrayList<>();
        List<OnnxValue> temporary = new ArrayList<>();
        try (OnnxTensor keys = keys(env, entries); Uses uses = new Uses()) {
            for (Object value : entries.values()) {
                if (value instanceof OnnxValue) {
                    items.add((OnnxValue) value);
                } else {
                    temporary.add(OnnxTensor.createTensor(env, value));
                    items.add(temporary.get(temporary.size() - 1));
                }
            }
            long address = Native.newMap(uses.add(keys), Values.addresses(uses, items));
            return new OnnxMap(new Handle(Handle.Kind.VALUE, address, Values.dependencies(items)), items.size());
        } finally {
            OnnxValue.close(temporary);
        }
    }

    private static OnnxTensor keys(OrtEnvironment env, Map<?, ?> entries) throws OrtException {
        if (entries.keySet().stream().allMatch(Long.class ::isInstance)) {
            return OnnxTensor.createTensor(env, entries.keySet().stream().mapToLong(key -> (Long) key).toArray());
        } else if (entries.keySet().stream().allMatch(String.class ::isInstance)) {
            return OnnxTensor.createTensor(env, entries.keySet().toArray(new String[0]));
        }
        throw OrtException.of(FailureCode.TYPE_MISMATCH, "inlay: keys of a map are all Long or all String");
    }

    public int size() { return size; }

    @Override
    public OnnxValueType getType() {
        return OnnxValueType.ONNX_TYPE_MAP;
    }

    /** Keys are Long or String; values what {@link OnnxTensor#getValue()} gives, or for containers a list or map. */
    @Override
    public Map<? extends Object, ? extends Object> getValue() throws OrtException {
        checkOpen();
        Map<Object, Object> entries = new LinkedHashMap<>();
        for (int k = 0; k < size; ++k) {
            try (OnnxValue key = key(k); OnnxValue item = Values.item(handle, k)) {
                entries.put(key.getValue(), item.getValue());
            }
        }
        return entries;
    }

    private OnnxValue key(long index) throws OrtException {
        long address = handle.use();
        try {
            return Values.of(Native.valueKey(address, index));
        } finally {
            handle.release();
        }
    }

    /** The types of the first entry stand for those of all; of an empty map they are UNKNOWN. */
    @Override
    public MapInfo getInfo() {
        checkOpen();
        if (size == 0) {
            return new MapInfo(0, OnnxJavaType.UNKNOWN, OnnxJavaType.UNKNOWN);
        }
        try (OnnxValue key = key(0); OnnxValue item = Values.item(handle, 0)) {
            return new MapInfo(size, type(key), type(item));
        } catch (OrtException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private static OnnxJavaType type(OnnxValue value) {
        return value instanceof OnnxTensor ? ((OnnxTensor) value).getInfo().type : OnnxJavaType.UNKNOWN;
    }

    @Override
    public void close() {
        closeHandle();
    }

    @Override
    public String toString() {
        return "OnnxMap(size=" + size + ",closed=" + isClosed() + ")";
    }
}
