package ai.inlay;

import static ai.inlay.Models.ENV;
import static ai.inlay.Models.direct;
import static ai.inlay.Models.failure;
import static ai.inlay.Models.tensor;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import ai.inlay.TensorInfo.OnnxTensorType;
import ai.inlay.platform.Fp16Conversions;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.Test;

public class TensorTest {
    private static OnnxTensorType type(String text) { return OnnxTensorType.mapFromText(text); }

    /** Bytes that are valid for every type: those of bool are 0 or 1. */
    private static ByteBuffer bytes(OnnxTensorType type) {
        ByteBuffer bytes = ByteBuffer.allocateDirect((3 * type.bits + 7) / 8);
        for (int k = 0; k < bytes.capacity(); ++k) {
            bytes.put(k, (byte) (type.text.equals("bool") ? k % 2 : k + 1));
        }
        return bytes;
    }

    @Test
    public void elementsOfEveryTypeMakeTheRoundTripThroughAModel() throws OrtException {
        try (OrtSession session = Models.session("types")) {
            Map<String, OnnxTensor> inputs = new LinkedHashMap<>();
            for (Map.Entry<String, NodeInfo> input : session.getInputInfo().entrySet()) {
                OnnxTensorType type = ((TensorInfo) input.getValue().getInfo()).onnxType;
                inputs.put(input.getKey(), OnnxTensor.createTensor(ENV, bytes(type), new long[] {3}, type));
            }
            assertEquals(OnnxTensorType.values().length - 2, inputs.size());  // but undefined and string
            try (OrtSession.Result result = session.run(inputs)) {
                for (Map.Entry<String, OnnxTensor> input : inputs.entrySet()) {
                    OnnxTensor output = (OnnxTensor) result.get(input.getKey().replace('i', 'o')).get();
                    OnnxTensorType type = input.getValue().getInfo().onnxType;
                    assertEquals(type, output.getInfo().onnxType);
                    byte[] expected = new byte[bytes(type).capacity()];
                    bytes(type).get(expected);
                    expected[expected.length - 1] = output.getByteBuffer().get(expected.length - 1);  // unused bits
                    assertArrayEquals(type.text, expected, output.getByteBuffer().array());
                    if (type.bits >= 8) {
                        assertEquals(bytes(type).get(expected.length - 1), expected[expected.length - 1]);
                    }
                }
            }
            OnnxValue.close(inputs);
        }
    }

    private static void comesBack(Object array, long... shape) throws OrtException {
        try (OnnxTensor tensor = tensor(array)) {
            assertArrayEquals(shape, tensor.getInfo().getShape());
            Object value = tensor.getValue();
            assertEquals(array.getClass(), value.getClass());
            assertTrue(Arrays.deepEquals(new Object[] {array}, new Object[] {value}));
        }
    }

    @Test
    public void arraysOfAnyRankAndTypeBecomeTensorsAndComeBack() throws OrtException {
        comesBack(new float[] {1, -2, Float.NaN}, 3);
        comesBack(new float[][][] {{{1, 2}, {3, 4}, {5, 6}}}, 1, 3, 2);
        comesBack(new double[][] {{1}, {Double.MIN_VALUE}}, 2, 1);
        comesBack(new byte[][] {{1, -128, 127}}, 1, 3);
        comesBack(new short[][][][][][][][] {{{{{{{{1, Short.MIN_VALUE}}}}}}}}, 1, 1, 1, 1, 1, 1, 1, 2);
        comesBack(new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE}, 2);
        comesBack(new long[][] {{Long.MIN_VALUE, Long.MAX_VALUE}}, 1, 2);
        comesBack(new boolean[][] {{true, false}, {false, false}}, 2, 2);
        comesBack(new String[][] {{"a", ""}, {"b", "c"}}, 2, 2);
    }

    @Test
    public void boxedValuesAndAStringAreScalars() throws OrtException {
        for (Object value : new Object[] {1.5f, 2.5, (byte) 3, (short) 4, 5, 6L, true, "seven"}) {
            comesBack(value);
        }
    }

    @Test
    public void rowsOfDifferentLengthsAndMissingRowsAreRefused() {
        failure(FailureCode.SHAPE_MISMATCH, "not of one length", () -> tensor(new float[][] {{1}, {1, 2}}));
        failure(FailureCode.SHAPE_MISMATCH, "not of one length", () -> tensor(new float[][] {{1}, null}));
        failure(FailureCode.SHAPE_MISMATCH, "not of one length", () -> tensor(new int[][][] {{{1}}, {}}));
    }

    @Test
    public void classesThatNoTensorHasAreRefused() {
        failure(FailureCode.TYPE_MISMATCH, "char", () -> tensor(new char[] {'a'}));
        failure(FailureCode.TYPE_MISMATCH, "Object", () -> tensor(new Object()));
        failure(FailureCode.TYPE_MISMATCH, "Object[][]", () -> tensor(new Object[][] {{1}}));
        failure(FailureCode.INVALID_ARGUMENT, "rank", () -> tensor(new int[1][1][1][1][1][1][1][1][1]));
    }

    @Test
    public void aDirectBufferIsReadWhereItIs() throws OrtException {
        FloatBuffer data = direct(1, 2, 3, 4, 5, 6, 7, 8);
        try (OrtSession session = Models.session("fixed");
             OnnxTensor tensor = OnnxTensor.createTensor(ENV, data, new long[] {2, 4})) {
            assertSame(data, tensor.getBufferRef().get());
            assertFalse(tensor.ownsBuffer());
            data.put(0, -9);  // after the tensor was created
            assertEquals(-9, tensor.getFloatBuffer().get(0), 0);
            try (OrtSession.Result result = session.run(Map.of("x", tensor))) {
                assertEquals(9, ((float[][]) result.get(0).getValue())[0][0], 0);
            }
        }
    }

    @Test
    public void whatRemainsInABufferIsTheTensor() throws OrtException {
        FloatBuffer data = direct(9, 1, 2, 9);
        data.position(1).limit(3);
        for (FloatBuffer buffer : new FloatBuffer[] {data, data.slice(), data.asReadOnlyBuffer()}) {
            try (OnnxTensor tensor = OnnxTensor.createTensor(ENV, buffer, new long[] {2})) {
                assertArrayEquals(new float[] {1, 2}, (float[]) tensor.getValue(), 0);
            }
        }
        assertEquals(1, data.position());
    }

    @Test
    public void buffersInTheHeapAndInAnotherByteOrderAreCopied() throws OrtException {
        ByteOrder other =
            ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        FloatBuffer swapped =
            ByteBuffer.allocateDirect(8).order(other).asFloatBuffer().put(new float[] {1, 2}).rewind();
        for (FloatBuffer buffer : new FloatBuffer[] {swapped, FloatBuffer.wrap(new float[] {1, 2})}) {
            try (OnnxTensor tensor = OnnxTensor.createTensor(ENV, buffer, new long[] {2})) {
                buffer.put(0, 7);
                assertArrayEquals(new float[] {1, 2}, (float[]) tensor.getValue(), 0);
                assertTrue(tensor.ownsBuffer());
            }
        }
    }

    @Test
    public void everyClassOfBuffersHasATensorOfItsType() throws OrtException {
        long[] shape = {2};
        try (OnnxTensor f = OnnxTensor.createTensor(ENV, FloatBuffer.wrap(new float[] {1, 2}), shape);
             OnnxTensor d = OnnxTensor.createTensor(ENV, DoubleBuffer.wrap(new double[] {1, 2}), shape);
             OnnxTensor s = OnnxTensor.createTensor(ENV, ShortBuffer.wrap(new short[] {1, 2}), shape);
             OnnxTensor i = OnnxTensor.createTensor(ENV, IntBuffer.wrap(new int[] {1, 2}), shape);
             OnnxTensor l = OnnxTensor.createTensor(ENV, LongBuffer.wrap(new long[] {1, 2}), shape);
             OnnxTensor b = OnnxTensor.createTensor(ENV, ByteBuffer.wrap(new byte[] {1, 2}), shape);
             OnnxTensor u =
                 OnnxTensor.createTensor(ENV, ByteBuffer.wrap(new byte[] {1, 2}), shape, OnnxJavaType.UINT8)) {
            assertArrayEquals(new float[] {1, 2}, f.getFloatBuffer().array(), 0);
            assertArrayEquals(new double[] {1, 2}, d.getDoubleBuffer().array(), 0);
            assertArrayEquals(new short[] {1, 2}, s.getShortBuffer().array());
            assertArrayEquals(new int[] {1, 2}, i.getIntBuffer().array());
            assertArrayEquals(new long[] {1, 2}, l.getLongBuffer().array());
            assertArrayEquals(new byte[] {1, 2}, b.getByteBuffer().array());
            assertEquals(OnnxJavaType.UINT8, u.getInfo().type);
            assertNull(f.getDoubleBuffer());
            assertNull(d.getFloatBuffer());
            assertNull(l.getIntBuffer());
        }
    }

    @Test
    public void buffersOfAnotherSizeOrTypeAreRefused() {
        failure(FailureCode.SHAPE_MISMATCH, "bytes", () -> OnnxTensor.createTensor(ENV, direct(1, 2), new long[] {3}));
        failure(FailureCode.SHAPE_MISMATCH, "bytes", () -> OnnxTensor.createTensor(ENV, direct(1, 2), new long[] {1}));
        failure(FailureCode.SHAPE_MISMATCH, "negative", () -> OnnxTensor.createTensor(ENV, direct(1), new long[] {-1}));
        failure(FailureCode.SHAPE_MISMATCH, "axes",
            () -> OnnxTensor.createTensor(ENV, direct(1), new long[] {1, 1, 1, 1, 1, 1, 1, 1, 1}));
        failure(FailureCode.TYPE_MISMATCH, "FloatBuffer",
            () -> OnnxTensor.createTensor(ENV, direct(1), new long[] {1}, type("int32")));
        failure(FailureCode.TYPE_MISMATCH, "string",
            () -> OnnxTensor.createTensor(ENV, ByteBuffer.allocate(0), new long[] {0}, type("string")));
        failure(FailureCode.LIMIT_EXCEEDED, "too many",
            () -> OnnxTensor.createTensor(ENV, direct(1), new long[] {1L << 40, 1L << 40}));
        ByteBuffer odd = ByteBuffer.allocateDirect(9).position(1).slice();
        failure(FailureCode.INVALID_ARGUMENT, "multiple of 4",
            () -> OnnxTensor.createTensor(ENV, odd, new long[] {2}, OnnxJavaType.FLOAT));
    }

    @Test
    public void negativeSizesAndTooManyElementsAreRefusedByTheLibraryToo() {
        failure(
            FailureCode.INVALID_ARGUMENT, "negative", () -> OnnxTensor.allocate(ENV, type("float"), new long[] {-2}));
        failure(FailureCode.LIMIT_EXCEEDED, "",
            () -> OnnxTensor.allocate(ENV, type("float"), new long[] {1L << 40, 1L << 40}));
        failure(FailureCode.TYPE_MISMATCH, "", () -> OnnxTensor.allocate(ENV, type("undefined"), new long[] {1}));
        failure(FailureCode.NOT_FOUND, "no memory",
            () -> OnnxTensor.allocate(ENV, type("float"), new long[] {1}, "nowhere"));
    }

    @Test
    public void halfPrecisionIsShownAsFloat() throws OrtException {
        float[] values = {1, -0.5f, 65504, 0x1p-24f};
        ShortBuffer halves = Fp16Conversions.convertFloatBufferToFp16Buffer(FloatBuffer.wrap(values));
        try (OnnxTensor tensor = OnnxTensor.createTensor(ENV, halves, new long[] {4}, OnnxJavaType.FLOAT16)) {
            assertArrayEquals(values, (float[]) tensor.getValue(), 0);
            assertArrayEquals(values, tensor.getFloatBuffer().array(), 0);
            assertArrayEquals(halves.array(), tensor.getShortBuffer().array());
        }
        float[] short32 = {1, -0.5f, 0x1p120f, 0};
        ShortBuffer bits = Fp16Conversions.convertFloatBufferToBf16Buffer(FloatBuffer.wrap(short32));
        try (OnnxTensor tensor = OnnxTensor.createTensor(ENV, bits.array(), type("bfloat16"))) {
            assertArrayEquals(short32, (float[]) tensor.getValue(), 0);
            assertArrayEquals(short32, tensor.getFloatBuffer().array(), 0);
        }
    }

    @Test
    public void conversionsKeepAllHalvesAndRoundTiesToEven() {
        for (int bits = 0; bits < 1 << 16; ++bits) {
            float value = Fp16Conversions.fp16ToFloat((short) bits);
            if (!Float.isNaN(value)) {
                assertEquals((short) bits, Fp16Conversions.floatToFp16(value));
            }
            float wide = Fp16Conversions.bf16ToFloat((short) bits);
            if (!Float.isNaN(wide)) {
                assertEquals((short) bits, Fp16Conversions.floatToBf16(wide));
            }
        }
        assertEquals(0x3c00, Fp16Conversions.floatToFp16(1 + 0x1p-11f));
        assertEquals(0x3c02, Fp16Conversions.floatToFp16(1 + 3 * 0x1p-11f));
        assertEquals(0x7c00, Fp16Conversions.floatToFp16(65520));
        assertEquals(0x7bff, Fp16Conversions.floatToFp16(Math.nextDown(65520f)));
        assertEquals(0x0400, Fp16Conversions.floatToFp16(Math.nextDown(0x1p-14f)));
        assertEquals(0, Fp16Conversions.floatToFp16(0x1p-25f));
        assertEquals(1, Fp16Conversions.floatToFp16(Math.nextUp(0x1p-25f)));
        assertEquals(0x3f80, Fp16Conversions.floatToBf16(1 + 0x1p-8f));
        assertEquals(0x3f82, Fp16Conversions.floatToBf16(1 + 3 * 0x1p-8f));
        assertTrue(
            Float.isNaN(Fp16Conversions.fp16ToFloat(Fp16Conversions.floatToFp16(Float.intBitsToFloat(0x7f800001)))));
        assertTrue(
            Float.isNaN(Fp16Conversions.bf16ToFloat(Fp16Conversions.floatToBf16(Float.intBitsToFloat(0x7f800001)))));
    }

    @Test
    public void unsignedAndComplexElementsAreOfBuffersOfTheirSize() throws OrtException {
        IntBuffer words = IntBuffer.wrap(new int[] {-1, 1});
        try (OnnxTensor unsigned = OnnxTensor.createTensor(ENV, words, new long[] {2}, type("uint32"));
             OnnxTensor complex = OnnxTensor.createTensor(ENV, direct(1, 2, 3, 4), new long[] {2}, type("complex64"))) {
            assertEquals(type("uint32"), unsigned.getInfo().onnxType);
            assertArrayEquals(new int[] {-1, 1}, (int[]) unsigned.getValue());
            assertEquals(OnnxJavaType.UNKNOWN, complex.getInfo().type);
            assertEquals(4, ((FloatBuffer) complex.getBufferRef().get()).get(3), 0);
            failure(FailureCode.TYPE_MISMATCH, "complex64", complex::getValue);
            assertEquals(16, complex.getByteBuffer().capacity());
        }
    }

    @Test
    public void stringsKeepNulsAndAllOfUnicode() throws OrtException {
        String[] a = {"null \0 within", "Grüße \uD83D\uDE00"};
        try (OrtSession session = Models.session("strings");
             OnnxTensor x = OnnxTensor.createTensor(ENV, a, new long[] {2});
             OnnxTensor y = tensor(new String[] {"", "漢字"});
             OrtSession.Result result = session.run(Map.of("a", x, "b", y))) {
            assertArrayEquals(new String[] {a[0], a[1] + "漢字"}, (String[]) result.get(0).getValue());
            assertFalse(x.getBufferRef().isPresent());
            assertNull(x.getByteBuffer());
        }
        failure(FailureCode.INVALID_ARGUMENT, "surrogate", () -> tensor("\uD83D"));
        failure(FailureCode.INVALID_ARGUMENT, "as many strings", () -> OnnxTensor.createTensor(ENV, a, new long[] {3}));
    }

    @Test
    public void tensorsWithoutElementsKeepTheirShape() throws OrtException {
        try (OrtSession session = Models.session("two");
             OnnxTensor x = OnnxTensor.createTensor(ENV, direct(), new long[] {0, 4});
             OnnxTensor b = OnnxTensor.createTensor(ENV, FloatBuffer.allocate(0), new long[] {0, 4});
             OrtSession.Result result = session.run(Models.two(x, b))) {
            assertArrayEquals(new long[] {0, 4}, ((OnnxTensor) result.get(0)).getInfo().getShape());
            assertEquals(0, Array.getLength(result.get(0).getValue()));
            assertEquals(0, ((OnnxTensor) result.get(0)).getMemory().capacity());
        }
        comesBack(new float[0][0], 0, 0);
        comesBack(new String[2][0], 2, 0);
    }

    @Test
    public void viewsKeepTheMemoryAliveAfterTheTensorIsClosed() throws OrtException {
        FloatBuffer view;
        ByteBuffer raw;
        try (OrtSession session = Models.session("fixed"); OnnxTensor tensor = tensor(new float[2][4]);
             OrtSession.Result result = session.run(Map.of("x", tensor))) {
            view = (FloatBuffer) ((OnnxTensor) result.get(0)).getBufferRef().get();
            raw = tensor.getMemory().slice();
        }
        Models.collectGarbage();
        try (OnnxTensor other = OnnxTensor.allocate(ENV, type("float"), new long[] {2, 4})) {
            other.getMemory().asFloatBuffer().put(new float[] {9, 9, 9, 9, 9, 9, 9, 9});
            for (int k = 0; k < 8; ++k) {
                assertEquals(0, view.get(k), 0);
                assertEquals(0, raw.getInt(k * 4));
            }
        }
        view.put(0, 5);  // it may still be written
        assertEquals(5, view.get(0), 0);
    }

    @Test
    public void viewsWriteTheTensorAndCopiesDoNot() throws OrtException {
        try (OnnxTensor tensor = OnnxTensor.allocate(ENV, type("float"), new long[] {3})) {
            tensor.getFloatBuffer().put(0, 7);
            assertEquals(0, tensor.getFloatBuffer().get(0), 0);
            tensor.getMemory().putFloat(0, 1);
            ((FloatBuffer) tensor.getBufferRef().get()).put(1, 2);
            tensor.getMemory(8, 4).putFloat(3);
            assertArrayEquals(new float[] {1, 2, 3}, (float[]) tensor.getValue(), 0);
            failure(FailureCode.INVALID_ARGUMENT, "within", () -> tensor.getMemory(8, 5));
            failure(FailureCode.INVALID_ARGUMENT, "within", () -> tensor.getMemory(-1, 1));
            failure(FailureCode.INVALID_ARGUMENT, "within", () -> tensor.getMemory(1, -1));
        }
    }

    @Test
    public void viewsOfAReadOnlyBufferAreReadOnly() throws OrtException {
        Buffer buffer = direct(1, 2).asReadOnlyBuffer();
        try (OnnxTensor tensor = OnnxTensor.createTensor(ENV, buffer, new long[] {2}, type("float"))) {
            assertTrue(tensor.getMemory().isReadOnly());
        }
    }

    @Test
    public void aCopyInTheHostsMemoryIsItsOwn() throws OrtException {
        FloatBuffer data = direct(1, 2);
        try (OnnxTensor tensor = OnnxTensor.createTensor(ENV, data, new long[] {2});
             OnnxTensor copy = tensor.copyTo("host")) {
            data.put(0, 9);
            assertEquals("host", copy.getLocation());
            assertArrayEquals(new float[] {1, 2}, (float[]) copy.getValue(), 0);
            failure(FailureCode.NOT_FOUND, "nowhere", () -> tensor.copyTo("nowhere"));
        }
    }

    @Test
    public void flatArraysAreReshaped() {
        assertArrayEquals(
            new float[][] {{1, 2}, {3, 4}}, (float[][]) OrtUtil.reshape(new float[] {1, 2, 3, 4}, new long[] {2, 2}));
        assertArrayEquals(
            new String[][] {{"a"}, {"b"}}, (String[][]) OrtUtil.reshape(new String[] {"a", "b"}, new long[] {2, 1}));
    }
}
