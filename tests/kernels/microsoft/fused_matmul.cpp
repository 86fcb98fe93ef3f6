// Mirrors kernels/inlay/microsoft/fused_matmul.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/microsoft/fused_matmul.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes transposing(std::int64_t a, std::int64_t b, double alpha = 1) {
    return [=](graph_data& g) { return std::vector{g.make("transA", a), g.make("transB", b), g.make("alpha", alpha)}; };
}
}  // namespace

TEMPLATE_TEST_CASE("com.microsoft's FusedMatMul multiplies matrices, transposed or not, and scales the product", "",
                   float, double, float16, bfloat16) {
    using T = TestType;
    const tensor a = list<T>({1, 2, 3, 4, 5, 6}).reshaped({2, 3}), at = list<T>({1, 4, 2, 5, 3, 6}).reshaped({3, 2}),
                 b = list<T>({1, 0, -1, 2, 1, 1}).reshaped({3, 2}), bt = list<T>({1, -1, 1, 0, 2, 1}).reshaped({2, 3}),
                 y = list<T>({1, 3.5, 2.5, 8}).reshaped({2, 2});
    CHECK(same<T>(on_reference<op::microsoft_fused_matmul>({.inputs = {a, b}, .with = transposing(0, 0, 0.5)}), y));
    CHECK(same<T>(on_reference<op::microsoft_fused_matmul>({.inputs = {at, b}, .with = transposing(1, 0, 0.5)}), y));
    CHECK(same<T>(on_reference<op::microsoft_fused_matmul>({.inputs = {a, bt}, .with = transposing(0, 1, 0.5)}), y));
    CHECK(same<T>(
        on_reference<op::transpose_matmul>({.inputs = {at.reshaped({1, 3, 2}), bt}, .with = transposing(1, 1, 0.5)}),
        y.reshaped({1, 2, 2})));
}
TEST_CASE("com.microsoft's FusedMatMul takes operands whose first axis stands before the batches") {
    const auto batched = [](std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t columns) {
        return [=](graph_data& g) {
            return std::vector{g.make("transA", rows), g.make("transB", columns), g.make("transBatchA", a),
                               g.make("transBatchB", b)};
        };
    };
    // Two pictures of A: {1 2 3; 4 5 6} and {7 8 9; 10 11 12}; row 0 of both, then row 1 of both.
    const tensor a = list<float>({1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12}).reshaped({2, 2, 3});
    const tensor b = list<float>({1, 0, 0, 1, 1, 1}).reshaped({3, 2});
    const tensor y = list<float>({4, 5, 10, 11, 16, 17, 22, 23}).reshaped({2, 2, 2});
    CHECK(same<float>(on_reference<op::microsoft_fused_matmul>({.inputs = {a, b}, .with = batched(1, 0, 0, 0)}), y));
    // The same transposed: its columns come first.
    const tensor at = list<float>({1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}).reshaped({3, 2, 2});
    CHECK(same<float>(on_reference<op::microsoft_fused_matmul>({.inputs = {at, b}, .with = batched(1, 0, 1, 0)}), y));
    const tensor many = list<float>({1, 0, 2, 0, 0, 1, 0, 2, 1, 1, 2, 2}).reshaped({3, 2, 2});  // b, and twice b
    const tensor twice = list<float>({4, 5, 10, 11, 32, 34, 44, 46}).reshaped({2, 2, 2});
    CHECK(same<float>(on_reference<op::microsoft_fused_matmul>({.inputs = {a, many}, .with = batched(1, 1, 0, 0)}),
                      twice));
}
TEST_CASE("com.microsoft's FusedMatMul refuses operands that do not fit") {
    const tensor a(element::f32, {2, 3}), b(element::f32, {2, 4});
    CHECK_FALSE(run<op::microsoft_fused_matmul, device::reference>({{a, b}}).answer);
    CHECK(on_reference<op::microsoft_fused_matmul>({.inputs = {a, b}, .with = transposing(1, 0)}).shape() ==
          shape{3, 4});
    CHECK_FALSE(run<op::microsoft_fused_matmul, device::reference>({{a}}).answer);
    CHECK(run<op::microsoft_fused_matmul, device::reference>({{a, tensor(element::f64, {3, 4})}}).answer.reason ==
          "A and B must have one type");
}
