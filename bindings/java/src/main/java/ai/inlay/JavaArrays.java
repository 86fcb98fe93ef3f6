package ai.inlay;

import ai.inlay.platform.Fp16Conversions;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Arrays of any rank as elements of tensors in row-major order, and back. */
final class JavaArrays {
    private JavaArrays() {}

    static Class<?> elementClass(Object array) {
        Class<?> type = array.getClass();
        while (type.isArray()) {
            type = type.getComponentType();
        }
        return type;
    }

    /** Rows of different lengths are an exception. Below an axis of size 0 nothing is known, and sizes are 0. */
    static long[] shape(Object array) throws OrtException {
        int rank = 0;
        for (Class<?> type = array.getClass(); type.isArray(); type = type.getComponentType()) {
            ++rank;
        }
        long[] shape = new long[rank];
        Object row = array;
        for (int axis = 0; axis < rank && row != null; ++axis) {
            shape[axis] = Array.getLength(row);
            row = shape[axis] > 0 && axis + 1 < rank ? Array.get(row, 0) : null;
        }
        check(array, shape, 0);
        return shape;
    }

    private static void check(Object array, long[] shape, int axis) throws OrtException {
        if (axis == shape.length) {
            return;
        }
        if (array == null || Array.getLength(array) != shape[axis]) {
            throw OrtException.of(FailureCode.SHAPE_MISMATCH,
                "inlay: the rows of an array of " + shape.length + " axes are not of one length, or one is null");
        }
        for (int k = 0; axis + 1 < shape.length && k < shape[axis]; ++k) {
            check(Array.get(array, k), shape, axis + 1);
        }
    }

    /** The strings of a String or an array of them. */
    static List<String> strings(Object array) {
        if (!array.getClass().isArray()) {
            return Collections.singletonList((String) array);
        }
        List<String> strings = new ArrayList<>();
        for (int k = 0; k < Array.getLength(array); ++k) {
            strings.addAll(strings(Array.get(array, k)));
        }
        return strings;
    }

    /** Puts the elements of an array or a boxed value into a buffer. */
    static void write(Object array, ByteBuffer to) {
        if (array instanceof Object[]) {
            for (Object row : (Object[]) array) {
                write(row, to);
            }
        } else if (array.getClass().isArray()) {
            writeRow(array, to);
        } else if (array instanceof Boolean) {
            to.put((byte) ((Boolean) array ? 1 : 0));
        } else {
            writeNumber((Number) array, to);
        }
    }

    private static void writeRow(Object row, ByteBuffer to) {
        int start = to.position();
        if (row instanceof float[]) {
            to.asFloatBuffer().put((float[]) row);
            to.position(start + ((float[]) row).length * Float.BYTES);
        } else if (row instanceof double[]) {
            to.asDoubleBuffer().put((double[]) row);
            to.position(start + ((double[]) row).length * Double.BYTES);
        } else if (row instanceof byte[]) {
            to.put((byte[]) row);
        } else if (row instanceof short[]) {
            to.asShortBuffer().put((short[]) row);
            to.position(start + ((short[]) row).length * Short.BYTES);
        } else if (row instanceof int[]) {
            to.asIntBuffer().put((int[]) row);
            to.position(start + ((int[]) row).length * Integer.BYTES);
        } else if (row instanceof long[]) {
            to.asLongBuffer().put((long[]) row);
            to.position(start + ((long[]) row).length * Long.BYTES);
        } else {
            for (boolean value : (boolean[]) row) {
                to.put((byte) (value ? 1 : 0));
            }
        }
    }

    private static void writeNumber(Number value, ByteBuffer to) {
        if (value instanceof Float) {
            to.putFloat((Float) value);
        } else if (value instanceof Double) {
            to.putDouble((Double) value);
        } else if (value instanceof Byte) {
            to.put((Byte) value);
        } else if (value instanceof Short) {
            to.putShort((Short) value);
        } else if (value instanceof Integer) {
            to.putInt((Integer) value);
        } else {
            to.putLong((Long) value);
        }
    }

    /** The elements as an array, or as a boxed value for a scalar; float16 and bfloat16 become float. */
    static Object read(ByteBuffer from, TensorInfo info) throws OrtException {
        boolean half = info.type == OnnxJavaType.FLOAT16 || info.type == OnnxJavaType.BFLOAT16;
        Object array = newArray(half ? float.class : info.type.clazz, info);
        if (!info.isScalar()) {
            fill(array, from, info.type);
            return array;
        }
        fill(array, from, info.type);
        return Array.get(array, 0);
    }

    static Object strings(byte[][] texts, TensorInfo info) throws OrtException {
        if (info.isScalar()) {
            return Texts.text(texts[0]);
        }
        Object array = newArray(String.class, info);
        fill(array, texts, 0);
        return array;
    }

    private static int fill(Object array, byte[][] texts, int first) {
        int next = first;
        Object[] rows = (Object[]) array;
        for (int k = 0; k < rows.length; ++k) {
            if (rows instanceof String[]) {
                rows[k] = Texts.text(texts[next++]);
            } else {
                next = fill(rows[k], texts, next);
            }
        }
        return next;
    }

    /** Of one element for a scalar. */
    private static Object newArray(Class<?> type, TensorInfo info) throws OrtException {
        if (info.isScalar()) {
            return Array.newInstance(type, 1);
        }
        long[] shape = info.getShape();
        int[] sizes = new int[shape.length];
        for (int axis = 0; axis < sizes.length; ++axis) {
            if (shape[axis] > Integer.MAX_VALUE) {
                throw OrtException.of(
                    FailureCode.INVALID_ARGUMENT, "inlay: the tensor is larger than an array of Java");
            }
            sizes[axis] = (int) shape[axis];
        }
        return Array.newInstance(type, sizes);
    }

    private static void fill(Object array, ByteBuffer from, OnnxJavaType type) {
        if (array instanceof Object[]) {
            for (Object row : (Object[]) array) {
                fill(row, from, type);
            }
            return;
        }
        int start = from.position();
        int length = Array.getLength(array);
        if (type == OnnxJavaType.FLOAT) {
            from.asFloatBuffer().get((float[]) array);
        } else if (type == OnnxJavaType.DOUBLE) {
            from.asDoubleBuffer().get((double[]) array);
        } else if (type == OnnxJavaType.INT8 || type == OnnxJavaType.UINT8) {
            from.get((byte[]) array);
        } else if (type == OnnxJavaType.INT16) {
            from.asShortBuffer().get((short[]) array);
        } else if (type == OnnxJavaType.INT32) {
            from.asIntBuffer().get((int[]) array);
        } else if (type == OnnxJavaType.INT64) {
            from.asLongBuffer().get((long[]) array);
        } else {
            fillOneByOne(array, from, type);
        }
        from.position(start + length * type.size);
    }

    private static void fillOneByOne(Object array, ByteBuffer from, OnnxJavaType type) {
        for (int k = 0; k < Array.getLength(array); ++k) {
            if (type == OnnxJavaType.BOOL) {
                ((boolean[]) array)[k] = from.get() != 0;
            } else if (type == OnnxJavaType.FLOAT16) {
                ((float[]) array)[k] = Fp16Conversions.fp16ToFloat(from.getShort());
            } else {
                ((float[]) array)[k] = Fp16Conversions.bf16ToFloat(from.getShort());
            }
        }
    }
}
