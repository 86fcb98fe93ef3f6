'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { test } = require('node:test');
const { InferenceSession, Tensor, env } = require('inlay-onnx');
const { digits, inlayError, model } = require('./common.js');

const image = () => new Tensor(new Float32Array(64).fill(0.5), [1, 1, 8, 8]);
const scores = async (session) => [...(await session.run({ image: image() })).scores.data];
const floats = (...values) => new Tensor(Float32Array.from(values));

test('A model is loaded from a path, a URL, a Uint8Array and parts of an ArrayBuffer', async () => {
    const expected = await scores(await InferenceSession.create(digits));
    const bytes = fs.readFileSync(digits);
    const padded = new Uint8Array(bytes.length + 7);
    padded.set(bytes, 3);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    const resizable = new Uint8Array(new ArrayBuffer(bytes.length, { maxByteLength: 2 * bytes.length }));
    resizable.set(bytes);
    for (const source of [[pathToFileURL(digits)], [bytes], [bytes, {}], [padded.buffer, 3, bytes.length], [padded.buffer, 3, bytes.length, {}],
        [padded.slice(3, 3 + bytes.length).buffer], [padded.slice(0, 3 + bytes.length).buffer, 3], [shared.buffer], [resizable]])
        assert.deepStrictEqual(await scores(await InferenceSession.create(...source)), expected);
});

test('Wrong arguments of create() are refused as ONNX Runtime does it', async () => {
    const { buffer } = new Uint8Array(16);
    const refuses = (source, name, message) => assert.rejects(InferenceSession.create(...source), { name, message });
    await refuses([], 'TypeError', /argument\[0\]/);
    await refuses([buffer, -1], 'RangeError', /'byteOffset'/);
    await refuses([buffer, 17], 'RangeError', /'byteOffset'/);
    await refuses([buffer, 1.5], 'RangeError', /'byteOffset'/);
    await refuses([buffer, 0, -1], 'RangeError', /'byteLength'/);
    await refuses([buffer, 8, 9], 'RangeError', /'byteLength'/);
    await refuses([digits, 'cpu'], 'TypeError', /'options'/);
    await refuses([new Uint8Array(16), 'cpu'], 'TypeError', /'options'/);
    await refuses([buffer, 0, 16, 'cpu'], 'TypeError', /'options'/);
    await refuses(['a\0b'], 'TypeError', /NUL/);
    assert.throws(() => new InferenceSession(), { name: 'TypeError', message: /create/ });
});

test('A file that is missing, no model or unsupported is an error with its code', async () => {
    await assert.rejects(InferenceSession.create('/no/such/model.onnx'), inlayError('not_found', { message: /\/no\/such\/model\.onnx/ }));
    await assert.rejects(InferenceSession.create(new Uint8Array(0)), inlayError('invalid_model'));
    await assert.rejects(InferenceSession.create(new Uint8Array(64).fill(255)), inlayError('invalid_model'));
    await assert.rejects(InferenceSession.create(model('unknown')), inlayError('no_provider', { node: 'Something_0', operator: /Something/, message: /CPUExecutionProvider: no kernel/ }));
    await assert.rejects(InferenceSession.create(digits, { limits: { nodes: 2 } }), inlayError('limit_exceeded'));
});

test('A session describes its inputs and outputs, and has the metadata of the model', async () => {
    const session = await InferenceSession.create(model('two'));
    assert.deepStrictEqual(session.inputNames, ['x', 'b']);
    assert.deepStrictEqual(session.outputNames, ['y', 'z']);
    assert.deepStrictEqual(session.inputMetadata[0],
        { name: 'x', isTensor: true, type: 'float32', shape: ['N', 4], onnxType: 'tensor(float)' });
    assert.deepStrictEqual([session.metadata('author'), session.metadata('empty'), session.metadata('none')], ['a test', '', undefined]);
    assert.throws(() => session.metadata(3), { name: 'TypeError' });
});

test('Each of ONNX Runtime\'s options is mapped, or refused by its name', async () => {
    const accepts = [{ intraOpNumThreads: 1 }, { interOpNumThreads: 1 }, { graphOptimizationLevel: 'disabled' }, { graphOptimizationLevel: 'all' },
        { enableCpuMemArena: true }, { enableMemPattern: true }, { executionMode: 'sequential' }, { enableProfiling: false }, { logId: 'a' },
        { logSeverityLevel: 4 }, { logVerbosityLevel: 0 }, { preferredOutputLocation: 'cpu' }, { preferredOutputLocation: { scores: 'cpu' } },
        { enableGraphCapture: false }, { externalData: [] }, { freeDimensionOverrides: { batch: 1 } }, { executionProviders: undefined },
        { extra: { session: { disable_cpu_ep_fallback: '1', set_denormal_as_zero: '1' } } }, { extra: { 'session.set_denormal_as_zero': '0' } }];
    for (const options of accepts) assert.strictEqual((await scores(await InferenceSession.create(digits, options))).length, 10);
    const unsupported = [{ interOpNumThreads: 2 }, { graphOptimizationLevel: 'basic' }, { enableCpuMemArena: false }, { enableMemPattern: false },
        { executionMode: 'parallel' }, { optimizedModelFilePath: 'a' }, { enableProfiling: true }, { profileFilePrefix: 'a' },
        { logVerbosityLevel: 1 }, { preferredOutputLocation: 'gpu-buffer' }, { enableGraphCapture: true }, { extra: { a: { b: '1' } } }];
    for (const options of unsupported) {
        const [name] = Object.keys(options);
        await assert.rejects(InferenceSession.create(digits, options), inlayError('invalid_option', { message: name === 'extra' ? /a\.b/ : new RegExp(name) }));
    }
    const mistaken = [[{ intraOpNumThreads: 'a' }, 'TypeError'], [{ intraOpNumThreads: 1.5 }, 'RangeError'], [{ intraOpNumThreads: -1 }, 'RangeError'],
        [{ interOpNumThreads: -1 }, 'RangeError'], [{ graphOptimizationLevel: 0 }, 'TypeError'], [{ graphOptimizationLevel: 'bad' }, 'TypeError'],
        [{ enableCpuMemArena: 0 }, 'TypeError'], [{ enableMemPattern: 0 }, 'TypeError'], [{ executionMode: 'bad' }, 'TypeError'],
        [{ logSeverityLevel: 'error' }, 'TypeError'], [{ logSeverityLevel: 8 }, 'RangeError'], [{ progress: 1 }, 'TypeError'], [{ signal: {} }, 'TypeError'],
        [{ executionProviders: 'cpu' }, 'TypeError'], [{ externalData: 'a' }, 'TypeError'], [{ freeDimensionOverrides: { a: 'b' } }, 'TypeError']];
    for (const [options, name] of mistaken)
        await assert.rejects(InferenceSession.create(digits, options), { name, message: new RegExp(Object.keys(options)[0]) });
});

test('Inlay\'s own options reach the library, and an unknown one is an error', async () => {
    const session = await InferenceSession.create(digits,
        { fallback: 'never', partition: 'order', plans: 2, contexts: 'refuse', determinism: 'portable', optimize: false, limits: { fileBytes: 1e9, strict: false } });
    assert.strictEqual((await session.plan()).determinism.policy, 'portable');
    await assert.rejects(InferenceSession.create(digits, { fallback: 'sometimes' }), inlayError('invalid_option', { message: /sometimes/ }));
    await assert.rejects(InferenceSession.create(digits, { without: ['nosuch'] }), inlayError('unknown_option', { message: /nosuch/ }));
    await assert.rejects(InferenceSession.create(digits, { limits: { nods: 2 } }), inlayError('unknown_option', { message: /limits\.nods/ }));
    await assert.rejects(InferenceSession.create(digits, { fallbak: 'any' }), inlayError('unknown_option', { message: /fallbak/, hint: /fallback/ }));
});

test('The level of optimization and the size of a free dimension show in the plan', async () => {
    const nodes = async (options) => (await (await InferenceSession.create(digits, options)).plan()).nodes;
    const fused = (list) => list.filter((node) => node.fused_into).length;
    assert.ok(fused(await nodes({})) > 0);
    const session = await InferenceSession.create(model('two'), { freeDimensionOverrides: { N: 3 } });
    assert.deepStrictEqual(session.inputMetadata[0].shape, [3, 4]);
});

test('The plan and the memory of a session are objects, for the last run\'s shapes or others', async () => {
    const session = await InferenceSession.create(model('two'));
    const plan = await session.plan({ x: [5, 4], b: [5, 4] });
    assert.deepStrictEqual([plan.schema, plan.inputs[0].shape], ['inlay.plan', [5, 4]]);
    assert.ok(plan.nodes.every((node) => node.provider === 'CPUExecutionProvider'));
    assert.strictEqual((await session.memory({ x: [5, 4], b: [5, 4] })).schema, 'inlay.memory');
    await session.releaseMemory();
    await assert.rejects(session.plan({ x: [5, -1] }), { name: 'RangeError' });
    await assert.rejects(session.plan([5]), { name: 'TypeError' });
    await assert.rejects(session.plan({ w: [5, 4] }), inlayError('not_found', { message: /w/ }));
});

test('External data comes from files, from elsewhere, and from memory', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'inlay-test-'));
    try {
        const file = path.join(folder, 'model.onnx');
        fs.copyFileSync(model('external'), file);
        const data = Float32Array.of(10, 20);
        const add = async (source, externalData) => {
            const session = await InferenceSession.create(source, { externalData });
            return [...(await session.run({ x: floats(1, 2) })).y.data];
        };
        await assert.rejects(add(file), inlayError('not_found', { message: /model\.onnx_data/ }));
        const name = 'model.onnx_data';
        const before = fs.readdirSync(os.tmpdir()).filter((entry) => entry.startsWith('inlay-')).length;
        assert.deepStrictEqual(await add(file, [{ path: name, data: new Uint8Array(data.buffer) }]), [11, 22]);
        assert.deepStrictEqual(await add(fs.readFileSync(file), [{ path: name, data: data.buffer }]), [11, 22]);
        fs.writeFileSync(path.join(folder, 'elsewhere'), new Uint8Array(data.buffer));
        assert.deepStrictEqual(await add(file, [{ path: name, data: 'elsewhere' }]), [11, 22]);
        fs.writeFileSync(path.join(folder, name), new Uint8Array(Float32Array.of(1, 1).buffer));
        assert.deepStrictEqual(await add(file, [name]), [2, 3]);
        assert.strictEqual(fs.readdirSync(os.tmpdir()).filter((entry) => entry.startsWith('inlay-')).length, before);
        await assert.rejects(add(file, [{ path: '../a', data: data.buffer }]), { name: 'TypeError', message: /\.\./ });
        await assert.rejects(add(file, [{ path: name, data: 3 }]), { name: 'TypeError' });
        await assert.rejects(add(file, ['missing']), { code: 'ENOENT' });
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
});

test('A session that is released refuses every call, and what it gave stays', async () => {
    const session = await InferenceSession.create(digits);
    const result = await session.run({ image: image() });
    const run = session.run({ image: image() });
    await session.release();
    await session.release();
    assert.deepStrictEqual([...(await run).scores.data], [...result.scores.data]);
    const released = inlayError('invalid_argument', { message: /the session was released/ });
    for (const call of [() => session.run({ image: image() }), () => session.plan(), () => session.memory(), () => session.bind(),
        () => session.setProviders(['cpu']), () => session.releaseMemory(), () => session.makeCache(1)])
        await assert.rejects(call(), released);
    assert.throws(() => session.metadata('a'), released);
    assert.deepStrictEqual(session.inputNames, ['image']);
    assert.strictEqual(session.providers[0].name, 'CPUExecutionProvider');
});

test('Profiling is refused with what there is instead', async () => {
    const session = await InferenceSession.create(digits);
    assert.throws(() => session.startProfiling(), inlayError('invalid_option', { hint: /profile/ }));
    assert.throws(() => session.endProfiling(), inlayError('invalid_option', { hint: /profile/ }));
});

test('env has the versions and the level of the log, and refuses what there is not', async () => {
    const { version } = require('inlay-onnx/package.json');
    assert.deepStrictEqual({ ...env.versions }, { common: version, node: version, inlay: version });
    assert.throws(() => { env.logLevel = 'loud'; }, { name: 'TypeError' });
    assert.throws(() => { env.debug = true; }, inlayError('invalid_option'));
    assert.throws(() => { env.wasm = {}; }, { name: 'TypeError' });
    const lines = [];
    env.logLevel = 'verbose';
    const session = await InferenceSession.create(digits, { log: (severity, text) => lines.push([severity, text]) });
    env.logLevel = 'warning';
    await scores(session);
    assert.ok(lines.length > 0 && lines.every(([severity, text]) => severity >= 0 && typeof text === 'string'));
    await InferenceSession.create(digits, { log: () => assert.fail('a line below the level') }).then(scores);
});
