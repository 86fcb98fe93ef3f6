/* Sessions, bindings and caches. */
#include "call.h"
#include "handles.h"

JNIEXPORT jlong JNICALL Java_ai_inlay_Native_newSession(JNIEnv* env, jclass type, jlong model, jlong providers,
                                                        jlong options) {
    UNUSED(type);
    call c = begin(env);
    inlay_session* session = NULL;
    inlay_failure* const failure =
        inlay_session_new(model_of(model), providers_of(providers), options_of(options), &session);
    return handle_result(&c, failure, SESSION_HANDLE, session);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setSessionProviders(JNIEnv* env, jclass type, jlong session,
                                                                jlong providers) {
    UNUSED(type);
    call c = begin(env);
    report(&c, inlay_session_set_providers(session_of(session), providers_of(providers)));
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_sessionProviders(JNIEnv* env, jclass type, jlong session) {
    UNUSED(type);
    call c = begin(env);
    inlay_providers* list = NULL;
    inlay_failure* const failure = inlay_session_providers(session_of(session), &list);
    return handle_result(&c, failure, PROVIDERS_HANDLE, list);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_sessionModel(JNIEnv* env, jclass type, jlong session) {
    UNUSED(type);
    call c = begin(env);
    inlay_model* model = NULL;
    inlay_failure* const failure = inlay_session_model(session_of(session), &model);
    return handle_result(&c, failure, MODEL_HANDLE, model);
}

static bool same_count(call* c, jsize names, jsize values) {
    if (ready(c) && names != values) throw_invalid(c, "inlay: there are not as many values as names");
    return ready(c);
}
/* Hands the handles over to Java; with a pending exception they are freed. */
static void store_results(call* c, jlongArray results, inlay_any_value** outputs, jsize count) {
    jlong* const handles = memory_of(c, (size_t)count, sizeof *handles);
    for (jsize k = 0; handles && k < count; ++k) handles[k] = (jlong)(intptr_t)outputs[k];
    if (handles) (*c->env)->SetLongArrayRegion(c->env, results, 0, count, handles);
    for (jsize k = 0; !ready(c) && k < count; ++k) inlay_value_free(outputs[k]);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_run(JNIEnv* env, jclass type, jlong session, jobjectArray input_names,
                                                jlongArray inputs, jobjectArray output_names, jlongArray results,
                                                jlong cache, jlong options) {
    UNUSED(type);
    call c = begin(env);
    jsize input_count, value_count, output_count, result_count;
    const char** const names = texts_of(&c, input_names, "input names", &input_count);
    inlay_any_value** const values = (inlay_any_value**)handles_of(&c, inputs, "inputs", &value_count);
    const char** const requested = texts_of(&c, output_names, "output names", &output_count);
    numbers_of(&c, results, "results", &result_count);
    inlay_any_value** const outputs = memory_of(&c, (size_t)output_count, sizeof *outputs);
    if (same_count(&c, input_count, value_count) && same_count(&c, output_count, result_count)) {
        inlay_failure* const failure = inlay_session_run(session_of(session), names, values, input_count, requested,
                                                         outputs, output_count, cache_of(cache), options_of(options));
        report(&c, failure);
        store_results(&c, results, outputs, output_count);
    }
    end(&c);
}

JNIEXPORT jlong JNICALL Java_ai_inlay_Native_bind(JNIEnv* env, jclass type, jlong session, jobjectArray names,
                                                  jobjectArray dims) {
    UNUSED(type);
    call c = begin(env);
    inlay_binding* binding = NULL;
    inlay_failure* failure = NULL;
    const named_shapes s = shapes_of(&c, names, dims);
    if (ready(&c)) failure = inlay_session_bind(session_of(session), s.names, s.ranks, s.dims, s.count, &binding);
    return handle_result(&c, failure, BINDING_HANDLE, binding);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_newCache(JNIEnv* env, jclass type, jlong session, jlong rows) {
    UNUSED(type);
    call c = begin(env);
    inlay_cache* cache = NULL;
    inlay_failure* const failure = inlay_session_make_cache(session_of(session), rows, &cache);
    return handle_result(&c, failure, CACHE_HANDLE, cache);
}

typedef inlay_failure* reporter(const inlay_session*, const char* const*, const int32_t*, const int64_t*, int64_t,
                                char**);
static jbyteArray report_of(JNIEnv* env, jlong session, jobjectArray names, jobjectArray dims, reporter* get) {
    call c = begin(env);
    char* json = NULL;
    inlay_failure* failure = NULL;
    const named_shapes s = shapes_of(&c, names, dims);
    if (ready(&c)) failure = get(session_of(session), s.names, s.ranks, s.dims, s.count, &json);
    return json_result(&c, failure, json);
}
JNIEXPORT jbyteArray JNICALL Java_ai_inlay_Native_plan(JNIEnv* env, jclass type, jlong session, jobjectArray names,
                                                       jobjectArray dims) {
    UNUSED(type);
    return report_of(env, session, names, dims, inlay_session_plan);
}
JNIEXPORT jbyteArray JNICALL Java_ai_inlay_Native_memory(JNIEnv* env, jclass type, jlong session, jobjectArray names,
                                                         jobjectArray dims) {
    UNUSED(type);
    return report_of(env, session, names, dims, inlay_session_memory);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_releaseMemory(JNIEnv* env, jclass type, jlong session) {
    UNUSED(type);
    call c = begin(env);
    report(&c, inlay_session_release_memory(session_of(session)));
}

JNIEXPORT jlong JNICALL Java_ai_inlay_Native_boundValue(JNIEnv* env, jclass type, jlong binding, jbyteArray name,
                                                        jboolean output) {
    UNUSED(type);
    call c = begin(env);
    inlay_any_value* value = NULL;
    inlay_failure* failure = NULL;
    const char* const port = text_of(&c, name, "name");
    if (ready(&c))
        failure = output ? inlay_binding_output(binding_of(binding), port, &value)
                         : inlay_binding_input(binding_of(binding), port, &value);
    return handle_result(&c, failure, VALUE_HANDLE, value);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setBoundValue(JNIEnv* env, jclass type, jlong binding, jbyteArray name,
                                                          jboolean output, jlong tensor) {
    UNUSED(type);
    call c = begin(env);
    const char* const port = text_of(&c, name, "name");
    if (ready(&c))
        report(&c, output ? inlay_binding_set_output(binding_of(binding), port, value_of(tensor))
                          : inlay_binding_set_input(binding_of(binding), port, value_of(tensor)));
    end(&c);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_setBoundMemory(JNIEnv* env, jclass type, jlong binding, jbyteArray output,
                                                           jbyteArray memory) {
    UNUSED(type);
    call c = begin(env);
    const char* const name = text_of(&c, output, "name");
    const char* const space = text_of(&c, memory, "memory");
    if (ready(&c)) report(&c, inlay_binding_set_output_memory(binding_of(binding), name, space));
    end(&c);
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_runBound(JNIEnv* env, jclass type, jlong binding, jlong options) {
    UNUSED(type);
    call c = begin(env);
    report(&c, inlay_binding_run(binding_of(binding), options_of(options)));
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_executedNodes(JNIEnv* env, jclass type, jlong binding,
                                                           jbyteArray provider) {
    UNUSED(type);
    call c = begin(env);
    int64_t nodes = 0;
    const char* const name = text_of(&c, provider, "provider");
    if (ready(&c)) report(&c, inlay_binding_executed(binding_of(binding), name, &nodes));
    end(&c);
    return nodes;
}
JNIEXPORT jbyteArray JNICALL Java_ai_inlay_Native_profile(JNIEnv* env, jclass type, jlong binding, jint runs,
                                                          jlong options) {
    UNUSED(type);
    call c = begin(env);
    char* json = NULL;
    inlay_failure* const failure = inlay_binding_profile(binding_of(binding), runs, options_of(options), &json);
    return json_result(&c, failure, json);
}

JNIEXPORT jlong JNICALL Java_ai_inlay_Native_cacheRows(JNIEnv* env, jclass type, jlong cache) {
    UNUSED(env), UNUSED(type);
    return inlay_cache_rows(cache_of(cache));
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_cacheCapacity(JNIEnv* env, jclass type, jlong cache) {
    UNUSED(env), UNUSED(type);
    return inlay_cache_room(cache_of(cache));
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_keepRows(JNIEnv* env, jclass type, jlong cache, jlong rows) {
    UNUSED(type);
    call c = begin(env);
    report(&c, inlay_cache_keep(cache_of(cache), rows));
}
JNIEXPORT void JNICALL Java_ai_inlay_Native_assignCache(JNIEnv* env, jclass type, jlong cache, jobjectArray names,
                                                        jlongArray values) {
    UNUSED(type);
    call c = begin(env);
    jsize name_count, value_count;
    const char** const inputs = texts_of(&c, names, "names", &name_count);
    inlay_any_value** const pasts = (inlay_any_value**)handles_of(&c, values, "values", &value_count);
    if (same_count(&c, name_count, value_count))
        report(&c, inlay_cache_assign(cache_of(cache), inputs, pasts, name_count));
    end(&c);
}
JNIEXPORT jlong JNICALL Java_ai_inlay_Native_cachedPast(JNIEnv* env, jclass type, jlong cache, jbyteArray input) {
    UNUSED(type);
    call c = begin(env);
    inlay_any_value* value = NULL;
    inlay_failure* failure = NULL;
    const char* const name = text_of(&c, input, "name");
    if (ready(&c)) failure = inlay_cache_past(cache_of(cache), name, &value);
    return handle_result(&c, failure, VALUE_HANDLE, value);
}
JNIEXPORT jbyteArray JNICALL Java_ai_inlay_Native_cachePairs(JNIEnv* env, jclass type, jlong cache) {
    UNUSED(type);
    call c = begin(env);
    char* json = NULL;
    inlay_failure* const failure = inlay_cache_pairs(cache_of(cache), &json);
    return json_result(&c, failure, json);
}
