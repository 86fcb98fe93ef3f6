/* Models, and what they report of themselves. */
#include "call.h"
#include "handles.h"

JNIEXPORT jlong JNICALL Java_ai_inlay_Native_loadModel(JNIEnv* env, jclass type, jbyteArray path, jlong options) {
    UNUSED(type);
    call c = begin(env);
    inlay_model* model = NULL;
    const char* const file = text_of(&c, path, "path");
    inlay_failure* const failure = ready(&c) ? inlay_model_load(file, options_of(options), &model) : NULL;
    return handle_result(&c, failure, MODEL_HANDLE, model);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_parseModel(JNIEnv* env, jclass type, jbyteArray bytes, jlong options) {
    UNUSED(type);
    call c = begin(env);
    if (!bytes) {
        throw_invalid(&c, "inlay: the bytes of the model are null");
        return 0;
    }
    /* Not a critical region: the progress is reported meanwhile. */
    jbyte* const file = (*env)->GetByteArrayElements(env, bytes, NULL);
    if (!file) return 0;
    inlay_model* model = NULL;
    inlay_failure* const failure =
        inlay_model_parse(file, (*env)->GetArrayLength(env, bytes), options_of(options), &model);
    (*env)->ReleaseByteArrayElements(env, bytes, file, JNI_ABORT);
    return handle_result(&c, failure, MODEL_HANDLE, model);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_parseModelBuffer(JNIEnv* env, jclass type, jobject direct, jlong offset,
                                                              jlong size, jlong options) {
    UNUSED(type);
    call c = begin(env);
    const char* const bytes = direct_bytes_of(&c, direct, offset, size);
    inlay_model* model = NULL;
    inlay_failure* const failure = ready(&c) ? inlay_model_parse(bytes, size, options_of(options), &model) : NULL;
    return handle_result(&c, failure, MODEL_HANDLE, model);
}

static const inlay_port* port_of(jlong model, jboolean output, jlong index) {
    return output ? inlay_model_output(model_of(model), index) : inlay_model_input(model_of(model), index);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_portCount(JNIEnv* env, jclass type, jlong model, jboolean output) {
    UNUSED(env), UNUSED(type);
    return output ? inlay_model_output_count(model_of(model)) : inlay_model_input_count(model_of(model));
}
JNIEXPORT jobjectArray JNICALL Java_ai_inlay_Native_portTexts(JNIEnv* env, jclass type, jlong model, jboolean output,
                                                              jlong index) {
    UNUSED(type);
    const inlay_port* const port = port_of(model, output, index);
    if (!port) return NULL;
    call c = begin(env);
    const int32_t rank = inlay_port_rank(port) > 0 ? inlay_port_rank(port) : 0;
    const char** const texts = memory_of(&c, 2 + (size_t)rank, sizeof *texts);
    if (texts) {
        texts[0] = inlay_port_name(port);
        texts[1] = inlay_port_type_text(port);
    }
    for (int32_t axis = 0; texts && axis < rank; ++axis) texts[2 + axis] = inlay_port_dim_name(port, axis);
    return texts_result(&c, texts, 2 + rank);
}
JNIEXPORT jlongArray JNICALL Java_ai_inlay_Native_portNumbers(JNIEnv* env, jclass type, jlong model, jboolean output,
                                                              jlong index) {
    UNUSED(type);
    const inlay_port* const port = port_of(model, output, index);
    if (!port) return NULL;
    call c = begin(env);
    const int32_t rank = inlay_port_rank(port);
    const int32_t dim_count = rank > 0 ? rank : 0;
    int64_t* const numbers = memory_of(&c, 3 + (size_t)dim_count, sizeof *numbers);
    if (numbers) {
        numbers[0] = inlay_port_kind(port);
        numbers[1] = inlay_port_type(port);
        numbers[2] = rank;
    }
    for (int32_t axis = 0; numbers && axis < dim_count; ++axis) numbers[3 + axis] = inlay_port_dims(port)[axis];
    return numbers_result(&c, numbers, 3 + dim_count);
}
JNIEXPORT jobjectArray JNICALL Java_ai_inlay_Native_modelTexts(JNIEnv* env, jclass type, jlong handle) {
    UNUSED(type);
    const inlay_model* const model = model_of(handle);
    const int64_t count = inlay_model_metadata_count(model);
    if (count < 0) return NULL;
    call c = begin(env);
    const size_t size = 4 + 2 * (size_t)count;
    const char** const texts = memory_of(&c, size, sizeof *texts);
    if (texts) {
        texts[0] = inlay_model_producer_name(model);
        texts[1] = inlay_model_domain(model);
        texts[2] = inlay_model_graph_name(model);
        texts[3] = inlay_model_description(model);
    }
    for (int64_t k = 0; texts && k < count; ++k) {
        texts[4 + 2 * k] = inlay_model_metadata_key(model, k);
        texts[5 + 2 * k] = inlay_model_metadata(model, texts[4 + 2 * k]);
    }
    return texts_result(&c, texts, (jsize)size);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_modelVersion(JNIEnv* env, jclass type, jlong model) {
    UNUSED(env), UNUSED(type);
    return inlay_model_version(model_of(model));
}
