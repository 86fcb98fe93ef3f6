package ai.inlay;

import java.lang.reflect.Array;

/** Flat arrays as arrays of any rank. */
public final class OrtUtil {
    private OrtUtil() {}

    public static Object reshape(float[] input, long[] shape) { return reshapeArray(input, shape); }

    public static Object reshape(double[] input, long[] shape) { return reshapeArray(input, shape); }

    public static Object reshape(byte[] input, long[] shape) { return reshapeArray(input, shape); }

    public static Object reshape(short[] input, long[] shape) { return reshapeArray(input, shape); }

    public static Object reshape(int[] input, long[] shape) { return reshapeArray(input, shape); }

    public static Object reshape(long[] input, long[] shape) { return reshapeArray(input, shape); }

    public static Object reshape(boolean[] input, long[] shape) { return reshapeArray(input, shape); }

    public static Object reshape(String[] input, long[] shape) { return reshapeArray(input, shape); }

    /** Throws IllegalArgumentException for a negative size. */
    public static long elementCount(long[] shape) {
        long count = 1;
        for (long size : shape) {
            if (size < 0) {
                throw new IllegalArgumentException("inlay: a size of a shape is negative: " + size);
            }
            count = Math.multiplyExact(count, size);
        }
        return count;
    }

    private static Object reshapeArray(Object input, long[] shape) {
        if (elementCount(shape) != Array.getLength(input)) {
            throw new IllegalArgumentException("inlay: an array of " + Array.getLength(input)
                + " elements has not as many as the shape, " + elementCount(shape));
        }
        int[] sizes = new int[shape.length];
        for (int axis = 0; axis < sizes.length; ++axis) {
            sizes[axis] = Math.toIntExact(shape[axis]);
        }
        Object array = Array.newInstance(input.getClass().getComponentType(), sizes);
        fill(input, array, sizes, 0, 0);
        return array;
    }

    /** Returns how many elements were used. */
    private static int fill(Object input, Object array, int[] sizes, int axis, int first) {
        if (axis + 1 == sizes.length) {
            System.arraycopy(input, first, array, 0, sizes[axis]);
            return first + sizes[axis];
        }
        int next = first;
        for (int k = 0; k < sizes[axis]; ++k) {
            next = fill(input, Array.get(array, k), sizes, axis + 1, next);
        }
        return next;
    }
}
