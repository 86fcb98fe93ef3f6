'use strict';
const assert = require('node:assert');
const { test } = require('node:test');
const { InferenceSession, InlayError, Tensor } = require('inlay-onnx');
const { digits, inlayError, model } = require('./common.js');

const floats = (values, dims) => new Tensor(Float32Array.from(values), dims);
const endless = () => ({ times: new Tensor('int64', [2n ** 62n], []), go: new Tensor('bool', [true], []), x: floats([1, 2, 3, 4]) });

test('A run returns all outputs, those that are named, or those of an object', async () => {
    const session = await InferenceSession.create(model('two'));
    const feeds = { x: floats([1, 2, 3, 4], [1, 4]), b: floats([-2, 0, 0, 1], [1, 4]) };
    const both = await session.run(feeds);
    assert.deepStrictEqual(Object.keys(both), ['y', 'z']);
    assert.deepStrictEqual([...both.y.data], [0, 2, 3, 5]);
    assert.deepStrictEqual([...both.z.data], [-1, -2, -3, -4]);
    assert.deepStrictEqual(Object.keys(await session.run(feeds, ['z'])), ['z']);
    assert.deepStrictEqual(Object.keys(await session.run(feeds, { y: null })), ['y']);
    assert.deepStrictEqual(Object.keys(await session.run(feeds, { timeout: 1e6 })), ['y', 'z']);
});

test('An output is written into the tensor that is given for it', async () => {
    const session = await InferenceSession.create(model('two'));
    const feeds = { x: floats([1, 2, 3, 4], [1, 4]), b: floats([0, 0, 0, 0], [1, 4]) };
    const target = floats([0, 0, 0, 0], [1, 4]);
    const { z } = await session.run(feeds, { z: target });
    assert.strictEqual(z, target);
    assert.deepStrictEqual([...target.data], [-1, -2, -3, -4]);
    await assert.rejects(session.run(feeds, { z: floats([0, 0, 0, 0]) }), inlayError('shape_mismatch', { message: /\[4\].*\[1,4\]/ }));
});

test('A wrong name, shape or type of an input is an error with its fields', async () => {
    const session = await InferenceSession.create(digits);
    const image = floats(new Array(64).fill(0), [1, 1, 8, 8]);
    await assert.rejects(session.run({ picture: image }), inlayError('not_found', { message: /picture/, name: 'InlayError' }));
    await assert.rejects(session.run({}), inlayError('invalid_argument', { message: /`image` is missing/ }));
    await assert.rejects(session.run({ image: image.reshape([1, 64]) }), inlayError('shape_mismatch', { message: /image/ }));
    await assert.rejects(session.run({ image: new Tensor(new Float64Array(64), [1, 1, 8, 8]) }), inlayError('type_mismatch', { message: /image/ }));
    await assert.rejects(session.run({ image: new Tensor(new Float32Array(1), new Array(9).fill(1)) }), inlayError('invalid_argument', { message: /rank 9/ }));
    const error = await session.run({}).catch((e) => e);
    assert.ok(error instanceof Error && error instanceof InlayError);
    assert.deepStrictEqual([typeof error.hint, error.operatorVersion, error.node], ['string', 0, '']);
});

test('A value that an operator forbids is an error that names the node', async () => {
    const session = await InferenceSession.create(model('gather'));
    const feeds = { x: floats([1, 2, 3]), i: new Tensor('int64', [7n]) };
    await assert.rejects(session.run(feeds), inlayError('invalid_value', { operator: 'Gather', operatorVersion: 13, provider: /CPU/ }));
});

test('Wrong arguments of a run are refused as ONNX Runtime does it', async () => {
    const session = await InferenceSession.create(model('two'));
    const x = floats([1, 2, 3, 4], [1, 4]);
    const refuses = (call, name, message) => assert.rejects(call, { name, message });
    await refuses(session.run(null), 'TypeError', /'feeds'/);
    await refuses(session.run(x), 'TypeError', /'feeds'/);
    await refuses(session.run([x]), 'TypeError', /'feeds'/);
    await refuses(session.run({ x, b: null }), 'TypeError', /the input b/);
    await refuses(session.run({ x, b: {} }), 'TypeError', /the type of the input `b`/);
    await refuses(session.run({ x, b: x }, null), 'TypeError', /'fetches'/);
    await refuses(session.run({ x, b: x }, []), 'TypeError', /'fetches'/);
    await refuses(session.run({ x, b: x }, [1]), 'TypeError', /'fetches'/);
    await refuses(session.run({ x, b: x }, x), 'TypeError', /'fetches'/);
    await refuses(session.run({ x, b: x }, ['w']), 'RangeError', /'fetches'.*w/);
    await refuses(session.run({ x, b: x }, { y: 1 }), 'TypeError', /'fetches'/);
    await refuses(session.run({ x, b: x }, ['y'], 1), 'TypeError', /'options'/);
    await refuses(session.run({ x, b: x }, ['y'], { signal: 1 }), 'TypeError', /AbortSignal/);
    await refuses(session.run({ x, b: x }, ['y'], { timeout: -1 }), 'RangeError', /timeout/);
    await refuses(session.run({ x, b: x }, ['y'], { cache: {} }), 'TypeError', /KvCache/);
    await assert.rejects(session.run({ x, b: x }, ['y'], { tag: 'a' }), inlayError('invalid_option', { message: /tag/ }));
    await assert.rejects(session.run({ x, b: x }, ['y'], { logSeverityLevel: 0 }), inlayError('invalid_option'));
    await assert.rejects(session.run({ x, b: x }, ['y'], { signl: 1 }), inlayError('unknown_option', { hint: /signal/ }));
});

test('What has type, dims and data is a tensor, and each of them is checked in the addon', async () => {
    const session = await InferenceSession.create(model('fixed'));
    const data = Float32Array.from([1, -2, 3, -4, 5, -6, 7, -8]);
    const { y } = await session.run({ x: { type: 'float32', dims: [2, 4], data } });
    assert.deepStrictEqual([...y.data], [0, 2, 0, 4, 0, 6, 0, 8]);
    const refuses = (x, name, message) => assert.rejects(session.run({ x }), { name, message });
    await refuses({ type: 'float32', dims: [2, -4], data }, 'RangeError', /non-negative/);
    await refuses({ type: 'float32', dims: [2, 0.5], data }, 'TypeError', /integer/);
    await refuses({ type: 'float32', dims: [2 ** 40, 2 ** 40], data }, 'RangeError', /too many elements/);
    await refuses({ type: 'float32', dims: [2, 5], data }, 'RangeError', /do not match its data length/);
    await refuses({ type: 'float32', dims: 'no', data }, 'TypeError', /dims/);
    await refuses({ type: 'float32', dims: new Array(100).fill(1), data }, 'RangeError', /100 dimensions/);
    await refuses({ type: 'float33', dims: [2, 4], data }, 'TypeError', /float33/);
    await refuses({ type: 'float32', dims: [2, 4], data: new Int32Array(8) }, 'TypeError', /not the typed array for float32/);
    await refuses({ type: 'float32', dims: [2, 4], data: [1] }, 'TypeError', /must be a typed array/);
    await refuses({ type: 'bool', dims: [1], data: Uint8Array.of(2) }, 'RangeError', /0 or 1/);
    await refuses({ get type() { throw new SyntaxError('from the getter'); } }, 'SyntaxError', /from the getter/);
    await refuses({ kind: 'sequence', items: 3 }, 'TypeError', /items/);
    await refuses({ kind: 'heap', items: [] }, 'TypeError', /heap/);
    const nested = { kind: 'sequence', items: [] };
    nested.items.push(nested);
    await refuses(nested, 'RangeError', /containers within each other/);
});

test('Sequences are arrays', async () => {
    const session = await InferenceSession.create(model('sequences'));
    const { t, y } = await session.run({ x: floats([5, 6]), s: [floats([1, 2]), floats([3, 4])] });
    assert.ok(Array.isArray(t));
    assert.deepStrictEqual(t.map(({ data }) => [...data]), [[1, 2], [3, 4], [5, 6]]);
    assert.deepStrictEqual([...y.data], [1, 2, 3, 4, 5, 6]);
    assert.deepStrictEqual((await session.run({ x: floats([5, 6]), s: [] })).t.length, 1);
    await assert.rejects(session.run({ x: floats([5, 6]), s: floats([1, 2]) }), { name: 'TypeError', message: /must be an Array/ });
    assert.strictEqual(session.inputMetadata[1].onnxType, 'seq(tensor(float))');
    assert.strictEqual(session.inputMetadata[1].isTensor, false);
});

test('Maps are Maps, with plain scalars', async () => {
    const session = await InferenceSession.create(model('maps'));
    const m = new Map([[9n, 0.5], [5n, 2]]);
    const { z, d } = await session.run({ x: floats([1, 2, 3], [1, 3]), m });
    assert.deepStrictEqual([...d.data], [2, 0, 0.5]);
    assert.deepStrictEqual(z, [new Map([[5n, 2], [7n, 1], [9n, 3]])]);
    await assert.rejects(session.run({ x: floats([1, 2, 3], [1, 3]), m: { 5: 1 } }), { name: 'TypeError', message: /must be a Map/ });
    await assert.rejects(session.run({ x: floats([1, 2, 3], [1, 3]), m: new Map([['a', 1]]) }), { name: 'TypeError', message: /int64/ });
});

test('An optional is its value or null', async () => {
    const session = await InferenceSession.create(model('optionals'));
    const held = await session.run({ o: floats([1, 2]) });
    assert.deepStrictEqual([held.has.data[0], [...held.same.data]], [1, [1, 2]]);
    const none = await session.run({ o: null });
    assert.deepStrictEqual([none.has.data[0], none.same], [0, null]);
});

test('A shape that depends on data is that of each run', async () => {
    const session = await InferenceSession.create(model('late'));
    for (const [x, expected] of [[[1, 0, 0, 1], [0n, 3n]], [[0, 0, 0, 0], []]]) {
        const { y } = await session.run({ x: floats(x) });
        assert.deepStrictEqual([[...y.dims], [...y.data]], [[1, expected.length], expected]);
    }
});

test('An AbortSignal ends a run, as an AbortError with its reason', async () => {
    const session = await InferenceSession.create(model('loop'));
    const controller = new AbortController();
    const run = session.run(endless(), { signal: controller.signal });
    setTimeout(() => controller.abort('enough'), 20);
    await assert.rejects(run, inlayError('stopped', { name: 'AbortError', cause: 'enough' }));
    await assert.rejects(session.run(endless(), { signal: controller.signal }), inlayError('stopped', { name: 'AbortError' }));
    await assert.rejects(session.run(endless(), { terminate: true }), inlayError('stopped', { name: 'InlayError' }));
    await assert.rejects(session.run(endless(), { timeout: 20 }), inlayError('deadline_passed'));
    const { y } = await session.run({ ...endless(), times: new Tensor('int64', [1n], []) }, { signal: new AbortController().signal });
    assert.deepStrictEqual([...y.data], [-1, -2, -3, -4]);
});

test('Several runs of a session go on at once, and the event loop meanwhile', async () => {
    const session = await InferenceSession.create(model('two'));
    let turns = 0;
    const timer = setInterval(() => ++turns, 1);
    const slow = await InferenceSession.create(model('loop'));
    const loops = [1, 2].map(() => slow.run(endless(), { timeout: 100 }).catch(({ code }) => code));
    const results = await Promise.all(Array.from({ length: 50 }, (_, k) =>
        session.run({ x: floats([k, k, k, k], [1, 4]), b: floats([1, 1, 1, 1], [1, 4]) })));
    results.forEach(({ y }, k) => assert.deepStrictEqual([...y.data], new Array(4).fill(k + 1)));
    assert.deepStrictEqual(await Promise.all(loops), ['deadline_passed', 'deadline_passed']);
    clearInterval(timer);
    assert.ok(turns > 3, `${turns} turns of the event loop`);
});

test('A decoder keeps its past in a cache', async () => {
    const session = await InferenceSession.create(model('decoder'));
    const cache = await session.makeCache(8);
    assert.deepStrictEqual([cache.rows, cache.capacity], [0, 8]);
    assert.strictEqual(cache.pairs[0].past, 'past');
    for (const [first, rows] of [[1, 2], [10, 1]])
        await session.run({ x: floats(Array.from({ length: 4 * rows }, (_, k) => first + k), [1, rows, 4]) }, { cache });
    assert.strictEqual(cache.rows, 3);
    assert.deepStrictEqual([...cache.past('past').data], [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13]);
    cache.keep(1);
    const { y } = await session.run({ x: floats([0, 0, 0, 1], [1, 1, 4]) }, ['y'], { cache });
    assert.deepStrictEqual([...y.data].map(Math.abs), [1, 2, 3, 4, 0, 0, 0, 1]);
    cache.assign({ past: floats([9, 9, 9, 9], [1, 1, 4]) });
    assert.deepStrictEqual([...cache.past('past').data], [9, 9, 9, 9]);
    assert.throws(() => cache.keep(-1), { name: 'RangeError' });
    await cache.release();
    await cache.release();
    assert.throws(() => cache.rows, inlayError('invalid_argument', { message: /released/ }));
});
