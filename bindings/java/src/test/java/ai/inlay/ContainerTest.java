package ai.inlay;

import static ai.inlay.Models.ENV;
import static ai.inlay.Models.direct;
import static ai.inlay.Models.failure;
import static ai.inlay.Models.tensor;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class ContainerTest {
    private static OnnxSequence sequence(OnnxValue... items) throws OrtException {
        return OnnxSequence.create(ENV, List.of(items));
    }

    @Test
    public void aModelGetsAndReturnsSequences() throws OrtException {
        try (OrtSession session = Models.session("sequences"); OnnxTensor first = tensor(new float[] {1, 2});
             OnnxTensor second = tensor(new float[] {3, 4}); OnnxSequence given = sequence(first);
             OrtSession.Result result = session.run(Map.of("x", second, "s", given))) {
            OnnxSequence items = (OnnxSequence) result.get("t").get();
            assertEquals(OnnxValue.OnnxValueType.ONNX_TYPE_SEQUENCE, items.getType());
            assertEquals(2, items.size());
            assertEquals(2, items.getInfo().length);
            assertEquals(OnnxJavaType.FLOAT, items.getInfo().sequenceType);
            List<? extends OnnxValue> list = items.getValue();
            assertArrayEquals(new float[] {3, 4}, (float[]) list.get(1).getValue(), 0);
            OnnxValue.close(list);
            assertArrayEquals(new float[] {1, 2, 3, 4}, (float[]) result.get("y").get().getValue(), 0);
        }
    }

    @Test
    public void aModelGetsAndReturnsMaps() throws OrtException {
        Map<Long, Float> given = new LinkedHashMap<>();
        given.put(9L, 3f);
        given.put(5L, 1f);
        try (OrtSession session = Models.session("maps"); OnnxTensor x = tensor(new float[][] {{0.5f, 1.5f, 2.5f}});
             OnnxMap map = OnnxMap.create(ENV, given);
             OrtSession.Result result = session.run(Map.of("x", x, "m", map))) {
            assertEquals(Map.of(5L, 1f, 9L, 3f), map.getValue());
            assertArrayEquals(new float[] {1, 0, 3}, ((float[][]) result.get("d").get().getValue())[0], 0);
            OnnxSequence maps = (OnnxSequence) result.get("z").get();
            assertTrue(maps.getInfo().isSequenceOfMaps());
            try (OnnxMap labels = (OnnxMap) maps.get(0)) {
                assertEquals(Map.of(7L, 0.5f, 5L, 1.5f, 9L, 2.5f), labels.getValue());
                assertEquals(OnnxJavaType.INT64, labels.getInfo().keyType);
                assertEquals(OnnxJavaType.FLOAT, labels.getInfo().valueType);
                assertEquals(3, labels.getInfo().size);
            }
        }
    }

    @Test
    public void aModelGetsAndReturnsOptionals() throws OrtException {
        try (OrtSession session = Models.session("optionals"); OnnxTensor item = tensor(new float[] {1, 2});
             OnnxOptional full = OnnxOptional.create(ENV, item); OnnxOptional empty = OnnxOptional.empty(ENV);
             OrtSession.Result some = session.run(Map.of("o", full));
             OrtSession.Result none = session.run(Map.of("o", empty))) {
            assertEquals(true, some.get("has").get().getValue());
            assertEquals(false, none.get("has").get().getValue());
            OnnxOptional same = (OnnxOptional) some.get("same").get();
            assertTrue(same.isPresent());
            assertTrue(same.getInfo().getElementInfo() instanceof TensorInfo);
            try (OnnxValue value = same.getValue().get()) {
                assertArrayEquals(new float[] {1, 2}, (float[]) value.getValue(), 0);
            }
            assertFalse(((OnnxOptional) none.get("same").get()).getValue().isPresent());
            assertNull(empty.getInfo().getElementInfo());
        }
    }

    @Test
    public void mapsHaveStringsAsKeysAndAnyTensorsAsValues() throws OrtException {
        try (OnnxMap map = OnnxMap.create(ENV, Map.of("ключ", new double[] {1, 2}))) {
            assertArrayEquals(new double[] {1, 2}, (double[]) map.getValue().get("ключ"), 0);
        }
        failure(FailureCode.TYPE_MISMATCH, "keys", () -> OnnxMap.create(ENV, Map.of(1, 1f)));
        failure(FailureCode.TYPE_MISMATCH, "keys", () -> OnnxMap.create(ENV, Map.of(1L, 1f, "a", 1f)));
        try (OnnxMap empty = OnnxMap.create(ENV, Map.of()); OnnxSequence none = sequence()) {
            assertEquals(Map.of(), empty.getValue());
            assertEquals(0, empty.getInfo().size);
            assertEquals(List.of(), none.getValue());
            assertEquals(OnnxJavaType.UNKNOWN, none.getInfo().sequenceType);
        }
    }

    @Test
    public void itemsOutliveTheirContainerAndTheMemoryThatTheyAreIn() throws OrtException {
        OnnxValue item;
        try (OnnxTensor tensor = OnnxTensor.createTensor(ENV, direct(1, 2), new long[] {2});
             OnnxSequence inner = sequence(tensor); OnnxSequence outer = sequence(inner);
             OnnxSequence part = (OnnxSequence) outer.get(0)) {
            item = part.get(0);
        }
        Models.collectGarbage();  // the buffer is reachable by the item alone
        for (int k = 0; k < 1000; ++k) {
            direct(9, 9);
        }
        assertArrayEquals(new float[] {1, 2}, (float[]) item.getValue(), 0);
        item.close();
    }

    @Test
    public void indicesThatDoNotExistAreFailures() throws OrtException {
        try (OnnxTensor tensor = tensor(1f); OnnxSequence sequence = sequence(tensor)) {
            failure(FailureCode.NOT_FOUND, "no item 1", () -> sequence.get(1));
            failure(FailureCode.NOT_FOUND, "no item -1", () -> sequence.get(-1));
        }
    }
}
