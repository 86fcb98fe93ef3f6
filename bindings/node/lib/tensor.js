'use strict';
const { InlayError } = require('./errors.js');
const { toFloat16, toBfloat16 } = require('./float16.js');

// The array of each type; how many bits an element has, where that is not the array's.
const TYPES = {
    float32: { array: Float32Array },
    uint8: { array: Uint8Array },
    int8: { array: Int8Array },
    uint16: { array: Uint16Array },
    int16: { array: Int16Array },
    int32: { array: Int32Array },
    int64: { array: BigInt64Array },
    bool: { array: Uint8Array },
    float16: { array: Uint16Array, convert: toFloat16 },
    float64: { array: Float64Array },
    uint32: { array: Uint32Array },
    uint64: { array: BigUint64Array },
    bfloat16: { array: Uint16Array, convert: toBfloat16 },
    complex64: { array: Float32Array, bits: 64 },
    complex128: { array: Float64Array, bits: 128 },
    float8e4m3fn: { array: Uint8Array },
    float8e4m3fnuz: { array: Uint8Array },
    float8e5m2: { array: Uint8Array },
    float8e5m2fnuz: { array: Uint8Array },
    float8e8m0: { array: Uint8Array },
    uint4: { array: Uint8Array, bits: 4 },
    int4: { array: Int8Array, bits: 4 },
    float4e2m1: { array: Uint8Array, bits: 4 },
    uint2: { array: Uint8Array, bits: 2 },
    int2: { array: Int8Array, bits: 2 },
};
// Without a type, that of the array.
const BY_ARRAY = new Map(['float32', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'float64', 'uint32', 'uint64']
    .map((type) => [TYPES[type].array, type]));
BY_ARRAY.set(Uint8ClampedArray, 'uint8');
const NUMBERS = new Set([...BY_ARRAY.values(), 'float16', 'bfloat16']);

function lengthOf(type, dims) {
    const elements = dims.reduce((product, dim) => product * dim, 1);
    const { array, bits } = TYPES[type] ?? {};
    return bits ? Math.ceil((elements * bits) / (array.BYTES_PER_ELEMENT * 8)) : elements;
}

function checkedDims(dims) {
    if (!Array.isArray(dims)) throw new TypeError("inlay: a tensor's dims must be a number array");
    dims.forEach((dim, axis) => {
        if (typeof dim !== 'number' || !Number.isInteger(dim))
            throw new TypeError(`inlay: dims[${axis}] must be an integer, not ${String(dim)}`);
        if (dim < 0 || !Number.isSafeInteger(dim))
            throw new RangeError(`inlay: dims[${axis}] must be a non-negative integer, not ${dim}`);
    });
    return Object.freeze([...dims]);
}

function typeOfArray(data) {
    if (ArrayBuffer.isView(data)) {
        for (const [array, type] of BY_ARRAY) if (data instanceof array) return type;
        throw new TypeError(`inlay: ${data.constructor.name} is not the data of a tensor`);
    }
    if (!Array.isArray(data)) throw new TypeError("inlay: a tensor's data must be a typed array or an array");
    if (typeof data[0] === 'string') return 'string';
    if (typeof data[0] === 'boolean') return 'bool';
    throw new TypeError('inlay: an array of neither strings nor booleans needs a type: new Tensor("float32", data, dims)');
}

function checkEach(data, type, is) {
    data.forEach((element, index) => {
        if (!is(element)) throw new TypeError(`inlay: data[${index}] is no element of type ${type}: ${String(element)}`);
    });
    return data;
}

/** The typed array of these elements, none of which is changed; but numbers are rounded to float types. */
function arrayOf(type, data) {
    if (type === 'bool')
        return Uint8Array.from(checkEach(data, type, (e) => typeof e === 'boolean' || e === 0 || e === 1), Number);
    if (!NUMBERS.has(type)) throw new TypeError(`inlay: the data of type ${type} must be a ${TYPES[type].array.name}`);
    const { array, convert } = TYPES[type];
    if (array === BigInt64Array || array === BigUint64Array) {
        const result = array.from(checkEach(data, type, (e) => typeof e === 'bigint' || Number.isSafeInteger(e)), BigInt);
        data.forEach((element, index) => {
            if (BigInt(element) !== result[index]) throw new RangeError(`inlay: ${element} is out of the range of ${type}`);
        });
        return result;
    }
    checkEach(data, type, (e) => typeof e === 'number');
    if (convert) return convert(data);
    const result = array.from(data);
    if (array === Float32Array || array === Float64Array) return result;
    data.forEach((element, index) => {
        if (element !== result[index]) throw new RangeError(`inlay: ${element} is out of the range of ${type}`);
    });
    return result;
}

function checkedData(type, data) {
    if (type === 'string') {
        if (!Array.isArray(data)) throw new TypeError('inlay: the data of type string must be an array of strings');
        return checkEach(data, type, (element) => typeof element === 'string');
    }
    const { array } = TYPES[type];
    const fits = data instanceof array || (type === 'uint8' && data instanceof Uint8ClampedArray);
    if (fits) return data;
    if (Array.isArray(data)) return arrayOf(type, data);
    throw new TypeError(`inlay: the data of type ${type} must be a ${array.name}`);
}

/** Elements of one type in a shape. Typed arrays are shared, never copied. */
class Tensor {
    #type;
    #dims;
    #data;

    /** (type, data, dims?) or (data, dims?); without dims, of rank 1. */
    constructor(first, second, third) {
        const hasType = typeof first === 'string';
        const [data, dims] = hasType ? [second, third] : [first, second];
        this.#type = hasType ? first : typeOfArray(data);
        if (this.#type !== 'string' && !Object.hasOwn(TYPES, this.#type))
            throw new TypeError(`inlay: there is no type \`${this.#type}\` of elements`);
        this.#data = checkedData(this.#type, data);
        this.#dims = checkedDims(dims ?? [this.#data.length]);
        const needed = lengthOf(this.#type, this.#dims);
        if (needed !== this.#data.length)
            throw new RangeError(`inlay: the dims [${this.#dims}] do not match the data length: ` +
                `${needed} elements, and there are ${this.#data.length}`);
    }

    get type() { return this.#type; }
    get dims() { return this.#dims; }
    get size() { return this.#dims.reduce((product, dim) => product * dim, 1); }
    get location() { return this.#data ? 'cpu' : 'none'; }
    get data() {
        if (!this.#data) throw new InlayError('inlay: the tensor was disposed');
        return this.#data;
    }

    async getData() { return this.data; }

    /** Lets go of the data; what uses it yet goes on. */
    dispose() { this.#data = undefined; }

    /** The same data in another shape. */
    reshape(dims) { return new Tensor(this.#type, this.data, dims); }
}

module.exports = { Tensor };
