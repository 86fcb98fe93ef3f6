package ai.inlay;

import static ai.inlay.Models.ENV;
import static ai.inlay.Models.direct;
import static ai.inlay.Models.failure;
import static ai.inlay.Models.tensor;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public class SessionTest {
    private static final float[][] ROW = {{1, -2, 3, -4}};

    @Test
    public void aSessionNamesItsInputsAndOutputsWithTypesAndShapes() throws OrtException {
        try (OrtSession session = Models.session("two")) {
            assertEquals(2, session.getNumInputs());
            assertEquals(2, session.getNumOutputs());
            assertEquals(List.of("x", "b"), new ArrayList<>(session.getInputNames()));
            assertEquals(List.of("y", "z"), new ArrayList<>(session.getOutputNames()));
            NodeInfo node = session.getInputInfo().get("b");
            assertEquals("b", node.getName());
            TensorInfo info = (TensorInfo) node.getInfo();
            assertEquals(OnnxJavaType.FLOAT, info.type);
            assertArrayEquals(new long[] {-1, 4}, info.getShape());
            assertArrayEquals(new String[] {"N", ""}, info.getDimensionNames());
            assertEquals(-1, info.getNumElements());
            assertEquals(8, ((TensorInfo) fixed().getInfo()).getNumElements());
        }
    }

    private static NodeInfo fixed() throws OrtException {
        try (OrtSession session = Models.session("fixed")) {
            return session.getOutputInfo().get("y");
        }
    }

    @Test
    public void inputsThatAreNoTensorsHaveTypesToo() throws OrtException {
        try (OrtSession maps = Models.session("maps"); OrtSession optionals = Models.session("optionals")) {
            MapInfo map = (MapInfo) maps.getInputInfo().get("m").getInfo();
            assertEquals(OnnxJavaType.INT64, map.keyType);
            assertEquals(OnnxJavaType.FLOAT, map.valueType);
            SequenceInfo sequence = (SequenceInfo) maps.getOutputInfo().get("z").getInfo();
            assertTrue(sequence.isSequenceOfMaps());
            assertEquals(OnnxJavaType.FLOAT, sequence.mapInfo.valueType);
            assertEquals(-1, sequence.length);
            OptionalInfo optional = (OptionalInfo) optionals.getInputInfo().get("o").getInfo();
            assertEquals(OnnxJavaType.FLOAT, ((TensorInfo) optional.getElementInfo()).type);
        }
    }

    @Test
    public void aModelsMetadataIsWhatItsFileSays() throws OrtException {
        try (OrtSession session = Models.session("two"); OrtSession silent = Models.session("fixed")) {
            OnnxModelMetadata metadata = session.getMetadata();
            assertEquals("a writer", metadata.getProducerName());
            assertEquals("two", metadata.getGraphName());
            assertEquals("org.example", metadata.getDomain());
            assertEquals("adds and negates", metadata.getDescription());
            assertEquals(7, metadata.getVersion());
            assertEquals(Map.of("author", "a test", "empty", ""), metadata.getCustomMetadata());
            assertEquals("a test", metadata.getCustomMetadataValue("author").get());
            assertFalse(metadata.getCustomMetadataValue("nothing").isPresent());
            assertEquals("", silent.getMetadata().getProducerName());
        }
    }

    @Test
    public void aRunReturnsTheRequestedOutputsInTheirOrder() throws OrtException {
        try (OrtSession session = Models.session("two"); OnnxTensor x = tensor(ROW); OnnxTensor b = tensor(ROW)) {
            Set<String> names = new LinkedHashSet<>(List.of("z", "y"));
            try (OrtSession.Result result = session.run(Models.two(x, b), names);
                 OrtSession.Result one = session.run(Models.two(x, b), Set.of("y"))) {
                assertEquals(2, result.size());
                assertArrayEquals(new float[] {-1, 2, -3, 4}, ((float[][]) result.get(0).getValue())[0], 0);
                assertSame(result.get(1), result.get("y").get());
                assertTrue(result.isResultOwner(1));
                assertFalse(result.get("x").isPresent());
                List<String> order = new ArrayList<>();
                result.forEach(entry -> order.add(entry.getKey()));
                assertEquals(List.of("z", "y"), order);
                assertEquals(1, one.size());
                assertArrayEquals(new float[] {2, 0, 6, 0}, ((float[][]) one.get(0).getValue())[0], 0);
            }
        }
    }

    @Test
    public void pinnedOutputsGetTheResultAndStayOpen() throws OrtException {
        try (OrtSession session = Models.session("two"); OnnxTensor x = tensor(ROW); OnnxTensor b = tensor(ROW);
             OnnxTensor pinned = OnnxTensor.createTensor(ENV, direct(new float[4]), new long[] {1, 4});
             OnnxTensor small = tensor(new float[1][3]); OnnxTensor whole = tensor(new int[1][4]);
             OnnxTensor constant =
                 OnnxTensor.createTensor(ENV, direct(new float[4]).asReadOnlyBuffer(), new long[] {1, 4})) {
            try (OrtSession.Result result = session.run(Models.two(x, b), Set.of("y"), Map.of("z", pinned))) {
                assertSame(pinned, result.get(1));
                assertFalse(result.isResultOwner(1));
            }
            assertArrayEquals(new float[] {-1, 2, -3, 4}, ((float[][]) pinned.getValue())[0], 0);
            failure(FailureCode.SHAPE_MISMATCH, "`z`", () -> session.run(Models.two(x, b), Map.of("z", small)));
            failure(FailureCode.TYPE_MISMATCH, "`z`", () -> session.run(Models.two(x, b), Map.of("z", whole)));
            failure(
                FailureCode.INVALID_ARGUMENT, "read-only", () -> session.run(Models.two(x, b), Map.of("z", constant)));
            failure(FailureCode.INVALID_ARGUMENT, "pinned",
                () -> session.run(Models.two(x, b), Set.of("z"), Map.of("z", pinned)));
        }
    }

    @Test
    public void wrongInputsAreExceptionsWithCodeAndFields() throws OrtException {
        try (OrtSession session = Models.session("fixed"); OnnxTensor four = tensor(new float[4]);
             OnnxTensor whole = tensor(new int[2][4]); OnnxTensor right = tensor(new float[2][4])) {
            OrtException shape = failure(FailureCode.SHAPE_MISMATCH, "", () -> session.run(Map.of("x", four)));
            assertEquals("shape_mismatch", shape.getName());
            assertEquals("[4]", shape.getShapes());
            assertEquals(OrtException.OrtErrorCode.ORT_INVALID_ARGUMENT, shape.getCode());
            assertEquals(shape.getMessage(), shape.getText());
            failure(FailureCode.TYPE_MISMATCH, "int32", () -> session.run(Map.of("x", whole)));
            failure(FailureCode.NOT_FOUND, "X", () -> session.run(Map.of("X", right)));
            failure(FailureCode.NOT_FOUND, "nothing", () -> session.run(Map.of("x", right), Set.of("nothing")));
            failure(FailureCode.INVALID_ARGUMENT, "x", () -> session.run(Map.of()));
            failure(FailureCode.INVALID_ARGUMENT, "NUL", () -> session.run(Map.of("x\0", right)));
            failure(FailureCode.INVALID_ARGUMENT, "no output", () -> session.run(Map.of("x", right), Set.of()));
        }
    }

    @Test
    public void anOperatorThatNoProviderRunsIsNamedWithItsNodeAndVersion() {
        OrtException e = failure(FailureCode.NO_PROVIDER, "Something", () -> Models.session("unknown"));
        assertEquals("Something", e.getOperator());
        assertEquals(1, e.getOperatorVersion());
        assertFalse(e.getNode().isEmpty());
        assertEquals(OrtException.OrtErrorCode.ORT_NOT_IMPLEMENTED, e.getCode());
    }

    @Test
    public void aValueThatAnOperatorForbidsIsAnException() throws OrtException {
        try (OrtSession session = Models.session("gather"); OnnxTensor x = tensor(new float[3]);
             OnnxTensor i = tensor(new long[] {7})) {
            OrtException e =
                failure(FailureCode.INVALID_VALUE, "out of range", () -> session.run(Map.of("x", x, "i", i)));
            assertEquals("Gather", e.getOperator());
        }
    }

    @Test
    public void aModelComesFromAFileBytesAndBuffers() throws OrtException, IOException {
        byte[] bytes = Files.readAllBytes(Path.of(Models.path("two")));
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 2).position(1).put(bytes).flip().position(1);
        try (OrtSession file = Models.session("two"); OrtSession array = ENV.createSession(bytes);
             OrtSession heap = ENV.createSession(ByteBuffer.wrap(bytes)); OrtSession buffer = ENV.createSession(direct);
             OrtSession mapped = ENV.createSession(direct.asReadOnlyBuffer())) {
            for (OrtSession session : List.of(file, array, heap, buffer, mapped)) {
                assertEquals("two", session.getMetadata().getGraphName());
            }
        }
    }

    @Test
    public void whatIsNoModelIsAnException() {
        OrtException e =
            failure(FailureCode.NOT_FOUND, "/no/such/model.onnx", () -> ENV.createSession("/no/such/model.onnx"));
        assertEquals(OrtException.OrtErrorCode.ORT_NO_SUCHFILE, e.getCode());
        failure(FailureCode.INVALID_MODEL, "", () -> ENV.createSession(new byte[] {1, 2, 3}));
        failure(FailureCode.INVALID_MODEL, "", () -> ENV.createSession(new byte[0]));
        failure(FailureCode.INVALID_MODEL, "", () -> ENV.createSession(ByteBuffer.allocateDirect(0)));
        failure(FailureCode.INVALID_ARGUMENT, "null", () -> ENV.createSession((byte[]) null));
        failure(FailureCode.INVALID_ARGUMENT, "NUL", () -> ENV.createSession("a\0b"));
    }

    @Test
    public void shapesThatDependOnDataAreThoseOfTheRun() throws OrtException {
        try (OrtSession session = Models.session("late")) {
            for (float[] values : new float[][] {{0, 1, 0, 2}, {0, 0, 0, 0}, {1, 1, 1, 1}}) {
                try (OnnxTensor x = tensor(values); OrtSession.Result result = session.run(Map.of("x", x))) {
                    long[][] places = (long[][]) result.get(0).getValue();
                    int count = 0;
                    for (float value : values) {
                        count += value == 0 ? 0 : 1;
                    }
                    assertEquals(count, places[0].length);
                }
            }
        }
    }

    @Test
    public void thePlanAndTheMemoryAreJson() throws OrtException {
        try (OrtSession session = Models.session("two")) {
            String plan = session.plan(Map.of("x", new long[] {3, 4}, "b", new long[] {3, 4}));
            assertTrue(plan, plan.startsWith("{\"schema\":\"inlay.plan\""));
            assertTrue(plan, plan.contains("[3,4]"));
            assertTrue(session.plan().contains("\"CPUExecutionProvider\""));
            assertTrue(session.memory().startsWith("{\"schema\":\"inlay.memory\""));
            session.releaseMemory();
            failure(FailureCode.NOT_FOUND, "X", () -> session.plan(Map.of("X", new long[] {1})));
            failure(FailureCode.INVALID_ARGUMENT, "", () -> session.plan(Map.of("x", new long[9])));
            failure(FailureCode.INVALID_ARGUMENT, "64", () -> session.plan(Map.of("x", new long[65])));
        }
    }

    @Test
    public void theLibrarySaysItsVersion() {
        assertEquals(System.getProperty("version"), ENV.getVersion());
        assertSame(ENV, OrtEnvironment.getEnvironment("another"));
        ENV.close();
        assertSame(ENV, OrtEnvironment.getEnvironment());
    }
}
