// Each operator on NNAPI, compared with the reference kernels.
#include "../operator_cases.hpp"
#include <inlay/provider/nnapi.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
const std::vector<left_operator> left{{"Transpose", "a tensor has 5 dimensions, and NNAPI's operations take 4 at most"},
                                      {"ArgMax", "NNAPI has no operation for ArgMax here"},
                                      {"ArgMin", "NNAPI has no operation for ArgMin here"}};
}  // namespace

TEST_CASE("NNAPI takes the operator, and its numbers are those of the reference kernels", "[nnapi]") {
    check_operators(nnapi{}, left);
}
TEST_CASE("With images' channels first NNAPI takes as much, and its numbers are right", "[nnapi]") {
    check_operators(nnapi{.use_nchw = true}, left);
}
TEST_CASE("Operators other than those that engines have in common", "[nnapi]") {
    const auto whole = [](const std::string& y, const std::string& x = "2,3") {
        return "g (float[" + x + "] x) => (float[" + x + "] y) { " + y + " }";
    };
    check_taken(nnapi{}, whole("y = Reciprocal (x)"), {2, 3});
    check_taken(nnapi{}, whole("y = Sin (x)"), {2, 3});
    check_taken(nnapi{}, whole("a = Abs (x) y = Sqrt (a)"), {2, 3});
    check_taken(nnapi{}, whole("a = Exp (x) y = Log (a)"), {2, 3});
    check_taken(nnapi{}, whole("a = Abs (x) y = Pow (a, x)"), {2, 3});
    check_taken(nnapi{}, whole("t = Transpose (x) m = MatMul (x, t) y = MatMul (m, x)"), {2, 3});
    check_taken(nnapi{}, whole("t = Transpose (x) m = MatMul (x, t) y = Gemm <alpha = 2.0, beta = 0.5> (m, x, x)"),
                {2, 3});
}
