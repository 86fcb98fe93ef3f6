'use strict';
const native = require('./native.js');
const { value } = require('./values.js');

/** The past of a decoder, kept in place: session.run(feeds, {cache}) reads and extends it. */
class KvCache {
    #handle;

    constructor(handle) { this.#handle = handle; }

    get handle() { return this.#handle; }
    get rows() { return native.cacheRows(this.#handle); }
    get capacity() { return native.cacheCapacity(this.#handle); }
    /** {past, present, in_place, why} for each input that the cache has. */
    get pairs() { return JSON.parse(native.cachePairs(this.#handle)); }

    /** The outputs of a model that runs with the cache return. */
    outputNames(names) {
        const presents = this.pairs.map(({ present }) => present);
        return names.filter((name) => !presents.includes(name));
    }
    /** Forgets all but the first rows. */
    keep(rows) { native.cacheKeep(this.#handle, rows); }
    /** The rows of these tensors, copied, in place of all that is held: {input: Tensor}. */
    assign(pasts) { native.cacheAssign(this.#handle, Object.keys(pasts), Object.values(pasts)); }
    /** A copy of the rows held for an input. */
    past(input) { return value(native.cachePast(this.#handle, input)); }
    async release() { return native.releaseCache(this.#handle); }
}

module.exports = { KvCache };
