#include "../../catch.hpp"
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/eye_like.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome eye(const tensor& x, std::int64_t k) { return run_everywhere<op::eye_like>({{x}, integer("k", k)}); }
outcome eye_of(const tensor& x, element requested, element out) {
    return run_everywhere<op::eye_like>(
        {.inputs = {x}, .with = integer("dtype", std::int64_t(requested)), .outputs = {out}});
}
}  // namespace

TEMPLATE_TEST_CASE("EyeLike has ones on a diagonal, in the type of the input or in another one", "", float, double,
                   float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, bool) {
    const auto expected = [](std::initializer_list<double> v) {
        return elementwise::list<TestType>(v).reshaped({2, 3});
    };
    const tensor x = noise(element_of<TestType>, {2, 3});
    CHECK(same(run_everywhere<op::eye_like>({{x}})[0], expected({1, 0, 0, 0, 1, 0})));
    CHECK(same(eye(x, 1)[0], expected({0, 1, 0, 0, 0, 1})));
    CHECK(same(eye(x, -1)[0], expected({0, 0, 0, 1, 0, 0})));
    for (const std::int64_t k : {std::int64_t(3), std::int64_t(-2), std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max()})
        CHECK(same(eye(x, k)[0], expected({0, 0, 0, 0, 0, 0})));
    CHECK(same(eye_of(numbers({2, 3}), element_of<TestType>, element_of<TestType>)[0], expected({1, 0, 0, 0, 1, 0})));
}
TEST_CASE("EyeLike of empty matrices, and what it refuses") {
    CHECK(eye(numbers({0, 3}), 0)[0].shape() == shape{0, 3});
    CHECK(eye(numbers({3, 0}), 0)[0].shape() == shape{3, 0});
    CHECK(eye(numbers({3}), 0).answer.reason == "the input is no matrix");
    CHECK(eye_of(numbers({2, 2}), element::i32, element::f32).answer.reason ==
          "the output's type is not dtype, or the input's");
    CHECK(eye_of(numbers({2, 2}), element::string, element::string).answer.reason == "no kernel for these types");
}
