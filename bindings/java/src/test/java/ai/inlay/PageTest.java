package ai.inlay;

import static ai.inlay.Models.ENV;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What docs/reference/java.md shows. */
public class PageTest {
    @Test
    public void theProvidersOfThePageAreSetAndReadBack() throws OrtException {
        OrtEnvironment environment = ENV;
        String file = Models.path("two");
        // >>>
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        options.addXnnpack(Map.of("intra_op_num_threads", "2"));  // the first one has priority
        options.addProvider("CPUExecutionProvider", Map.of("threads", "2"));
        options.setOption("fallback", "implicit_cpu");  // Inlay's own options, by name
        OrtSession session = environment.createSession(file, options);
        for (ProviderInfo provider : session.getProviders()) {
            System.out.println(provider.getName() + " is checked on: " + provider.getCheckedOn());
            System.out.println(provider.getOptions());  // all of them, with their values
        }
        // <<<
        assertEquals("2", session.getProviders().get(0).getOptions().get("intra_op_num_threads"));
        session.close();
        options.close();
    }

    @Test
    public void theBuffersOfThePageAreNotCopied() throws OrtException {
        OrtEnvironment environment = ENV;
        try (OrtSession session = Models.digits()) {
            float[] scores = new float[10];
            // >>>
            FloatBuffer pixels = ByteBuffer.allocateDirect(64 * 4).order(ByteOrder.nativeOrder()).asFloatBuffer();
            try (OnnxTensor image = OnnxTensor.createTensor(environment, pixels, new long[] {1, 1, 8, 8});
                 OrtSession.Result result = session.run(Map.of("image", image))) {
                OnnxTensor output = (OnnxTensor) result.get("scores").get();
                FloatBuffer view = (FloatBuffer) output.getBufferRef().get();  // the memory that the run wrote
                view.get(scores);
            }
            // <<<
            float[] bound = new float[10];
            // >>>
            try (Binding binding = session.bind(Map.of("image", new long[] {1, 1, 8, 8}));
                 OnnxTensor image = binding.getInput("image"); OnnxTensor output = binding.getOutput("scores")) {
                FloatBuffer in = (FloatBuffer) image.getBufferRef().get();
                FloatBuffer out = (FloatBuffer) output.getBufferRef().get();
                for (int row = 1; row < 7; ++row) {
                    in.put(row * 8 + 4, 1);  // a one
                }
                binding.run();
                out.get(bound);
            }
            // <<<
            assertTrue(scores[0] >= 0 && bound[1] > 0.9);
        }
    }

    @Test
    public void theErrorsAndTheDeadlineOfThePageAreExceptions() throws OrtException {
        List<String> lines = new ArrayList<>();
        try (OrtSession session = Models.session("loop"); OnnxTensor times = Models.tensor(Long.MAX_VALUE);
             OnnxTensor go = Models.tensor(true); OnnxTensor x = Models.tensor(new float[4])) {
            Map<String, OnnxTensor> inputs = Map.of("times", times, "go", go, "x", x);
            // >>>
            try (OrtSession.RunOptions limits = new OrtSession.RunOptions()) {
                limits.setDeadline(Duration.ofMillis(20));
                session.run(inputs, limits).close();
            } catch (OrtException e) {
                if (e.getFailure() != FailureCode.DEADLINE_PASSED) {
                    throw e;
                }
                lines.add(e.getMessage() + " " + e.getNode() + " " + e.getOperator() + " " + e.getHint());
            }
            // <<<
        }
        if (lines.isEmpty()) {
            fail("the deadline has not passed");
        }
    }
}
