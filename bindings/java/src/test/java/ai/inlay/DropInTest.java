package ai.inlay;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ai.inlay.OrtSession.Result;
import ai.inlay.OrtSession.RunOptions;
import ai.inlay.OrtSession.SessionOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.Test;

/** Calls as programs for ONNX Runtime have them, with their types of variables and exceptions. */
public class DropInTest {
    private static float[] scores(String file) throws OrtException {
        try (OrtEnvironment environment = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR, "app");
             SessionOptions options = new SessionOptions()) {
            options.setOptimizationLevel(SessionOptions.OptLevel.ALL_OPT);
            options.setExecutionMode(SessionOptions.ExecutionMode.SEQUENTIAL);
            options.setIntraOpNumThreads(1);
            options.setInterOpNumThreads(1);
            options.addCPU(true);
            try (OrtSession session = environment.createSession(file, options)) {
                String input = session.getInputNames().iterator().next();
                NodeInfo node = session.getInputInfo().get(input);
                long[] shape = ((TensorInfo) node.getInfo()).getShape().clone();
                shape[0] = 1;
                FloatBuffer pixels = FloatBuffer.allocate((int) OrtUtil.elementCount(shape));
                for (int row = 1; row < 7; ++row) {
                    pixels.put(row * 8 + 4, 1);
                }
                Map<String, OnnxTensor> inputs = new HashMap<>();
                inputs.put(input, OnnxTensor.createTensor(environment, pixels, shape));
                try (RunOptions run = new RunOptions();
                     Result result = session.run(inputs, Collections.singleton("scores"), run)) {
                    Optional<OnnxValue> value = result.get("scores");
                    assertTrue(value.isPresent());
                    assertEquals(OnnxValue.OnnxValueType.ONNX_TYPE_TENSOR, value.get().getType());
                    return ((OnnxTensor) value.get()).getFloatBuffer().array();
                } finally {
                    OnnxValue.close(inputs);
                }
            }
        }
    }

    @Test
    public void aClassifierRunsAsWritten() throws OrtException {
        float[] scores = scores(System.getProperty("digits"));
        assertEquals(10, scores.length);
        assertTrue(scores[1] > 0.9);
    }

    @Test
    @SuppressWarnings("unchecked")
    public void probabilitiesByLabelAreReadByCasts() throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        OrtSession session = environment.createSession(Models.path("maps"), new SessionOptions());
        Map<String, OnnxValue> inputs = new HashMap<>();
        inputs.put("x", OnnxTensor.createTensor(environment, new float[][] {{1, 2, 3}}));
        inputs.put("m", OnnxMap.create(environment, Map.of(7L, 1f)));
        try (Result result = session.run(inputs)) {
            List<OnnxMap> maps = (List<OnnxMap>) result.get(0).getValue();
            Map<Long, Float> probabilities = (Map<Long, Float>) maps.get(0).getValue();
            assertEquals(3f, probabilities.get(9L), 0);
            OnnxValue.close(maps);
            for (Map.Entry<String, OnnxValue> entry : result) {
                assertEquals(session.getOutputInfo().get(entry.getKey()).getName(), entry.getKey());
            }
        } finally {
            OnnxValue.close(inputs);
        }
        try {
            session.close();
        } catch (OrtException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void tensorsOfBytesHaveATypeOfJava() throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        ByteBuffer bytes = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        bytes.asLongBuffer().put(0, 5).put(1, 7);
        try (OnnxTensor tensor = OnnxTensor.createTensor(environment, bytes, new long[] {2}, OnnxJavaType.INT64)) {
            OnnxTensorLike like = tensor;
            assertEquals(2, like.getInfo().getNumElements());
            assertArrayEquals(new long[] {5, 7}, (long[]) like.getValue());
        }
    }
}
