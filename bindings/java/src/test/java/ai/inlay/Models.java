package ai.inlay;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Map;

/** The models of the tests, and what several tests do. */
final class Models {
    static final OrtEnvironment ENV = OrtEnvironment.getEnvironment();

    private Models() {}

    /** tests/c/models has their text. */
    static String path(String name) { return Path.of(System.getProperty("models"), name + ".onnx").toString(); }

    static OrtSession session(String name) throws OrtException { return ENV.createSession(path(name)); }

    static OrtSession digits() throws OrtException { return ENV.createSession(System.getProperty("digits")); }

    static FloatBuffer direct(float... values) {
        FloatBuffer buffer =
            ByteBuffer.allocateDirect(values.length * Float.BYTES).order(ByteOrder.nativeOrder()).asFloatBuffer();
        buffer.put(values).rewind();
        return buffer;
    }

    static OnnxTensor tensor(Object array) throws OrtException { return OnnxTensor.createTensor(ENV, array); }

    /** A session of the model `two`, y = relu(x + b), z = -x, whose inputs are [N, 4]. */
    static Map<String, OnnxTensor> two(OnnxTensor x, OnnxTensor b) { return Map.of("x", x, "b", b); }

    interface Call {
        void run() throws OrtException;
    }

    /** The exception that a call throws, of this code and with this in its text. */
    static OrtException failure(FailureCode code, String part, Call call) {
        try {
            call.run();
        } catch (OrtException e) {
            assertEquals(e.getMessage(), code, e.getFailure());
            if (!e.getMessage().contains(part)) {
                fail("`" + part + "` is not in: " + e.getMessage());
            }
            return e;
        }
        fail("there is no exception " + code);
        return null;
    }

    static void assertClosed(Call call) {
        try {
            call.run();
        } catch (IllegalStateException e) {
            return;
        } catch (OrtException e) {
            throw new AssertionError("an OrtException, not an IllegalStateException", e);
        }
        fail("what is closed was used");
    }

    /** Bytes of this process in memory. */
    static long residentBytes() {
        try {
            String pages = java.nio.file.Files.readString(Path.of("/proc/self/statm")).split(" ")[1];
            return Long.parseLong(pages) * 4096;
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    static void collectGarbage() {
        for (int k = 0; k < 3; ++k) {
            System.gc();
            try {
                Thread.sleep(50);  // for the Cleaner
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
