'use strict';
// Numbers of 16 bits in Uint16Array: IEEE 754's half precision (float16), and the upper half of float32 (bfloat16).

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** shifted / 2 ** shift, rounded to the nearest, to the even one of two. */
function rounded(value, shift) {
    const quotient = value >>> shift;
    const rest = value & ((1 << shift) - 1);
    const half = 1 << (shift - 1);
    return quotient + (rest > half || (rest === half && quotient & 1) ? 1 : 0);
}

function float16Bits(number) {
    single[0] = number;
    const sign = (bits[0] >>> 16) & 0x8000;
    const magnitude = bits[0] & 0x7fffffff;
    if (magnitude > 0x7f800000) return sign | 0x7e00; // NaN
    if (magnitude >= 0x477ff000) return sign | 0x7c00; // rounds to infinity
    if (magnitude >= 0x38800000) return sign | rounded(magnitude - 0x38000000, 13);
    if (magnitude < 0x33000000) return sign; // less than half of the least subnormal number
    const shift = 126 - (magnitude >>> 23);
    return sign | rounded((magnitude & 0x7fffff) | 0x800000, shift);
}

function bfloat16Bits(number) {
    single[0] = number;
    if (Number.isNaN(single[0])) return ((bits[0] >>> 16) & 0x8000) | 0x7fc0;
    const sign = (bits[0] >>> 16) & 0x8000;
    return sign | rounded(bits[0] & 0x7fffffff, 16);
}

function float16Number(value) {
    const sign = value & 0x8000 ? -1 : 1;
    const exponent = (value >>> 10) & 0x1f;
    const fraction = value & 0x3ff;
    if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

function bfloat16Number(value) {
    bits[0] = value << 16;
    return single[0];
}

/** Float32Array or numbers, each rounded once: what is of 64 bits is first rounded to float32. */
const toFloat16 = (numbers) => Uint16Array.from(numbers, float16Bits);
const fromFloat16 = (values) => Float32Array.from(values, float16Number);
const toBfloat16 = (numbers) => Uint16Array.from(numbers, bfloat16Bits);
const fromBfloat16 = (values) => Float32Array.from(values, bfloat16Number);

module.exports = { toFloat16, fromFloat16, toBfloat16, fromBfloat16 };
