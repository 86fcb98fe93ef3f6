'use strict';
const { fileURLToPath } = require('node:url');
const { Binding } = require('./binding.js');
const { KvCache } = require('./cache.js');
const { InlayError, unsupported } = require('./errors.js');
const { withExternalData } = require('./external_data.js');
const native = require('./native.js');
const { isObject, providers, runRequest, sessionRequest } = require('./options.js');
const { endedBy, namedShapes, until } = require('./runs.js');
const { Tensor } = require('./tensor.js');
const { describe, parsed, value } = require('./values.js');

/** A path, or the bytes of a model, and the options, of the arguments of create(). */
function sourceOf(first, rest) {
    if (first instanceof URL) return [fileURLToPath(first), rest[0]];
    if (typeof first === 'string') return [first, rest[0]];
    if (first instanceof Uint8Array) return [first, rest[0]];
    if (!(first instanceof ArrayBuffer) && !(first instanceof SharedArrayBuffer))
        throw new TypeError('inlay: argument[0] of create() must be a path, a URL of a file, a Uint8Array or an ArrayBuffer');
    if (typeof rest[0] !== 'number') return [new Uint8Array(first), rest[0]];
    const [byteOffset, second, third] = rest;
    if (!Number.isSafeInteger(byteOffset) || byteOffset < 0 || byteOffset > first.byteLength)
        throw new RangeError(`inlay: 'byteOffset' must be an integer from 0 to ${first.byteLength}`);
    const byteLength = typeof second === 'number' ? second : first.byteLength - byteOffset;
    if (!Number.isSafeInteger(byteLength) || byteLength < 0 || byteLength > first.byteLength - byteOffset)
        throw new RangeError(`inlay: 'byteLength' must be an integer from 0 to ${first.byteLength - byteOffset}`);
    return [new Uint8Array(first, byteOffset, byteLength), typeof second === 'number' ? third : second];
}

/** {name: null or a Tensor that gets the result}, of names or an object. */
function fetchesOf(fetches, outputNames) {
    if (fetches === undefined) return Object.fromEntries(outputNames.map((name) => [name, null]));
    if (Array.isArray(fetches)) {
        if (fetches.length === 0 || fetches.some((name) => typeof name !== 'string'))
            throw new TypeError("inlay: 'fetches' must be an array of names of outputs, not empty");
        for (const name of fetches)
            if (!outputNames.includes(name)) throw new RangeError(`inlay: 'fetches' has no output of the model: ${name}`);
        return Object.fromEntries(fetches.map((name) => [name, null]));
    }
    if (!isObject(fetches) || fetches instanceof Tensor)
        throw new TypeError("inlay: 'fetches' must be an array of names, or an object of names with null or a Tensor");
    for (const [name, target] of Object.entries(fetches))
        if (target !== null && !(target instanceof Tensor))
            throw new TypeError(`inlay: 'fetches' must have null or a Tensor for ${name}`);
    return fetches;
}

/** The result, in the tensor that was given for it. */
function placed(result, target, name) {
    if (!target) return result;
    const fits = result instanceof Tensor && result.type === target.type && String(result.dims) === String(target.dims);
    if (!fits)
        throw new InlayError(`inlay: the tensor that was given for the output ${name} is ${target.type}[${target.dims}], ` +
            `and the output ${result.type}[${result.dims}]`, { code: 'shape_mismatch' });
    if (result.type === 'string') {
        result.data.forEach((text, index) => { target.data[index] = text; });
    } else {
        target.data.set(result.data);
    }
    return target;
}

/** A model with providers for its nodes. Runs may go on at once; each holds what it needs. */
class InferenceSession {
    #handle;
    #inputs;
    #outputs;
    #providers;
    #types;

    constructor(key, created) {
        if (key !== InferenceSession.#key)
            throw new TypeError('inlay: a session is created by `await InferenceSession.create(model)`');
        const named = ({ onnxType, ...metadata }) => Object.freeze({ ...metadata, onnxType });
        this.#handle = created.session;
        this.#inputs = Object.freeze(created.inputs.map(named));
        this.#outputs = Object.freeze(created.outputs.map(named));
        this.#providers = created.providers;
        this.#types = new Map(created.inputs.map(({ name, onnxType }) => [name, parsed(onnxType)]));
    }
    static #key = Symbol('created');

    /** (path or URL, options?), (Uint8Array, options?) or (ArrayBuffer, byteOffset?, byteLength?, options?). */
    static async create(first, ...rest) {
        const [source, options] = sourceOf(first, rest);
        const { externalData, signal, ...request } = sessionRequest(options);
        const load = (model, folder) => {
            const settings = folder ? { ...request, model: [...request.model, ['folder', folder]] } : request;
            return until(signal, (cancellation) => native.create(model, settings, cancellation));
        };
        const created = externalData.length > 0 ? withExternalData(source, externalData, load) : load(source);
        return new InferenceSession(InferenceSession.#key, await created);
    }

    get inputNames() { return this.#inputs.map(({ name }) => name); }
    get outputNames() { return this.#outputs.map(({ name }) => name); }
    get inputMetadata() { return this.#inputs; }
    get outputMetadata() { return this.#outputs; }
    /** Those in use, in the order of priority: {name, options, status, checkedOn}. */
    get providers() { return structuredClone(this.#providers); }

    /** The outputs by name; fetches: names, or {name: null or a Tensor that gets the result}. */
    async run(feeds, fetches, options) {
        if (!isObject(feeds) || feeds instanceof Tensor)
            throw new TypeError("inlay: 'feeds' must be an object of input names with their values");
        const isOptions = options === undefined && this.#isRunOptions(fetches);
        const request = runRequest(isOptions ? fetches : options);
        const { cache } = request;
        if (cache !== undefined && !(cache instanceof KvCache)) throw new TypeError('inlay: cache must be a KvCache');
        const targets = fetchesOf(isOptions ? undefined : fetches, cache ? cache.outputNames(this.outputNames) : this.outputNames);
        const names = Object.keys(feeds);
        const values = names.map((name) => describe(feeds[name], this.#types.get(name), `the input ${name}`));
        const outputNames = Object.keys(targets);
        const results = await endedBy(request, (cancellation) =>
            native.run(this.#handle, names, values, outputNames, cancellation, request.timeout, cache?.handle));
        return Object.fromEntries(outputNames.map((name, index) =>
            [name, placed(value(results[index]), targets[name], name)]));
    }

    /** As in ONNX Runtime, an object in the place of fetches is options where it has no name of an output. */
    #isRunOptions(fetches) {
        return isObject(fetches) && !(fetches instanceof Tensor) &&
            !Object.keys(fetches).some((name) => this.outputNames.includes(name));
    }

    /** Which node runs where, and why not elsewhere: for {name: dims} of inputs, else for the last run's shapes. */
    async plan(shapes) { return JSON.parse(await native.plan(this.#handle, namedShapes(shapes))); }
    /** Where each value lives, and how long. */
    async memory(shapes) { return JSON.parse(await native.memory(this.#handle, namedShapes(shapes))); }
    /** Releases the memory that runs left for later ones. */
    async releaseMemory() { return native.releaseMemory(this.#handle); }
    /** Memory for one set of shapes, and runs that allocate nothing in the library. */
    async bind(shapes) { return new Binding(await native.bind(this.#handle, namedShapes(shapes))); }
    /** For a decoder: what its past inputs grow to, in rows. */
    async makeCache(rows) { return new KvCache(await native.makeCache(this.#handle, rows)); }
    /** Creates the session again from its model; runs that have begun go on with the previous providers. */
    async setProviders(list) {
        this.#providers = await native.setProviders(this.#handle, providers(list));
    }
    /** The model's metadata of a key; undefined: it has none. */
    metadata(key) { return native.metadata(this.#handle, key); }
    /** Frees the session when its last run, binding and cache are done. May be called again. */
    async release() { return native.releaseSession(this.#handle); }

    startProfiling() { throw unsupported('startProfiling()', 'a binding times its runs', '(await session.bind(shapes)).profile(runs)'); }
    endProfiling() { throw unsupported('endProfiling()', 'a binding times its runs', '(await session.bind(shapes)).profile(runs)'); }
}

module.exports = { InferenceSession };
