'use strict';
// Options as ONNX Runtime's interface for JavaScript names them, and Inlay's own, as texts for the library.
const { InlayError, unsupported } = require('./errors.js');
const { env, severities } = require('./env.js');

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function checkObject(options, subject) {
    if (options === undefined) return {};
    if (!isObject(options)) throw new TypeError(`inlay: '${subject}' must be an object`);
    return options;
}

function checkType(name, value, type) {
    if (typeof value !== type) throw new TypeError(`inlay: ${name} must be a ${type}, not ${typeof value}`);
    return value;
}

function checkInteger(name, value, least = 0, most = 2 ** 31 - 1) {
    checkType(name, value, 'number');
    if (!Number.isInteger(value) || value < least || value > most)
        throw new RangeError(`inlay: ${name} must be an integer from ${least} to ${most}, not ${value}`);
    return value;
}

function checkChoice(name, value, choices) {
    if (!choices.includes(value)) throw new TypeError(`inlay: ${name} must be one of ${choices.join(', ')}`);
    return value;
}

function textOf(name, value) {
    if (!['string', 'number', 'boolean', 'bigint'].includes(typeof value))
        throw new TypeError(`inlay: ${name} must be a string, a number or a boolean`);
    return String(value);
}

const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A flag that is always so here: the other value is refused. */
const fixedFlag = (expected, reason) => (request, name, value) => {
    if (checkType(name, value, 'boolean') !== expected) throw unsupported(`${name}: ${value}`, reason);
};
const PLANNED = 'the memory of runs is always planned, in one arena';
const SEQUENTIAL = 'steps run one after another, each on all threads of the session';

// Entries of `extra`, by ONNX Runtime's keys.
const ENTRIES = {
    'session.disable_cpu_ep_fallback': (request, flag) => { if (flag) request.session.push(['fallback', 'never']); },
    'session.set_denormal_as_zero': (request, flag) => { request.flushDenormals = flag; },
};

function readEntries(request, object, prefix) {
    for (const [name, value] of Object.entries(object)) {
        const key = prefix ? `${prefix}.${name}` : name;
        if (isObject(value)) {
            readEntries(request, value, key);
        } else if (Object.hasOwn(ENTRIES, key)) {
            if (!['0', '1'].includes(value))
                throw new InlayError(`inlay: ${key} is '0' or '1', not ${String(value)}`, { code: 'invalid_option' });
            ENTRIES[key](request, value === '1');
        } else {
            throw unsupported(`the configuration entry ${key}`, 'Inlay has nothing that it stands for',
                `the entries are ${Object.keys(ENTRIES).join(', ')}`);
        }
    }
}

const setText = (name, list) => (request, option, value) => request[list].push([name, textOf(option, value)]);
const setFlag = (name, list) => (request, option, value) =>
    request[list].push([name, String(checkType(option, value, 'boolean'))]);

// What sets each option in the request for the addon: ONNX Runtime's first, then Inlay's.
const SESSION_OPTIONS = {
    executionProviders: (request, name, value) => { request.providers = providers(value); },
    intraOpNumThreads: (request, name, value) =>
        request.session.push(['intra_op_num_threads', String(checkInteger(name, value))]),
    interOpNumThreads: (request, name, value) => {
        if (checkInteger(name, value) > 1) throw unsupported(`${name}: ${value}`, SEQUENTIAL, 'leave it at 0 or 1');
    },
    graphOptimizationLevel: (request, name, value) => {
        const level = checkChoice(name, value, ['disabled', 'basic', 'extended', 'layout', 'all']);
        if (level === 'basic')
            throw unsupported(`${name}: basic`, 'it would leave out the fusion of nodes, whose passes have no common name',
                "take 'all', or 'disabled', or leave out single passes by `without`");
        request.model.push(['optimize', String(level !== 'disabled')]);
    },
    enableCpuMemArena: fixedFlag(true, PLANNED),
    enableMemPattern: fixedFlag(true, PLANNED),
    executionMode: (request, name, value) => {
        if (checkChoice(name, value, ['sequential', 'parallel']) === 'parallel')
            throw unsupported(`${name}: parallel`, SEQUENTIAL);
    },
    optimizedModelFilePath: (request, name) => {
        throw unsupported(name, 'the C library does not write models', 'the tool does: inlay compile');
    },
    enableProfiling: fixedFlag(false, 'sessions do not write profiles; (await session.bind(shapes)).profile() times runs'),
    profileFilePrefix: (request, name) => {
        throw unsupported(name, 'sessions do not write profiles; (await session.bind(shapes)).profile() times runs');
    },
    logId: (request, name, value) => { request.logId = checkType(name, value, 'string'); },
    logSeverityLevel: (request, name, value) => { request.severity = checkInteger(name, value, 0, 4); },
    logVerbosityLevel: (request, name, value) => {
        if (checkInteger(name, value) > 0)
            throw unsupported(`${name}: ${value}`, 'logSeverityLevel alone says what is logged');
    },
    freeDimensionOverrides: (request, name, value) => {
        for (const [dimension, size] of Object.entries(checkObject(value, name)))
            request.model.push([`dimension.${dimension}`, String(checkInteger(`${name}.${dimension}`, size))]);
    },
    preferredOutputLocation: (request, name, value) => {
        const locations = isObject(value) ? Object.values(value) : [value];
        for (const location of locations)
            if (location !== 'cpu')
                throw unsupported(`${name}: ${String(location)}`, 'runs return values in the memory of the host',
                    'binding.setOutputMemory() leaves an output in the memory of a device');
    },
    enableGraphCapture: fixedFlag(false, 'it is an option of the provider'),
    externalData: (request, name, value) => {
        if (!Array.isArray(value)) throw new TypeError(`inlay: ${name} must be an array`);
        request.externalData = value;
    },
    extra: (request, name, value) => readEntries(request, checkObject(value, name), ''),

    fallback: (request, name, value) => {
        const text = Array.isArray(value) ? `only:${value.join(',')}` : checkType(name, value, 'string');
        request.session.push(['fallback', text]);
    },
    partition: setText('partition', 'session'),
    plans: (request, name, value) => request.session.push(['plans', String(checkInteger(name, value, 1))]),
    planOnly: setFlag('plan_only', 'session'),
    contexts: setText('contexts', 'session'),
    determinism: setText('determinism', 'session'),
    optimize: setFlag('optimize', 'model'),
    without: (request, name, value) => {
        if (!Array.isArray(value)) throw new TypeError(`inlay: ${name} must be an array of names of passes`);
        for (const pass of value) request.model.push(['without', checkType(name, pass, 'string')]);
    },
    folder: (request, name, value) => request.model.push(['folder', checkType(name, value, 'string')]),
    limits: (request, name, value) => {
        for (const [limit, size] of Object.entries(checkObject(value, name)))
            request.model.push([`limits.${snakeCase(limit)}`, textOf(`${name}.${limit}`, size)]);
    },
    progress: (request, name, value) => { request.progress = checkType(name, value, 'function'); },
    log: (request, name, value) => { request.log = checkType(name, value, 'function'); },
    signal: (request, name, value) => { request.signal = checkSignal(name, value); },
};

function checkSignal(name, value) {
    if (!isObject(value) || typeof value.aborted !== 'boolean' || typeof value.addEventListener !== 'function')
        throw new TypeError(`inlay: ${name} must be an AbortSignal`);
    return value;
}

/** The list of providers for the addon, from names, objects {name, option...} or {plugin, option...}, and those of
 * session.providers. */
function providers(list) {
    if (!Array.isArray(list)) throw new TypeError('inlay: executionProviders must be an array');
    return list.map((entry) => {
        if (typeof entry === 'string') return { name: entry, options: [] };
        if (!isObject(entry)) throw new TypeError('inlay: each of executionProviders must be a string or an object');
        const { name, plugin, options, status, checkedOn, bundled, ...others } = entry;
        if (typeof (plugin ?? name) !== 'string')
            throw new TypeError('inlay: an object of executionProviders must have a name, or the path of a plugin');
        const texts = Object.entries({ ...checkObject(options, 'options'), ...others }).filter(([, value]) => value !== undefined);
        return { name, plugin, options: texts.map(([key, value]) => [key, textOf(`${plugin ?? name}: ${key}`, value)]) };
    });
}

function unknownOption(name, names, subject) {
    return new InlayError(`inlay: ${subject} have no option \`${name}\``,
        { code: 'unknown_option', hint: `the options are ${names.join(', ')}` });
}

const isCpu = ({ name }) => /^cpu(executionprovider)?$/i.test(name ?? '');

function flushDenormals(request) {
    const cpu = request.providers.find(isCpu) ?? { name: 'cpu', options: [] };
    cpu.options.push(['flush_denormals', 'true']);
    const staysOut = request.session.some(([name, text]) => name === 'fallback' && text === 'never');
    if (!request.providers.includes(cpu) && (request.providers.length === 0 || !staysOut)) request.providers.push(cpu);
}

function logger(request) {
    const { log, logId } = request;
    if (!logId) return log;
    if (log) return (severity, text) => log(severity, `${logId}: ${text}`);
    return (severity, text) => process.stderr.write(`inlay: ${severities[severity] ?? severity}: ${logId}: ${text}\n`);
}

/** What the addon's create() takes. */
function sessionRequest(options) {
    const request = { model: [], session: [], providers: [], externalData: [] };
    for (const [name, value] of Object.entries(checkObject(options, 'options'))) {
        if (!Object.hasOwn(SESSION_OPTIONS, name))
            throw unknownOption(name, Object.keys(SESSION_OPTIONS), "a session's options");
        if (value !== undefined) SESSION_OPTIONS[name](request, name, value);
    }
    if (request.flushDenormals) flushDenormals(request);
    const severity = request.severity ?? severities.indexOf(env.logLevel);
    request.session.push(['log_severity_level', String(severity)]);
    request.log = logger(request);
    return request;
}

const LOGS_NOTHING = 'runs log nothing of their own; the options of the session say what is logged';
const RUN_OPTIONS = {
    signal: (request, name, value) => { request.signal = checkSignal(name, value); },
    timeout: (request, name, value) => {
        if (!(checkType(name, value, 'number') >= 0))
            throw new RangeError(`inlay: ${name} must be a number of milliseconds from 0`);
        request.timeout = value === Infinity ? undefined : value;
    },
    cache: (request, name, value) => { request.cache = value; },
    terminate: (request, name, value) => { request.terminate = checkType(name, value, 'boolean'); },
    logSeverityLevel: (request, name, value) => {
        checkInteger(name, value, 0, 4);
        throw unsupported(name, LOGS_NOTHING);
    },
    logVerbosityLevel: (request, name) => { throw unsupported(name, LOGS_NOTHING); },
    tag: (request, name) => { throw unsupported(name, LOGS_NOTHING); },
    extra: (request, name, value) => {
        for (const key of Object.keys(checkObject(value, name)))
            throw unsupported(`the configuration entry ${key} of runs`, 'Inlay has nothing that it stands for');
    },
};

function runRequest(options) {
    const request = {};
    for (const [name, value] of Object.entries(checkObject(options, 'options'))) {
        if (!Object.hasOwn(RUN_OPTIONS, name)) throw unknownOption(name, Object.keys(RUN_OPTIONS), 'runs');
        if (value !== undefined) RUN_OPTIONS[name](request, name, value);
    }
    return request;
}

module.exports = { isObject, providers, runRequest, sessionRequest };
