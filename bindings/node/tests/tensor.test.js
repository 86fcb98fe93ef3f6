'use strict';
const assert = require('node:assert');
const { test } = require('node:test');
const { InferenceSession, Tensor, fromBfloat16, fromFloat16, toBfloat16, toFloat16 } = require('inlay-onnx');
const { collect, inlayError, model } = require('./common.js');

const TYPES = { // the elements of three, the array, and where they are in types.onnx
    float32: [1, [1.5, -0, Infinity], Float32Array], uint8: [2, [0, 7, 255], Uint8Array], int8: [3, [-128, 0, 127], Int8Array],
    uint16: [4, [0, 1, 65535], Uint16Array], int16: [5, [-32768, 0, 32767], Int16Array],
    int32: [6, [-(2 ** 31), 0, 2 ** 31 - 1], Int32Array], int64: [7, [-(2n ** 63n), 0n, 2n ** 63n - 1n], BigInt64Array],
    bool: [9, [0, 1, 1], Uint8Array], float16: [10, [0x3c00, 0x7bff, 0x8001], Uint16Array],
    float64: [11, [Math.PI, -0, 5e-324], Float64Array], uint32: [12, [0, 1, 2 ** 32 - 1], Uint32Array],
    uint64: [13, [0n, 1n, 2n ** 64n - 1n], BigUint64Array], complex64: [14, [1, -1, 2, -2, 3, -3], Float32Array],
    complex128: [15, [1, -1, 2, -2, 3, -3], Float64Array], bfloat16: [16, [0x3f80, 0x7f7f, 0x8001], Uint16Array],
    float8e4m3fn: [17, [1, 2, 0x7e], Uint8Array], float8e4m3fnuz: [18, [1, 2, 0x7f], Uint8Array],
    float8e5m2: [19, [1, 2, 0x7b], Uint8Array], float8e5m2fnuz: [20, [1, 2, 0x7f], Uint8Array],
    uint4: [21, [0x21, 0x0f], Uint8Array], int4: [22, [0x21, 0x07], Int8Array], float4e2m1: [23, [0x21, 0x07], Uint8Array],
    float8e8m0: [24, [1, 2, 0x7f], Uint8Array], uint2: [25, [0b100111], Uint8Array], int2: [26, [0b010011], Int8Array],
};

test('Each element type goes into a model and comes back to the bit', async () => {
    const session = await InferenceSession.create(model('types'));
    const feeds = Object.fromEntries(Object.entries(TYPES).map(([type, [number, values, array]]) =>
        [`i${number}`, new Tensor(type, array.from(values), [3])]));
    const results = await session.run(feeds);
    for (const [type, [number, values, array]] of Object.entries(TYPES)) {
        const { type: name, dims, data } = results[`o${number}`];
        assert.strictEqual(name, type);
        assert.deepStrictEqual([...dims], [3]);
        assert.ok(data instanceof array, type);
        assert.deepStrictEqual([...data], values, type);
        assert.strictEqual(session.inputMetadata.find((input) => input.name === `i${number}`).type, type);
    }
});

test('A tensor shares its typed array, of which it infers the type', () => {
    for (const [type, [, values, array]] of Object.entries(TYPES).filter(([, [number]]) => ![9, 10].includes(number) && number < 14)) {
        const data = array.from(values);
        const tensor = new Tensor(data);
        assert.strictEqual(tensor.type, type);
        assert.strictEqual(tensor.data, data);
        assert.deepStrictEqual([...tensor.dims], [3]);
    }
    assert.strictEqual(new Tensor(['a']).type, 'string');
    assert.strictEqual(new Tensor([true, false]).type, 'bool');
    assert.deepStrictEqual([...new Tensor([true, false]).data], [1, 0]);
    assert.strictEqual(new Tensor(new Uint8ClampedArray(2)).type, 'uint8');
});

test('Dims that are no integers, negative or of another product are refused', () => {
    const data = new Float32Array(6);
    const refuses = (dims, name, message) => assert.throws(() => new Tensor(data, dims), { name, message });
    refuses({}, 'TypeError', /must be a number array/);
    refuses([1, 2, ''], 'TypeError', /must be an integer/);
    refuses([1, 2, 1.5], 'TypeError', /must be an integer/);
    refuses([-1, 6], 'RangeError', /must be a non-negative integer/);
    refuses([2 ** 60, 6], 'RangeError', /non-negative integer/);
    refuses([2, 2], 'RangeError', /do not match the data length/);
    refuses([2 ** 40, 2 ** 40], 'RangeError', /do not match the data length/);
    assert.throws(() => new Tensor('float', data), { name: 'TypeError', message: /there is no type `float`/ });
    assert.throws(() => new Tensor('toString', data), { name: 'TypeError', message: /there is no type `toString`/ });
    assert.throws(() => new Tensor('int32', data), { name: 'TypeError', message: /must be a Int32Array/ });
    assert.throws(() => new Tensor([1, 2]), { name: 'TypeError', message: /needs a type/ });
    assert.throws(() => new Tensor(new DataView(new ArrayBuffer(1))), { name: 'TypeError' });
    assert.throws(() => new Tensor(), { name: 'TypeError' });
});

test('Arrays of numbers become typed arrays, and none is changed silently', () => {
    assert.deepStrictEqual([...new Tensor('int64', [1, 2n]).data], [1n, 2n]);
    assert.deepStrictEqual([...new Tensor('float16', [1, -2]).data], [0x3c00, 0xc000]);
    assert.deepStrictEqual([...new Tensor('bool', [true, 0]).data], [1, 0]);
    assert.throws(() => new Tensor('int8', [300]), { name: 'RangeError', message: /300 is out of the range of int8/ });
    assert.throws(() => new Tensor('uint8', [1.5]), { name: 'RangeError' });
    assert.throws(() => new Tensor('uint64', [-1n]), { name: 'RangeError' });
    assert.throws(() => new Tensor('int64', [1.5]), { name: 'TypeError' });
    assert.throws(() => new Tensor('int32', ['1']), { name: 'TypeError' });
    assert.throws(() => new Tensor('bool', [2]), { name: 'TypeError' });
    assert.throws(() => new Tensor('string', ['a', 1]), { name: 'TypeError', message: /data\[1\]/ });
    assert.throws(() => new Tensor('complex64', [1, 2]), { name: 'TypeError', message: /must be a Float32Array/ });
});

test('A tensor is reshaped over the same data, and disposed', async () => {
    const tensor = new Tensor(new Int32Array(6), [2, 3]);
    const other = tensor.reshape([3, 2]);
    assert.strictEqual(other.data, tensor.data);
    assert.throws(() => tensor.reshape([4]), { name: 'RangeError' });
    assert.strictEqual(await tensor.getData(), other.data);
    assert.strictEqual(tensor.size, 6);
    assert.strictEqual(tensor.location, 'cpu');
    tensor.dispose();
    assert.strictEqual(tensor.location, 'none');
    assert.throws(() => tensor.data, inlayError('invalid_argument', { message: /disposed/ }));
    assert.throws(() => { 'use strict'; other.dims[0] = 1; }, { name: 'TypeError' });
});

test('float16 and bfloat16 round to the nearest, to the even one of two', () => {
    const half = [0, 1, -2, 65504, 65519.99, 65520, 6e-8, 2 ** -25, 2 ** -24, 2 ** -14 - 2 ** -26, 1 + 2 ** -11, 1 + 3 * 2 ** -11, NaN, -Infinity];
    assert.deepStrictEqual([...toFloat16(half)],
        [0, 0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 1, 0, 1, 0x400, 0x3c00, 0x3c02, 0x7e00, 0xfc00]);
    const every = Uint16Array.from({ length: 0x10000 }, (_, k) => k).filter((k) => (k & 0x7c00) !== 0x7c00 || (k & 0x3ff) === 0);
    assert.deepStrictEqual(toFloat16(fromFloat16(every)), every);
    assert.deepStrictEqual([...toBfloat16([1, 1 + 2 ** -8, 1 + 3 * 2 ** -8, NaN, 3.4e38, -1e-45])], [0x3f80, 0x3f80, 0x3f82, 0x7fc0, 0x7f80, 0x8000]);
    assert.deepStrictEqual([...fromBfloat16(Uint16Array.of(0x3f80, 0xff80, 1))], [1, -Infinity, 2 ** -133]);
});

test('Strings go in and out with NUL, with characters beyond ASCII, and empty', async () => {
    const session = await InferenceSession.create(model('strings'));
    const { c } = await session.run({ a: new Tensor(['a\0b', 'ж😀'], [2]), b: new Tensor(['', 'é\u{10ffff}'], [2]) });
    assert.deepStrictEqual(c.data, ['a\0b', 'ж😀é\u{10ffff}']);
    assert.strictEqual(c.type, 'string');
    await assert.rejects(session.run({ a: new Tensor(['\ud800', 'x']), b: new Tensor(['', '']) }), { name: 'TypeError', message: /surrogate/ });
});

test('Tensors without elements go in and out', async () => {
    const session = await InferenceSession.create(model('two'));
    const { y, z } = await session.run({ x: new Tensor(new Float32Array(0), [0, 4]), b: new Tensor(new Float32Array(0), [0, 4]) });
    assert.deepStrictEqual([[...y.dims], y.data.length, z.data.length], [[0, 4], 0, 0]);
    await collect();
});
