package ai.inlay;

import ai.inlay.TensorInfo.OnnxTensorType;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;

/** Buffers of java.nio as elements of tensors. */
final class Buffers {
    private Buffers() {}

    /** Bytes of one element of the buffer. */
    static int elementSize(Buffer buffer) {
        if (buffer instanceof ByteBuffer) {
            return 1;
        } else if (buffer instanceof ShortBuffer) {
            return Short.BYTES;
        } else if (buffer instanceof IntBuffer || buffer instanceof FloatBuffer) {
            return Integer.BYTES;
        }
        return Long.BYTES;
    }

    /** Whether what remains in the buffer is the elements of a tensor. A ByteBuffer has any but strings. */
    static void check(Buffer buffer, TensorInfo info) throws OrtException {
        if (!(buffer instanceof ByteBuffer) && !shows(buffer, info.onnxType) || info.onnxType.bits == 0) {
            throw OrtException.of(FailureCode.TYPE_MISMATCH,
                "inlay: a buffer of class " + buffer.getClass().getSimpleName() + " has no elements of the type "
                    + info.onnxType.text);
        }
        if (info.getRank() > TensorInfo.MAX_DIMENSIONS || Arrays.stream(info.getShape()).anyMatch(size -> size < 0)) {
            throw OrtException.of(FailureCode.SHAPE_MISMATCH,
                "inlay: " + info + " has a negative size, or more than " + TensorInfo.MAX_DIMENSIONS + " axes");
        }
        long bytes = (long) buffer.remaining() * elementSize(buffer);
        if (bytes != bytes(info)) {
            throw OrtException.of(FailureCode.SHAPE_MISMATCH,
                "inlay: " + info + " has " + bytes(info) + " bytes, and " + bytes + " remain in the buffer");
        }
    }

    private static long bytes(TensorInfo info) throws OrtException {
        try {
            return info.getNumBytes();
        } catch (ArithmeticException e) {
            throw OrtException.of(FailureCode.LIMIT_EXCEEDED, "inlay: " + info + " has too many elements");
        }
    }

    private static boolean shows(Buffer buffer, OnnxTensorType type) {
        switch (type) {
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64: return buffer instanceof FloatBuffer;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128: return buffer instanceof DoubleBuffer;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: return buffer instanceof ShortBuffer;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32: return buffer instanceof IntBuffer;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64: return buffer instanceof LongBuffer;
            default: return false;
        }
    }

    /**
     * Whether the library may read the elements where they are. A ByteBuffer has them in the machine's order always.
     */
    static boolean isReadInPlace(Buffer buffer) {
        return buffer.isDirect() && order(buffer) == ByteOrder.nativeOrder();
    }

    private static ByteOrder order(Buffer buffer) {
        if (buffer instanceof FloatBuffer) {
            return ((FloatBuffer) buffer).order();
        } else if (buffer instanceof DoubleBuffer) {
            return ((DoubleBuffer) buffer).order();
        } else if (buffer instanceof ShortBuffer) {
            return ((ShortBuffer) buffer).order();
        } else if (buffer instanceof IntBuffer) {
            return ((IntBuffer) buffer).order();
        } else if (buffer instanceof LongBuffer) {
            return ((LongBuffer) buffer).order();
        }
        return ByteOrder.nativeOrder();
    }

    /** Copies what remains in a buffer, whose position stays. */
    static void copy(Buffer from, ByteBuffer to) {
        if (from instanceof FloatBuffer) {
            to.asFloatBuffer().put(((FloatBuffer) from).duplicate());
        } else if (from instanceof DoubleBuffer) {
            to.asDoubleBuffer().put(((DoubleBuffer) from).duplicate());
        } else if (from instanceof ShortBuffer) {
            to.asShortBuffer().put(((ShortBuffer) from).duplicate());
        } else if (from instanceof IntBuffer) {
            to.asIntBuffer().put(((IntBuffer) from).duplicate());
        } else if (from instanceof LongBuffer) {
            to.asLongBuffer().put(((LongBuffer) from).duplicate());
        } else {
            to.put(((ByteBuffer) from).duplicate());
        }
    }

    /** The same memory as a buffer of the class that shows the type. */
    static Buffer typed(ByteBuffer memory, OnnxTensorType type) {
        switch (type) {
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64: return memory.asFloatBuffer();
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128: return memory.asDoubleBuffer();
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: return memory.asShortBuffer();
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32: return memory.asIntBuffer();
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64: return memory.asLongBuffer();
            default: return memory;
        }
    }
}
