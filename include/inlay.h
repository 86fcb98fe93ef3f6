/* Inlay in C: runs ONNX models over an ordered list of execution providers. Plain functions over opaque handles, for
 * programs in C11 and for every language that can call C. Link libinlay (pkg-config inlay, or CMake's inlay::c);
 * docs/reference/c.md has an example.
 *
 * Errors: a function that can fail returns NULL on success, else an inlay_failure, which the
 * caller frees with inlay_failure_free(). Result pointers are then left untouched. NULL for
 * an argument whose comment does not allow it, a negative count, an index out of range and
 * an unknown option are such failures. Functions that only read a handle, and return a
 * number or a pointer, cannot fail: for a NULL handle, or an index out of range, they return
 * -1 or NULL. No C++ exception leaves a function, not even that of a heap without memory.
 *
 * Ownership: a handle that a function returns through a pointer belongs to the caller, who frees it with
 * inlay_..._free() of its type, in any order: handles keep alive what they need of each other. NULL may be freed. Texts
 * returned by `char**` are freed with inlay_text_free(). What a function returns as `const char*`, `const int64_t*` or
 * `const inlay_port*` belongs to the handle it was read from, and lives as long as that. The caller's arguments (names,
 * dimensions, lists) are only read during the call, except memory of tensors that borrow it, and callbacks.
 *
 * Threads: any thread may use a handle that others only read. Concurrent runs of one session are allowed, also while
 * another thread calls inlay_session_set_providers(). A binding and a cache do one thing at a time: a second thread
 * gets a failure, and no waiting. Handles that are being changed (options, lists of providers, strings of a tensor),
 * and those being freed, belong to one thread; inlay_options_set_cancelled() alone may be called at any time.
 *
 * Texts are UTF-8 and end with a NUL. A name of a model that has a NUL within can be read up to that.
 *
 * Versions: no struct crosses the border, so that none has a size to agree on. Later versions add functions, options,
 * and numbers at the end of enumerations; they do not remove or change any, or else the library gets another soname.
 * A program runs with every library of its soname whose inlay_api_version() is at least the INLAY_API_VERSION that it
 * was built with; it must expect numbers (error codes, stages, element types) that it does not know. Each function
 * that a later version adds says so in its comment.
 */
#ifndef INLAY_H
#define INLAY_H

#include <stdint.h>

#define INLAY_API_VERSION 1
#if defined(__GNUC__)
#define INLAY_C_API __attribute__((visibility("default")))
#else
#define INLAY_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct inlay_failure inlay_failure;
typedef struct inlay_options inlay_options;     /* of a model, a session or runs */
typedef struct inlay_providers inlay_providers; /* a list in the order of priority */
typedef struct inlay_model inlay_model;
typedef struct inlay_port inlay_port;           /* an input or output of a model */
typedef struct inlay_any_value inlay_any_value; /* a tensor, sequence, map or optional */
typedef struct inlay_session inlay_session;
typedef struct inlay_binding inlay_binding;
typedef struct inlay_cache inlay_cache;

/* --- The library -------------------------------------------------------------------------------------------------- */

INLAY_C_API int32_t inlay_api_version(void); /* INLAY_API_VERSION of the library that is loaded */
INLAY_C_API const char* inlay_version(void); /* "0.2.0", of Inlay */
INLAY_C_API void inlay_text_free(char* text);

/* --- Failures ----------------------------------------------------------------------------------------------------- */

enum {
    INLAY_FAILURE_INVALID_ARGUMENT = 0,
    INLAY_FAILURE_NOT_FOUND = 1, /* a file, an input or output, memory of a name */
    INLAY_FAILURE_INVALID_MODEL = 2,
    INLAY_FAILURE_UNSUPPORTED_MODEL = 3,
    INLAY_FAILURE_LIMIT_EXCEEDED = 4, /* the model requests more than an option limits.* allows */
    INLAY_FAILURE_NO_PROVIDER = 5,    /* no provider of the list runs a node; the text has each one's reason */
    INLAY_FAILURE_DUPLICATE_PROVIDER = 6,
    INLAY_FAILURE_UNKNOWN_PROVIDER = 7,
    INLAY_FAILURE_UNKNOWN_OPTION = 8,
    INLAY_FAILURE_INVALID_OPTION = 9,
    INLAY_FAILURE_NO_SUCH_LEVEL = 10, /* of instructions, on this machine */
    INLAY_FAILURE_SHAPE_MISMATCH = 11,
    INLAY_FAILURE_TYPE_MISMATCH = 12,
    INLAY_FAILURE_WRONG_MEMORY_SPACE = 13,
    INLAY_FAILURE_OUT_OF_MEMORY = 14,
    INLAY_FAILURE_PROVIDER_FAILED = 15,
    INLAY_FAILURE_INVALID_VALUE = 16, /* an operator forbids a value of an input */
    INLAY_FAILURE_STOPPED = 17,       /* by a progress callback, or inlay_options_set_cancelled() */
    INLAY_FAILURE_DEADLINE_PASSED = 18,
    INLAY_FAILURE_PROVIDER_UNAVAILABLE = 19, /* its library or device is missing */
    INLAY_FAILURE_OUT_OF_MEMORY_LIMIT = 20,
    INLAY_FAILURE_DEVICE_LOST = 21 /* it will do nothing more in this process */
};
INLAY_C_API int32_t inlay_failure_code(const inlay_failure* failure);
INLAY_C_API const char* inlay_failure_name(const inlay_failure* failure); /* of the code: "shape_mismatch" */
INLAY_C_API const char* inlay_failure_text(const inlay_failure* failure); /* a line, complete without what follows */
/* Empty where they do not apply: the node, its operator and the version of the operator's schema (else 0), the
 * provider, the shapes, and what may help. */
INLAY_C_API const char* inlay_failure_node(const inlay_failure* failure);
INLAY_C_API const char* inlay_failure_op(const inlay_failure* failure);
INLAY_C_API int32_t inlay_failure_op_version(const inlay_failure* failure);
INLAY_C_API const char* inlay_failure_provider(const inlay_failure* failure);
INLAY_C_API const char* inlay_failure_shapes(const inlay_failure* failure);
INLAY_C_API const char* inlay_failure_hint(const inlay_failure* failure);
INLAY_C_API void inlay_failure_free(inlay_failure* failure);

/* --- Options ------------------------------------------------------------------------------------------------------
 * Of one of three kinds, for models, sessions and runs; options of another kind are a failure. An option that is not
 * set has its default. Calls that take options read them, so that they may be freed or changed afterwards; but a run
 * polls its own until it ends.
 */

/* By inlay_options_set(), with texts for numbers:
 *   optimize          true or false: run the passes; true
 *   without           the name of a pass to leave out; each call adds one
 *   folder            where a model from memory may read files of external data; none
 *   dimension.NAME    the size of the open dimension NAME of inputs, or, if it has no name, dimension.INPUT[AXIS]
 *   limits.file_bytes, limits.total_bytes, limits.copied_bytes, limits.elements_per_tensor, limits.nodes,
 *   limits.inference, limits.nesting, limits.run_bytes, limits.strict
 *                     what a model, which is not trusted, may request: <inlay/model.hpp> describes each
 */
INLAY_C_API inlay_failure* inlay_model_options_new(inlay_options** options);
/* By inlay_options_set():
 *   fallback               implicit_cpu, never, any, or only:Op1,Op2: what happens to a node that the first provider
 *                          refuses; implicit_cpu
 *   partition              order or cost: how nodes are assigned; order
 *   intra_op_num_threads   of the CPU, the caller included; 0: one per core. Overrides the CPU provider's option
 *   plans                  kept, one per distinct set of input shapes; 8
 *   plan_only              true or false: for plans only, including those of providers whose device is missing; false
 *   contexts               recompile or refuse: regions of a file that do not fit; recompile
 *   determinism            machine, or portable: the same bits on every processor with AVX2 (or Neon); machine
 *   log_severity_level     0 (verbose) to 4 (fatal): what is less severe is not logged; 2
 */
INLAY_C_API inlay_failure* inlay_session_options_new(inlay_options** options);
/* Has no options by name; inlay_options_set_deadline() and inlay_options_set_cancelled() are for these. */
INLAY_C_API inlay_failure* inlay_run_options_new(inlay_options** options);

INLAY_C_API inlay_failure* inlay_options_set(inlay_options* options, const char* name, const char* text);

enum {
    INLAY_STAGE_LOAD = 0,
    INLAY_STAGE_PASSES = 1,
    INLAY_STAGE_PARTITION = 2,
    INLAY_STAGE_PLAN = 3,
    INLAY_STAGE_PACK = 4
};
/* Called at the start (count 0) and at the end (count = total) of each stage, and between at most a hundred times, by
 * the waiting thread. Returning 0 stops the work: INLAY_FAILURE_STOPPED. */
typedef int32_t (*inlay_progress)(void* data, int32_t stage, int64_t count, int64_t total);
/* Of a model: while it loads. Of a session: while it is created, and where later shapes need a plan of their own, so
 * that `data` has to live as long as the session. NULL: no more calls. */
INLAY_C_API inlay_failure* inlay_options_set_progress(inlay_options* options, inlay_progress callback, void* data);

/* severity: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal. The text is one line, and lives until the call returns. It
 * may be called by several threads at once. */
typedef void (*inlay_log)(void* data, int32_t severity, const char* text);
/* Of a session, as long as it lives. NULL: lines go to standard error, as by default. */
INLAY_C_API inlay_failure* inlay_options_set_log(inlay_options* options, inlay_log callback, void* data);

/* Of runs: they end with INLAY_FAILURE_DEADLINE_PASSED so many nanoseconds after this call; negative: never. It is
 * polled between nodes and inside long kernels. */
INLAY_C_API inlay_failure* inlay_options_set_deadline(inlay_options* options, int64_t nanoseconds);
/* Of runs, by any thread at any time, also during a run, which then ends with INLAY_FAILURE_STOPPED at the next poll.
 * Nonzero: all runs with these options end, until it is set to 0 again. */
INLAY_C_API inlay_failure* inlay_options_set_cancelled(inlay_options* options, int32_t cancelled);
INLAY_C_API void inlay_options_free(inlay_options* options);

/* --- Providers ---------------------------------------------------------------------------------------------------- */

INLAY_C_API inlay_failure* inlay_providers_new(inlay_providers** list); /* empty, which stands for the CPU */
/* Those that this library was built with, the CPU's first, with the defaults of their options. Whether the library or
 * device of one is there shows when a session is created. */
INLAY_C_API inlay_failure* inlay_providers_built(inlay_providers** list);
/* Adds one at the end. ONNX Runtime's names and short ones: "CPUExecutionProvider", "cpu". */
INLAY_C_API inlay_failure* inlay_providers_add(inlay_providers* list, const char* name);
/* Adds the provider of a shared library (docs/how-to/plugins.md), which stays loaded as long as a list or session has
 * it. */
INLAY_C_API inlay_failure* inlay_providers_add_plugin(inlay_providers* list, const char* path);
/* Sets an option of the provider that was added last: "threads", "2". */
INLAY_C_API inlay_failure* inlay_providers_set(inlay_providers* list, const char* option, const char* text);
INLAY_C_API int64_t inlay_providers_count(const inlay_providers* list);
INLAY_C_API const char* inlay_providers_name(const inlay_providers* list, int64_t index);
/* "production", "preview", "deprecated" or "community", as that of the provider of its name in ONNX Runtime. */
INLAY_C_API const char* inlay_providers_status(const inlay_providers* list, int64_t index);
/* Which kind of check ran: "device", "simulator", "library" (those parts of the vendor's library that need no device)
 * or "own stand-in"; "" where it says nothing of that, as plugins do. */
INLAY_C_API const char* inlay_providers_checked_on(const inlay_providers* list, int64_t index);
INLAY_C_API int64_t inlay_providers_option_count(const inlay_providers* list, int64_t index);
INLAY_C_API const char* inlay_providers_option_name(const inlay_providers* list, int64_t index, int64_t option);
INLAY_C_API const char* inlay_providers_option_text(const inlay_providers* list, int64_t index, int64_t option);
INLAY_C_API void inlay_providers_free(inlay_providers* list);

/* --- Models ------------------------------------------------------------------------------------------------------- */

/* options: of a model, or NULL. Weights stay in the file while the model or a session of it lives: it may be replaced
 * then, but not written into. */
INLAY_C_API inlay_failure* inlay_model_load(const char* path, const inlay_options* options, inlay_model** model);
/* The bytes of a model's file, which are copied. */
INLAY_C_API inlay_failure* inlay_model_parse(const void* bytes, int64_t size, const inlay_options* options,
                                             inlay_model** model);
INLAY_C_API int64_t inlay_model_input_count(const inlay_model* model);
INLAY_C_API int64_t inlay_model_output_count(const inlay_model* model);
INLAY_C_API const inlay_port* inlay_model_input(const inlay_model* model, int64_t index);
INLAY_C_API const inlay_port* inlay_model_output(const inlay_model* model, int64_t index);
INLAY_C_API const char* inlay_model_metadata(const inlay_model* model, const char* key); /* NULL: it has no such key */
INLAY_C_API int64_t inlay_model_metadata_count(const inlay_model* model);
INLAY_C_API const char* inlay_model_metadata_key(const inlay_model* model, int64_t index); /* in alphabetical order */
/* What the file says of itself, empty where it does not: the program that wrote it, its domain, the name of its graph,
 * its documentation, and its version (else 0). */
INLAY_C_API const char* inlay_model_producer_name(const inlay_model* model);
INLAY_C_API const char* inlay_model_domain(const inlay_model* model);
INLAY_C_API const char* inlay_model_graph_name(const inlay_model* model);
INLAY_C_API const char* inlay_model_description(const inlay_model* model);
INLAY_C_API int64_t inlay_model_version(const inlay_model* model);
INLAY_C_API void inlay_model_free(inlay_model* model);

INLAY_C_API const char* inlay_port_name(const inlay_port* port);
INLAY_C_API const char* inlay_port_type_text(const inlay_port* port); /* as ONNX writes it: "tensor(float)" */
INLAY_C_API int32_t inlay_port_kind(const inlay_port* port);          /* INLAY_KIND_... */
INLAY_C_API int32_t
inlay_port_type(const inlay_port* port); /* of a tensor: INLAY_TYPE_...; else INLAY_TYPE_UNDEFINED */
INLAY_C_API int32_t inlay_port_rank(const inlay_port* port);        /* -1: the model does not specify it */
INLAY_C_API const int64_t* inlay_port_dims(const inlay_port* port); /* so many as the rank; -1: not fixed */
/* Of a dimension that is not fixed: "batch"; empty where it has none. */
INLAY_C_API const char* inlay_port_dim_name(const inlay_port* port, int32_t axis);

/* --- Values ------------------------------------------------------------------------------------------------------- */

enum { INLAY_KIND_TENSOR = 0, INLAY_KIND_SEQUENCE = 1, INLAY_KIND_MAP = 2, INLAY_KIND_OPTIONAL = 3 };
/* Elements, as ONNX numbers them in TensorProto.DataType. Those of 4 and 2 bits are packed, the first in the lowest
 * bits of a byte. */
enum {
    INLAY_TYPE_UNDEFINED = 0,
    INLAY_TYPE_FLOAT = 1,
    INLAY_TYPE_UINT8 = 2,
    INLAY_TYPE_INT8 = 3,
    INLAY_TYPE_UINT16 = 4,
    INLAY_TYPE_INT16 = 5,
    INLAY_TYPE_INT32 = 6,
    INLAY_TYPE_INT64 = 7,
    INLAY_TYPE_STRING = 8, /* read and written by inlay_value_string() and inlay_value_set_string() */
    INLAY_TYPE_BOOL = 9,   /* a byte, 0 or 1 */
    INLAY_TYPE_FLOAT16 = 10,
    INLAY_TYPE_DOUBLE = 11,
    INLAY_TYPE_UINT32 = 12,
    INLAY_TYPE_UINT64 = 13,
    INLAY_TYPE_COMPLEX64 = 14, /* two float32: the real part, then the imaginary one */
    INLAY_TYPE_COMPLEX128 = 15,
    INLAY_TYPE_BFLOAT16 = 16,
    INLAY_TYPE_FLOAT8E4M3FN = 17,
    INLAY_TYPE_FLOAT8E4M3FNUZ = 18,
    INLAY_TYPE_FLOAT8E5M2 = 19,
    INLAY_TYPE_FLOAT8E5M2FNUZ = 20,
    INLAY_TYPE_UINT4 = 21,
    INLAY_TYPE_INT4 = 22,
    INLAY_TYPE_FLOAT4E2M1 = 23,
    INLAY_TYPE_FLOAT8E8M0 = 24,
    INLAY_TYPE_UINT2 = 25,
    INLAY_TYPE_INT2 = 26
};

/* A tensor with memory of its own, aligned to 64 bytes: zeroed on the host, empty strings; elsewhere it holds anything.
 * dims: `rank` sizes, at most 8; may be NULL for a scalar, of rank 0. memory: the name of a memory space, "host" or
 * that of a provider's device, as plans write it ("NAME", or "NAME:1" of its second device); NULL: the host's. */
INLAY_C_API inlay_failure* inlay_value_new(int32_t type, const int64_t* dims, int32_t rank, const char* memory,
                                           inlay_any_value** value);
/* A tensor over memory of the caller, which is not copied and has to outlive the value, and bindings and caches that
 * use it. bytes: what is there, at least the size of the elements, in row-major order; aligned as one element.
 * Strings cannot be borrowed. data may be NULL where there are no elements. */
INLAY_C_API inlay_failure* inlay_value_borrow(int32_t type, const int64_t* dims, int32_t rank, void* data,
                                              int64_t bytes, const char* memory, inlay_any_value** value);
/* Containers share what they hold with the given values, which may be freed. Keys of a map: a tensor of rank 1, of
 * int64 or strings, one for each of `count` items; item: NULL for an optional that holds nothing. */
INLAY_C_API inlay_failure* inlay_value_sequence(inlay_any_value* const* items, int64_t count, inlay_any_value** value);
INLAY_C_API inlay_failure* inlay_value_map(const inlay_any_value* keys, inlay_any_value* const* items, int64_t count,
                                           inlay_any_value** value);
INLAY_C_API inlay_failure* inlay_value_optional(const inlay_any_value* item, inlay_any_value** value);
/* A copy of a tensor in memory of its own, in a memory space as in inlay_value_new(); one of the two is the host.
 */
INLAY_C_API inlay_failure* inlay_value_copy(const inlay_any_value* value, const char* memory, inlay_any_value** copy);

INLAY_C_API int32_t inlay_value_kind(const inlay_any_value* value);
/* Of tensors; of other kinds INLAY_TYPE_UNDEFINED, -1 and NULL. */
INLAY_C_API int32_t inlay_value_type(const inlay_any_value* value);
INLAY_C_API int32_t inlay_value_rank(const inlay_any_value* value);
INLAY_C_API const int64_t* inlay_value_dims(const inlay_any_value* value);
INLAY_C_API const char* inlay_value_memory(const inlay_any_value* value); /* "host" */
INLAY_C_API int64_t inlay_value_bytes(const inlay_any_value* value);      /* of its elements; of strings -1 */
/* Its elements, in row-major order; of strings NULL. In the memory of a device it is that's address, not to be read
 * here. */
INLAY_C_API void* inlay_value_data(inlay_any_value* value);
/* How many elements, items of a sequence, entries of a map; of an optional 1 or 0. */
INLAY_C_API int64_t inlay_value_count(const inlay_any_value* value);
/* The string at an index of a tensor of strings, which ends with a NUL and may have others within; size, if not NULL,
 * gets its bytes. It lives until that string is set again. NULL: there is none. */
INLAY_C_API const char* inlay_value_string(const inlay_any_value* value, int64_t index, int64_t* size);
/* size: in bytes; -1: up to the NUL. */
INLAY_C_API inlay_failure* inlay_value_set_string(inlay_any_value* value, int64_t index, const char* text,
                                                  int64_t size);
/* What a container holds at an index: shared, not copied. Maps are in the order of their keys. */
INLAY_C_API inlay_failure* inlay_value_item(const inlay_any_value* value, int64_t index, inlay_any_value** item);
INLAY_C_API inlay_failure* inlay_value_key(const inlay_any_value* map, int64_t index,
                                           inlay_any_value** key); /* a scalar, of int64 or a string */
INLAY_C_API void inlay_value_free(inlay_any_value* value);

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/* providers: in the order of priority; NULL or empty: the CPU. options: of a session, or NULL. */
INLAY_C_API inlay_failure* inlay_session_new(const inlay_model* model, const inlay_providers* providers,
                                             const inlay_options* options, inlay_session** session);
/* Recreates it from the same model, with the same options. Runs that have begun, bindings and caches go on with the
 * previous one, which is released with the last of them. After a failure the session is unchanged. */
INLAY_C_API inlay_failure* inlay_session_set_providers(inlay_session* session, const inlay_providers* providers);
/* The providers in use, an appended CPU included, each with all of its options: may be passed to other sessions. */
INLAY_C_API inlay_failure* inlay_session_providers(const inlay_session* session, inlay_providers** list);
INLAY_C_API inlay_failure* inlay_session_model(const inlay_session* session, inlay_model** model);

/* Runs the model. inputs: `input_count` values with the names of inputs, in any order, on the host. output_names: the
 * `output_count` requested outputs, in this order; NULL: all, in the model's order, and output_count must be
 * their number. outputs: an array for as many handles, which are the caller's afterwards. cache: of the same session
 * and its present providers, for a decoder, or NULL; its inputs are then not passed, nor are its outputs returned.
 * options: of runs, or NULL. */
INLAY_C_API inlay_failure* inlay_session_run(const inlay_session* session, const char* const* input_names,
                                             inlay_any_value* const* inputs, int64_t input_count,
                                             const char* const* output_names, inlay_any_value** outputs,
                                             int64_t output_count, inlay_cache* cache, const inlay_options* options);

/* Memory for one set of input shapes, for runs that make no heap call. Shapes are those of `count` inputs: names, the
 * rank of each, and the dimensions of all, one after another. Inputs whose shapes the model fixes need not be named;
 * count 0 with NULL for all three: none. */
INLAY_C_API inlay_failure* inlay_session_bind(const inlay_session* session, const char* const* names,
                                              const int32_t* ranks, const int64_t* dims, int64_t count,
                                              inlay_binding** binding);
/* For a decoder: capacity, in rows, of every input that the model returns with more rows. A capacity that exceeds the
 * elements allowed per tensor is INLAY_FAILURE_LIMIT_EXCEEDED. */
INLAY_C_API inlay_failure* inlay_session_make_cache(const inlay_session* session, int64_t rows, inlay_cache** cache);

/* Which node runs where, and why not elsewhere; where each value lives, and how long. JSON of the schemas inlay.plan
 * and inlay.memory, as the tool prints it. For shapes as inlay_session_bind() has them; count 0: for those
 * of the last run, else the model's own. */
INLAY_C_API inlay_failure* inlay_session_plan(const inlay_session* session, const char* const* names,
                                              const int32_t* ranks, const int64_t* dims, int64_t count, char** json);
INLAY_C_API inlay_failure* inlay_session_memory(const inlay_session* session, const char* const* names,
                                                const int32_t* ranks, const int64_t* dims, int64_t count, char** json);
/* Releases the memory that finished runs left for later ones, "held" in the JSON of inlay_session_memory(). Plans,
 * packed weights, bindings and caches stay; runs may go on meanwhile. */
INLAY_C_API inlay_failure* inlay_session_release_memory(const inlay_session* session);
INLAY_C_API void inlay_session_free(inlay_session* session);

/* --- Bindings ----------------------------------------------------------------------------------------------------- */

/* The memory that runs read: filled in place. Its address does not change until another is set. */
INLAY_C_API inlay_failure* inlay_binding_input(inlay_binding* binding, const char* name, inlay_any_value** value);
/* The memory that runs write. Its address does not change from run to run; but for an output of data-dependent shape
 * the value is that of the last run, and has to be queried again after the next. */
INLAY_C_API inlay_failure* inlay_binding_output(inlay_binding* binding, const char* name, inlay_any_value** value);
/* Runs read, or write, this tensor from now on, of the same type and shape, in any memory space. It is not copied if it
 * is in memory of the provider that reads or produces it. */
INLAY_C_API inlay_failure* inlay_binding_set_input(inlay_binding* binding, const char* name,
                                                   const inlay_any_value* tensor);
INLAY_C_API inlay_failure* inlay_binding_set_output(inlay_binding* binding, const char* name,
                                                    const inlay_any_value* tensor);
/* Runs leave this output in memory of the binding in that memory space. */
INLAY_C_API inlay_failure* inlay_binding_set_output_memory(inlay_binding* binding, const char* name,
                                                           const char* memory);
INLAY_C_API inlay_failure* inlay_binding_run(inlay_binding* binding, const inlay_options* options);
/* How many nodes the provider of that name, as in inlay_session_providers(), ran in the last run. */
INLAY_C_API inlay_failure* inlay_binding_executed(inlay_binding* binding, const char* provider, int64_t* nodes);
/* Runs with a clock between the steps; JSON of the schema inlay.profile, without what needs the machine's peaks. */
INLAY_C_API inlay_failure* inlay_binding_profile(inlay_binding* binding, int32_t runs, const inlay_options* options,
                                                 char** json);
INLAY_C_API void inlay_binding_free(inlay_binding* binding);

/* --- Caches of decoders ------------------------------------------------------------------------------------------- */

INLAY_C_API int64_t inlay_cache_rows(const inlay_cache* cache);                /* held */
INLAY_C_API int64_t inlay_cache_room(const inlay_cache* cache);                /* rows at most */
INLAY_C_API inlay_failure* inlay_cache_keep(inlay_cache* cache, int64_t rows); /* the first ones; forgets the others */
/* The rows of these tensors in place of all that is held: every input of the cache by name, all of one length. */
INLAY_C_API inlay_failure* inlay_cache_assign(inlay_cache* cache, const char* const* names,
                                              inlay_any_value* const* pasts, int64_t count);
INLAY_C_API inlay_failure* inlay_cache_past(inlay_cache* cache, const char* input,
                                            inlay_any_value** value); /* a copy of the rows held */
/* JSON: a list of objects with "past", "present" (an input and an output), "in_place" (in the last run no old row was
 * copied) and "why" (some were: what needs them elsewhere). */
INLAY_C_API inlay_failure* inlay_cache_pairs(inlay_cache* cache, char** json);
INLAY_C_API void inlay_cache_free(inlay_cache* cache);

#ifdef __cplusplus
}
#endif
#endif
