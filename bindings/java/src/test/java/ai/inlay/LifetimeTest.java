package ai.inlay;

import static ai.inlay.Models.ENV;
import static ai.inlay.Models.assertClosed;
import static ai.inlay.Models.direct;
import static ai.inlay.Models.failure;
import static ai.inlay.Models.residentBytes;
import static ai.inlay.Models.tensor;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;

public class LifetimeTest {
    private static final long MEGABYTE = 1 << 20;

    @Test
    public void thousandsOfNamesAndStringsArePassed() throws OrtException {
        String[] texts = new String[1000];
        Arrays.setAll(texts, Integer::toString);
        Map<String, long[]> shapes = new LinkedHashMap<>();
        Map<String, Float> entries = new LinkedHashMap<>();
        for (String text : texts) {
            shapes.put(text, new long[] {1});
            entries.put(text, 1f);
        }
        try (OnnxTensor strings = tensor(texts); OnnxMap map = OnnxMap.create(ENV, entries);
             OrtSession session = Models.session("two")) {
            assertArrayEquals(texts, (String[]) strings.getValue());
            assertEquals(1000, map.getValue().size());
            failure(FailureCode.NOT_FOUND, "", () -> session.plan(shapes));
        }
    }

    @Test
    public void whatIsClosedIsNeverUsedAgain() throws OrtException {
        OrtSession session = Models.session("fixed");
        OnnxTensor x = tensor(new float[2][4]);
        OrtSession.Result result = session.run(Map.of("x", x));
        OnnxTensor y = (OnnxTensor) result.get(0);
        OnnxSequence sequence = OnnxSequence.create(ENV, List.of(x));
        OnnxMap map = OnnxMap.create(ENV, Map.of(1L, x));
        OnnxOptional optional = OnnxOptional.create(ENV, x);
        Binding binding = session.bind();
        for (int k = 0; k < 2; ++k) {  // twice is fine
            result.close();
            OnnxValue.close(List.of(x, sequence, map, optional));
            binding.close();
            session.close();
        }
        assertTrue(session.isClosed() && x.isClosed() && y.isClosed() && binding.isClosed());
        assertClosed(() -> session.run(Map.of("x", x)));
        assertClosed(() -> session.getInputInfo());
        assertClosed(() -> session.getMetadata());
        assertClosed(() -> session.plan());
        assertClosed(() -> session.bind());
        assertClosed(() -> session.getProviders());
        assertClosed(() -> x.getValue());
        assertClosed(() -> x.getMemory());
        assertClosed(() -> x.getFloatBuffer());
        assertClosed(() -> x.getBufferRef());
        assertClosed(() -> x.copyTo("host"));
        assertClosed(() -> y.getValue());
        assertClosed(() -> sequence.getValue());
        assertClosed(() -> sequence.get(0));
        assertClosed(() -> sequence.getInfo());
        assertClosed(() -> map.getValue());
        assertClosed(() -> map.getInfo());
        assertClosed(() -> optional.getValue());
        assertClosed(() -> binding.run());
        assertClosed(() -> binding.getInput("x"));
        assertClosed(() -> result.get(0));
        assertClosed(() -> result.get("y"));
        assertClosed(() -> result.iterator());
        assertClosed(() -> result.size());
        assertClosed(() -> OnnxSequence.create(ENV, List.of(x)));
        assertClosed(() -> OnnxOptional.create(ENV, x));
        try (OrtSession open = Models.session("fixed"); Binding other = open.bind()) {
            assertClosed(() -> open.run(Map.of("x", x)));
            assertClosed(() -> other.setInput("x", x));
        }
    }

    @Test
    public void outputsOutliveTheirSession() throws OrtException {
        OrtSession.Result result;
        try (OrtSession session = Models.session("fixed");
             OnnxTensor x = tensor(new float[][] {{-1, 0, 0, 0}, {0, 0, 0, -8}})) {
            result = session.run(Map.of("x", x));
        }
        Models.collectGarbage();
        assertArrayEquals(new float[] {0, 0, 0, 8}, ((float[][]) result.get(0).getValue())[1], 0);
        result.close();
    }

    private static void assertRefusesNull(Models.Call call) throws OrtException {
        try {
            call.run();
        } catch (NullPointerException e) {
            return;
        }
        throw new AssertionError("a null was accepted");
    }

    @Test
    public void nullsAreExceptions() throws OrtException {
        try (OrtSession session = Models.session("fixed")) {
            assertRefusesNull(() -> session.run(null));
            assertRefusesNull(() -> ENV.createSession((String) null));
            assertRefusesNull(() -> tensor(null));
            assertRefusesNull(() -> OnnxTensor.createTensor(ENV, (FloatBuffer) null, new long[0]));
            assertRefusesNull(() -> OnnxTensor.createTensor(ENV, direct(1), (long[]) null));
            assertRefusesNull(() -> session.bind((Map<String, long[]>) null));
            assertRefusesNull(() -> OnnxSequence.create(ENV, null));
            assertRefusesNull(() -> OnnxMap.create(ENV, null));
            assertRefusesNull(() -> new OrtSession.SessionOptions().addProvider(null));
            assertRefusesNull(() -> tensor(new String[] {null}));
            assertRefusesNull(() -> new OrtSession.SessionOptions().setOption("fallback", null));
        }
    }

    @Test(timeout = 120_000)
    public void threadsRunOneSessionAtOnce() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try (OrtSession session = Models.session("two")) {
            List<Future<?>> futures = new ArrayList<>();
            for (int thread = 0; thread < 4; ++thread) {
                int rows = thread + 1;
                futures.add(pool.submit(() -> {
                    for (int k = 0; k < 500; ++k) {
                        runRows(session, rows, k);
                    }
                    return null;
                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        } finally {
            pool.shutdown();
        }
    }

    private static void runRows(OrtSession session, int rows, int value) throws OrtException {
        float[][] data = new float[rows][4];
        data[rows - 1][3] = value;
        try (OnnxTensor x = tensor(data); OrtSession.Result result = session.run(Models.two(x, x))) {
            assertEquals(2f * value, ((float[][]) result.get("y").get().getValue())[rows - 1][3], 0);
        }
    }

    @Test(timeout = 120_000)
    public void aSessionAndItsInputsMayBeClosedWhileThreadsRunThem() throws Exception {
        for (int round = 0; round < 20; ++round) {
            OrtSession session = Models.session("two");
            OnnxTensor x = OnnxTensor.createTensor(ENV, direct(new float[400]), new long[] {100, 4});
            AtomicInteger runs = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            for (int k = 0; k < 3; ++k) {
                threads.add(new Thread(() -> runUntilClosed(session, x, runs)));
                threads.get(k).setUncaughtExceptionHandler((thread, e) -> failures.add(e));
                threads.get(k).start();
            }
            while (runs.get() < 5) {
                Thread.onSpinWait();
            }
            (round % 2 == 0 ? (AutoCloseable) session : x).close();
            for (Thread thread : threads) {
                thread.join();
            }
            session.close();
            x.close();
            assertEquals(List.of(), failures);
        }
    }

    private static void runUntilClosed(OrtSession session, OnnxTensor x, AtomicInteger runs) {
        try {
            while (true) {
                session.run(Models.two(x, x)).close();
                runs.incrementAndGet();
            }
        } catch (IllegalStateException e) {
            assertTrue(session.isClosed() || x.isClosed());
        } catch (OrtException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * A call that leaks `bytes` each time is seen: memory grows in every round, not only while the heap gets its size.
     */
    private static void leaksNothing(int count, int bytes, Models.Call call) throws OrtException {
        long growth = Long.MAX_VALUE;
        for (int round = 0; round < 3; ++round) {
            Models.collectGarbage();
            long before = residentBytes();
            for (int k = 0; k < count; ++k) {
                call.run();
            }
            Models.collectGarbage();
            growth = Math.min(growth, residentBytes() - before);
        }
        assertTrue(growth / 1024 + " kB more by " + count + " calls", growth < (long) count * bytes);
    }

    @Test
    public void aHundredThousandRunsNeedNoMoreMemory() throws OrtException {
        float[] row = {-1, 0, 1, 2};
        try (OrtSession session = Models.session("two"); OnnxTensor b = tensor(new float[1][4])) {
            leaksNothing(100_000, 64, () -> {
                try (OnnxTensor x = OnnxTensor.createTensor(ENV, FloatBuffer.wrap(row), new long[] {1, 4});
                     OrtSession.Result result = session.run(Models.two(x, b))) {
                    assertEquals(2, ((float[][]) result.get(0).getValue())[0][3], 0);
                }
            });
        }
    }

    @Test
    public void exceptionsStringsContainersAndBuffersLeakNothing() throws OrtException {
        FloatBuffer data = direct(1, 2, 3, 4);
        try (OrtSession strings = Models.session("strings"); OrtSession maps = Models.session("maps")) {
            leaksNothing(20_000, 256, () -> runStrings(strings));
            leaksNothing(20_000, 256, () -> runMaps(maps));
            leaksNothing(20_000, 256, () -> OnnxTensor.createTensor(ENV, data, new long[] {4}).close());
            leaksNothing(20_000, 256,
                ()
                    -> failure(
                        FailureCode.UNKNOWN_PROVIDER, "", () -> new OrtSession.SessionOptions().addProvider("nobody")));
        }
    }

    private static void runStrings(OrtSession session) throws OrtException {
        String text = "a string that is too long to be stored in place";
        try (OnnxTensor a = tensor(new String[] {text, text});
             OrtSession.Result result = session.run(Map.of("a", a, "b", a))) {
            assertEquals(text + text, ((String[]) result.get(0).getValue())[1]);
            failure(FailureCode.NOT_FOUND, "", () -> session.run(Map.of("c", a)));
        }
    }

    private static void runMaps(OrtSession session) throws OrtException {
        try (OnnxTensor x = tensor(new float[1][3]); OnnxMap map = OnnxMap.create(ENV, Map.of(5L, 2f));
             OrtSession.Result result = session.run(Map.of("x", x, "m", map))) {
            List<? extends OnnxValue> items = ((OnnxSequence) result.get(0)).getValue();
            assertEquals(3, ((OnnxMap) items.get(0)).getValue().size());
            OnnxValue.close(items);
            assertEquals(0, ((FloatBuffer) ((OnnxTensor) result.get(1)).getBufferRef().get()).get(1), 2);
        }
    }

    @Test
    public void sessionsThatAreCreatedAndClosedLeakNothing() throws OrtException {
        leaksNothing(400, 8192, () -> {
            try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
                options.setLogListener((severity, text) -> {});
                options.setProgressListener((stage, count, total) -> true);
                try (OrtSession session = ENV.createSession(Models.path("two"), options);
                     OnnxTensor x = tensor(new float[1][4]);
                     Binding binding = session.bind(Map.of("x", new long[] {1, 4}, "b", new long[] {1, 4}))) {
                    session.run(Models.two(x, x), Set.of("z")).close();
                    binding.run();
                }
            }
        });
    }

    @Test
    public void whatIsForgottenIsFreedByACleaner() throws OrtException {
        long before = residentBytes();
        for (int k = 0; k < 400; ++k) {
            OnnxTensor
                .allocate(ENV, TensorInfo.OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, new long[] {MEGABYTE})
                .getMemory()
                .putInt(0, k);
            if (k % 20 == 0) {
                Models.collectGarbage();  // 80 MB each time
            }
        }
        Models.collectGarbage();
        long growth = residentBytes() - before;
        assertTrue(growth / MEGABYTE + " MB more of 1600", growth < 400 * MEGABYTE);
    }
}
