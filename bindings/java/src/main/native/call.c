#include "call.h"
#include "callbacks.h"
#include <stdlib.h>
#include <string.h>

struct block {
    block* next;
    max_align_t bytes[];
};

static jclass exception_class, bytes_class; /* global references */
static jmethodID exception_constructor;
static struct {
    const char* name;
    int64_t element_size;
    jclass type; /* a global reference */
} buffer_types[] = {
    {"java/nio/FloatBuffer", 4, NULL}, {"java/nio/ByteBuffer", 1, NULL},  {"java/nio/LongBuffer", 8, NULL},
    {"java/nio/IntBuffer", 4, NULL},   {"java/nio/ShortBuffer", 2, NULL}, {"java/nio/DoubleBuffer", 8, NULL},
};

static jclass global_class(JNIEnv* env, const char* name) {
    const jclass local = (*env)->FindClass(env, name);
    if (!local) return NULL;
    const jclass global = (*env)->NewGlobalRef(env, local);
    (*env)->DeleteLocalRef(env, local);
    return global;
}
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* machine, void* reserved) {
    UNUSED(reserved);
    JNIEnv* env = NULL;
    if ((*machine)->GetEnv(machine, (void**)&env, JNI_VERSION_10) != JNI_OK) return JNI_ERR;
    exception_class = global_class(env, "ai/inlay/OrtException");
    if (!exception_class) return JNI_ERR;
    bytes_class = global_class(env, "[B");
    if (!bytes_class) return JNI_ERR;
    for (size_t k = 0; k < sizeof buffer_types / sizeof *buffer_types; ++k) {
        buffer_types[k].type = global_class(env, buffer_types[k].name);
        if (!buffer_types[k].type) return JNI_ERR;
    }
    exception_constructor = (*env)->GetMethodID(env, exception_class, "<init>", "(I[B[B[B[BI[B[B[B)V");
    if (!exception_constructor) return JNI_ERR;
    return open_callbacks(machine, env) ? JNI_VERSION_10 : JNI_ERR;
}

call begin(JNIEnv* env) {
    const call c = {env, NULL};
    return c;
}
void end(call* c) {
    while (c->blocks) {
        block* const next = c->blocks->next;
        free(c->blocks);
        c->blocks = next;
    }
}
bool ready(const call* c) { return !(*c->env)->ExceptionCheck(c->env); }

static void throw_by_name(call* c, const char* name, const char* text) {
    const jclass type = (*c->env)->FindClass(c->env, name);
    if (!type) return;
    (*c->env)->ThrowNew(c->env, type, text);
    (*c->env)->DeleteLocalRef(c->env, type);
}
void* memory_of(call* c, size_t count, size_t size) {
    if (!ready(c)) return NULL;
    const size_t most = (SIZE_MAX - sizeof(block)) / (size ? size : 1);
    block* const memory = count <= most ? calloc(1, sizeof(block) + count * size) : NULL;
    if (!memory) {
        throw_by_name(c, "java/lang/OutOfMemoryError", "inlay: no native memory for the arguments of a call");
        return NULL;
    }
    memory->next = c->blocks;
    c->blocks = memory;
    return memory->bytes;
}

static bool present(call* c, jobject object, const char* argument) {
    if (!ready(c)) return false;
    if (!object) throw_by_name(c, "java/lang/NullPointerException", argument);
    return object != NULL;
}
const char* text_of(call* c, jbyteArray text, const char* argument) {
    if (!present(c, text, argument)) return NULL;
    const jsize size = (*c->env)->GetArrayLength(c->env, text);
    char* const bytes = memory_of(c, (size_t)size + 1, 1);
    if (!bytes) return NULL;
    (*c->env)->GetByteArrayRegion(c->env, text, 0, size, (jbyte*)bytes);
    if (!ready(c)) return NULL;
    if (strlen(bytes) != (size_t)size) {
        throw_invalid(c, "inlay: a name or a text of an option has a NUL within");
        return NULL;
    }
    return bytes;
}
const char* optional_text_of(call* c, jbyteArray text, const char* argument) {
    return text ? text_of(c, text, argument) : NULL;
}
const char** texts_of(call* c, jobjectArray texts, const char* argument, jsize* count) {
    *count = 0;
    if (!present(c, texts, argument)) return NULL;
    const jsize size = (*c->env)->GetArrayLength(c->env, texts);
    const char** const list = memory_of(c, (size_t)size, sizeof *list);
    for (jsize k = 0; list && k < size; ++k) {
        const jbyteArray text = (*c->env)->GetObjectArrayElement(c->env, texts, k);
        list[k] = text_of(c, text, argument);
        if (!list[k]) return NULL;
        (*c->env)->DeleteLocalRef(c->env, text);
    }
    *count = size;
    return list;
}
const int64_t* numbers_of(call* c, jlongArray numbers, const char* argument, jsize* count) {
    *count = 0;
    if (!present(c, numbers, argument)) return NULL;
    const jsize size = (*c->env)->GetArrayLength(c->env, numbers);
    jlong* const list = memory_of(c, (size_t)size, sizeof *list);
    if (!list) return NULL;
    (*c->env)->GetLongArrayRegion(c->env, numbers, 0, size, list);
    *count = size;
    return (const int64_t*)list;
}
void** handles_of(call* c, jlongArray handles, const char* argument, jsize* count) {
    const int64_t* const numbers = numbers_of(c, handles, argument, count);
    void** const list = memory_of(c, (size_t)*count, sizeof *list);
    for (jsize k = 0; list && k < *count; ++k) list[k] = (void*)(intptr_t)numbers[k];
    return list;
}
static int64_t element_size_of(call* c, jobject buffer) {
    for (size_t k = 0; k < sizeof buffer_types / sizeof *buffer_types; ++k)
        if ((*c->env)->IsInstanceOf(c->env, buffer, buffer_types[k].type)) return buffer_types[k].element_size;
    return 0;
}
void* direct_bytes_of(call* c, jobject buffer, jlong offset, jlong size) {
    if (!present(c, buffer, "buffer")) return NULL;
    const int64_t element_size = element_size_of(c, buffer);
    char* const bytes = (*c->env)->GetDirectBufferAddress(c->env, buffer);
    const int64_t capacity = (*c->env)->GetDirectBufferCapacity(c->env, buffer) * element_size;
    if (capacity < 0 || (!bytes && capacity > 0)) {
        throw_invalid(c, "inlay: the buffer is not direct");
        return NULL;
    }
    if (offset < 0 || size < 0 || offset > capacity || size > capacity - offset) {
        throw_invalid(c, "inlay: the bytes are not all within the buffer");
        return NULL;
    }
    return bytes ? bytes + offset : NULL;
}
named_shapes shapes_of(call* c, jobjectArray names, jobjectArray dims) {
    named_shapes s = {0};
    if (!names && !dims) return s;
    s.names = texts_of(c, names, "names", &s.count);
    if (!present(c, dims, "shapes")) return s;
    if ((*c->env)->GetArrayLength(c->env, dims) != s.count) {
        throw_invalid(c, "inlay: there are not as many shapes as names");
        return s;
    }
    const size_t most_dims = 64; /* of one input: more than a shape may have */
    s.ranks = memory_of(c, (size_t)s.count, sizeof *s.ranks);
    s.dims = memory_of(c, (size_t)s.count * most_dims, sizeof *s.dims);
    int64_t* next = s.dims;
    for (jsize k = 0; ready(c) && k < s.count; ++k) {
        const jlongArray shape = (*c->env)->GetObjectArrayElement(c->env, dims, k);
        jsize rank;
        const int64_t* const numbers = numbers_of(c, shape, "shapes[]", &rank);
        if (!numbers) break;
        if ((size_t)rank > most_dims) {
            throw_invalid(c, "inlay: a shape has more than 64 dimensions");
            break;
        }
        memcpy(next, numbers, (size_t)rank * sizeof *next);
        next += rank;
        s.ranks[k] = rank;
        (*c->env)->DeleteLocalRef(c->env, shape);
    }
    return s;
}

static void throw_exception(call* c, jint code, const char* const texts[4], jint version, const char* const rest[3]) {
    JNIEnv* const env = c->env;
    jbyteArray arrays[7];
    if ((*env)->PushLocalFrame(env, 16) != 0) return;
    for (int k = 0; k < 7; ++k) {
        arrays[k] = text_result(c, k < 4 ? texts[k] : rest[k - 4]);
        if (!ready(c)) break;
    }
    if (ready(c)) {
        const jthrowable exception =
            (*env)->NewObject(env, exception_class, exception_constructor, code, arrays[0], arrays[1], arrays[2],
                              arrays[3], version, arrays[4], arrays[5], arrays[6]);
        if (exception) (*env)->Throw(env, exception);
    }
    (*env)->PopLocalFrame(env, NULL);
}
bool report(call* c, inlay_failure* failure) {
    if (failure && ready(c)) {
        const char* const texts[] = {inlay_failure_name(failure), inlay_failure_text(failure),
                                     inlay_failure_node(failure), inlay_failure_op(failure)};
        const char* const rest[] = {inlay_failure_provider(failure), inlay_failure_shapes(failure),
                                    inlay_failure_hint(failure)};
        throw_exception(c, inlay_failure_code(failure), texts, inlay_failure_op_version(failure), rest);
    }
    inlay_failure_free(failure);
    return ready(c);
}
void throw_invalid(call* c, const char* text) {
    const char* const texts[] = {"invalid_argument", text, "", ""};
    const char* const rest[] = {"", "", ""};
    if (ready(c)) throw_exception(c, INLAY_FAILURE_INVALID_ARGUMENT, texts, 0, rest);
}
jlong handle_result(call* c, inlay_failure* failure, enum handle_kind kind, void* handle) {
    const bool succeeded = report(c, failure);
    if (!succeeded) free_handle(kind, handle);
    end(c);
    return succeeded ? (jlong)(intptr_t)handle : 0;
}
void free_handle(enum handle_kind kind, void* handle) {
    switch (kind) {
        case OPTIONS_HANDLE: inlay_options_free(handle); break;
        case PROVIDERS_HANDLE: inlay_providers_free(handle); break;
        case MODEL_HANDLE: inlay_model_free(handle); break;
        case VALUE_HANDLE: inlay_value_free(handle); break;
        case SESSION_HANDLE: inlay_session_free(handle); break;
        case BINDING_HANDLE: inlay_binding_free(handle); break;
        case CACHE_HANDLE: inlay_cache_free(handle); break;
    }
}

jbyteArray bytes_result(call* c, const char* bytes, int64_t size) {
    if (!ready(c)) return NULL;
    if (size > INT32_MAX) {
        throw_invalid(c, "inlay: a text has more bytes than an array of Java");
        return NULL;
    }
    const jbyteArray array = (*c->env)->NewByteArray(c->env, (jsize)size);
    if (array) (*c->env)->SetByteArrayRegion(c->env, array, 0, (jsize)size, (const jbyte*)bytes);
    return array;
}
jbyteArray text_result(call* c, const char* text) { return text ? bytes_result(c, text, (int64_t)strlen(text)) : NULL; }
jbyteArray json_result(call* c, inlay_failure* failure, char* json) {
    const jbyteArray array = report(c, failure) ? text_result(c, json) : NULL;
    inlay_text_free(json);
    end(c);
    return array;
}
jlongArray numbers_result(call* c, const int64_t* numbers, jsize count) {
    const jlongArray array = ready(c) ? (*c->env)->NewLongArray(c->env, count) : NULL;
    if (array) (*c->env)->SetLongArrayRegion(c->env, array, 0, count, (const jlong*)numbers);
    end(c);
    return array;
}
jobjectArray new_texts(call* c, jsize count) {
    return ready(c) ? (*c->env)->NewObjectArray(c->env, count, bytes_class, NULL) : NULL;
}
bool set_text(call* c, jobjectArray texts, jsize index, jbyteArray text) {
    if (ready(c)) (*c->env)->SetObjectArrayElement(c->env, texts, index, text);
    if (!ready(c)) return false;
    (*c->env)->DeleteLocalRef(c->env, text);
    return true;
}
jobjectArray texts_result(call* c, const char* const* texts, jsize count) {
    jobjectArray array = new_texts(c, count);
    for (jsize k = 0; array && k < count; ++k)
        if (!set_text(c, array, k, text_result(c, texts[k]))) array = NULL;
    end(c);
    return array;
}
