package ai.inlay.platform;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;

/** float16 and bfloat16, as 16 bits, from and to float, rounded to nearest, ties to even. */
public final class Fp16Conversions {
    private Fp16Conversions() {}

    public static float fp16ToFloat(short bits) {
        int sign = (bits & 0x8000) << 16;
        int exponent = bits >>> 10 & 0x1f;
        int fraction = bits & 0x3ff;
        if (exponent == 0x1f) {
            return Float.intBitsToFloat(sign | 0x7f800000 | fraction << 13);
        } else if (exponent == 0) {
            float value = fraction * 0x1p-24f;  // exact: a subnormal number of 2^-24 units, or zero
            return sign == 0 ? value : -value;
        }
        return Float.intBitsToFloat(sign | exponent + 112 << 23 | fraction << 13);
    }

    public static short floatToFp16(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = bits >>> 16 & 0x8000;
        int magnitude = bits & 0x7fffffff;
        if (magnitude > 0x7f800000) {
            return (short) (sign | 0x7e00 | magnitude >>> 13 & 0x1ff);
        } else if (magnitude >= 0x477ff000) {  // 65520 and more round to infinity
            return (short) (sign | 0x7c00);
        } else if (magnitude < 0x38800000) {  // below 2^-14, where numbers are subnormal
            return (short) (sign | (int) Math.rint(Float.intBitsToFloat(magnitude) * 0x1p24));
        }
        return (short) (sign | roundedShift(magnitude - (112 << 23), 13));
    }

    public static float bf16ToFloat(short bits) { return Float.intBitsToFloat(bits << 16); }

    public static short floatToBf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) (Float.isNaN(value) ? bits >>> 16 | 0x40 : roundedShift(bits, 16));
    }

    private static int roundedShift(int bits, int count) {
        int half = (1 << count - 1) - 1;
        return bits + half + (bits >>> count & 1) >>> count;
    }

    /** What remains in the buffer, whose position stays, as are the following. */
    public static FloatBuffer convertFp16BufferToFloatBuffer(ShortBuffer buffer) {
        FloatBuffer floats = FloatBuffer.allocate(buffer.remaining());
        for (int k = 0; k < floats.capacity(); ++k) {
            floats.put(k, fp16ToFloat(buffer.get(buffer.position() + k)));
        }
        return floats;
    }

    public static FloatBuffer convertBf16BufferToFloatBuffer(ShortBuffer buffer) {
        FloatBuffer floats = FloatBuffer.allocate(buffer.remaining());
        for (int k = 0; k < floats.capacity(); ++k) {
            floats.put(k, bf16ToFloat(buffer.get(buffer.position() + k)));
        }
        return floats;
    }

    public static ShortBuffer convertFloatBufferToFp16Buffer(FloatBuffer buffer) {
        ShortBuffer halves = ShortBuffer.allocate(buffer.remaining());
        for (int k = 0; k < halves.capacity(); ++k) {
            halves.put(k, floatToFp16(buffer.get(buffer.position() + k)));
        }
        return halves;
    }

    public static ShortBuffer convertFloatBufferToBf16Buffer(FloatBuffer buffer) {
        ShortBuffer halves = ShortBuffer.allocate(buffer.remaining());
        for (int k = 0; k < halves.capacity(); ++k) {
            halves.put(k, floatToBf16(buffer.get(buffer.position() + k)));
        }
        return halves;
    }
}
