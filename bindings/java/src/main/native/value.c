/* Tensors, sequences, maps and optionals. */
#include "call.h"
#include "handles.h"
#include <string.h>

JNIEXPORT jlong JNICALL Java_ai_inlay_Native_newValue(JNIEnv* env, jclass type, jint element, jlongArray dims,
                                                      jbyteArray memory) {
    UNUSED(type);
    call c = begin(env);
    jsize rank;
    inlay_any_value* value = NULL;
    inlay_failure* failure = NULL;
    const int64_t* const shape = numbers_of(&c, dims, "shape", &rank);
    const char* const space = optional_text_of(&c, memory, "memory");
    if (ready(&c)) failure = inlay_value_new(element, shape, rank, space, &value);
    return handle_result(&c, failure, VALUE_HANDLE, value);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_borrowValue(JNIEnv* env, jclass type, jint element, jlongArray dims,
                                                         jobject direct, jlong offset, jlong bytes) {
    UNUSED(type);
    call c = begin(env);
    jsize rank;
    inlay_any_value* value = NULL;
    inlay_failure* failure = NULL;
    const int64_t* const shape = numbers_of(&c, dims, "shape", &rank);
    void* const data = direct_bytes_of(&c, direct, offset, bytes);
    if (ready(&c)) failure = inlay_value_borrow(element, shape, rank, data, bytes, NULL, &value);
    return handle_result(&c, failure, VALUE_HANDLE, value);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_newSequence(JNIEnv* env, jclass type, jlongArray items) {
    UNUSED(type);
    call c = begin(env);
    jsize count;
    inlay_any_value* value = NULL;
    inlay_failure* failure = NULL;
    inlay_any_value** const list = (inlay_any_value**)handles_of(&c, items, "items", &count);
    if (ready(&c)) failure = inlay_value_sequence(list, count, &value);
    return handle_result(&c, failure, VALUE_HANDLE, value);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_newMap(JNIEnv* env, jclass type, jlong keys, jlongArray items) {
    UNUSED(type);
    call c = begin(env);
    jsize count;
    inlay_any_value* value = NULL;
    inlay_failure* failure = NULL;
    inlay_any_value** const list = (inlay_any_value**)handles_of(&c, items, "items", &count);
    if (ready(&c)) failure = inlay_value_map(value_of(keys), list, count, &value);
    return handle_result(&c, failure, VALUE_HANDLE, value);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_newOptional(JNIEnv* env, jclass type, jlong item) {
    UNUSED(type);
    call c = begin(env);
    inlay_any_value* value = NULL;
    inlay_failure* const failure = inlay_value_optional(value_of(item), &value);
    return handle_result(&c, failure, VALUE_HANDLE, value);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_copyValue(JNIEnv* env, jclass type, jlong value, jbyteArray memory) {
    UNUSED(type);
    call c = begin(env);
    inlay_any_value* copy = NULL;
    inlay_failure* failure = NULL;
    const char* const space = optional_text_of(&c, memory, "memory");
    if (ready(&c)) failure = inlay_value_copy(value_of(value), space, &copy);
    return handle_result(&c, failure, VALUE_HANDLE, copy);
}

JNIEXPORT jlongArray JNICALL Java_ai_inlay_Native_valueNumbers(JNIEnv* env, jclass type, jlong handle) {
    UNUSED(type);
    const inlay_any_value* const value = value_of(handle);
    call c = begin(env);
    const int32_t rank = inlay_value_rank(value);
    const int32_t dim_count = rank > 0 ? rank : 0;
    int64_t* const numbers = memory_of(&c, 5 + (size_t)dim_count, sizeof *numbers);
    if (numbers) {
        numbers[0] = inlay_value_kind(value);
        numbers[1] = inlay_value_type(value);
        numbers[2] = rank;
        numbers[3] = inlay_value_count(value);
        numbers[4] = inlay_value_bytes(value);
    }
    for (int32_t axis = 0; numbers && axis < dim_count; ++axis) numbers[5 + axis] = inlay_value_dims(value)[axis];
    return numbers_result(&c, numbers, 5 + dim_count);
}
JNIEXPORT jbyteArray JNICALL Java_ai_inlay_Native_valueMemory(JNIEnv* env, jclass type, jlong value) {
    UNUSED(type);
    call c = begin(env);
    return text_result(&c, inlay_value_memory(value_of(value)));
}
JNIEXPORT jobject JNICALL Java_ai_inlay_Native_valueBuffer(JNIEnv* env, jclass type, jlong handle, jlong offset,
                                                           jlong size) {
    UNUSED(type);
    call c = begin(env);
    inlay_any_value* const value = value_of(handle);
    const int64_t bytes = inlay_value_bytes(value);
    char* const data = inlay_value_data(value);
    const char* const memory = inlay_value_memory(value);
    if (!memory || strcmp(memory, "host") != 0) {
        throw_invalid(&c, "inlay: the value is no tensor on the host");
        return NULL;
    }
    if (offset < 0 || size < 0 || size > INT32_MAX || offset > bytes || size > bytes - offset || !data) {
        throw_invalid(&c, "inlay: a buffer has up to 2147483647 bytes, which have to be within the tensor");
        return NULL;
    }
    return (*env)->NewDirectByteBuffer(env, data + offset, size);
}
JNIEXPORT jobjectArray JNICALL Java_ai_inlay_Native_valueStrings(JNIEnv* env, jclass type, jlong handle) {
    UNUSED(type);
    call c = begin(env);
    const inlay_any_value* const value = value_of(handle);
    const int64_t count = inlay_value_count(value);
    if (inlay_value_type(value) != INLAY_TYPE_STRING || count > INT32_MAX) {
        throw_invalid(&c, "inlay: these are no strings, or more than an array of Java has");
        return NULL;
    }
    const jobjectArray result = new_texts(&c, (jsize)count);
    for (jsize k = 0; result && k < count; ++k) {
        int64_t size = 0;
        const char* const text = inlay_value_string(value, k, &size);
        if (!set_text(&c, result, k, bytes_result(&c, text ? text : "", size))) return NULL;
    }
    return result;
}
/* False: an exception is pending. */
static bool set_string(call* c, inlay_any_value* value, jsize index, jbyteArray text) {
    if (!text) {
        throw_invalid(c, "inlay: a string of a tensor is null");
        return false;
    }
    jbyte* const bytes = (*c->env)->GetByteArrayElements(c->env, text, NULL);
    if (!bytes) return false;
    const jsize size = (*c->env)->GetArrayLength(c->env, text);
    inlay_failure* const failure = inlay_value_set_string(value, index, (const char*)bytes, size);
    (*c->env)->ReleaseByteArrayElements(c->env, text, bytes, JNI_ABORT);
    return report(c, failure);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setValueStrings(JNIEnv* env, jclass type, jlong value, jobjectArray texts) {
    UNUSED(type);
    call c = begin(env);
    if (!texts || (*env)->GetArrayLength(env, texts) != inlay_value_count(value_of(value))) {
        throw_invalid(&c, "inlay: there are not as many strings as the tensor has elements");
        return;
    }
    const jsize count = (*env)->GetArrayLength(env, texts);
    for (jsize k = 0; k < count; ++k) {
        const jbyteArray text = (*env)->GetObjectArrayElement(env, texts, k);
        if (!ready(&c) || !set_string(&c, value_of(value), k, text)) return;
        (*env)->DeleteLocalRef(env, text);
    }
}

static jlong part_of(JNIEnv* env, jlong value, jlong index,
                     inlay_failure* (*get)(const inlay_any_value*, int64_t, inlay_any_value**)) {
    call c = begin(env);
    inlay_any_value* part = NULL;
    inlay_failure* const failure = get(value_of(value), index, &part);
    return handle_result(&c, failure, VALUE_HANDLE, part);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_valueItem(JNIEnv* env, jclass type, jlong value, jlong index) {
    UNUSED(type);
    return part_of(env, value, index, inlay_value_item);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_valueKey(JNIEnv* env, jclass type, jlong value, jlong index) {
    UNUSED(type);
    return part_of(env, value, index, inlay_value_key);
}
