// The main function of every test binary.
#define CATCH_CONFIG_RUNNER
#include "skip.hpp"

int main(int count, char** words) {
    const int status = Catch::Session().run(count, words);
    return status == 0 && inlay::testing::skipped_cases > 0 ? 77 : status;
}
