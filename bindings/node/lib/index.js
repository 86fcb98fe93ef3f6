'use strict';
const { Binding } = require('./binding.js');
const { KvCache } = require('./cache.js');
const { env } = require('./env.js');
const { InlayError } = require('./errors.js');
const { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } = require('./float16.js');
const native = require('./native.js');
const { InferenceSession } = require('./session.js');
const { Tensor } = require('./tensor.js');

/** The providers that the library was built with, the CPU's first: {name, bundled, status, checkedOn, options}. */
const listSupportedBackends = () => native.builtProviders().map((provider) => ({ ...provider, bundled: true }));

module.exports = {
    Binding, InferenceSession, InlayError, KvCache, Tensor, env, listSupportedBackends,
    fromBfloat16, fromFloat16, toBfloat16, toFloat16,
};
