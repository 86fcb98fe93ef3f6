import inlay from './index.js';

export const {
    Binding, InferenceSession, InlayError, KvCache, Tensor, env, listSupportedBackends,
    fromBfloat16, fromFloat16, toBfloat16, toFloat16,
} = inlay;
export default inlay;
