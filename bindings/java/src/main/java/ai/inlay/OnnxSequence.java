package ai.inlay;

import java.util.ArrayList;
import java.util.List;

/** A sequence of values of one type. */
public class OnnxSequence extends NativeObject implements OnnxValue {
    private final int length;

    OnnxSequence(Handle handle, int length) {
        super(handle);
        this.length = length;
    }

    /** Shares what it holds with the given values, which may be closed. */
    public static OnnxSequence create(OrtEnvironment env, List<? extends OnnxValue> items) throws OrtException {
        try (Uses uses = new Uses()) {
            long address = Native.newSequence(Values.addresses(uses, items));
            return new OnnxSequence(new Handle(Handle.Kind.VALUE, address, Values.dependencies(items)), items.size());
        }
    }

    public int size() { return length; }

    /** An element, which is to be closed by itself. */
    public OnnxValue get(int index) throws OrtException { return Values.item(handle, index); }

    @Override
    public OnnxValueType getType() {
        return OnnxValueType.ONNX_TYPE_SEQUENCE;
    }

    /** The elements, each of which is to be closed by itself. */
    @Override
    public List<? extends OnnxValue> getValue() throws OrtException {
        checkOpen();
        List<OnnxValue> items = new ArrayList<>();
        try {
            for (int k = 0; k < length; ++k) {
                items.add(get(k));
            }
            return items;
        } catch (OrtException | RuntimeException e) {
            OnnxValue.close(items);
            throw e;
        }
    }

    /** The type of the first element stands for that of all. */
    @Override
    public SequenceInfo getInfo() {
        checkOpen();
        return new SequenceInfo(length, length == 0 ? null : Values.itemInfo(handle, 0));
    }

    @Override
    public void close() {
        closeHandle();
    }

    @Override
    public String toString() {
        return "OnnxSequence(length=" + length + ",closed=" + isClosed() + ")";
    }
}
