/* The digits model in C: C11, and one library. The text between the marks is in docs/reference/c.md. */
#include <inlay.h>
#include <stdio.h>
#include <stdlib.h>

/* >>> */
static void check(inlay_failure* failure) {
    if (!failure) return;
    fprintf(stderr, "%s: %s %s\n", inlay_failure_name(failure), inlay_failure_text(failure),
            inlay_failure_hint(failure));
    inlay_failure_free(failure);
    exit(1);
}
/* <<< */
static void draw_a_one(float* image) {
    for (int row = 1; row < 7; ++row) image[row * 8 + 4] = 1;
}
static int32_t show(void* data, int32_t stage, int64_t count, int64_t total) {
    static const char* const names[] = {"load", "passes", "partition", "plan", "pack"};
    (void)data;
    if (count == total && stage <= INLAY_STAGE_PACK) printf("done: %s\n", names[stage]);
    return 1; /* go on */
}

/* >>> */
/* The scores of one image of 8 by 8 pixels, which is read where it lies. */
static void run(const inlay_session* session, float* image, float* scores) {
    const int64_t dims[] = {1, 1, 8, 8};
    const char *input_names[] = {"image"}, *output_names[] = {"scores"};
    inlay_any_value *inputs[1], *outputs[1];
    check(inlay_value_borrow(INLAY_TYPE_FLOAT, dims, 4, image, 64 * sizeof(float), NULL, &inputs[0]));
    check(inlay_session_run(session, input_names, inputs, 1, output_names, outputs, 1, NULL, NULL));
    const float* results = inlay_value_data(outputs[0]);
    for (int64_t digit = 0; digit < inlay_value_count(outputs[0]); ++digit) scores[digit] = results[digit];
    inlay_value_free(inputs[0]);
    inlay_value_free(outputs[0]);
}

/* The same without a heap call per run: the binding has memory for the image, which is filled in place. */
static void run_bound(const inlay_session* session, int runs, float* scores) {
    const char* name = "image";
    const int32_t rank = 4;
    const int64_t dims[] = {1, 1, 8, 8};
    inlay_binding* binding;
    inlay_any_value *image, *output;
    check(inlay_session_bind(session, &name, &rank, dims, 1, &binding));
    check(inlay_binding_input(binding, "image", &image));
    check(inlay_binding_output(binding, "scores", &output));
    draw_a_one(inlay_value_data(image));
    while (runs-- > 0) check(inlay_binding_run(binding, NULL));
    const float* results = inlay_value_data(output);
    for (int digit = 0; digit < 10; ++digit) scores[digit] = results[digit];
    inlay_value_free(image);
    inlay_value_free(output);
    inlay_binding_free(binding);
}
/* <<< */

int main(int count, char** words) {
#ifdef DIGITS /* set by the build */
    const char* file = count > 1 ? words[1] : DIGITS;
#else
    const char* file = count > 1 ? words[1] : "examples/digits/digits.onnx";
#endif
    float image[64] = {0}, scores[10], bound[10];
    draw_a_one(image);
    /* >>> */
    inlay_model* model;
    inlay_options* options;
    inlay_providers* providers;
    inlay_session* session;
    char* plan;
    check(inlay_model_load(file, NULL, &model));
    for (int64_t k = 0; k < inlay_model_input_count(model); ++k) {
        const inlay_port* input = inlay_model_input(model, k);
        printf("%s %s, rank %d\n", inlay_port_name(input), inlay_port_type_text(input), inlay_port_rank(input));
    }
    check(inlay_providers_new(&providers)); /* in the order of priority */
    check(inlay_providers_add(providers, "cpu"));
    check(inlay_providers_set(providers, "threads", "2"));
    check(inlay_providers_add(providers, "reference"));
    check(inlay_session_options_new(&options));
    check(inlay_options_set(options, "fallback", "never"));
    check(inlay_options_set_progress(options, show, NULL));
    check(inlay_session_new(model, providers, options, &session));
    run(session, image, scores);
    run_bound(session, 100, bound);
    check(inlay_session_plan(session, NULL, NULL, NULL, 0, &plan)); /* JSON: which node runs where, and why */
    /* <<< */
    printf("the plan begins: %.40s\n", plan);
    int best = 0;
    for (int digit = 0; digit < 10; ++digit) {
        printf("%d: %.6e\n", digit, scores[digit]);
        if (scores[digit] > scores[best]) best = digit;
        if (scores[digit] != bound[digit]) {
            fprintf(stderr, "the bound run gives another score of %d: %f\n", digit, bound[digit]);
            return 1;
        }
    }
    printf("it is a %d\n", best);
    inlay_text_free(plan);
    inlay_options_free(options);
    inlay_providers_free(providers);
    inlay_model_free(model);
    inlay_session_free(session);
    return best == 1 ? 0 : 1;
}
