'use strict';
// Values of models as JavaScript's: tensors, arrays for sequences, Maps, null for an optional that holds nothing.
const { Tensor } = require('./tensor.js');

const SCALARS = { float: 'float32', double: 'float64' };

/** The parts of ONNX's text for a type: seq(map(int64,tensor(float))). */
function parsed(text) {
    const end = text.indexOf('(');
    if (end < 0) return { kind: text };
    const kind = text.slice(0, end);
    const inner = text.slice(end + 1, -1);
    if (kind === 'tensor') return { kind, type: SCALARS[inner] ?? inner };
    if (kind !== 'map') return { kind, item: parsed(inner) };
    const comma = inner.indexOf(',');
    return { kind, key: inner.slice(0, comma), item: parsed(inner.slice(comma + 1)) };
}

function sequence(value, type, name) {
    if (!Array.isArray(value)) throw new TypeError(`inlay: ${name} is a sequence: it must be an Array`);
    return { kind: 'sequence', items: value.map((item, index) => describe(item, type.item, `${name}[${index}]`)) };
}

function map(value, type, name) {
    if (!(value instanceof Map)) throw new TypeError(`inlay: ${name} is a map: it must be a Map`);
    return {
        kind: 'map',
        keys: new Tensor(type.key, [...value.keys()]),
        items: [...value.values()].map((item) => describe(item, type.item, `an item of ${name}`)),
    };
}

/** What the addon takes for a value of this type; a number, string, bigint or boolean is a tensor of rank 0. */
function describe(value, type, name) {
    if (type?.kind === 'seq') return sequence(value, type, name);
    if (type?.kind === 'map') return map(value, type, name);
    if (type?.kind === 'optional')
        return { kind: 'optional', item: value === null || value === undefined ? null : describe(value, type.item, name) };
    if (typeof value === 'object' && value !== null) return value;
    if (type?.kind === 'tensor' && ['number', 'bigint', 'string', 'boolean'].includes(typeof value))
        return new Tensor(type.type, [value], []);
    throw new TypeError(`inlay: ${name} must be a Tensor, not ${value === null ? 'null' : typeof value}`);
}

function scalar(tensor) {
    const { type, dims, data } = tensor;
    if (dims.length > 0) return tensor;
    return type === 'bool' ? data[0] === 1 : data[0];
}

/** The value that the addon describes. */
function value(description) {
    if (description.kind === 'sequence') return description.items.map(value);
    if (description.kind === 'map')
        return new Map(description.keys.map((key, index) => [scalar(key), mapItem(description.items[index])]));
    if (description.kind === 'optional') return description.item ? value(description.item) : null;
    return new Tensor(description.type, description.data, description.dims);
}

const mapItem = (description) => {
    const item = value(description);
    return item instanceof Tensor ? scalar(item) : item;
};

module.exports = { describe, parsed, value };
