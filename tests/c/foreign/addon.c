/* An addon of node.js over <inlay.h>, by its interface for C, which needs nothing of npm: classify(model, image) gives
 * the scores of an image of 64 floats, or throws the failure's text. */
#include <inlay.h>
#include <node_api.h>
#include <stdlib.h>

static napi_value thrown(napi_env env, const char* code, const char* text) {
    napi_throw_error(env, code, text);
    return NULL;
}
static napi_value failed(napi_env env, inlay_failure* failure) {
    thrown(env, inlay_failure_name(failure), inlay_failure_text(failure));
    inlay_failure_free(failure);
    return NULL;
}
/* The scores in `output`, copied to memory of JavaScript's. */
static napi_value floats_of(napi_env env, inlay_any_value* output) {
    const size_t bytes = (size_t)inlay_value_bytes(output);
    const float* const from = inlay_value_data(output);
    void* to = NULL;
    napi_value buffer, array;
    if (napi_create_arraybuffer(env, bytes, &to, &buffer) != napi_ok ||
        napi_create_typedarray(env, napi_float32_array, bytes / sizeof(float), buffer, 0, &array) != napi_ok)
        return thrown(env, NULL, "no memory for the scores");
    for (size_t k = 0; k < bytes / sizeof(float); ++k) ((float*)to)[k] = from[k];
    return array;
}
static inlay_failure* run(const char* file, float* image, inlay_any_value** output) {
    const int64_t dims[] = {1, 1, 8, 8};
    const char *const input_name = "image", *const output_name = "scores";
    inlay_model* model = NULL;
    inlay_session* session = NULL;
    inlay_any_value* input = NULL;
    inlay_failure* failure = inlay_model_load(file, NULL, &model);
    if (!failure) failure = inlay_session_new(model, NULL, NULL, &session);
    if (!failure) failure = inlay_value_borrow(INLAY_TYPE_FLOAT, dims, 4, image, 64 * sizeof(float), NULL, &input);
    if (!failure) failure = inlay_session_run(session, &input_name, &input, 1, &output_name, output, 1, NULL, NULL);
    inlay_value_free(input);
    inlay_session_free(session);
    inlay_model_free(model);
    return failure;
}
static napi_value classify(napi_env env, napi_callback_info info) {
    napi_value words[2];
    size_t count = 2, length = 0;
    char file[4096];
    napi_typedarray_type type;
    void* image;
    if (napi_get_cb_info(env, info, &count, words, NULL, NULL) != napi_ok || count != 2 ||
        napi_get_value_string_utf8(env, words[0], file, sizeof file, &length) != napi_ok ||
        napi_get_typedarray_info(env, words[1], &type, &length, &image, NULL, NULL) != napi_ok ||
        type != napi_float32_array || length != 64)
        return thrown(env, NULL, "classify(model, image) takes a path and a Float32Array of 64 pixels");
    inlay_any_value* output = NULL;
    inlay_failure* const failure = run(file, image, &output);
    if (failure) return failed(env, failure);
    const napi_value scores = floats_of(env, output);
    inlay_value_free(output);
    return scores;
}

NAPI_MODULE_INIT() {
    napi_value function;
    if (napi_create_function(env, "classify", NAPI_AUTO_LENGTH, classify, NULL, &function) != napi_ok) return NULL;
    if (napi_set_named_property(env, exports, "classify", function) != napi_ok) return NULL;
    return exports;
}
