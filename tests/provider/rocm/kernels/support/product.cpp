// Mirrors src/provider/rocm/product.cu: its threads, which the host runs, against the reference MatMul and Gemm.
#include "kernels/dense.hpp"
#include <inlay/cuda/onnx/gemm.hpp>
#include <inlay/cuda/onnx/matmul.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

namespace {
template <class Op> bool same_as_plain(const call& c) {
    const outcome plain = run<Op, device::reference>(c), actual = run<Op, device::cuda>(c);
    UNSCOPED_INFO(plain.answer.reason << plain.detail << actual.answer.reason << actual.detail);
    return plain.answer && plain.code == status::ok && actual.answer && actual.code == status::ok &&
           same<float>(actual[0], plain[0]);
}
attributes transposed(bool a, bool b, double alpha, double beta) {
    return [=](graph_data& g) {
        return list_of_attributes{g.make("transA", std::int64_t(a)), g.make("transB", std::int64_t(b)),
                                  g.make("alpha", alpha), g.make("beta", beta)};
    };
}
}  // namespace

TEST_CASE("A product of any size, whole tiles or parts of them, is the reference kernel's") {
    for (const std::int64_t m : {1, 63, 65})
        for (const std::int64_t n : {1, 64, 67})
            for (const std::int64_t k : {1, 15, 16, 50}) {
                CAPTURE(m, n, k);
                const tensor a = whole({m, k}, 1), b = whole({k, n}, 2);
                CHECK(same_as_plain<op::matmul>({.inputs = {a, b}}));
                CHECK(same_as_plain<op::matmul>({.inputs = {a, operand::weight(b)}}));
            }
}
TEST_CASE("Products of batches repeat an operand where its axis is one") {
    const tensor a = whole({2, 3, 5, 7}, 3);
    for (const shape& of_b : {shape{2, 3, 7, 4}, shape{3, 7, 4}, shape{2, 1, 7, 4}, shape{7, 4}}) {
        CAPTURE(of_b.rank);
        CHECK(same_as_plain<op::matmul>({.inputs = {a, whole(of_b, 4)}}));
        CHECK(same_as_plain<op::matmul>({.inputs = {a, operand::weight(whole(of_b, 4))}}));
    }
}
TEST_CASE("A product of transposed operands adds C, whole, a row, a column or one number") {
    for (const bool a : {false, true})
        for (const bool b : {false, true})
            for (const shape& of_c : {shape{66, 70}, shape{70}, shape{66, 1}, shape{1}}) {
                CAPTURE(a, b, of_c.rank, of_c[0]);
                const tensor x = whole(a ? shape{33, 66} : shape{66, 33}, 5),
                             w = whole(b ? shape{70, 33} : shape{33, 70}, 6), c = whole(of_c, 7);
                CHECK(same_as_plain<op::gemm>({.inputs = {x, operand::weight(w), c}, .with = transposed(a, b, 2, 1)}));
                CHECK(same_as_plain<op::gemm>({.inputs = {x, w, c}, .with = transposed(a, b, 1, 0.5)}));
            }
}
TEST_CASE("A product with bias, addend and activation is the reference kernel's with them") {
    const attributes relu = [](graph_data& g) {
        return list_of_attributes{g.make("activation", std::string_view("Relu"))};
    };
    const tensor a = whole({2, 9, 20}, 8), b = whole({20, 13}, 9), bias = whole({13}, 10),
                 addend = whole({2, 9, 13}, 11);
    tensor expected = on_reference<op::matmul>({{a, b}});
    for (std::size_t i = 0; i < expected.as<float>().size(); ++i)
        expected.as<float>()[i] =
            std::max(expected.as<float>()[i] + bias.as<float>()[i % 13] + addend.as<float>()[i], 0.f);
    const outcome actual =
        run<op::fused_matmul, device::cuda>({.inputs = {a, operand::weight(b), bias, addend}, .with = relu});
    CAPTURE(actual.answer.reason, actual.detail);
    REQUIRE(actual.answer);
    REQUIRE(actual.code == status::ok);
    CHECK(same<float>(actual[0], expected));
}
TEMPLATE_TEST_CASE("A product of 16 bits sums in float and rounds once", "", float16, bfloat16) {
    using T = TestType;
    const auto rounded = [](const tensor& x) {
        tensor y(element_of<T>, x.shape());
        std::ranges::transform(x.as<float>(), y.template as<T>().begin(), [](float v) { return T(v); });
        return y;
    };
    const tensor a = rounded(whole({5, 40}, 12)), b = rounded(whole({40, 70}, 13));
    const call c{.inputs = {a, operand::weight(b)}};
    const outcome actual = run<op::matmul, device::cuda>(c);
    REQUIRE(actual.code == status::ok);
    CHECK(same<T>(actual[0], on_reference<op::matmul>(c)));
}
