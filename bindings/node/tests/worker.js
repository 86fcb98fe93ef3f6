'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { InferenceSession, InlayError, Tensor } = require('inlay-onnx');

async function main() {
    const session = await InferenceSession.create(workerData.model, { log() {}, progress() {} });
    const row = (value) => new Tensor(new Float32Array(4).fill(value), [1, 4]);
    const runs = Array.from({ length: workerData.runs }, (_, k) => session.run({ x: row(k), b: row(0) }));
    const sum = (await Promise.all(runs)).flatMap(({ y }) => [...y.data]).reduce((total, number) => total + number, 0);
    const error = await session.run({ w: row(1) }).catch((e) => e);
    parentPort.postMessage({ sum, code: error.code, isInlayError: error instanceof InlayError });
}
main();
