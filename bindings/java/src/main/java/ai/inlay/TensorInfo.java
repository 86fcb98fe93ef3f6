package ai.inlay;

import java.nio.Buffer;
import java.util.Arrays;

/** The type and the shape of a tensor. */
public class TensorInfo implements ValueInfo {
    /** How many axes a tensor may have. */
    public static final int MAX_DIMENSIONS = 8;

    public final OnnxJavaType type;
    public final OnnxTensorType onnxType;

    private final long[] shape;
    private final int rank;
    private final String[] names;

    TensorInfo(long[] shape, OnnxTensorType onnxType) { this(shape, shape.length, unnamed(shape.length), onnxType); }

    /** rank: -1 where it is not known, with an empty shape. names: of the dimensions. */
    TensorInfo(long[] shape, int rank, String[] names, OnnxTensorType onnxType) {
        this.shape = shape;
        this.rank = rank;
        this.names = names;
        this.onnxType = onnxType;
        this.type = OnnxJavaType.mapFromOnnxTensorType(onnxType);
    }

    private static String[] unnamed(int count) {
        String[] names = new String[count];
        Arrays.fill(names, "");
        return names;
    }

    /** Of an array of any rank, or of a boxed value; rows have to be of one length. Arrays of bytes are INT8. */
    public static TensorInfo constructFromJavaArray(Object array) throws OrtException {
        OnnxJavaType type = OnnxJavaType.mapFromClass(JavaArrays.elementClass(array));
        if (type == OnnxJavaType.UNKNOWN) {
            throw OrtException.of(FailureCode.TYPE_MISMATCH,
                "inlay: no tensor is created of " + array.getClass().getSimpleName(),
                "arrays of primitive types but char, and of String, and these types boxed are possible");
        }
        return new TensorInfo(JavaArrays.shape(array), type.tensorType());
    }

    /** Of what remains in a buffer, which has to be as many elements as the shape. */
    public static TensorInfo constructFromBuffer(Buffer buffer, long[] shape, OnnxJavaType type) throws OrtException {
        TensorInfo info = new TensorInfo(shape.clone(), type.tensorType());
        Buffers.check(buffer, info);
        return info;
    }

    /** Sizes; -1: not fixed by the model. Empty for a scalar, and where {@link #getRank()} is -1. */
    public long[] getShape() { return shape.clone(); }

    /** -1: the model does not say it. */
    public int getRank() { return rank; }

    /** Of dimensions that are not fixed: "batch"; else empty. */
    public String[] getDimensionNames() { return names.clone(); }

    public boolean isScalar() { return rank == 0; }

    /** -1: the shape is not fixed. */
    public long getNumElements() {
        long count = rank < 0 ? -1 : 1;
        for (long size : shape) {
            if (size < 0) {
                return -1;
            }
            count = Math.multiplyExact(count, size);
        }
        return count;
    }

    /** Of elements with one size: the bytes of all of them. */
    long getNumBytes() { return Math.addExact(Math.multiplyExact(getNumElements(), onnxType.bits), 7L) / 8; }

    @Override
    public String toString() {
        return "TensorInfo(javaType=" + type + ",onnxType=" + onnxType
            + ",shape=" + (rank < 0 ? "unknown" : Arrays.toString(shape)) + ")";
    }

    /** ONNX's types of elements. */
    public enum OnnxTensorType {
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED("undefined", 0),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT("float", 32),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8("uint8", 8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8("int8", 8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16("uint16", 16),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16("int16", 16),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32("int32", 32),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64("int64", 64),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING("string", 0),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL("bool", 8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16("float16", 16),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE("double", 64),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32("uint32", 32),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64("uint64", 64),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64("complex64", 64),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128("complex128", 128),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16("bfloat16", 16),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN("float8e4m3fn", 8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ("float8e4m3fnuz", 8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2("float8e5m2", 8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ("float8e5m2fnuz", 8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4("uint4", 4),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4("int4", 4),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1("float4e2m1", 4),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0("float8e8m0", 8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2("uint2", 2),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2("int2", 2);

        /** The number of ONNX's TensorProto.DataType. */
        public final int value;
        /** As ONNX writes it: "float16". */
        public final String text;
        /** Of an element; of strings 0. */
        public final int bits;

        OnnxTensorType(String text, int bits) {
            this.value = ordinal();
            this.text = text;
            this.bits = bits;
        }

        /** UNDEFINED for numbers of later versions. */
        public static OnnxTensorType mapFromInt(int value) {
            return value >= 0 && value < values().length ? values()[value] : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
        }

        static OnnxTensorType mapFromText(String text) {
            for (OnnxTensorType type : values()) {
                if (type.text.equals(text)) {
                    return type;
                }
            }
            return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
        }
    }
}
