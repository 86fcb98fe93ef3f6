package ai.inlay;

import java.util.Optional;

/** A value, or none. */
public class OnnxOptional extends NativeObject implements OnnxValue {
    private final boolean present;

    OnnxOptional(Handle handle, boolean present) {
        super(handle);
        this.present = present;
    }

    /** Shares what it holds with the value, which may be closed. */
    public static OnnxOptional create(OrtEnvironment env, OnnxValue value) throws OrtException {
        try (Uses uses = new Uses()) {
            NativeObject item = Values.object(value);
            long address = Native.newOptional(uses.add(item));
            return new OnnxOptional(new Handle(Handle.Kind.VALUE, address, item.handle.dependencies()), true);
        }
    }

    public static OnnxOptional empty(OrtEnvironment env) throws OrtException {
        return new OnnxOptional(new Handle(Handle.Kind.VALUE, Native.newOptional(0)), false);
    }

    public boolean isPresent() { return present; }

    @Override
    public OnnxValueType getType() {
        return OnnxValueType.ONNX_TYPE_OPTIONAL;
    }

    /** What it holds, which is to be closed by itself. */
    @Override
    public Optional<OnnxValue> getValue() throws OrtException {
        checkOpen();
        return present ? Optional.of(Values.item(handle, 0)) : Optional.empty();
    }

    @Override
    public OptionalInfo getInfo() {
        checkOpen();
        return new OptionalInfo(present ? Values.itemInfo(handle, 0) : null);
    }

    @Override
    public void close() {
        closeHandle();
    }

    @Override
    public String toString() {
        return "OnnxOptional(present=" + present + ",closed=" + isClosed() + ")";
    }
}
