'use strict';
// Files of external data that are not next to the model: in a folder of their own while the model is loaded, which maps
// or copies what is in them.
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');

const isBytes = (data) => data instanceof Uint8Array || data instanceof ArrayBuffer;

function checkedEntry(entry) {
    const { path: location, data } = typeof entry === 'string' ? { path: entry, data: entry } : entry ?? {};
    if (typeof location !== 'string' || !(typeof data === 'string' || isBytes(data)))
        throw new TypeError('inlay: each of externalData must be a path, or {path, data} with a path, Uint8Array or ArrayBuffer');
    if (location === '' || path.isAbsolute(location) || location.split(/[\\/]/).includes('..'))
        throw new TypeError(`inlay: the path \`${location}\` of externalData must be relative, and without \`..\``);
    return { location, data };
}

async function place(folder, { location, data }, base) {
    const file = path.join(folder, location);
    await fs.mkdir(path.dirname(file), { recursive: true });
    if (typeof data === 'string') {
        await fs.copyFile(path.resolve(base, data), file);
    } else {
        await fs.writeFile(file, data instanceof ArrayBuffer ? new Uint8Array(data) : data);
    }
}

/** load(source, folder) with the files in place; folder: undefined where those next to the model are all. */
async function withExternalData(source, entries, load) {
    const files = entries.map(checkedEntry);
    const base = typeof source === 'string' ? path.dirname(source) : process.cwd();
    const isNext = ({ location, data }) =>
        typeof source === 'string' && typeof data === 'string' && path.resolve(base, data) === path.resolve(base, location);
    if (files.every(isNext)) {
        for (const { location } of files) await fs.access(path.join(base, location));
        return load(source, undefined);
    }
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'inlay-'));
    try {
        for (const file of files) await place(folder, file, base);
        return await load(typeof source === 'string' ? await fs.readFile(source) : source, folder);
    } finally {
        await fs.rm(folder, { recursive: true, force: true });
    }
}

module.exports = { withExternalData };
