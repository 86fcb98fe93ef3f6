// ArgMax, Gather, reductions and the like on QNN, compared with the reference kernels.
#include "exact.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string network(const std::string& x, const std::string& y, const std::string& body,
                    const std::string& constants = {}) {
    return "<ir_version: 10, opset_import: [\"\" : 17]> g (float[" + x + "] x) => (" + y + " y) " +
           (constants.empty() ? "" : "<" + constants + "> ") + "{ " + body + " }";
}
}  // namespace

TEST_CASE("The first of the largest or least elements is found on QNN", "[qnn]") {
    const std::string turned = "p = MaxPool <kernel_shape = [1,1]> (x) ";
    const std::string of_axis[] = {"int64[1,4,6,7]", "int64[2,1,6,7]", "int64[2,4,1,7]", "int64[2,4,6,1]"};
    for (const std::string op : {"ArgMax", "ArgMin"})
        for (int axis = 0; axis < 4; ++axis) {
            const std::string call = op + " <axis = " + std::to_string(axis - 4) + "> ";
            check_exact<std::int64_t>(inlay::qnn{}, network("2,4,6,7", of_axis[axis], "y = " + call + "(x)"),
                                      {2, 4, 6, 7});
            check_exact<std::int64_t>(inlay::qnn{}, network("2,4,6,7", of_axis[axis], turned + "y = " + call + "(p)"),
                                      {2, 4, 6, 7});
        }
    check_exact<std::int64_t>(inlay::qnn{},
                              network("2,4,6,7", "int64[2,6,7]", turned + "y = ArgMax <axis = 1, keepdims = 0> (p)"),
                              {2, 4, 6, 7});
    check_exact<std::int64_t>(inlay::qnn{}, network("3,40", "int64[3]", "y = ArgMin <axis = 1, keepdims = 0> (x)"),
                              {3, 40});
    CHECK(
        has_text(why_not<inlay::qnn>(network("2,3", "int64[1,3]", "y = ArgMax <select_last_index = 1> (x)"), "ArgMax"),
                 "the first of equal elements"));
}

TEST_CASE("The largest elements along the last axis are QNN's, without their places", "[qnn]") {
    for (const std::string attributes : {"", "<largest = 0>"})
        check_exact<float>(
            inlay::qnn{},
            network("2,3,16", "float[2,3,4]", "y, i = TopK " + attributes + " (x, k)", "int64[1] k = {4}"), {2, 3, 16});
    const auto refusal = [](const std::string& y, const std::string& body) {
        return why_not<inlay::qnn>(network("2,16", y, body, "int64[1] k = {1}"), "TopK");
    };
    CHECK(has_text(refusal("int64[2,1]", "v, y = TopK(x, k)"), "equal elements in another order"));
    CHECK(has_text(refusal("float[1,16]", "y, i = TopK <axis = 0> (x, k)"), "along the last axis"));
}

TEST_CASE("Elements at constant coordinates are QNN's", "[qnn]") {
    const auto gather = [](const std::string& y, const std::string& dims, const std::string& indices,
                           const std::string& attributes = "") {
        return network("2,3,4", "float[" + y + "]", "y = GatherND " + attributes + " (x, i)",
                       "int64[" + dims + "] i = {" + indices + "}");
    };
    check_exact<float>(inlay::qnn{}, gather("3,4", "3,2", "0,1,-1,2,1,-3"), {2, 3, 4});
    check_exact<float>(inlay::qnn{}, gather("2", "2,3", "0,1,2,1,2,-1"), {2, 3, 4});
    check_exact<float>(inlay::qnn{}, gather("1,2,3,4", "1,2,1", "1,0"), {2, 3, 4});
    CHECK(has_text(why_not<inlay::qnn>(gather("1,4", "1,2", "0,3"), "GatherND"), "index 3 is out of range"));
    CHECK(has_text(why_not<inlay::qnn>(gather("2,4", "2,1", "0,1", "<batch_dims = 1>"), "GatherND"),
                   "its coordinates have batches"));
    CHECK(has_text(
        why_not<inlay::qnn>("g (float[4,3] x, int64[2,1] i) => (float[2,3] y) { y = GatherND(x, i) }", "GatherND"),
        "does not check them"));
}

TEST_CASE("Elements along an axis and sums of those before are for processors with fp16", "[qnn]") {
    CHECK(has_text(
        why_not<inlay::qnn>(network("2,3", "float[1,3]", "y = GatherElements(x, i)", "int64[1,3] i = {0,1,-1}"),
                            "GatherElements"),
        "processors with fp16"));
    CHECK(has_text(why_not<inlay::qnn>(network("2,3", "float[2,3]", "y = CumSum(x, a)", "int64 a = {1}"), "CumSum"),
                   "processors with fp16"));
    CHECK(has_text(
        why_not<inlay::qnn>(network("2,3", "float[2,3]", "y = CumSum <reverse = 1> (x, a)", "int64 a = {1}"), "CumSum"),
        "no such sums of floats"));
}
