import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import * as inlay from 'inlay-onnx';

const require = createRequire(import.meta.url);
const common = require('inlay-onnx');
const folder = path.dirname(require.resolve('inlay-onnx/package.json'));

test('Both kinds of modules have the same objects under the same names', () => {
    assert.deepStrictEqual(Object.keys(inlay).filter((name) => name !== 'default').sort(), Object.keys(common).sort());
    assert.strictEqual(inlay.default, common);
    for (const name of Object.keys(common)) assert.strictEqual(inlay[name], common[name]);
});

test('The types declare what is exported, and each member of the classes', () => {
    const types = fs.readFileSync(path.join(folder, 'lib', 'index.d.ts'), 'utf8');
    const declared = [...types.matchAll(/^export declare (?:const|class|function) (\w+)/gm)].map(([, name]) => name);
    assert.deepStrictEqual([...new Set(declared)].sort(), Object.keys(common).sort());
    for (const name of ['Binding', 'InferenceSession', 'KvCache']) {
        const [, body] = types.match(new RegExp(`^export interface ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm'));
        const members = [...body.matchAll(/^    (?:readonly )?(\w+)[(:]/gm)].map(([, member]) => member);
        const own = Object.getOwnPropertyNames(common[name].prototype).filter((member) => !['constructor', 'handle', 'outputNames'].includes(member)
            || (member === 'outputNames' && name === 'InferenceSession'));
        assert.deepStrictEqual([...new Set(members)].sort(), own.sort(), name);
    }
});

test('The package has the library next to the addon, and the licence', () => {
    const native = path.join(folder, 'native', `${process.platform}-${process.arch}`);
    assert.ok(fs.existsSync(path.join(native, 'inlay.node')) && fs.existsSync(path.join(native, 'libinlay.so.1')));
    assert.ok(fs.existsSync(path.join(folder, 'LICENSE')) && fs.existsSync(path.join(folder, 'NOTICE')));
    const maps = fs.readFileSync('/proc/self/maps', 'utf8').split('\n').filter((line) => line.includes('libinlay.so'));
    assert.ok(maps.length > 0 && maps.every((line) => line.includes(fs.realpathSync(native))), 'the library of the package is the one that is loaded');
});

test('Where there is no addon for the platform, the error names it', () => {
    const script = "Object.defineProperty(process, 'platform', {value: 'plan9'}); try { require('inlay-onnx'); } catch (e) { console.log(e.name, e.code, e.message); }";
    const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: path.dirname(new URL(import.meta.url).pathname), encoding: 'utf8' });
    assert.match(stdout, /^InlayError provider_unavailable inlay: the addon for plan9-/);
});
