package ai.inlay;

/** The type of Java that shows elements of a tensor; {@link TensorInfo.OnnxTensorType} is exact. */
public enum OnnxJavaType {
    FLOAT(1, float.class, 4),
    DOUBLE(2, double.class, 8),
    INT8(3, byte.class, 1),
    INT16(4, short.class, 2),
    INT32(5, int.class, 4),
    INT64(6, long.class, 8),
    BOOL(7, boolean.class, 1),
    STRING(8, String.class, 4),
    UINT8(9, byte.class, 1),
    FLOAT16(10, short.class, 2),
    BFLOAT16(11, short.class, 2),
    UNKNOWN(0, Object.class, 0);

    public final int value;
    /** A primitive type, or String. */
    public final Class<?> clazz;
    /** Bytes of an element. */
    public final int size;

    OnnxJavaType(int value, Class<?> clazz, int size) {
        this.value = value;
        this.clazz = clazz;
        this.size = size;
    }

    /** Unsigned integers of more than 8 bits are shown by the signed type of their size; UNKNOWN: nothing shows it. */
    public static OnnxJavaType mapFromOnnxTensorType(TensorInfo.OnnxTensorType type) {
        switch (type) {
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: return FLOAT;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: return DOUBLE;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8: return INT8;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8: return UINT8;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16: return INT16;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32: return INT32;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64: return INT64;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL: return BOOL;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING: return STRING;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: return FLOAT16;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: return BFLOAT16;
            default: return UNKNOWN;
        }
    }

    /** The type that arrays and boxed values of a class have in a tensor: FLOAT for float and Float; else UNKNOWN. */
    public static OnnxJavaType mapFromClass(Class<?> type) {
        if (type == float.class || type == Float.class) {
            return FLOAT;
        } else if (type == double.class || type == Double.class) {
            return DOUBLE;
        } else if (type == byte.class || type == Byte.class) {
            return INT8;
        } else if (type == short.class || type == Short.class) {
            return INT16;
        } else if (type == int.class || type == Integer.class) {
            return INT32;
        } else if (type == long.class || type == Long.class) {
            return INT64;
        } else if (type == boolean.class || type == Boolean.class) {
            return BOOL;
        } else if (type == String.class) {
            return STRING;
        }
        return UNKNOWN;
    }

    /** The exact type that values of this one are created with. */
    TensorInfo.OnnxTensorType tensorType() {
        for (TensorInfo.OnnxTensorType type : TensorInfo.OnnxTensorType.values()) {
            if (type.name().equals("ONNX_TENSOR_ELEMENT_DATA_TYPE_" + name())) {
                return type;
            }
        }
        return TensorInfo.OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    }
}
