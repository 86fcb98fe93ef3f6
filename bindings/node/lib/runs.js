'use strict';
// How work ends early: by an AbortSignal, a timeout, or `terminate`.
const { InlayError } = require('./errors.js');
const native = require('./native.js');

/** As node's own functions have it: name AbortError, and the signal's reason as the cause. */
function aborted(signal, error) {
    const { code, node, operator, operatorVersion, provider } = error ?? { code: 'stopped' };
    const result = new InlayError(error?.message ?? 'inlay: the signal was aborted before the work began',
        { code, node, operator, operatorVersion, provider, cause: signal.reason });
    result.name = 'AbortError';
    return result;
}

/** work(cancellation), which an AbortSignal ends; without a signal cancellation is undefined. */
async function until(signal, work) {
    if (!signal) return work(undefined);
    if (signal.aborted) throw aborted(signal);
    const cancellation = native.newCancellation();
    const abort = () => native.cancel(cancellation);
    signal.addEventListener('abort', abort, { once: true });
    try {
        return await work(cancellation);
    } catch (error) {
        throw signal.aborted && error?.code === 'stopped' ? aborted(signal, error) : error;
    } finally {
        signal.removeEventListener('abort', abort);
    }
}

/** The same by the options of a run. */
function endedBy({ signal, terminate }, work) {
    if (!terminate) return until(signal, work);
    const cancellation = native.newCancellation();
    native.cancel(cancellation);
    return work(cancellation);
}

/** {names, shapes} of {name: dims}. */
function namedShapes(shapes) {
    if (shapes === undefined) return undefined;
    if (typeof shapes !== 'object' || shapes === null || Array.isArray(shapes))
        throw new TypeError('inlay: shapes must be an object of input names with their dims');
    return { names: Object.keys(shapes), shapes: Object.values(shapes) };
}

module.exports = { endedBy, namedShapes, until };
