// Mirrors kernels/inlay/microsoft/maxpool_with_mask.hpp. Expected values: ONNX Runtime's.
#include "../../catch.hpp"
#include "../../run_on.hpp"
#include <cmath>
#include <on_test_devices/microsoft/maxpool_with_mask.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using numbers = std::vector<std::int64_t>;
struct window {
    numbers kernel, strides{}, pads{};
    std::string padding = "NOTSET";
};
outcome pooled(const tensor& x, const tensor& mask, const window& w) {
    return run<op::maxpool_with_mask, device::reference>(
        {{x, mask}, [=](graph_data& g) {
             std::vector<attribute> list{g.make("kernel_shape", std::span<const std::int64_t>(w.kernel)),
                                         g.make("auto_pad", std::string_view(w.padding))};
             if (!w.strides.empty()) list.push_back(g.make("strides", std::span<const std::int64_t>(w.strides)));
             if (!w.pads.empty()) list.push_back(g.make("pads", std::span<const std::int64_t>(w.pads)));
             return list;
         }});
}
tensor input(const shape& dims) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < dims.elements(); ++i) x.push_back(float(i * 7 % 23 - 9));
    return tensor(dims, x);
}
tensor mask(const shape& dims) {
    std::vector<std::int32_t> x;
    for (std::int64_t i = 0; i < dims.elements(); ++i) x.push_back(i * 5 % 7 > 1);
    return tensor(dims, x);
}
constexpr float least = std::numeric_limits<float>::lowest();
void check(const shape& x, const shape& m, const window& w, const shape& dims, const std::vector<float>& expected) {
    const auto y = pooled(input(x), mask(m), w);
    INFO(y.answer.reason);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    CHECK(y[0].shape() == dims);
    CHECK(elements<float>(y[0]) == expected);
}
}  // namespace

TEST_CASE("MaxpoolWithMask ends a line of its window at the first element that is masked") {
    check({1, 1, 4, 4}, {1, 1, 4, 4}, {{2, 2}}, {1, 1, 3, 3}, {3, 10, 10, 8, 10, 10, 13, 13, least});
    check({1, 1, 9}, {1, 1, 9}, {{3}}, {1, 1, 7}, {least, 5, 5, least, 10, 10, 10});
    check({1, 1, 3, 3, 3}, {1, 1, 3, 3, 3}, {{2, 2, 2}}, {1, 1, 2, 2, 2}, {13, 13, 13, 13, 13, 13, 13, 13});
}
TEST_CASE("The planes of MaxpoolWithMask's mask repeat") {
    check({1, 2, 5, 5}, {1, 1, 5, 5}, {{3, 3}, {2, 2}, {1, 1, 1, 1}}, {1, 2, 3, 3},
          {10, 10, 8, 11, 13, 13, 11, 11, 9, 12, 12, -1, 2, 13, 4, 7, 2, 5});
    check({2, 1, 4, 4}, {1, 1, 4, 4}, {{2, 2}, {2, 2}, {}, "SAME_UPPER"}, {2, 1, 2, 2},
          {3, 10, 13, least, 11, 7, 10, least});
    const tensor x = input({2, 2, 3, 3}), m = mask({2, 1, 3, 3});  // where ONNX Runtime begins within a plane
    const auto together = elements<float>(pooled(x, m, {{2, 2}})[0]);
    for (std::size_t plane = 0; plane < 4; ++plane) {
        const auto part = x.as<float>().subspan(9 * plane, 9);
        const auto of_mask = m.as<std::int32_t>().subspan(9 * (plane % 2), 9);
        const auto alone = elements<float>(
            pooled(tensor({1, 1, 3, 3}, std::vector<float>(part.begin(), part.end())),
                   tensor({1, 1, 3, 3}, std::vector<std::int32_t>(of_mask.begin(), of_mask.end())), {{2, 2}})[0]);
        for (std::size_t i = 0; i < 4; ++i) CHECK(together[4 * plane + i] == alone[i]);
    }
    CHECK(pooled(tensor(element::f32, {0, 2, 4}), tensor(element::i32, {0, 1, 4}), {{2}})[0].shape() == shape{0, 2, 3});
}
TEST_CASE("NaN is the most that MaxpoolWithMask finds") {
    const auto y =
        pooled(tensor({1, 1, 3}, {NAN, 1.f, 2.f}), tensor({1, 1, 3}, std::vector<std::int32_t>{1, 1, 1}), {{2}});
    CHECK(std::isnan(y[0].as<float>()[0]));
    CHECK(y[0].as<float>()[1] == 2);
}
TEST_CASE("Of two zeros MaxpoolWithMask finds the first") {
    for (const float first : {0.f, -0.f}) {
        const auto y =
            pooled(tensor({1, 1, 2}, {first, -first}), tensor({1, 1, 2}, std::vector<std::int32_t>{1, 1}), {{2}});
        CHECK(y[0].as<float>()[0] == 0);
        CHECK(std::signbit(y[0].as<float>()[0]) == std::signbit(first));
    }
}
TEST_CASE("MaxpoolWithMask refuses a mask that does not fit") {
    const tensor x = input({1, 2, 4});
    const auto reason_of = [&](const tensor& m) { return pooled(x, m, {{2}}).answer.reason; };
    CHECK(reason_of(mask({1, 1, 3})) == "the mask has other spatial axes than the input");
    CHECK(reason_of(mask({1, 1, 4, 1})) == "the mask has not the axes of the input");
    CHECK(reason_of(tensor(element::i32, {0, 1, 4})) == "the mask has no planes");
    CHECK(reason_of(tensor(element::i64, {1, 1, 4})) == "the mask must be of 32-bit integers");
    CHECK(!pooled(x, mask({1, 1, 4}), {{2, 2}}).answer);
}
