'use strict';
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { InferenceSession, Tensor } = require('inlay-onnx');
const { collect, digits, inlayError, model } = require('./common.js');

const row = (n, value) => new Tensor(new Float32Array(4 * n).fill(value), [n, 4]);

test('Inputs live as long as the run that reads them', async () => {
    const session = await InferenceSession.create(model('two'));
    const runs = Array.from({ length: 40 }, (_, k) => session.run({ x: row(5000, k), b: row(5000, 1) }));
    await collect();
    const filler = Array.from({ length: 40 }, () => new Float32Array(20000).fill(1e9));
    for (const [k, run] of runs.entries()) {
        const { y } = await run;
        assert.ok(y.data.every((number) => number === k + 1));
    }
    assert.strictEqual(filler.length, 40);
});

test('Outputs live as long as they are referenced, and are freed afterwards', async () => {
    const session = await InferenceSession.create(model('two'));
    const results = [];
    for (let k = 0; k < 20; ++k) results.push((await session.run({ x: row(1000, k), b: row(1000, 1) })).y);
    await session.release();
    await collect();
    results.forEach(({ data }, k) => assert.ok(data.every((number) => number === k + 1)));
    const view = new Uint8Array(results[3].data.buffer, 0, 4);
    results.length = 0;
    await collect();
    assert.deepStrictEqual([...view], [0, 0, 128, 64]);

    const other = await InferenceSession.create(model('two'));
    const input = { x: row(1 << 18, 1), b: row(1 << 18, 1) };
    for (let k = 0; k < 5; ++k) await other.run(input);
    await collect();
    const before = process.memoryUsage().arrayBuffers;
    for (let k = 0; k < 60; ++k) await other.run(input);
    await collect();
    assert.ok(process.memoryUsage().arrayBuffers - before < 1 << 24, 'outputs that nothing references are freed');
});

test('The memory of an input cannot be taken away while a run reads it', async () => {
    const session = await InferenceSession.create(model('two'));
    const x = row(100000, 2);
    const run = session.run({ x, b: row(100000, 1) });
    const { buffer } = x.data;
    let transferred;
    try {
        transferred = structuredClone(buffer, { transfer: [buffer] });
    } catch (error) { // later versions of node refuse it
        assert.strictEqual(error.name, 'DataCloneError');
    }
    assert.strictEqual(buffer.byteLength, 1600000);
    transferred = null;
    await collect();
    const { y } = await run;
    assert.ok(y.data.every((number) => number === 3));
});

test('An ArrayBuffer that is detached, resizable or shared is refused, copied and borrowed', async () => {
    const session = await InferenceSession.create(model('fixed'));
    const detached = new Float32Array(8);
    const tensor = new Tensor(detached, [2, 4]);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    assert.strictEqual(detached.length, 0);
    await assert.rejects(session.run({ x: tensor }), { name: 'TypeError', message: /detached/ });
    if (ArrayBuffer.prototype.resize) { // of node 20
        const resizable = new ArrayBuffer(32, { maxByteLength: 64 });
        const x = new Tensor(new Float32Array(resizable).fill(-5), [2, 4]);
        const run = session.run({ x });
        resizable.resize(0);
        assert.ok((await run).y.data.every((number) => number === 5));
        await assert.rejects(session.run({ x }), { name: 'RangeError' });
    }
    const shared = new Float32Array(new SharedArrayBuffer(32)).fill(-6);
    assert.ok((await session.run({ x: new Tensor(shared, [2, 4]) })).y.data.every((number) => number === 6));
});

test('What changes in a tensor between call and run is not seen, but for its elements', async () => {
    const session = await InferenceSession.create(model('fixed'));
    const x = { type: 'float32', dims: [2, 4], data: new Float32Array(8).fill(-1) };
    const run = session.run({ x });
    x.dims.push(1000);
    x.type = 'float64';
    x.data = new Float64Array(1);
    assert.deepStrictEqual([...(await run).y.dims], [2, 4]);
});

test('A typed array that is a part of its buffer is read where it lies', async () => {
    const session = await InferenceSession.create(model('fixed'));
    const whole = Float32Array.from({ length: 24 }, (_, k) => -k);
    const { y } = await session.run({ x: new Tensor(whole.subarray(8, 16), [2, 4]) });
    assert.deepStrictEqual([...y.data], [8, 9, 10, 11, 12, 13, 14, 15]);
});

test('Sessions without a reference are freed, also with functions of JavaScript', async () => {
    const references = [];
    for (let k = 0; k < 5; ++k) {
        let session = await InferenceSession.create(digits, { log() {}, progress() {} });
        references.push(new WeakRef(session));
        session = null;
    }
    await collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await collect();
    assert.ok(references.filter((reference) => reference.deref()).length <= 1);
});

test('Each worker has the addon to itself, and workers run at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 3 }, () => new Promise((resolve, reject) => {
        const worker = new Worker(path.join(__dirname, 'worker.js'), { workerData: { model: model('two'), runs: 20 } });
        worker.once('message', resolve);
        worker.once('error', reject);
    })));
    assert.deepStrictEqual(results, [{ sum: 190 * 4, code: 'not_found', isInlayError: true }, { sum: 190 * 4, code: 'not_found', isInlayError: true },
        { sum: 190 * 4, code: 'not_found', isInlayError: true }]);
});

test('A worker ends by process.exit(), which ends its runs, and by terminate(), which waits for them', async () => {
    for (const timeout of [undefined, 300]) {
        const worker = new Worker(path.join(__dirname, 'worker_endless.js'), { workerData: { model: model('loop'), timeout } });
        const ended = new Promise((resolve) => worker.once('exit', resolve));
        await new Promise((resolve) => worker.once('message', resolve));
        if (timeout) worker.terminate();
        assert.strictEqual(typeof await ended, 'number');
    }
});

test('A process ends by process.exit() while a run goes on, and a session keeps no process alive', () => {
    const script = (last) => `const {InferenceSession, Tensor} = require('inlay-onnx');
        InferenceSession.create(${JSON.stringify(model('loop'))}, {log() {}, progress() {}}).then((session) => {
            globalThis.session = session; ${last} });`;
    const run = `session.run({times: new Tensor('int64', [2n ** 62n], []), go: new Tensor([true], []), x: new Tensor(new Float32Array(4))});`;
    for (const last of [`${run} setTimeout(() => process.exit(7), 20);`, 'process.exitCode = 7;']) {
        const { status, stderr } = spawnSync(process.execPath, ['-e', script(last)], { cwd: __dirname, timeout: 20000, encoding: 'utf8' });
        assert.strictEqual(status, 7, stderr);
    }
});

test('Workers alone load the addon, one after another', () => {
    const script = `const {Worker} = require('node:worker_threads');
        const next = (k) => k && new Worker('./worker.js', {workerData: ${JSON.stringify({ model: model('two'), runs: 3 })}}).once('exit', (code) => {
            process.exitCode = code || 7; next(code === 0 && k - 1); });
        next(4);`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: __dirname, timeout: 20000, encoding: 'utf8' });
    assert.strictEqual(status, 7, stderr);
});

test('The addon refuses what is none of its objects', async () => {
    const native = require(path.join(path.dirname(require.resolve('inlay-onnx/package.json')), 'lib', 'native.js'));
    for (const object of [undefined, null, 3, {}, native.newCancellation(), new Proxy({}, {})]) {
        assert.throws(() => native.plan(object), { name: 'TypeError', message: /this is no session/ });
        assert.throws(() => native.run(object, [], [], []), { name: 'TypeError' });
        assert.throws(() => native.bindingRunSync(object), { name: 'TypeError', message: /this is no binding/ });
        assert.throws(() => native.cacheRows(object), { name: 'TypeError', message: /this is no cache/ });
    }
    assert.throws(() => native.create(), /./);
    assert.throws(() => native.create('a', {}), { name: 'TypeError' });
    assert.throws(() => native.create(3, { model: [], session: [], providers: [] }), { name: 'TypeError' });
    assert.throws(() => native.create('a', { model: [['x']], session: [], providers: [] }), { name: 'TypeError' });
    assert.throws(() => native.initialize(), inlayError('invalid_argument'));
    assert.throws(() => native.cancel({}), { name: 'TypeError' });
});
