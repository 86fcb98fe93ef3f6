package ai.inlay;

/** A tensor; a class of its own because ONNX Runtime has sparse ones too. */
public abstract class OnnxTensorLike extends NativeObject implements OnnxValue {
    final TensorInfo info;

    OnnxTensorLike(Handle handle, TensorInfo info) {
        super(handle);
        this.info = info;
    }

    @Override
    public TensorInfo getInfo() {
        return info;
    }
}
