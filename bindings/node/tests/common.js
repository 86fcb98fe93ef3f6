'use strict';
const assert = require('node:assert');
const path = require('node:path');
const { setImmediate: turn } = require('node:timers/promises');
const { InlayError } = require('inlay-onnx');

const digits = process.env.INLAY_DIGITS;
const model = (name) => path.join(process.env.INLAY_MODELS, `${name}.onnx`);

/** Garbage is collected, and what finalizers free is freed. */
async function collect() {
    for (let k = 0; k < 4; ++k) {
        globalThis.gc();
        await turn();
    }
}

/** An InlayError of this code whose other fields match. */
const inlayError = (code, fields = {}) => (error) => {
    assert.ok(error instanceof InlayError, String(error.stack));
    assert.strictEqual(error.code, code, error.message);
    for (const [name, expected] of Object.entries(fields)) {
        if (expected instanceof RegExp) {
            assert.match(String(error[name]), expected);
        } else {
            assert.strictEqual(error[name], expected);
        }
    }
    return true;
};

module.exports = { collect, digits, inlayError, model };
