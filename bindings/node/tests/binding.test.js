'use strict';
const assert = require('node:assert');
const { test } = require('node:test');
const { InferenceSession, Tensor } = require('inlay-onnx');
const { collect, digits, inlayError, model } = require('./common.js');

test('A binding runs in memory that stays, by a promise and at once', async () => {
    const session = await InferenceSession.create(digits);
    const binding = await session.bind({ image: [1, 1, 8, 8] });
    const { data } = binding.input('image');
    const scores = binding.output('scores');
    const again = binding.output('scores');
    for (let row = 1; row < 7; ++row) data[row * 8 + 4] = 1;
    const expected = [...(await session.run({ image: new Tensor(data.slice(), [1, 1, 8, 8]) })).scores.data];
    await binding.run();
    assert.deepStrictEqual([...scores.data], expected);
    data.fill(0);
    binding.runSync();
    assert.notDeepStrictEqual([...scores.data], expected);
    assert.deepStrictEqual(again.data, scores.data);
    assert.ok(binding.executed('CPUExecutionProvider') > 0);
    assert.strictEqual((await binding.profile(2)).schema, 'inlay.profile');
});

test('A binding reads and writes the memory of tensors that are set', async () => {
    const session = await InferenceSession.create(model('fixed'));
    const binding = await session.bind();
    const x = new Tensor(Float32Array.of(1, -2, 3, -4, 5, -6, 7, -8), [2, 4]);
    const y = new Tensor(new Float32Array(8), [2, 4]);
    binding.setInput('x', x);
    binding.setOutput('y', y);
    assert.strictEqual(binding.input('x'), x);
    binding.runSync();
    assert.deepStrictEqual([...y.data], [0, 2, 0, 4, 0, 6, 0, 8]);
    x.data.fill(-1);
    await binding.run();
    assert.deepStrictEqual([...y.data], new Array(8).fill(1));
    binding.setOutputMemory('y', 'host');
    assert.throws(() => binding.setInput('x', x.reshape([4, 2])), inlayError('shape_mismatch'));
    assert.throws(() => binding.setInput('x', 3), { name: 'TypeError' });
    assert.throws(() => binding.setOutputMemory('y', 'nowhere'), inlayError('not_found', { message: /nowhere/ }));
    assert.throws(() => binding.input('w'), inlayError('not_found'));
});

test('The memory of a binding outlives it, and its tensors outlive the garbage collection', async () => {
    let session = await InferenceSession.create(model('fixed'));
    let binding = await session.bind({});
    binding.setInput('x', new Tensor(new Float32Array(8).fill(-3), [2, 4]));
    await collect();
    const y = binding.output('y');
    binding.runSync();
    await session.release();
    await binding.release();
    await binding.release();
    assert.throws(() => binding.runSync(), inlayError('invalid_argument', { message: /the binding was released/ }));
    await assert.rejects(binding.run(), inlayError('invalid_argument'));
    session = binding = null;
    await collect();
    assert.deepStrictEqual([...y.data], new Array(8).fill(3));
});

test('A binding does one thing at a time, and a run of it ends early', async () => {
    const session = await InferenceSession.create(model('loop'));
    const binding = await session.bind();
    binding.input('times').data[0] = 2n ** 62n;
    binding.input('go').data[0] = 1;
    const controller = new AbortController();
    const run = binding.run({ signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.throws(() => binding.runSync(), inlayError('invalid_argument', { message: /one thing at a time/ }));
    controller.abort();
    await assert.rejects(run, inlayError('stopped', { name: 'AbortError' }));
    assert.throws(() => binding.runSync({ timeout: 20 }), inlayError('deadline_passed'));
    assert.throws(() => binding.runSync({ timeout: -1 }), { name: 'RangeError' });
});

test('An output whose shape depends on data is that of the last run', async () => {
    const session = await InferenceSession.create(model('late'));
    const binding = await session.bind({ x: [4] });
    for (const count of [1, 3]) {
        binding.input('x').data.set([0, 0, 0, 0].fill(1, 0, count));
        binding.runSync();
        assert.deepStrictEqual([...binding.output('y').dims], [1, count]);
    }
});
