package ai.inlay;

import static ai.inlay.Models.ENV;
import static ai.inlay.Models.assertClosed;
import static ai.inlay.Models.failure;
import static ai.inlay.Models.tensor;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class OptionsTest {
    private static OrtSession create(String model, OrtSession.SessionOptions options) throws OrtException {
        return ENV.createSession(Models.path(model), options);
    }

    @Test
    public void everyOptionIsSetAndReadBack() throws OrtException {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            Map<String, String> texts = Map.ofEntries(Map.entry("fallback", "only:Relu,Neg"),
                Map.entry("partition", "cost"), Map.entry("intra_op_num_threads", "1"), Map.entry("plans", "3"),
                Map.entry("plan_only", "false"), Map.entry("contexts", "refuse"), Map.entry("determinism", "portable"),
                Map.entry("log_severity_level", "3"), Map.entry("optimize", "false"), Map.entry("without", "constants"),
                Map.entry("folder", "/"), Map.entry("dimension.N", "2"), Map.entry("limits.nodes", "100"));
            for (Map.Entry<String, String> option : texts.entrySet()) {
                options.setOption(option.getKey(), option.getValue());
            }
            assertEquals(texts, options.getOptions());
            create("two", options).close();
            options.setOption("limits.nodes", "1");
            failure(FailureCode.LIMIT_EXCEEDED, "nodes", () -> create("two", options));
        }
    }

    @Test
    public void anUnknownOptionOrValueIsTheLibrarysText() throws OrtException {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            assertTrue(failure(FailureCode.UNKNOWN_OPTION, "fallbak", () -> options.setOption("fallbak", "never"))
                           .getHint()
                           .contains("fallback"));
            assertTrue(failure(FailureCode.UNKNOWN_OPTION, "limits.node", () -> options.setOption("limits.node", "1"))
                           .getHint()
                           .contains("limits.nodes"));
            failure(FailureCode.UNKNOWN_OPTION, "zzz", () -> options.setOption("zzz", ""));
            failure(FailureCode.INVALID_OPTION, "order or cost", () -> options.setOption("partition", "size"));
            failure(FailureCode.INVALID_OPTION, "", () -> options.setIntraOpNumThreads(-1));
            failure(FailureCode.INVALID_OPTION, "", () -> options.setSymbolicDimensionValue("N", -3));
            assertEquals(Map.of(), options.getOptions());
        }
    }

    @Test
    public void onnxRuntimesMethodsSetTheSameOptions() throws OrtException {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.NO_OPT);
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            options.setSymbolicDimensionValue("N", 2);
            assertEquals(
                Map.of("intra_op_num_threads", "1", "optimize", "false", "log_severity_level", "3", "dimension.N", "2"),
                options.getOptions());
            try (OrtSession session = create("two", options); OnnxTensor x = tensor(new float[3][4])) {
                assertEquals(2, ((TensorInfo) session.getInputInfo().get("x").getInfo()).getShape()[0]);
                failure(FailureCode.SHAPE_MISMATCH, "", () -> session.run(Models.two(x, x)));
            }
        }
    }

    @Test
    public void settingsWithoutEffectAreReportedInTheLog() throws OrtException {
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setLogListener((severity, text) -> log.add(text));
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING);
            options.setInterOpNumThreads(4);
            options.setExecutionMode(OrtSession.SessionOptions.ExecutionMode.PARALLEL);
            options.setMemoryPatternOptimization(false);
            options.setCPUArenaAllocator(false);
            options.setSessionLogVerbosityLevel(1);
            options.setLoggerId("a name");
            options.addConfigEntry("session.unknown", "1");
            options.setDeterministicCompute(true);
            assertEquals(Map.of("session.unknown", "1"), options.getConfigEntries());
            create("two", options).close();
            assertEquals(1, log.stream().filter(line -> line.contains("has no effect")).count());
            log.clear();
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_INFO);
            create("two", options).close();
        }
        assertEquals(log.toString(), 7, log.stream().filter(line -> line.contains("has no effect")).count());
    }

    @Test
    public void configurationEntriesThatHaveAMeaningAreObeyed() throws OrtException {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.addConfigEntry("session.set_denormal_as_zero", "1");
            try (OrtSession session = create("two", options)) {
                assertEquals("true", session.getProviders().get(0).getOptions().get("flush_denormals"));
            }
            options.addConfigEntry("session.disable_cpu_ep_fallback", "1");
            options.addProvider("XnnpackExecutionProvider");
            failure(FailureCode.NO_PROVIDER, "", () -> create("strings", options));
            failure(FailureCode.INVALID_OPTION, "0 or 1",
                () -> options.addConfigEntry("session.set_denormal_as_zero", "yes"));
        }
    }

    @Test
    public void progressIsReportedByStagesAndFalseStopsIt() throws OrtException {
        EnumSet<Stage> stages = EnumSet.noneOf(Stage.class);
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setProgressListener((stage, count, total) -> {
                assertTrue(0 <= count && count <= total);
                return stages.add(stage) || true;
            });
            create("fixed", options).close();
            assertEquals(EnumSet.range(Stage.LOAD, Stage.PACK), stages);
            for (Stage last : stages) {
                options.setProgressListener((stage, count, total) -> stage != last);
                failure(FailureCode.STOPPED, "", () -> create("fixed", options));
            }
        }
    }

    @Test
    public void whatAProgressListenerThrowsComesOutOfTheCall() throws OrtException {
        IllegalArgumentException thrown = new IllegalArgumentException("of the listener");
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            for (Stage last : EnumSet.range(Stage.LOAD, Stage.PACK)) {
                options.setProgressListener((stage, count, total) -> {
                    if (stage == last) {
                        throw thrown;
                    }
                    return true;
                });
                try {
                    create("fixed", options).close();
                    fail("nothing was thrown in " + last);
                } catch (IllegalArgumentException e) {
                    assertSame(thrown, e);
                }
            }
        }
    }

    @Test
    public void progressOfALaterPlanIsReportedToTheListenerThatTheSessionKeeps() throws OrtException {
        List<Stage> stages = new ArrayList<>();
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        options.setProgressListener((stage, count, total) -> stages.add(stage));
        OrtSession session = create("two", options);
        options.setProgressListener(null);
        options.close();
        Models.collectGarbage();  // the session alone keeps it
        stages.clear();
        try (OnnxTensor x = tensor(new float[5][4])) {
            session.run(Models.two(x, x)).close();
        }
        assertTrue(stages.contains(Stage.PLAN));
        session.close();
    }

    @Test
    public void theLogGoesToTheListenerAndWhatItThrowsIsLost() throws OrtException {
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE);
            options.setLogListener((severity, text) -> log.add(severity + " " + text));
            create("two", options).close();
            assertTrue(log.toString(), log.stream().anyMatch(line -> line.startsWith("ORT_LOGGING_LEVEL_VERBOSE ")));
            options.setLogListener(
                (severity, text) -> { throw new IllegalStateException("expected by the test of the log"); });
            create("two", options).close();
        }
    }

    private static void runEndless(OrtSession session, OrtSession.RunOptions options) throws OrtException {
        try (OnnxTensor times = tensor(Long.MAX_VALUE); OnnxTensor go = tensor(true);
             OnnxTensor x = tensor(new float[4])) {
            session.run(Map.of("times", times, "go", go, "x", x), options).close();
        }
    }

    @Test(timeout = 60_000)
    public void anotherThreadCancelsARun() throws OrtException, InterruptedException {
        try (OrtSession session = Models.session("loop"); OrtSession.RunOptions options = new OrtSession.RunOptions()) {
            Thread other = new Thread(() -> {
                try {
                    Thread.sleep(100);
                    options.setTerminate(true);
                } catch (InterruptedException | OrtException e) {
                    throw new AssertionError(e);
                }
            });
            other.start();
            failure(FailureCode.STOPPED, "", () -> runEndless(session, options));
            other.join();
            failure(FailureCode.STOPPED, "", () -> runEndless(session, options));  // until it is set to false
            options.setTerminate(false);
            options.setDeadline(Duration.ofMillis(100));
            failure(FailureCode.DEADLINE_PASSED, "", () -> runEndless(session, options));
            options.setDeadline(Duration.ofSeconds(Long.MAX_VALUE));  // more than there are nanoseconds
            options.setTerminate(true);
            failure(FailureCode.STOPPED, "", () -> runEndless(session, options));
        }
    }

    @Test(timeout = 60_000)
    public void optionsOfARunMayBeClosedWhileItGoesOn() throws OrtException, InterruptedException {
        try (OrtSession session = Models.session("loop")) {
            OrtSession.RunOptions options = new OrtSession.RunOptions();
            options.setDeadline(Duration.ofMillis(300));
            Thread other = new Thread(options::close);
            other.start();
            try {
                runEndless(session, options);
                fail("it ended");
            } catch (IllegalStateException e) {
                assertTrue(options.isClosed());  // it was closed before
            } catch (OrtException e) {
                assertEquals(FailureCode.DEADLINE_PASSED, e.getFailure());
            }
            other.join();
        }
    }

    @Test
    public void closedOptionsAreNotUsed() throws OrtException {
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        OrtSession session = create("two", options);
        options.close();
        options.close();
        assertFalse(session.isClosed());
        session.close();
        assertClosed(() -> options.setIntraOpNumThreads(1));
        assertClosed(() -> options.addCPU(true));
        assertClosed(() -> create("two", options));
        OrtSession.RunOptions run = new OrtSession.RunOptions();
        run.setRunTag("tag");
        assertEquals("tag", run.getRunTag());
        run.close();
        run.close();
        assertClosed(() -> run.setTerminate(true));
    }
}
