'use strict';
// The addon for this platform, which loads libinlay.so from its own folder.
const path = require('node:path');
const { markAsUntransferable } = require('node:worker_threads');
const { InlayError } = require('./errors.js');

const platform = `${process.platform}-${process.arch}`;
const file = path.join(__dirname, '..', 'native', platform, 'inlay.node');

function load() {
    try {
        return require(file);
    } catch (cause) {
        throw new InlayError(`inlay: the addon for ${platform} cannot be loaded: ${cause.message}`,
            { code: 'provider_unavailable', hint: 'docs/reference/node.md has how the package is built', cause });
    }
}

const native = load();
native.initialize(InlayError, markAsUntransferable);
// process.exit() waits for the threads of node's pool: runs that go on would delay it.
process.on('exit', () => native.cancelRunning());

module.exports = native;
