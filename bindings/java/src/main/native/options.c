/* The library, options and lists of providers. */
#include "call.h"
#include "callbacks.h"
#include "handles.h"

JNIEXPORT jbyteArray JNICALL Java_ai_inlay_Native_version(JNIEnv* env, jclass type) {
    UNUSED(type);
    call c = begin(env);
    return text_result(&c, inlay_version());
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_free(JNIEnv* env, jclass type, jint kind, jlong handle) {
    UNUSED(env), UNUSED(type);
    free_handle((enum handle_kind)kind, (void*)(intptr_t)handle);
}

static jlong new_options(JNIEnv* env, inlay_failure* (*create)(inlay_options**)) {
    call c = begin(env);
    inlay_options* options = NULL;
    inlay_failure* const failure = create(&options);
    return handle_result(&c, failure, OPTIONS_HANDLE, options);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_modelOptions(JNIEnv* env, jclass type) {
    UNUSED(type);
    return new_options(env, inlay_model_options_new);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_sessionOptions(JNIEnv* env, jclass type) {
    UNUSED(type);
    return new_options(env, inlay_session_options_new);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_runOptions(JNIEnv* env, jclass type) {
    UNUSED(type);
    return new_options(env, inlay_run_options_new);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setOption(JNIEnv* env, jclass type, jlong options, jbyteArray name,
                                                      jbyteArray text) {
    UNUSED(type);
    call c = begin(env);
    const char* const option = text_of(&c, name, "name");
    const char* const value = text_of(&c, text, "text");
    if (ready(&c)) report(&c, inlay_options_set(options_of(options), option, value));
    end(&c);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setProgress(JNIEnv* env, jclass type, jlong options, jlong listener) {
    UNUSED(type);
    call c = begin(env);
    report(&c,
           inlay_options_set_progress(options_of(options), listener ? call_progress : NULL, (void*)(intptr_t)listener));
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setLog(JNIEnv* env, jclass type, jlong options, jlong listener) {
    UNUSED(type);
    call c = begin(env);
    report(&c, inlay_options_set_log(options_of(options), listener ? call_log : NULL, (void*)(intptr_t)listener));
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setDeadline(JNIEnv* env, jclass type, jlong options, jlong nanoseconds) {
    UNUSED(type);
    call c = begin(env);
    report(&c, inlay_options_set_deadline(options_of(options), nanoseconds));
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setCancelled(JNIEnv* env, jclass type, jlong options, jboolean cancelled) {
    UNUSED(type);
    call c = begin(env);
    report(&c, inlay_options_set_cancelled(options_of(options), cancelled));
}

JNIEXPORT jlong JNICALL Java_ai_inlay_Native_providers(JNIEnv* env, jclass type, jboolean built) {
    UNUSED(type);
    call c = begin(env);
    inlay_providers* list = NULL;
    inlay_failure* const failure = built ? inlay_providers_built(&list) : inlay_providers_new(&list);
    return handle_result(&c, failure, PROVIDERS_HANDLE, list);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_addProvider(JNIEnv* env, jclass type, jlong list, jbyteArray name) {
    UNUSED(type);
    call c = begin(env);
    const char* const provider = text_of(&c, name, "name");
    if (ready(&c)) report(&c, inlay_providers_add(providers_of(list), provider));
    end(&c);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_addPlugin(JNIEnv* env, jclass type, jlong list, jbyteArray path) {
    UNUSED(type);
    call c = begin(env);
    const char* const library = text_of(&c, path, "path");
    if (ready(&c)) report(&c, inlay_providers_add_plugin(providers_of(list), library));
    end(&c);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setProviderOption(JNIEnv* env, jclass type, jlong list, jbyteArray option,
                                                              jbyteArray text) {
    UNUSED(type);
    call c = begin(env);
    const char* const name = text_of(&c, option, "option");
    const char* const value = text_of(&c, text, "text");
    if (ready(&c)) report(&c, inlay_providers_set(providers_of(list), name, value));
    end(&c);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_providerCount(JNIEnv* env, jclass type, jlong list) {
    UNUSED(env), UNUSED(type);
    return inlay_providers_count(providers_of(list));
}
JNIEXPORT jobjectArray JNICALL Java_ai_inlay_Native_provider(JNIEnv* env, jclass type, jlong list, jlong index) {
    UNUSED(type);
    const inlay_providers* const providers = providers_of(list);
    const int64_t count = inlay_providers_option_count(providers, index);
    if (count < 0) return NULL;
    call c = begin(env);
    const size_t size = 3 + 2 * (size_t)count;
    const char** const texts = memory_of(&c, size, sizeof *texts);
    if (texts) {
        texts[0] = inlay_providers_name(providers, index);
        texts[1] = inlay_providers_status(providers, index);
        texts[2] = inlay_providers_checked_on(providers, index);
    }
    for (int64_t k = 0; texts && k < count; ++k) {
        texts[3 + 2 * k] = inlay_providers_option_name(providers, index, k);
        texts[4 + 2 * k] = inlay_providers_option_text(providers, index, k);
    }
    return texts_result(&c, texts, (jsize)size);
}
