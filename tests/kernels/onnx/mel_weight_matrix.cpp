// Mirrors kernels/inlay/onnx/mel_weight_matrix.hpp.
#include "../elementwise.hpp"
#include <inlay/onnx/mel_weight_matrix.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
operand integer(std::int64_t x) { return operand::weight(tensor(shape{}, {x})); }
operand real(double x) { return operand::weight(tensor(shape{}, {x})); }
attributes of_type(element e) {
    return [=](graph_data& g) { return std::vector{g.make("output_datatype", std::int64_t(e))}; };
}
outcome made(std::vector<operand> in, element e = element::f32) {
    return run<op::mel_weight_matrix, device::reference>({.inputs = std::move(in), .with = of_type(e), .outputs = {e}});
}
outcome made(std::int64_t bins, std::int64_t length, std::int64_t rate, double lower, double upper) {
    return made({integer(bins), integer(length), integer(rate), real(lower), real(upper)});
}
}  // namespace

TEST_CASE("MelWeightMatrix of ONNX's example: every triangle is one frequency wide") {
    const outcome o = made(8, 16, 8192, 0, 4096);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    tensor expected(element::f32, {9, 8});
    std::ranges::fill(expected.as<float>(), 0.f);
    const int rows[] = {0, 0, 1, 1, 2, 3, 4, 5};
    for (int i = 0; i < 8; ++i) expected.as<float>()[std::size_t(rows[i] * 8 + i)] = 1;
    CHECK(same<float>(o[0], expected));
}
TEMPLATE_TEST_CASE("MelWeightMatrix of every type: triangles with slopes, whose integers are the peaks", "", float,
                   double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const outcome o = made({integer(3), operand::weight(tensor({1}, {std::int32_t(20)})), integer(100), real(5),
                            operand::weight(tensor({1}, {bfloat16(50.f)}))},
                           element_of<T>);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    tensor expected(element_of<T>, {11, 3});
    const std::tuple<int, int, double> weights[] = {{2, 0, 1},  {3, 0, .5}, {3, 1, .5}, {4, 1, 1},
                                                    {5, 1, .5}, {5, 2, .5}, {6, 2, 1},  {7, 2, .5}};
    std::ranges::fill(expected.as<T>(), T(0));
    for (const auto& [row, column, weight] : weights)
        expected.as<T>()[std::size_t(row * 3 + column)] = static_cast<T>(weight);
    CHECK(same<T>(o[0], expected, 1e-2));
}
TEST_CASE("MelWeightMatrix of no bins") {
    const outcome o = made(0, 16, 8192, 0, 4096);
    REQUIRE(o.code == status::ok);
    CHECK(o[0].shape() == shape{9, 0});
}
TEST_CASE("MelWeightMatrix refuses sizes below 0 or too large, and edges outside of the spectrum") {
    CHECK(made(-1, 16, 8192, 0, 4096).answer.reason == "num_mel_bins is negative");
    CHECK(made(8, -2, 8192, 0, 4096).answer.reason == "dft_length is negative");
    CHECK(made(std::int64_t(1) << 40, std::int64_t(1) << 40, 8192, 0, 4096).answer.reason == "the output is too large");
    CHECK(made({integer(8), integer(16), real(1), real(0), real(1)}).answer.reason ==
          "an input has a type that is not for it");
    CHECK(made({integer(8), integer(16), integer(1), real(0), integer(1)}).answer.reason ==
          "an input has a type that is not for it");
    CHECK(made({integer(8), operand::weight(tensor({2}, {std::int64_t(1), std::int64_t(2)})), integer(1), real(0),
                real(1)})
              .answer.reason == "an input is not a single element");
    CHECK(made({integer(8), integer(16), {}, real(0), real(1)}).answer.reason == "an input is missing");
    CHECK(run<op::mel_weight_matrix, device::reference>(
              {.inputs = {integer(8), integer(16), integer(8192), real(0), real(4096)},
               .with = of_type(element::f64),
               .outputs = {element::f32}})
              .answer.reason == "the output's type is not output_datatype");
    CHECK(made(8, 16, 0, 0, 4096).detail == "sample_rate is not positive");
    for (const auto& [lower, upper] : std::vector<std::pair<double, double>>{
             {-1, 4096}, {4096, 1}, {double(quiet_nan), 4096}, {0, double(quiet_nan)}})
        CHECK(made(8, 16, 8192, lower, upper).detail == "the edges are no range of frequencies");
    for (const double upper : {8192., 1e30, double(infinity)})
        CHECK(made(8, 16, 8192, 100, upper).detail == "a triangle is outside of the spectrum");
    // Sizes that are known in the run only.
    using kernel_of = kernel<op::mel_weight_matrix, device::reference, types<float>>;
    const tensor wrong = tensor(shape{}, {std::int64_t(9)}), length = tensor(shape{}, {std::int64_t(16)});
    const double edge = 0;
    std::vector<float> y(9 * 8);
    const void* const in[] = {wrong.data(), length.data(), length.data(), &edge, &edge};
    void* const out[] = {y.data()};
    context alone;
    CHECK(kernel_of::run({9, 8, {element::i64, element::i64, element::i64}, {element::f64, element::f64}}, {},
                         {in, out}, alone) == status::invalid_value);
}
