package ai.inlay;

import static ai.inlay.Models.ENV;
import static ai.inlay.Models.assertClosed;
import static ai.inlay.Models.direct;
import static ai.inlay.Models.failure;
import static ai.inlay.Models.tensor;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public class BindingTest {
    private static final long[] EIGHT = {2, 4};

    @Test
    public void aBindingIsFilledAndReadInPlace() throws OrtException {
        try (OrtSession session = Models.session("fixed"); Binding binding = session.bind();
             OnnxTensor x = binding.getInput("x"); OnnxTensor y = binding.getOutput("y")) {
            ByteBuffer in = x.getMemory();
            FloatBuffer out = (FloatBuffer) y.getBufferRef().get();
            for (int run = 1; run < 4; ++run) {
                in.putFloat(4, -run);
                binding.run();
                assertEquals(run, out.get(1), 0);
            }
            failure(FailureCode.NOT_FOUND, "nothing", () -> binding.getInput("nothing"));
            assertTrue(binding.profile(2).contains("inlay.profile"));
            failure(FailureCode.INVALID_ARGUMENT, "", () -> binding.profile(-1));
        }
    }

    @Test
    public void aBindingReadsAndWritesBuffersOfTheCaller() throws OrtException {
        FloatBuffer in = direct(-1, 2, -3, 4, -5, 6, -7, 8);
        FloatBuffer out = direct(new float[8]);
        try (OrtSession session = Models.session("fixed"); Binding binding = session.bind()) {
            try (OnnxTensor x = OnnxTensor.createTensor(ENV, in, EIGHT);
                 OnnxTensor y = OnnxTensor.createTensor(ENV, out, EIGHT);
                 OnnxTensor constant = OnnxTensor.createTensor(ENV, out.asReadOnlyBuffer(), EIGHT);
                 OnnxTensor small = tensor(new float[2][3])) {
                binding.setInput("x", x);
                binding.setOutput("y", y);
                failure(FailureCode.INVALID_ARGUMENT, "read-only", () -> binding.setOutput("y", constant));
                failure(FailureCode.SHAPE_MISMATCH, "", () -> binding.setInput("x", small));
            }
            binding.run();
            assertEquals(7, out.get(6), 0);
            in.put(1, -9);
            binding.run();
            assertEquals(9, out.get(1), 0);
        }
    }

    @Test
    public void aBindingKeepsTheMemoryOfItsTensors() throws OrtException {
        try (OrtSession session = Models.session("fixed"); Binding binding = session.bind()) {
            bindTemporary(binding);
            for (int k = 0; k < 100; ++k) {
                direct(new float[8]);
            }
            Models.collectGarbage();
            binding.run();
            try (OnnxTensor y = binding.getOutput("y")) {
                assertArrayEquals(new float[] {1, 2, 3, 4}, ((float[][]) y.getValue())[0], 0);
            }
        }
    }

    private static void bindTemporary(Binding binding) throws OrtException {
        try (OnnxTensor x = OnnxTensor.createTensor(ENV, direct(-1, -2, -3, -4, 0, 0, 0, 0), EIGHT)) {
            binding.setInput("x", x);
        }
    }

    @Test
    public void valuesOfABindingOutliveItAndItsSession() throws OrtException {
        OrtSession session = Models.session("fixed");
        Binding binding = session.bind();
        bindTemporary(binding);
        session.close();
        binding.run();
        OnnxTensor x = binding.getInput("x");
        OnnxTensor y = binding.getOutput("y");
        binding.close();
        binding.close();
        Models.collectGarbage();
        assertEquals(-2, ((float[][]) x.getValue())[0][1], 0);
        assertEquals(2, ((float[][]) y.getValue())[0][1], 0);
        OnnxValue.close(Map.of("x", x, "y", y));
    }

    @Test
    public void runsOfABindingCreateNoObjects() throws OrtException {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        try (OrtSession session = Models.session("fixed"); Binding binding = session.bind()) {
            for (int k = 0; k < 1000; ++k) {
                binding.run();
            }
            long before = threads.getThreadAllocatedBytes(thread);
            for (int k = 0; k < 1000; ++k) {
                binding.run();
            }
            long bytes = threads.getThreadAllocatedBytes(thread) - before;
            assertTrue(bytes + " bytes in 1000 runs", bytes < 10_000);  // what the measurement itself needs
        }
    }

    @Test(timeout = 60_000)
    public void aSecondThreadGetsAnExceptionWhileABindingRuns() throws Exception {
        Map<String, long[]> shapes = Map.of("times", new long[0], "go", new long[0], "x", new long[] {4});
        try (OrtSession session = Models.session("loop"); Binding binding = session.bind(shapes);
             OrtSession.RunOptions options = new OrtSession.RunOptions()) {
            try (OnnxTensor times = tensor(Long.MAX_VALUE); OnnxTensor go = tensor(true)) {
                binding.setInput("times", times);
                binding.setInput("go", go);
            }
            Thread first = new Thread(() -> failure(FailureCode.STOPPED, "", () -> binding.run(options)));
            first.start();
            Thread.sleep(100);
            failure(FailureCode.INVALID_ARGUMENT, "another thread", binding::run);
            binding.close();  // the run goes on
            assertClosed(binding::run);
            options.setTerminate(true);
            first.join();
        }
    }

    @Test
    public void aCacheKeepsTheRowsOfADecoder() throws OrtException {
        try (OrtSession session = Models.session("decoder"); KvCache cache = session.makeCache(3)) {
            assertEquals(3, cache.getCapacity());
            for (int k = 1; k <= 3; ++k) {
                try (OnnxTensor x = tensor(new float[][][] {{{k, 0, 0, 0}}});
                     OrtSession.Result result = session.run(Map.of("x", x), Set.of("y"), cache, null)) {
                    assertEquals(k, cache.getRows());
                    assertEquals(-k, ((float[][][]) result.get(0).getValue())[0][k - 1][0], 0);
                }
            }
            try (OnnxTensor x = tensor(new float[1][1][4])) {
                failure(
                    FailureCode.LIMIT_EXCEEDED, "3 rows", () -> session.run(Map.of("x", x), Set.of("y"), cache, null));
            }
            try (OnnxTensor past = cache.getPast("past")) {
                assertEquals(3, ((float[][][]) past.getValue())[0][2][0], 0);
                cache.keep(1);
                assertEquals(1, cache.getRows());
                cache.assign(Map.of("past", past));
                assertEquals(3, cache.getRows());
            }
            failure(FailureCode.INVALID_ARGUMENT, "cannot keep", () -> cache.keep(4));
            assertTrue(cache.getPairs().startsWith("[{\"past\":\"past\",\"present\":\"present\""));
            failure(FailureCode.INVALID_ARGUMENT, "at least one row", () -> session.makeCache(0));
        }
    }
}
