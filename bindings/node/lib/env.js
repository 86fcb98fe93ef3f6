'use strict';
const { unsupported } = require('./errors.js');
const native = require('./native.js');

const severities = ['verbose', 'info', 'warning', 'error', 'fatal'];
const { version } = require('../package.json');

const settings = { logLevel: 'warning' };
/** Settings of all sessions that are created afterwards. */
const env = Object.preventExtensions({
    get logLevel() { return settings.logLevel; },
    set logLevel(level) {
        if (!severities.includes(level))
            throw new TypeError(`inlay: env.logLevel must be one of ${severities.join(', ')}, not ${String(level)}`);
        settings.logLevel = level;
    },
    get debug() { return false; },
    set debug(value) { if (value) throw unsupported('env.debug', 'there is one build of the library'); },
    get trace() { return false; },
    set trace(value) { if (value) throw unsupported('env.trace', 'traces are written by the C++ interface and the tool'); },
    get versions() { return Object.freeze({ common: version, node: version, inlay: native.version() }); },
});

module.exports = { env, severities };
