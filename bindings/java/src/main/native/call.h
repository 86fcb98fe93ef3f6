/* What every native method does: it reads its arguments, each checked, into memory that its end releases, calls one
 * function of <inlay.h> and turns a failure into an OrtException. After a failed step an exception is pending and the
 * next steps do nothing, so that a method needs to look once: at ready(). */
#ifndef INLAY_JAVA_CALL_H
#define INLAY_JAVA_CALL_H

#include "ai_inlay_Native.h"
#include <inlay.h>
#include <stdbool.h>
#include <stddef.h>

#define UNUSED(name) (void)(name)

typedef struct block block;
typedef struct {
    JNIEnv* env;
    block* blocks; /* released by end() */
} call;

/* The numbers of handles' types in Java: Handle.Kind, in the same order. */
enum handle_kind {
    OPTIONS_HANDLE,
    PROVIDERS_HANDLE,
    MODEL_HANDLE,
    VALUE_HANDLE,
    SESSION_HANDLE,
    BINDING_HANDLE,
    CACHE_HANDLE
};

call begin(JNIEnv* env);
void end(call* c);
bool ready(const call* c); /* no exception is pending */

/* Memory until end(), zeroed; NULL and a pending OutOfMemoryError where there is none. */
void* memory_of(call* c, size_t count, size_t size);
/* UTF-8 that ends with a NUL; a NUL within, or an array that is null, is an exception. */
const char* text_of(call* c, jbyteArray text, const char* argument);
const char* optional_text_of(call* c, jbyteArray text, const char* argument); /* null: NULL */
const char** texts_of(call* c, jobjectArray texts, const char* argument, jsize* count);
const int64_t* numbers_of(call* c, jlongArray numbers, const char* argument, jsize* count);
/* Handles as pointers: `inlay_any_value* const*` and such. */
void** handles_of(call* c, jlongArray handles, const char* argument, jsize* count);
/* `size` bytes of a direct buffer from an offset on, which have to be within. NULL too where there is no byte. */
void* direct_bytes_of(call* c, jobject buffer, jlong offset, jlong size);
/* Names with shapes, as inlay_session_bind() has them. */
typedef struct {
    const char** names;
    int32_t* ranks;
    int64_t* dims;
    jsize count;
} named_shapes;
named_shapes shapes_of(call* c, jobjectArray names, jobjectArray dims);

/* Throws what a failure says, and frees it. False: an exception is pending, which may be that of a callback. */
bool report(call* c, inlay_failure* failure);
void throw_invalid(call* c, const char* text); /* an OrtException with INLAY_FAILURE_INVALID_ARGUMENT */
/* The handle, once the failure is reported; with a pending exception it is freed, and 0 is returned. This and what
 * returns JSON, numbers or texts is the end of the call. */
jlong handle_result(call* c, inlay_failure* failure, enum handle_kind kind, void* handle);
void free_handle(enum handle_kind kind, void* handle);

jbyteArray bytes_result(call* c, const char* bytes, int64_t size);
jbyteArray text_result(call* c, const char* text);                   /* NULL: null */
jbyteArray json_result(call* c, inlay_failure* failure, char* json); /* which it frees */
jlongArray numbers_result(call* c, const int64_t* numbers, jsize count);
jobjectArray new_texts(call* c, jsize count); /* of nulls */
bool set_text(call* c, jobjectArray texts, jsize index,
              jbyteArray text); /* which it releases, if no exception is pending */
jobjectArray texts_result(call* c, const char* const* texts, jsize count);

#endif
