'use strict';
const native = require('./native.js');
const { runRequest } = require('./options.js');
const { endedBy } = require('./runs.js');
const { Tensor } = require('./tensor.js');

const tensorOf = ({ type, data, dims }) => new Tensor(type, data, dims);

/** Memory for one set of shapes, by session.bind(). It does one thing at a time. */
class Binding {
    #handle;
    #inputs = new Map();

    constructor(handle) { this.#handle = handle; }

    /** The memory that runs read: filled in place. */
    input(name) {
        if (!this.#inputs.has(name)) this.#inputs.set(name, tensorOf(native.bindingInput(this.#handle, name)));
        return this.#inputs.get(name);
    }
    /** The memory that runs write. Where the shape depends on data, that of the last run. */
    output(name) { return tensorOf(native.bindingOutput(this.#handle, name)); }
    /** Runs read, or write, the memory of this tensor from now on. */
    setInput(name, tensor) {
        native.bindingSetInput(this.#handle, name, tensor);
        this.#inputs.set(name, tensor);
    }
    setOutput(name, tensor) { native.bindingSetOutput(this.#handle, name, tensor); }
    /** Runs leave this output in the memory of a device, by the name that plans have; output() copies it to the host's. */
    setOutputMemory(name, memory) { native.bindingSetOutputMemory(this.#handle, name, memory); }

    /** Runs in a thread of node's pool. */
    async run(options) {
        const request = runRequest(options);
        return endedBy(request, (cancellation) => native.bindingRun(this.#handle, cancellation, request.timeout));
    }
    /** Runs in the calling thread, which waits: the quickest way for small models. */
    runSync({ timeout } = {}) { native.bindingRunSync(this.#handle, runRequest({ timeout }).timeout); }

    /** How many nodes the provider ran in the last run. */
    executed(provider) { return native.bindingExecuted(this.#handle, provider); }
    /** The times of each step, of so many runs. */
    async profile(runs = 10, options = undefined) {
        const request = runRequest(options);
        return JSON.parse(await endedBy(request, (cancellation) =>
            native.bindingProfile(this.#handle, runs, cancellation, request.timeout)));
    }
    /** Frees its memory when the last of its tensors is gone. May be called again. */
    async release() {
        this.#inputs.clear();
        return native.releaseBinding(this.#handle);
    }
}

module.exports = { Binding };
