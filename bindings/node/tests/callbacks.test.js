'use strict';
const assert = require('node:assert');
const { once } = require('node:events');
const { test } = require('node:test');
const { InferenceSession, Tensor } = require('inlay-onnx');
const { digits, inlayError, model } = require('./common.js');

const row = (n) => new Tensor(new Float32Array(4 * n), [n, 4]);

test('Progress is reported for each stage, from 0 to its total', async () => {
    const calls = [];
    const session = await InferenceSession.create(digits, { progress: (...call) => { calls.push(call); } });
    await session.run({ image: new Tensor(new Float32Array(64), [1, 1, 8, 8]) });
    for (const stage of ['load', 'passes', 'partition', 'plan']) {
        const own = calls.filter(([name]) => name === stage);
        assert.strictEqual(own[0][1], 0, stage);
        assert.strictEqual(own.at(-1)[1], own.at(-1)[2], stage);
    }
});

test('Progress that returns false stops the loading', async () => {
    for (const stage of ['load', 'passes', 'partition'])
        await assert.rejects(InferenceSession.create(digits, { progress: (name) => name !== stage }), inlayError('stopped'));
});

test('What progress throws is what create() rejects with, and what a run does', async () => {
    const thrown = new RangeError('from progress');
    await assert.rejects(InferenceSession.create(digits, { progress() { throw thrown; } }), (error) => error === thrown);
    await assert.rejects(InferenceSession.create(digits, { progress() { throw 'a text'; } }), (error) => error === 'a text');
    let fails = false;
    const session = await InferenceSession.create(model('two'), { progress() { if (fails) throw thrown; } });
    await session.run({ x: row(1), b: row(1) });
    fails = true;
    await assert.rejects(session.run({ x: row(2), b: row(2) }), (error) => error === thrown);
    fails = false;
    assert.strictEqual((await session.run({ x: row(2), b: row(2) })).y.size, 8);
});

test('An AbortSignal stops the loading', async () => {
    const controller = new AbortController();
    const progress = () => controller.abort('no more');
    await assert.rejects(InferenceSession.create(digits, { progress, signal: controller.signal }),
        inlayError('stopped', { name: 'AbortError', cause: 'no more' }));
    await assert.rejects(InferenceSession.create(digits, { signal: AbortSignal.abort() }), inlayError('stopped', { name: 'AbortError' }));
});

test('The log has lines with their severity, and logId before each', async () => {
    const lines = [];
    const session = await InferenceSession.create(digits, { logSeverityLevel: 0, logId: 'mine', log: (severity, text) => lines.push({ severity, text }) });
    await session.run({ image: new Tensor(new Float32Array(64), [1, 1, 8, 8]) });
    assert.ok(lines.some(({ text }) => /conv1/.test(text)), JSON.stringify(lines));
    assert.ok(lines.every(({ severity, text }) => Number.isInteger(severity) && text.startsWith('mine: ')));
});

test('What the log throws is an uncaught exception', async () => {
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    try {
        const caught = once(process, 'uncaughtException');
        let count = 0;
        await InferenceSession.create(digits, { logSeverityLevel: 0, log() { if (count++ === 0) throw new Error('from the log'); } });
        assert.match((await caught)[0].message, /from the log/);
    } finally {
        for (const listener of listeners) process.on('uncaughtException', listener);
    }
});
