'use strict';

/** What the library, or this package, refuses. `code` is one of docs/reference/errors.md: 'shape_mismatch'. */
class InlayError extends Error {
    /**
     * @param {string} message one line, complete without the fields
     * @param {object} fields code, and where they apply node, operator, operatorVersion, provider, shapes, hint, cause
     */
    constructor(message, fields = {}) {
        super(message, 'cause' in fields ? { cause: fields.cause } : undefined);
        this.name = 'InlayError';
        this.code = fields.code ?? 'invalid_argument';
        this.node = fields.node ?? '';
        this.operator = fields.operator ?? '';
        this.operatorVersion = fields.operatorVersion ?? 0;
        this.provider = fields.provider ?? '';
        this.shapes = fields.shapes ?? '';
        this.hint = fields.hint ?? '';
    }
}

const unsupported = (option, reason, hint) =>
    new InlayError(`inlay: ${option} is not supported: ${reason}`, { code: 'invalid_option', hint });

module.exports = { InlayError, unsupported };
