'use strict';
const assert = require('node:assert');
const { test } = require('node:test');
const { InferenceSession, Tensor, listSupportedBackends } = require('inlay-onnx');
const { digits, inlayError, model } = require('./common.js');

const feeds = { x: new Tensor(Float32Array.of(-2, -1, 1, 2)) };

test('Every provider of the build is listed with its options, status and what it was checked on', () => {
    const list = listSupportedBackends();
    const cpu = list[0];
    assert.strictEqual(cpu.name, 'CPUExecutionProvider');
    assert.ok(list.every(({ bundled }) => bundled));
    assert.deepStrictEqual([cpu.status, cpu.checkedOn, cpu.options.threads], ['production', 'device', '0']);
    assert.ok(list.some(({ name }) => name === 'ReferenceExecutionProvider'));
    for (const { status, checkedOn } of list) {
        assert.ok(['production', 'preview', 'deprecated', 'community'].includes(status), status);
        assert.ok(['device', 'simulator', 'library', 'own stand-in'].includes(checkedOn), checkedOn);
    }
});

test('The options of every provider of the build can be set to what was read', async () => {
    for (const provider of listSupportedBackends()) {
        const executionProviders = provider.name === 'CPUExecutionProvider' ? [provider] : [provider, 'cpu'];
        const session = await InferenceSession.create(digits, { planOnly: true, executionProviders });
        const { bundled, ...expected } = provider;
        assert.deepStrictEqual(session.providers[0], expected);
    }
});

test('Providers are in the order of priority, by either name, with options as numbers, texts and flags', async () => {
    const session = await InferenceSession.create(model('rare'), {
        executionProviders: ['reference', { name: 'CPUExecutionProvider', threads: 1, flush_denormals: true, precision: 'standard' }],
    });
    assert.deepStrictEqual(session.providers.map(({ name }) => name), ['ReferenceExecutionProvider', 'CPUExecutionProvider']);
    const { options } = session.providers[1];
    assert.deepStrictEqual([options.threads, options.flush_denormals, options.precision], ['1', 'true', 'standard']);
    assert.ok((await session.plan()).nodes.every(({ provider }) => provider === 'ReferenceExecutionProvider'));
    const again = await InferenceSession.create(model('rare'), { executionProviders: session.providers });
    assert.deepStrictEqual(again.providers, session.providers);
    const camel = await InferenceSession.create(digits, { executionProviders: [{ name: 'cpu', flushDenormals: true, threads: undefined }] });
    assert.strictEqual(camel.providers[0].options.flush_denormals, 'true');
    const implied = await InferenceSession.create(digits, { extra: { session: { set_denormal_as_zero: '1' } } });
    assert.strictEqual(implied.providers[0].options.flush_denormals, 'true');
});

test('An unknown provider or option, and a value that is none, are errors with the text of the library', async () => {
    const refuses = (provider, code, message) =>
        assert.rejects(InferenceSession.create(digits, { executionProviders: [provider] }), inlayError(code, { message }));
    await refuses('nosuch', 'unknown_provider', /nosuch/);
    await refuses({ name: 'cpu', treads: 1 }, 'unknown_option', /treads/);
    await refuses({ name: 'cpu', noSuchOption: 1 }, 'unknown_option', /noSuchOption/);
    await refuses({ name: 'cpu', threads: 'many' }, 'invalid_option', /many/);
    await refuses({ name: 'cpu', flushDenormals: 'perhaps' }, 'invalid_option', /perhaps/);
    await refuses({ plugin: '/no/such/plugin.so' }, 'not_found', /plugin\.so/);
    await assert.rejects(InferenceSession.create(digits, { executionProviders: ['cpu', 'cpu'] }), inlayError('duplicate_provider'));
    for (const entry of [3, {}, { name: 3 }, null]) await assert.rejects(InferenceSession.create(digits, { executionProviders: [entry] }), { name: 'TypeError' });
    await assert.rejects(InferenceSession.create(digits, { executionProviders: [{ name: 'cpu', threads: {} }] }), { name: 'TypeError', message: /threads/ });
});

test('A list of ONNX Runtime\'s form is taken, or refused by what the build lacks', async () => {
    const executionProviders = ['cuda', { name: 'openvino', device_type: 'CPU' }];
    const built = listSupportedBackends().map(({ name }) => name);
    const outcome = await InferenceSession.create(digits, { executionProviders, planOnly: true }).catch((error) => error);
    if (built.includes('CUDAExecutionProvider')) {
        assert.deepStrictEqual(outcome.providers.slice(0, 2).map(({ name }) => name), ['CUDAExecutionProvider', 'OpenVINOExecutionProvider']);
    } else {
        inlayError('unknown_provider', { message: /cuda/ })(outcome);
    }
    if (built.includes('OpenVINOExecutionProvider')) {
        const session = await InferenceSession.create(digits, { executionProviders: executionProviders.slice(1), planOnly: true });
        assert.strictEqual(session.providers[0].options.device_type, 'CPU');
    }
});

test('Providers are changed while a run goes on, which ends with the previous ones', async () => {
    const session = await InferenceSession.create(model('rare'));
    const runs = Array.from({ length: 8 }, () => session.run(feeds));
    await session.setProviders(['reference', 'cpu']);
    const [first, ...others] = await Promise.all([...runs, session.run(feeds)]);
    for (const { y } of others) y.data.forEach((number, k) => assert.ok(Math.abs(number - first.y.data[k]) < 1e-6));
    assert.strictEqual(session.providers[0].name, 'ReferenceExecutionProvider');
    await assert.rejects(session.setProviders(['nosuch']), inlayError('unknown_provider'));
    assert.strictEqual(session.providers[0].name, 'ReferenceExecutionProvider');
    await session.run(feeds);
});

test('A node that its provider may not leave is an error with each provider\'s reason', async () => {
    const session = await InferenceSession.create(model('rare'), { executionProviders: ['reference', 'cpu'], fallback: ['Softsign'] });
    assert.strictEqual((await session.plan()).nodes.length, 2);
    const built = listSupportedBackends().map(({ name }) => name);
    if (built.includes('QNNExecutionProvider'))
        await assert.rejects(InferenceSession.create(model('late'), { executionProviders: ['qnn'], fallback: 'never', planOnly: true }),
            inlayError('no_provider', { node: /./, operator: 'NonZero' }));
});

test('The provider of a plugin stands in the list by its path, with options, and runs nodes', async () => {
    const plugin = process.env.INLAY_PLUGIN;
    const session = await InferenceSession.create(model('fixed'), { executionProviders: [{ plugin, largest: 100 }, 'cpu'] });
    const { name, options } = session.providers[0];
    assert.strictEqual(options.largest, '100');
    assert.deepStrictEqual((await session.plan()).nodes.map(({ op, provider }) => [op, provider]), [['Neg', 'CPUExecutionProvider'], ['Relu', name]]);
    const { y } = await session.run({ x: new Tensor(Float32Array.of(1, -2, 3, -4, 5, -6, 7, -8), [2, 4]) });
    assert.deepStrictEqual([...y.data], [0, 2, 0, 4, 0, 6, 0, 8]);
    await assert.rejects(InferenceSession.create(model('fixed'), { executionProviders: [{ plugin, smallest: 1 }] }), inlayError('unknown_option', { message: /smallest/ }));
});
