// Mirrors kernels/inlay/microsoft/unfold_tensor.hpp.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/unfold_tensor.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
call windows(const tensor& x, std::int64_t dim, std::int64_t size, std::int64_t step) {
    return {.inputs = {x},
            .with = quantization::with({{"dim", dim}, {"size", size}, {"step", step}}),
            .outputs = {x.type()}};
}
}  // namespace

TEST_CASE("UnfoldTensor gives each window a last axis") {
    for (element e : {element::f32, element::u8, element::i64, element::f16}) {
        const tensor x = ramp({2, 3, 4}, 1, 100, 1, 0, e);
        const outcome y = on_plain<op::unfold_tensor>(windows(x, 1, 2, 1));
        REQUIRE(y.answer);
        CHECK(y[0].shape() == shape{2, 2, 4, 2});
        CHECK(numbers(y[0]) == real_numbers{0,  4,  1,  5,  2,  6,  3,  7,  4,  8,  5,  9,  6,  10, 7,  11,
                                            12, 16, 13, 17, 14, 18, 15, 19, 16, 20, 17, 21, 18, 22, 19, 23});
        CHECK(numbers(on_plain<op::unfold_tensor>(windows(x, -1, 2, 3))[0]) ==
              real_numbers{0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21});
    }
    const tensor words({3}, std::vector<std::string>{"a", "b", "c"});
    CHECK(on_plain<op::unfold_tensor>(windows(words, 0, 2, 1))[0].as<std::string>()[3] == "c");
}
TEST_CASE("UnfoldTensor refuses windows that do not fit") {
    const auto reason = [](const call& c) { return reason_of<op::unfold_tensor>(c); };
    const tensor x = ramp({2, 3}, 1, 100, 1, 0);
    CHECK(reason(windows(x, 2, 1, 1)) == "dim is out of range");
    CHECK(reason(windows(x, 1, 4, 1)) == "size must be positive, and not more than the axis has");
    CHECK(reason(windows(x, 1, 0, 1)) == "size must be positive, and not more than the axis has");
    CHECK(reason(windows(x, 1, 1, 0)) == "step must be positive");
}
