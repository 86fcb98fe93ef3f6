package ai.inlay;

import static ai.inlay.Models.failure;
import static ai.inlay.Models.tensor;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import org.junit.Test;

/** The native methods with arguments that no class here passes. */
public class NativeTest {
    private static final byte[] X = {'x'};

    private static Object zero(Class<?> type) {
        if (type == long.class) {
            return 0L;
        } else if (type == int.class) {
            return 0;
        }
        return type == boolean.class ? false : null;
    }

    @Test
    public void nullsAndZerosOfEveryMethodAreExceptionsOrNothing() throws IllegalAccessException {
        int refusals = 0;
        for (Method method : Native.class.getDeclaredMethods()) {
            Class<?>[] types = method.getParameterTypes();
            if (!Modifier.isNative(method.getModifiers()) || types.length == 0
                || method.getName().equals("newOptional")) {
                continue;  // an optional may hold nothing
            }
            Object[] arguments = new Object[types.length];
            for (int k = 0; k < types.length; ++k) {
                arguments[k] = zero(types[k]);
            }
            boolean mayThrow = method.getExceptionTypes().length > 0;
            try {
                Object result = method.invoke(null, arguments);
                if (mayThrow && !method.getName().equals("providers")) {
                    fail(method + " accepted nulls");
                } else if (result instanceof Long) {
                    assertTrue(method + " returns " + result, mayThrow || (Long) result == -1);
                }
            } catch (InvocationTargetException e) {
                Throwable cause = e.getCause();
                assertTrue(method + " throws " + cause,
                    cause instanceof NullPointerException
                        || ((OrtException) cause).getFailure() == FailureCode.INVALID_ARGUMENT
                        || ((OrtException) cause).getFailure() == FailureCode.TYPE_MISMATCH);
                ++refusals;
            }
        }
        assertTrue("only " + refusals, refusals > 35);
    }

    private static void assertRefusesNull(Models.Call call) throws OrtException {
        try {
            call.run();
        } catch (NullPointerException e) {
            return;
        }
        fail("a null was accepted");
    }

    @Test
    public void runsCheckNamesAndValues() throws OrtException {
        try (OrtSession session = Models.session("fixed"); OnnxTensor x = tensor(new float[2][4])) {
            long s = session.handle.address();
            long[] inputs = {x.handle.address()};
            byte[][] in = {X};
            byte[][] out = {{'y'}};
            long[] results = {0};
            failure(FailureCode.INVALID_ARGUMENT, "as many", () -> Native.run(s, in, new long[0], out, results, 0, 0));
            failure(FailureCode.INVALID_ARGUMENT, "as many", () -> Native.run(s, in, inputs, out, new long[2], 0, 0));
            failure(FailureCode.INVALID_ARGUMENT, "NULL", () -> Native.run(s, in, new long[1], out, results, 0, 0));
            assertRefusesNull(() -> Native.run(s, null, inputs, out, results, 0, 0));
            assertRefusesNull(() -> Native.run(s, in, null, out, results, 0, 0));
            assertRefusesNull(() -> Native.run(s, in, inputs, null, results, 0, 0));
            assertRefusesNull(() -> Native.run(s, in, inputs, out, null, 0, 0));
            assertRefusesNull(() -> Native.run(s, new byte[1][], inputs, out, results, 0, 0));
            assertRefusesNull(() -> Native.run(s, in, inputs, new byte[1][], results, 0, 0));
            assertEquals(0, results[0]);
            failure(FailureCode.INVALID_ARGUMENT, "as many", () -> Native.bind(s, in, new long[2][1]));
            assertRefusesNull(() -> Native.bind(s, in, null));
            assertRefusesNull(() -> Native.bind(s, null, new long[1][1]));
            assertRefusesNull(() -> Native.bind(s, in, new long[1][]));
        }
    }

    @Test
    public void valuesCheckTheirMemory() throws OrtException {
        ByteBuffer direct = ByteBuffer.allocateDirect(8);
        long[] two = {2};
        failure(
            FailureCode.INVALID_ARGUMENT, "not direct", () -> Native.borrowValue(1, two, IntBuffer.allocate(2), 0, 8));
        failure(FailureCode.INVALID_ARGUMENT, "within", () -> Native.borrowValue(1, two, direct, 4, 8));
        failure(FailureCode.INVALID_ARGUMENT, "within", () -> Native.borrowValue(1, two, direct, -4, 8));
        failure(FailureCode.INVALID_ARGUMENT, "within", () -> Native.borrowValue(1, two, direct, 0, -1));
        failure(FailureCode.INVALID_ARGUMENT, "within", () -> Native.borrowValue(1, two, direct, 1, Long.MAX_VALUE));
        failure(FailureCode.SHAPE_MISMATCH, "bytes", () -> Native.borrowValue(1, two, direct, 0, 4));
        failure(FailureCode.TYPE_MISMATCH, "99", () -> Native.borrowValue(99, two, direct, 0, 8));
        failure(FailureCode.TYPE_MISMATCH, "-1", () -> Native.newValue(-1, two, null));
        failure(FailureCode.INVALID_ARGUMENT, "within", () -> Native.parseModelBuffer(direct, 0, 9, 0));
        try (OnnxTensor strings = tensor(new String[] {"a", "b"}); OnnxTensor floats = tensor(new float[2])) {
            long text = strings.handle.address();
            long number = floats.handle.address();
            failure(FailureCode.INVALID_ARGUMENT, "as many", () -> Native.setValueStrings(text, new byte[1][]));
            failure(FailureCode.INVALID_ARGUMENT, "null", () -> Native.setValueStrings(text, new byte[][] {X, null}));
            failure(FailureCode.INVALID_ARGUMENT, "no strings", () -> Native.valueStrings(number));
            failure(FailureCode.INVALID_ARGUMENT, "within", () -> Native.valueBuffer(text, 0, 1));
            failure(FailureCode.INVALID_ARGUMENT, "within", () -> Native.valueBuffer(number, Long.MAX_VALUE, 1));
            failure(FailureCode.INVALID_ARGUMENT, "within", () -> Native.valueBuffer(number, 0, 1L << 32));
            failure(FailureCode.TYPE_MISMATCH, "", () -> Native.valueItem(number, 0));
            failure(FailureCode.TYPE_MISMATCH, "", () -> Native.newMap(number, new long[] {text, text}));
        }
    }

    @Test
    public void indicesThatDoNotExistAreNulls() throws OrtException {
        try (OrtSession session = Models.session("fixed");
             Handle model = new Handle(Handle.Kind.MODEL, Native.sessionModel(session.handle.address()));
             Handle list = new Handle(Handle.Kind.PROVIDERS, Native.providers(true))) {
            for (long index : new long[] {-1, 1000, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertNull(Native.portTexts(model.address(), false, index));
                assertNull(Native.portNumbers(model.address(), true, index));
                assertNull(Native.provider(list.address(), index));
            }
        }
    }
}
