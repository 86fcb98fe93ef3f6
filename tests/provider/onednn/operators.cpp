// Each operator on oneDNN compared with the reference kernels.
#include "../operator_cases.hpp"
#include <inlay/provider/onednn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("oneDNN takes the operator, or says why not, and its numbers are those of the reference kernels",
          "[onednn]") {
    const std::string_view loops = "oneDNN has only reference kernels for it";
    check_operators(onednn{.num_of_threads = 1}, {{"Add", "oneDNN broadcasts its second operand only"},
                                                  {"Sub", "oneDNN broadcasts its second operand only"},
                                                  {"ArgMax", "oneDNN has no operation for ArgMax here"},
                                                  {"ArgMin", "oneDNN has no operation for ArgMin here"},
                                                  {"Floor", "oneDNN has no operation for Floor here"},
                                                  {"Gather", "it gathers several parts"},
                                                  {"LRN", loops, false},
                                                  {"Pad", "oneDNN has no operation for Pad here"},
                                                  {"ReduceMean", loops, false},
                                                  {"Resize", "oneDNN resizes linearly at half_pixel"},
                                                  {"Slice", "steps of 1, not of 2"},
                                                  {"Upsample", "resizes linearly at half_pixel"}});
}
