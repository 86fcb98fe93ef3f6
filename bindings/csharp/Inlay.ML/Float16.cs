using System;
using System.Globalization;

namespace Inlay.ML {
static class Bits {
    internal static unsafe uint Of(float value) { return *(uint*)&value; }
    internal static unsafe float ToFloat(uint bits) { return *(float*)&bits; }
}

/// <summary>fp16: IEEE 754 binary16, with 5 bits for the exponent.</summary>
public struct Float16 : IComparable<Float16>, IEquatable<Float16> {
    /// <summary>The bits.</summary>
    public readonly ushort value;
    /// <summary>The number of these bits.</summary>
    public Float16(ushort v) { value = v; }

    /// <summary>Rounds to the nearest, ties to even; NaN stays NaN, what is too large becomes infinite.</summary>
    public static explicit operator Float16(float number) {
        uint bits = Bits.Of(number), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
        if (magnitude > 0x7f800000) return new Float16((ushort)(sign | 0x7e00 | magnitude >> 13 & 0x3ff));
        if (magnitude >= 0x477ff000) return new Float16((ushort)(sign | 0x7c00));
        if (magnitude < 0x33000001) return new Float16((ushort)sign);
        int exponent = (int)(magnitude >> 23) - 112;
        uint significand = magnitude & 0x7fffff | (exponent > 0 ? (uint)exponent << 23 : 0x800000);
        int shift = exponent > 0 ? 13 : 14 - exponent;
        uint rounded = significand >> shift, rest = significand & (1u << shift) - 1, half = 1u << shift - 1;
        if (rest > half || rest == half && (rounded & 1) == 1) ++rounded;
        return new Float16((ushort)(sign | rounded));
    }
    /// <summary>The same number.</summary>
    public static explicit operator float(Float16 number) { return number.ToFloat(); }
    /// <summary>The same number.</summary>
    public float ToFloat() {
        uint sign = (uint)(value & 0x8000) << 16;
        uint exponent = (uint)value >> 10 & 0x1f, significand = (uint)value & 0x3ff;
        if (exponent == 0x1f) return Bits.ToFloat(sign | 0x7f800000 | significand << 13);
        if (exponent > 0) return Bits.ToFloat(sign | exponent + 112 << 23 | significand << 13);
        float subnormal = significand / 16777216f;  // of 2^-24 each
        return sign == 0 ? subnormal : -subnormal;
    }
    /// <summary>Implicit for the bits, as in ONNX Runtime.</summary>
    public static implicit operator Float16(ushort bits) { return new Float16(bits); }
    /// <summary>The bits.</summary>
    public static implicit operator ushort(Float16 number) { return number.value; }

    /// <summary>No number.</summary>
    public static bool IsNaN(Float16 number) { return (number.value & 0x7fff) > 0x7c00; }
    /// <summary>Equal bits.</summary>
    public static bool operator ==(Float16 left, Float16 right) { return left.value == right.value; }
    /// <summary>Different bits.</summary>
    public static bool operator !=(Float16 left, Float16 right) { return left.value != right.value; }
    public bool Equals(Float16 other) { return value == other.value; }
    public override bool Equals(object other) { return other is Float16 && Equals((Float16)other); }
    public override int GetHashCode() { return value; }
    public int CompareTo(Float16 other) { return ToFloat().CompareTo(other.ToFloat()); }
    public override string ToString() { return ToFloat().ToString(CultureInfo.InvariantCulture); }
}

/// <summary>bf16: the upper 16 bits of a float32.</summary>
public struct BFloat16 : IComparable<BFloat16>, IEquatable<BFloat16> {
    /// <summary>The bits.</summary>
    public readonly ushort value;
    /// <summary>The number of these bits.</summary>
    public BFloat16(ushort v) { value = v; }

    /// <summary>Rounds to the nearest, ties to even; NaN stays NaN.</summary>
    public static explicit operator BFloat16(float number) {
        uint bits = Bits.Of(number);
        if ((bits & 0x7fffffff) > 0x7f800000) return new BFloat16((ushort)(bits >> 16 | 0x40));
        return new BFloat16((ushort)(bits + 0x7fff + (bits >> 16 & 1) >> 16));
    }
    /// <summary>The same number.</summary>
    public static explicit operator float(BFloat16 number) { return number.ToFloat(); }
    /// <summary>The same number.</summary>
    public float ToFloat() { return Bits.ToFloat((uint)value << 16); }
    /// <summary>Implicit for the bits, as in ONNX Runtime.</summary>
    public static implicit operator BFloat16(ushort bits) { return new BFloat16(bits); }
    /// <summary>The bits.</summary>
    public static implicit operator ushort(BFloat16 number) { return number.value; }

    /// <summary>No number.</summary>
    public static bool IsNaN(BFloat16 number) { return (number.value & 0x7fff) > 0x7f80; }
    /// <summary>Equal bits.</summary>
    public static bool operator ==(BFloat16 left, BFloat16 right) { return left.value == right.value; }
    /// <summary>Different bits.</summary>
    public static bool operator !=(BFloat16 left, BFloat16 right) { return left.value != right.value; }
    public bool Equals(BFloat16 other) { return value == other.value; }
    public override bool Equals(object other) { return other is BFloat16 && Equals((BFloat16)other); }
    public override int GetHashCode() { return value; }
    public int CompareTo(BFloat16 other) { return ToFloat().CompareTo(other.ToFloat()); }
    public override string ToString() { return ToFloat().ToString(CultureInfo.InvariantCulture); }
}
}
