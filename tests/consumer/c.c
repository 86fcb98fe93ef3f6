/* c MODEL: what session.cpp does, in C. */
#include <inlay.h>
#include <stdio.h>
#include <stdlib.h>

static void check(inlay_failure* failure) {
    if (!failure) return;
    puts(inlay_failure_text(failure));
    exit(1);
}
int main(int count, char** words) {
    const char *input_name = "image", *output_name = "scores";
    const int64_t dims[] = {1, 1, 8, 8};
    float image[64] = {0};
    inlay_model* model;
    inlay_session* session;
    inlay_any_value *input, *output;
    if (count != 2) return 1;
    for (int row = 0; row < 8; ++row) image[row * 8 + 3] = image[row * 8 + 4] = 1;
    check(inlay_model_load(words[1], NULL, &model));
    check(inlay_session_new(model, NULL, NULL, &session));
    check(inlay_value_borrow(INLAY_TYPE_FLOAT, dims, 4, image, sizeof(image), NULL, &input));
    check(inlay_session_run(session, &input_name, &input, 1, &output_name, &output, 1, NULL, NULL));
    const float* scores = inlay_value_data(output);
    for (int digit = 0; digit < 10; ++digit) printf("%d: %.3f\n", digit, (double)scores[digit]);
    inlay_value_free(output);
    inlay_value_free(input);
    inlay_session_free(session);
    inlay_model_free(model);
    return 0;
}
