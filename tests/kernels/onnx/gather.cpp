#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/gather.hpp>
#include <on_test_devices/onnx/gather.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome gather(const tensor& x, const tensor& indices, std::int64_t axis = 0) {
    return run<op::gather, device::reference>({{x, indices}, integer("axis", axis)});
}
}  // namespace

TEST_CASE("Gather looks up rows") {
    const tensor x = numbers({3, 2});
    CHECK(same(gather(x, list({2, 0, -1}))[0], tensor({3, 2}, {4.f, 5.f, 0.f, 1.f, 4.f, 5.f})));
    CHECK(same(gather(x, tensor({1, 2}, {std::int32_t(1), std::int32_t(-2)}), -1)[0],
               tensor({3, 1, 2}, {1.f, 0.f, 3.f, 2.f, 5.f, 4.f})));
    CHECK(same(gather(x, tensor(shape{}, {std::int64_t(1)}))[0], tensor(shape{2}, {2.f, 3.f})));
    CHECK(gather(x, tensor(element::i64, {0}), 1)[0].shape() == shape{3, 0});
    CHECK(gather(numbers({3, 0}), list({1}))[0].shape() == shape{1, 0});
}
TEST_CASE("Gather reports indices out of range") {
    for (const std::int64_t index : {std::int64_t(3), std::int64_t(-4), std::numeric_limits<std::int64_t>::min()}) {
        call c{{numbers({3, 2}), list({0, index})}};
        CHECK(run<op::gather, device::reference>(c).code == status::invalid_value);
        CHECK(run<op::gather, device::cpu>(c).detail == "an index is out of range");
    }
    CHECK(gather(numbers({0, 2}), list({0})).code == status::invalid_value);
    CHECK(gather(numbers({3}), list({0}), 1).answer.reason == "axis is out of range");
    CHECK(gather(numbers({}), list({0})).answer.reason == "axis is out of range");
    CHECK(gather(numbers({1, 1, 1, 1, 1, 1, 1}), tensor({1, 1, 1}, {std::int64_t(0)})).answer.reason ==
          "the output has more than 8 dimensions");
    CHECK(gather(numbers({3}), numbers({1})).answer.reason == "the indices are neither int32 nor int64");
}
TEST_CASE("Gather moves every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {2, 3, 3});
        const outcome y = gather(x, list({2, 0, 2}), 1);
        REQUIRE(y.answer);
        for (int o = 0; o < 2; ++o)
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    CHECK(bits_at(y[0], (o * 3 + i) * 3 + k) == bits_at(x, (o * 3 + (i == 1 ? 0 : 2)) * 3 + k));
        if (bits_of(e) >= 8 && e != element::string)
            CHECK(cpu_agrees<op::gather>({{x, list({2, 0, 2})}, integer("axis", 1)}));
    }
}
TEST_CASE("Gather on the CPU agrees with the reference kernel for every length of a row") {
    for (std::int64_t n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor indices(element::i32, {5, 7});
        for (std::size_t i = 0; i < 35; ++i) indices.as<std::int32_t>()[i] = std::int32_t(i * 11 % 13) - 6;
        CHECK(cpu_agrees<op::gather>({{noise(element::f32, {7, n}), indices}}));
        CHECK(cpu_agrees<op::gather>({{noise(element::f32, {3, 7, n}), indices}, integer("axis", 1)}));
        CHECK(cpu_agrees<op::gather>({{noise(element::u8, {n, 7}), indices}, integer("axis", 1)}));
    }
    CHECK(cpu_agrees<op::gather>({{noise(element::f32, {3, 50000}), list({1})}}));
    CHECK(cpu_agrees<op::gather>({{noise(element::f32, {30, 384}), list({1, 29, 3, 3, -1, 0, 7, 19})}}));
}
