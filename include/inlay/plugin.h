/* A provider in a shared library that is built alone, against this header only: C11, and nothing else of Inlay. It is a
 * translation of the engine interface (<inlay/sdk/engine.hpp>): the library is queried for the nodes of a graph that
 * it supports, compiles them in regions and runs these. docs/how-to/plugins.md describes how to build and load one.
 *
 * The library exports one function, inlay_plugin_entry(), which returns a table of functions.
 *
 * Versions: later versions of this header append members to structs and numbers to enums; none is moved or removed.
 * Each struct begins with its size, which its creator sets: members after that size are not there. Structs are passed
 * as pointers, also in lists, so that they can grow; inlay_text alone never does.
 *
 * Ownership: borrowed memory is valid until the call returns, unless stated otherwise. What a plugin creates (engine,
 * compiled, executable) has a function of the table that destroys it, which is called once.
 *
 * Errors: a function returns NULL on success, else an error, which the receiver releases by the error's own
 * function. No exception may leave a function, on either side.
 *
 * Threads: several may call the functions of a table at the same time, also for one engine or one compiled region; an
 * executable runs once at a time.
 *
 * Memory: buffers of version 1 are on the host, in plain layout.
 */
#ifndef INLAY_PLUGIN_H
#define INLAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLAY_PLUGIN_VERSION 1u
#if defined(__GNUC__)
#define INLAY_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define INLAY_PLUGIN_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The text of a model's file: `size` bytes, and a NUL after them. */
typedef struct inlay_text {
    const char* data;
    size_t size;
} inlay_text;
static inline int inlay_text_is(inlay_text text, const char* expected) {
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

/* Codes of errors. Those without a remark are failures of the provider where a plugin returns them. */
enum {
    INLAY_ERROR_INVALID_ARGUMENT = 0,
    INLAY_ERROR_NOT_FOUND = 1,
    INLAY_ERROR_INVALID_MODEL = 2,
    INLAY_ERROR_UNSUPPORTED_MODEL = 3, /* by compile(): the nodes are not supported after all, others may run them */
    INLAY_ERROR_LIMIT_EXCEEDED = 4,
    INLAY_ERROR_NO_PROVIDER = 5,
    INLAY_ERROR_DUPLICATE_PROVIDER = 6,
    INLAY_ERROR_UNKNOWN_PROVIDER = 7,
    INLAY_ERROR_UNKNOWN_OPTION = 8,
    INLAY_ERROR_INVALID_OPTION = 9, /* by check_option() */
    INLAY_ERROR_NO_SUCH_LEVEL = 10,
    INLAY_ERROR_SHAPE_MISMATCH = 11,
    INLAY_ERROR_TYPE_MISMATCH = 12,
    INLAY_ERROR_WRONG_MEMORY_SPACE = 13,
    INLAY_ERROR_OUT_OF_MEMORY = 14,
    INLAY_ERROR_PROVIDER_FAILED = 15,
    INLAY_ERROR_INVALID_VALUE = 16,        /* by run(): the operator forbids a value of an input */
    INLAY_ERROR_STOPPED = 17,              /* by run(), after stopped() said so */
    INLAY_ERROR_DEADLINE_PASSED = 18,      /* likewise */
    INLAY_ERROR_PROVIDER_UNAVAILABLE = 19, /* by open(): a library or device is missing */
    INLAY_ERROR_OUT_OF_MEMORY_LIMIT = 20,
    INLAY_ERROR_DEVICE_LOST = 21 /* it will do nothing more in this process */
};
typedef struct inlay_error {
    size_t size;
    int32_t code;
    const char* text;                     /* one line */
    void (*release)(struct inlay_error*); /* NULL: there is nothing to release, as of a static error */
} inlay_error;

/* --- The graph ---------------------------------------------------------------------------------------------------- */

/* A value is known by its position in the graph's list, its id. */
typedef struct inlay_value {
    size_t size;
    inlay_text name;
    int32_t type;        /* of its elements, as ONNX numbers them in TensorProto.DataType; 0: it is no tensor */
    int32_t rank;        /* -1: not known */
    const int64_t* dims; /* negative: not known; two that are the same number below -1 are of the same size */
    int32_t is_constant; /* 1: elements() of inlay_nodes has its elements */
    /* The elements of a small tensor of numbers that is known, whatever its type: axes, pads, sizes. */
    size_t known_count;
    const int64_t* known_integers; /* NULL, */
    const double* known_reals;     /* or this is */
} inlay_value;

enum {
    INLAY_ATTRIBUTE_INTEGER = 0,
    INLAY_ATTRIBUTE_REAL = 1,
    INLAY_ATTRIBUTE_TEXT = 2,
    INLAY_ATTRIBUTE_INTEGERS = 3,
    INLAY_ATTRIBUTE_REALS = 4,
    INLAY_ATTRIBUTE_TEXTS = 5,
    INLAY_ATTRIBUTE_TENSOR = 6, /* `integer` is the id of a constant */
    INLAY_ATTRIBUTE_GRAPH = 7   /* no information about it; nodes that have one are not proposed */
};
typedef struct inlay_attribute {
    size_t size;
    inlay_text name;
    int32_t kind;
    int64_t integer;
    double real;
    inlay_text text;
    size_t count; /* of the lists */
    const int64_t* integers;
    const double* reals;
    const inlay_text* texts;
} inlay_attribute;

typedef struct inlay_node {
    size_t size;
    inlay_text name, domain, op; /* domain "" is ai.onnx */
    int32_t version;             /* of the operator's schema */
    size_t attribute_count;
    const inlay_attribute* const* attributes; /* those that the file has: others have the schema's defaults */
    size_t input_count, output_count;
    const int32_t *inputs, *outputs; /* ids; -1: absent */
    size_t capture_count;
    const int32_t* captures; /* what its bodies read of this graph */
} inlay_node;

typedef struct inlay_graph {
    size_t size;
    inlay_text name;
    size_t node_count, value_count, input_count, output_count;
    const inlay_node* const* nodes; /* in topological order */
    const inlay_value* const* values;
    const int32_t *inputs, *outputs; /* ids */
} inlay_graph;

enum {
    INLAY_ELEMENTS_IN_BYTES = 0, /* all are in the model */
    /* Constants of 1 KiB and more are external data, whose offset is the address of their elements and whose location
     * is an asterisk, then /_ORT_MEM_ADDR_/, then an asterisk. */
    INLAY_ELEMENTS_IN_MEMORY = 1,
    INLAY_ELEMENTS_NOT_ASKED =
        2 /* larger constants than the graph holds are additional inputs: enough to query what is supported */
};
/* Nodes of a graph: those that propose() is queried for, or the region that is to be compiled. */
typedef struct inlay_nodes {
    size_t size;
    const inlay_graph* graph;
    size_t node_count;
    const int32_t* nodes; /* positions in the graph's list, ascending */
    /* Of a region, in the order of the buffers of its runs; constants are no inputs. Of propose() there are none. */
    size_t input_count, output_count;
    const int32_t *inputs, *outputs;
    /* The elements of a constant; NULL where they are not available. Those that compile() requests are at a multiple of
     * 64 and live as long as what is compiled; those of propose() live until it returns. */
    const void* (*elements)(const struct inlay_nodes*, int32_t value);
    /* An ONNX model of some of the nodes, or of all where `nodes` is NULL. Its inputs are i0, i1, ..., its outputs o0,
     * o1, ..., in the region's order, or else in that in which the nodes read and produce them; constants are
     * initializers, as `elements_in` says. The bytes live until the next call of this function, or else as long as this
     * struct. */
    inlay_error* (*to_onnx)(const struct inlay_nodes*, const int32_t* nodes, size_t count, int32_t elements_in,
                            inlay_text* bytes);
} inlay_nodes;

/* --- The plugin's answers: functions of the host, called during a query -------------------------------------------
 */

/* Each node that propose() is queried for is to be in one region or refused; the plan shows the reasons to people. */
typedef struct inlay_answer {
    size_t size;
    void (*take)(const struct inlay_answer*, const int32_t* nodes, size_t count); /* as one region; ascending */
    void (*refuse)(const struct inlay_answer*, int32_t node, const char* reason);
} inlay_answer;
typedef struct inlay_writer {
    size_t size;
    void (*write)(const struct inlay_writer*, const void* bytes, size_t count); /* after what was written before */
} inlay_writer;
typedef struct inlay_facts {
    size_t size;
    void (*add)(const struct inlay_facts*, const char* name, const char* text);
} inlay_facts;

/* --- Runs --------------------------------------------------------------------------------------------------------- */

typedef struct inlay_buffer {
    size_t size;
    void* data; /* NULL only where there are no elements */
    int32_t type, rank;
    const int64_t* dims;
} inlay_buffer;
typedef struct inlay_run {
    size_t size;
    size_t input_count, output_count;
    const inlay_buffer* const* inputs; /* only read */
    const inlay_buffer* const* outputs;
    /* A long run polls this now and then: 1: it ends, and returns the error INLAY_ERROR_STOPPED. */
    int32_t (*stopped)(const struct inlay_run*);
    /* The same for libraries that poll themselves: a byte, to be read atomically, that another thread may set
     * to nonzero, or NULL; and nanoseconds of CLOCK_MONOTONIC, or 0. */
    const unsigned char* stop;
    int64_t deadline;
    /* Tasks on the session's threads: task(data, 0), ..., task(data, count - 1), in any order; all are done when it
     * returns. */
    int32_t threads;
    void (*parallel)(const struct inlay_run*, int32_t count, void (*task)(void* data, int32_t index), void* data);
} inlay_run;

/* --- The table ---------------------------------------------------------------------------------------------------- */

typedef struct inlay_engine inlay_engine;         /* opened by one session */
typedef struct inlay_compiled inlay_compiled;     /* a region */
typedef struct inlay_executable inlay_executable; /* what one run at a time has of it */

typedef struct inlay_setting {
    size_t size;
    const char *name, *value;
} inlay_setting;
typedef struct inlay_option {
    size_t size;
    const char* name;
    const char* initial; /* its value where it is not set */
    const char* type;    /* "integer", "boolean", "text", or all values with | between them: "fast|exact" */
} inlay_option;

enum {
    INLAY_STATUS_PRODUCTION = 0,
    INLAY_STATUS_PREVIEW = 1,
    INLAY_STATUS_DEPRECATED = 2,
    INLAY_STATUS_COMMUNITY = 3 /* maintained by its users */
};

typedef struct inlay_plugin {
    size_t size;
    uint32_t version;            /* of this header when the plugin was built, or the host's if that is less */
    const char* name;            /* "SomethingExecutionProvider" */
    const char* short_name;      /* an alias, "something", or NULL */
    const char* library_version; /* of the plugin, for people, or NULL */
    int32_t status;
    size_t option_count;
    const inlay_option* const* options;
    /* Checks beyond those of the option's type, or NULL. Called with values of options that there are. */
    inlay_error* (*check_option)(const char* name, const char* value);

    /* settings: all options, with their values. */
    inlay_error* (*open)(const inlay_setting* const* settings, size_t count, inlay_engine**);
    void (*close)(inlay_engine*); /* after all that it compiled was destroyed */
    inlay_error* (*propose)(inlay_engine*, const inlay_nodes*, const inlay_answer*);
    inlay_error* (*compile)(inlay_engine*, const inlay_nodes* region, inlay_compiled**);
    void (*destroy_compiled)(inlay_compiled*); /* after its executables */
    inlay_error* (*instance)(const inlay_compiled*, inlay_executable**);
    void (*destroy_executable)(inlay_executable*);
    inlay_error* (*run)(inlay_executable*, const inlay_run*); /* should not call the heap where it succeeds */

    /* These may be NULL. For sizes that are not known: called when a second set of input shapes requires a region. */
    inlay_error* (*compile_for_any_shapes)(inlay_engine*, const inlay_nodes* region, inlay_compiled**);
    /* What was compiled as bytes, and back: with the same options and identity. The region then is one node without
     * constants. The bytes are a file's: they may be anything. They live as long as what is restored from them. */
    inlay_error* (*save)(const inlay_compiled*, const inlay_writer*);
    inlay_error* (*restore)(inlay_engine*, const inlay_nodes* region, const void* bytes, size_t count,
                            inlay_compiled**);
    /* What saved regions depend on besides the graph and the options: "library", its version, "device", and others. */
    inlay_error* (*identity)(inlay_engine*, const inlay_facts*);
    /* Of a plugin with an option `precision`: the element type of the operands of float32 matmuls. */
    int32_t (*operands)(const inlay_setting* const* settings, size_t count);
} inlay_plugin;

/* The one function that the library exports. host_version: the newest version that the program knows. NULL: the plugin
 * needs a newer one. */
typedef const inlay_plugin* (*inlay_plugin_entry_function)(uint32_t host_version);
INLAY_PLUGIN_EXPORT const inlay_plugin* inlay_plugin_entry(uint32_t host_version);

#ifdef __cplusplus
}
#endif
#endif
