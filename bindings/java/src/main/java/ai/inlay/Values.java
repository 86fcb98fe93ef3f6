package ai.inlay;

import ai.inlay.TensorInfo.OnnxTensorType;
import java.util.Arrays;
import java.util.List;

/** Handles of values as objects. */
final class Values {
    private static final int TENSOR = 0;
    private static final int SEQUENCE = 1;
    private static final int MAP = 2;
    /** What {@link Native#valueNumbers} has before the dimensions. */
    private static final int DIMS = 5;

    private Values() {}

    /** Owns the handle. dependencies: what has to live as long. */
    static OnnxValue of(long address, Object... dependencies) {
        Handle handle = new Handle(Handle.Kind.VALUE, address, dependencies);
        try {
            long[] numbers = Native.valueNumbers(address);
            switch ((int) numbers[0]) {
                case TENSOR:
                    long[] shape = Arrays.copyOfRange(numbers, DIMS, numbers.length);
                    return new OnnxTensor(handle, new TensorInfo(shape, OnnxTensorType.mapFromInt((int) numbers[1])));
                case SEQUENCE: return new OnnxSequence(handle, Math.toIntExact(numbers[3]));
                case MAP: return new OnnxMap(handle, Math.toIntExact(numbers[3]));
                default: return new OnnxOptional(handle, numbers[3] > 0);
            }
        } catch (RuntimeException | Error e) {
            handle.close();
            throw e;
        }
    }

    /** The item at an index of a container, which may lie in memory that the container depends on. */
    static OnnxValue item(Handle container, long index) throws OrtException {
        long address = container.use();
        try {
            return of(Native.valueItem(address, index), container.dependencies());
        } finally {
            container.release();
        }
    }

    /** The type of an item that exists. */
    static ValueInfo itemInfo(Handle container, long index) {
        try (OnnxValue item = item(container, index)) {
            return item.getInfo();
        } catch (OrtException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    static NativeObject object(OnnxValue value) {
        if (!(value instanceof NativeObject)) {
            throw new IllegalArgumentException("inlay: a value is null, or of a class that is not Inlay's");
        }
        return (NativeObject) value;
    }

    /** The addresses of values. */
    static long[] addresses(Uses uses, List<? extends OnnxValue> values) {
        long[] addresses = new long[values.size()];
        for (int k = 0; k < addresses.length; ++k) {
            addresses[k] = uses.add(object(values.get(k)));
        }
        return addresses;
    }

    /** What these values depend on. */
    static Object[] dependencies(List<? extends OnnxValue> values) {
        return values.stream().flatMap(value -> Arrays.stream(object(value).handle.dependencies())).toArray();
    }
}
