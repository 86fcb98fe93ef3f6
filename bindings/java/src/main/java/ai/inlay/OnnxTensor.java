package ai.inlay;

import ai.inlay.TensorInfo.OnnxTensorType;
import ai.inlay.platform.Fp16Conversions;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * A tensor. Over a direct buffer in the machine's byte order it reads that buffer's memory; everything else is copied
 * when it is created.
 *
 * <p>{@link #getValue()} and the methods that end in Buffer copy; {@link #getBufferRef()} and {@link #getMemory()} do
 * not. What these return keeps the memory alive, also after the tensor is closed.
 */
public class OnnxTensor extends OnnxTensorLike {
    private static final String HOST = "host";

    private final Buffer buffer;  // the caller's memory; null: the tensor has its own
    private ByteBuffer memory;  // of all elements, once it was needed

    OnnxTensor(Handle handle, TensorInfo info) { this(handle, info, null); }

    private OnnxTensor(Handle handle, TensorInfo info, Buffer buffer) {
        super(handle, info);
        this.buffer = buffer;
    }

    /** Of an array of a primitive type or String and any rank, with rows of one length, or of such a value boxed. */
    public static OnnxTensor createTensor(OrtEnvironment env, Object data) throws OrtException {
        return fromArray(data, TensorInfo.constructFromJavaArray(data));
    }

    /** The same as another type of the same size: short[] as FLOAT16 or UINT16, say. */
    public static OnnxTensor createTensor(OrtEnvironment env, Object data, OnnxTensorType type) throws OrtException {
        TensorInfo info = TensorInfo.constructFromJavaArray(data);
        OnnxJavaType shown = OnnxJavaType.mapFromOnnxTensorType(type);
        if (shown.clazz != info.type.clazz) {
            throw OrtException.of(FailureCode.TYPE_MISMATCH,
                "inlay: an array of " + info.type.clazz + " has no elements of the type " + type.text);
        }
        return fromArray(data, new TensorInfo(info.getShape(), type));
    }

    /** Of strings in row-major order. */
    public static OnnxTensor createTensor(OrtEnvironment env, String[] data, long[] shape) throws OrtException {
        TensorInfo info = new TensorInfo(shape.clone(), OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
        OnnxTensor tensor = create(info, null);
        return filled(tensor, () -> tensor.setStrings(Texts.bytes(Arrays.asList(data))));
    }

    public static OnnxTensor createTensor(OrtEnvironment env, FloatBuffer data, long[] shape) throws OrtException {
        return fromBuffer(data, shape, OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, DoubleBuffer data, long[] shape) throws OrtException {
        return fromBuffer(data, shape, OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, ShortBuffer data, long[] shape) throws OrtException {
        return fromBuffer(data, shape, OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16);
    }

    /** type: INT16, FLOAT16 or BFLOAT16. */
    public static OnnxTensor createTensor(OrtEnvironment env, ShortBuffer data, long[] shape, OnnxJavaType type)
        throws OrtException {
        return fromBuffer(data, shape, type.tensorType());
    }

    public static OnnxTensor createTensor(OrtEnvironment env, IntBuffer data, long[] shape) throws OrtException {
        return fromBuffer(data, shape, OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, LongBuffer data, long[] shape) throws OrtException {
        return fromBuffer(data, shape, OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, ByteBuffer data, long[] shape) throws OrtException {
        return fromBuffer(data, shape, OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8);
    }

    /** The bytes of elements in the machine's order, whatever the order of the buffer. */
    public static OnnxTensor createTensor(OrtEnvironment env, ByteBuffer data, long[] shape, OnnxJavaType type)
        throws OrtException {
        return fromBuffer(data, shape, type.tensorType());
    }

    /**
     * Of any type of elements. A ByteBuffer has those of 4 and 2 bits packed, the first in the lowest bits; a
     * FloatBuffer may be COMPLEX64, real parts first, and a buffer of integers is of either sign.
     */
    public static OnnxTensor createTensor(OrtEnvironment env, Buffer data, long[] shape, OnnxTensorType type)
        throws OrtException {
        return fromBuffer(data, shape, type);
    }

    /** Zeros, or empty strings; to be filled by {@link #getMemory()}, also where it is larger than a buffer of Java. */
    public static OnnxTensor allocate(OrtEnvironment env, OnnxTensorType type, long[] shape) throws OrtException {
        return create(new TensorInfo(shape.clone(), type), null);
    }

    /** The same in the memory of a device, by its name in plans; its contents are not defined. */
    public static OnnxTensor allocate(OrtEnvironment env, OnnxTensorType type, long[] shape, String memory)
        throws OrtException {
        return create(new TensorInfo(shape.clone(), type), Texts.bytes(memory));
    }

    private static OnnxTensor create(TensorInfo info, byte[] memory) throws OrtException {
        long address = Native.newValue(info.onnxType.value, info.getShape(), memory);
        return new OnnxTensor(new Handle(Handle.Kind.VALUE, address), info);
    }

    private static OnnxTensor fromArray(Object data, TensorInfo info) throws OrtException {
        OnnxTensor tensor = create(info, null);
        if (info.type == OnnxJavaType.STRING) {
            return filled(tensor, () -> tensor.setStrings(Texts.bytes(JavaArrays.strings(data))));
        }
        return filled(tensor, () -> JavaArrays.write(data, tensor.elements()));
    }

    private static OnnxTensor fromBuffer(Buffer data, long[] shape, OnnxTensorType type) throws OrtException {
        TensorInfo info = new TensorInfo(shape.clone(), type);
        Buffers.check(data, info);
        if (!Buffers.isReadInPlace(data) || info.getNumElements() == 0) {
            OnnxTensor tensor = create(info, null);
            return filled(tensor, () -> tensor.fill(data));
        }
        long size = Buffers.elementSize(data);
        long address = Native.borrowValue(type.value, shape, data, data.position() * size, data.remaining() * size);
        return new OnnxTensor(new Handle(Handle.Kind.VALUE, address, data), info, data);
    }

    private interface Filling {
        void run() throws OrtException;
    }

    private static OnnxTensor filled(OnnxTensor tensor, Filling filling) throws OrtException {
        try {
            filling.run();
            return tensor;
        } catch (OrtException | RuntimeException | Error e) {
            tensor.close();
            throw e;
        }
    }

    private void fill(Buffer data) throws OrtException {
        long size = Buffers.elementSize(data);
        int most = Integer.MAX_VALUE / 8;  // elements in one piece: that many bytes are a buffer
        for (int first = 0; first < data.remaining(); first += most) {
            int count = Math.min(most, data.remaining() - first);
            Buffer part = data.slice(data.position() + first, count);
            Buffers.copy(part, getMemory(first * size, (int) (count * size)));
        }
    }

    private void setStrings(byte[][] texts) throws OrtException {
        long address = handle.use();
        try {
            Native.setValueStrings(address, texts);
        } finally {
            handle.release();
        }
    }

    @Override
    public OnnxValueType getType() {
        return OnnxValueType.ONNX_TYPE_TENSOR;
    }

    /**
     * An array of the tensor's rank, or a boxed value for a scalar. float16 and bfloat16 are float; types that
     * OnnxJavaType does not have are an OrtException: {@link #getByteBuffer()} has their bytes.
     */
    @Override
    public Object getValue() throws OrtException {
        if (info.type == OnnxJavaType.STRING) {
            return JavaArrays.strings(strings(), info);
        } else if (info.type == OnnxJavaType.UNKNOWN) {
            throw OrtException.of(FailureCode.TYPE_MISMATCH,
                "inlay: no type of Java shows elements of the type " + info.onnxType.text,
                "getByteBuffer() has their bytes");
        }
        return JavaArrays.read(elements(), info);
    }

    private byte[][] strings() throws OrtException {
        long address = handle.use();
        try {
            return Native.valueStrings(address);
        } finally {
            handle.release();
        }
    }

    /**
     * The memory of the elements, where they are, in the machine's byte order; it may be written where the tensor is
     * the caller's own. It keeps that memory alive.
     */
    public ByteBuffer getMemory() throws OrtException { return elements(); }

    /** A part of it, of a tensor that is larger than a buffer of Java. */
    public ByteBuffer getMemory(long offset, int size) throws OrtException {
        long address = handle.use();
        try {
            return view(address, offset, size);
        } finally {
            handle.release();
        }
    }

    private ByteBuffer elements() throws OrtException {
        checkOpen();
        ByteBuffer root = memory;
        if (root == null) {
            long bytes = info.onnxType.bits == 0 ? -1 : info.getNumBytes();
            if (bytes < 0 || bytes > Integer.MAX_VALUE) {
                throw OrtException.of(FailureCode.INVALID_ARGUMENT, "inlay: " + info + " is no buffer of Java",
                    "strings are in getValue(), parts of a large tensor in getMemory(offset, size)");
            }
            root = getMemory(0, (int) bytes);
            memory = root;
        }
        return root.duplicate().order(ByteOrder.nativeOrder());
    }

    /** Views refer to the buffer that JNI creates, so that the memory is released after the last of them. */
    private ByteBuffer view(long address, long offset, int size) throws OrtException {
        String location = Texts.text(Native.valueMemory(address));
        if (!location.equals(HOST)) {
            throw OrtException.of(FailureCode.WRONG_MEMORY_SPACE, "inlay: the tensor is in the memory " + location,
                "copyTo(\"host\") copies it");
        }
        if (size == 0) {
            return ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder());
        }
        ByteBuffer root = Native.valueBuffer(address, offset, size);
        Handle owner = new Handle(Handle.Kind.VALUE, Native.newOptional(address), handle.dependencies());
        CLEANER.register(root, owner);
        ByteBuffer view = isReadOnly() ? root.asReadOnlyBuffer() : root;
        return view.order(ByteOrder.nativeOrder());
    }

    private boolean isReadOnly() { return buffer != null && buffer.isReadOnly(); }

    /** Whether runs may write into it. */
    void checkWritable() throws OrtException {
        if (isReadOnly()) {
            throw OrtException.of(FailureCode.INVALID_ARGUMENT, "inlay: the buffer of an output is read-only");
        }
    }

    /** The elements without a copy: the buffer that it was created over, or one of its own memory. Of strings none. */
    public Optional<Buffer> getBufferRef() {
        checkOpen();
        if (buffer != null) {
            return Optional.of(buffer);
        }
        ByteBuffer bytes = bytesOrNull();
        return Optional.ofNullable(bytes == null ? null : Buffers.typed(bytes, info.onnxType));
    }

    /** Whether the memory is its own, not that of the caller's buffer. */
    public boolean ownsBuffer() { return buffer == null; }

    /** A copy of the bytes, in the machine's order; null for strings, as for all that no such buffer shows. */
    public ByteBuffer getByteBuffer() {
        ByteBuffer bytes = bytesOrNull();
        if (bytes == null) {
            return null;
        }
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).order(ByteOrder.nativeOrder());
        copy.put(bytes);
        copy.rewind();
        return copy;
    }

    /** Null for strings. What is on a device, or too large, is an IllegalStateException. */
    private ByteBuffer bytesOrNull() {
        checkOpen();
        try {
            return info.type == OnnxJavaType.STRING ? null : elements();
        } catch (OrtException e) {
            throw new IllegalStateException(e.getMessage() + "; " + e.getHint(), e);
        }
    }

    /** The bytes, if elements of the type are what a buffer shows. */
    private ByteBuffer bytesOf(OnnxJavaType... types) {
        checkOpen();
        return Arrays.asList(types).contains(info.type) ? bytesOrNull() : null;
    }

    /** A copy as float, of FLOAT, FLOAT16 and BFLOAT16; null for others. */
    public FloatBuffer getFloatBuffer() {
        ByteBuffer bytes = bytesOf(OnnxJavaType.FLOAT, OnnxJavaType.FLOAT16, OnnxJavaType.BFLOAT16);
        if (bytes == null) {
            return null;
        } else if (info.type == OnnxJavaType.FLOAT16) {
            return Fp16Conversions.convertFp16BufferToFloatBuffer(bytes.asShortBuffer());
        } else if (info.type == OnnxJavaType.BFLOAT16) {
            return Fp16Conversions.convertBf16BufferToFloatBuffer(bytes.asShortBuffer());
        }
        return FloatBuffer.allocate(bytes.remaining() / Float.BYTES).put(bytes.asFloatBuffer()).rewind();
    }

    public DoubleBuffer getDoubleBuffer() {
        ByteBuffer bytes = bytesOf(OnnxJavaType.DOUBLE);
        return bytes == null
            ? null
            : DoubleBuffer.allocate(bytes.remaining() / Double.BYTES).put(bytes.asDoubleBuffer()).rewind();
    }

    /** Also the bits of FLOAT16 and BFLOAT16. */
    public ShortBuffer getShortBuffer() {
        ByteBuffer bytes = bytesOf(OnnxJavaType.INT16, OnnxJavaType.FLOAT16, OnnxJavaType.BFLOAT16);
        return bytes == null
            ? null
            : ShortBuffer.allocate(bytes.remaining() / Short.BYTES).put(bytes.asShortBuffer()).rewind();
    }

    public IntBuffer getIntBuffer() {
        ByteBuffer bytes = bytesOf(OnnxJavaType.INT32);
        return bytes == null ? null
                             : IntBuffer.allocate(bytes.remaining() / Integer.BYTES).put(bytes.asIntBuffer()).rewind();
    }

    public LongBuffer getLongBuffer() {
        ByteBuffer bytes = bytesOf(OnnxJavaType.INT64);
        return bytes == null ? null
                             : LongBuffer.allocate(bytes.remaining() / Long.BYTES).put(bytes.asLongBuffer()).rewind();
    }

    /** The name of the memory it is in: "host", or that of a device, as plans have it. */
    public String getLocation() {
        long address = handle.use();
        try {
            return Texts.text(Native.valueMemory(address));
        } finally {
            handle.release();
        }
    }

    /** A copy in another memory; one of the two is the host's. */
    public OnnxTensor copyTo(String location) throws OrtException {
        long address = handle.use();
        try {
            return (OnnxTensor) Values.of(Native.copyValue(address, Texts.bytes(location)));
        } finally {
            handle.release();
        }
    }

    /** Copies an output into a tensor of the caller, on the host. */
    static void copy(String name, OnnxValue from, OnnxValue to) throws OrtException {
        if (!(from instanceof OnnxTensor) || !(to instanceof OnnxTensor)) {
            throw OrtException.of(FailureCode.TYPE_MISMATCH, "inlay: the pinned output `" + name + "` is no tensor");
        }
        OnnxTensor source = (OnnxTensor) from;
        OnnxTensor target = (OnnxTensor) to;
        target.checkWritable();
        if (source.info.onnxType != target.info.onnxType) {
            throw mismatch(FailureCode.TYPE_MISMATCH, name, source, target);
        } else if (!Arrays.equals(source.info.getShape(), target.info.getShape())) {
            throw mismatch(FailureCode.SHAPE_MISMATCH, name, source, target);
        } else if (source.info.type == OnnxJavaType.STRING) {
            target.setStrings(source.strings());
        } else {
            target.elements().put(source.elements());
        }
    }

    private static OrtException mismatch(FailureCode code, String name, OnnxTensor source, OnnxTensor target) {
        return OrtException.of(
            code, "inlay: the output `" + name + "` is " + source.info + ", and what is pinned for it " + target.info);
    }

    /** Its memory goes with the last buffer over it. */
    @Override
    public void close() {
        closeHandle();
        memory = null;
    }

    @Override
    public String toString() {
        return "OnnxTensor(info=" + info + ",closed=" + isClosed() + ")";
    }
}
