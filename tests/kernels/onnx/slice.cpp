#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/slice.hpp>
#include <on_test_devices/onnx/slice.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using numbers_of = std::vector<std::int64_t>;
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       most = std::numeric_limits<std::int64_t>::max();
operand optional(const numbers_of& v) { return v.empty() ? operand{} : operand{tensor({std::int64_t(v.size())}, v)}; }
call cut(const tensor& x, const numbers_of& starts, const numbers_of& ends, const numbers_of& axes = {},
         const numbers_of& steps = {}) {
    return {{x, optional(starts), optional(ends), optional(axes), optional(steps)}};
}
outcome slice(const call& c) { return run<op::slice, device::reference>(c); }
std::vector<float> of_five(std::int64_t start, std::int64_t end, std::int64_t step) {
    const outcome y = slice(cut(numbers({5}), {start}, {end}, {0}, {step}));
    INFO(y.answer.reason);
    REQUIRE(y.answer);
    const auto s = y[0].as<float>();
    return {s.begin(), s.end()};
}
}  // namespace

TEST_CASE("Slice clamps its bounds and counts negative ones from the end") {
    using v = std::vector<float>;
    CHECK(of_five(1, 4, 1) == v{1, 2, 3});
    CHECK(of_five(-4, -1, 2) == v{1, 3});
    CHECK(of_five(3, most, 1) == v{3, 4});
    CHECK(of_five(least, 2, 1) == v{0, 1});
    CHECK(of_five(0, 5, most) == v{0});
    CHECK(of_five(4, 2, 1) == v{});
    CHECK(of_five(7, 9, 1) == v{});
    CHECK(of_five(-1, least, -1) == v{4, 3, 2, 1, 0});
    CHECK(of_five(most, least, -2) == v{4, 2, 0});
    CHECK(of_five(3, 0, -1) == v{3, 2, 1});
    CHECK(of_five(4, 0, least) == v{4});
    CHECK(of_five(1, 3, -1) == v{});
    CHECK(of_five(least, least, -1) == v{0});
}
TEST_CASE("Slice cuts several axes") {
    const tensor x = numbers({3, 4});
    CHECK(same(slice(cut(x, {1, 0}, {3, 3}))[0], tensor({2, 3}, {4.f, 5.f, 6.f, 8.f, 9.f, 10.f})));
    CHECK(same(slice(cut(x, {-1, 2}, {least, 3}, {1, 0}, {-3, 1}))[0], tensor({1, 2}, {11.f, 8.f})));
    CHECK(slice(cut(numbers({0, 4}), {-1}, {least}, {0}, {-1}))[0].shape() == shape{0, 4});
    call small{{x, tensor(shape{1}, {std::int32_t(1)}), tensor(shape{1}, {std::int32_t(2)})}};
    CHECK(same(slice(small)[0], tensor({1, 4}, {4.f, 5.f, 6.f, 7.f})));
    call old{{x}, [](graph_data& g) {
                 const std::int64_t starts[] = {1}, ends[] = {1000}, axes[] = {1};
                 const auto make = [&](std::string_view name, std::span<const std::int64_t> x) {
                     return g.make(name, x);
                 };
                 return std::vector{make("starts", starts), make("ends", ends), make("axes", axes)};
             }};
    old.version = 1;
    CHECK(slice(old)[0].shape() == shape{3, 3});
}
TEST_CASE("Slice refuses what it cannot cut") {
    const tensor x = numbers({3, 4});
    CHECK(slice(cut(x, {0}, {1}, {0}, {0})).answer.reason == "a step is 0");
    CHECK(slice(cut(x, {0}, {1}, {2})).answer.reason == "an axis is out of range");
    CHECK(slice(cut(x, {0, 0}, {1, 1}, {1, -1})).answer.reason == "an axis is given twice");
    CHECK(slice(cut(x, {0}, {1, 1})).answer.reason == "starts, ends, axes and steps differ in length");
    CHECK(slice(cut(x, {0}, {})).answer.reason == "starts or ends are missing");
}
TEST_CASE("Slice moves every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 7});
        const call c = cut(x, {2, -1}, {least, 0}, {0, 1}, {-1, -2});
        const outcome y = slice(c);
        REQUIRE(y.answer);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) CHECK(bits_at(y[0], i * 3 + j) == bits_at(x, (2 - i) * 7 + 6 - 2 * j));
        if (bits_of(e) >= 8 && e != element::string) CHECK(cpu_agrees<op::slice>(c));
    }
}
TEST_CASE("Slice on the CPU agrees with the reference kernel") {
    for (std::int64_t n = 0; n <= 67; ++n)
        for (const std::int64_t axis : {0, 1, 2, 3}) {
            CAPTURE(n, axis);
            shape s{2, 3, 4, 5};
            s[int(axis)] = n + 3;
            const tensor x = noise(element::f32, s);
            CHECK(cpu_agrees<op::slice>(cut(x, {1}, {-1}, {axis})));
            CHECK(cpu_agrees<op::slice>(cut(x, {-1}, {0}, {axis}, {-2})));
            CHECK(cpu_agrees<op::slice>(cut(x, {n / 2, 1}, {most, 3}, {axis, (axis + 1) % 4}, {2, 1})));
        }
    CHECK(cpu_agrees<op::slice>(
        cut(noise(element::f32, {1, 30, 66, 65}), {1, 0, 63}, {most, 64, least}, {2, 1, 3}, {2, 1, -1})));
}
