#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/pad.hpp>
#include <on_test_devices/onnx/pad.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using numbers_of = std::vector<std::int64_t>;
tensor as_tensor(const numbers_of& v) { return tensor({std::int64_t(v.size())}, v); }
attributes in_mode(std::string_view mode) {
    return [=](graph_data& g) { return std::vector{g.make("mode", mode)}; };
}
call padded(const tensor& x, const numbers_of& pads, std::string_view mode = "constant", operand constant = {},
            operand axes = {}) {
    return {{x, as_tensor(pads), std::move(constant), std::move(axes)}, in_mode(mode)};
}
outcome pad(const call& c) { return run<op::pad, device::reference>(c); }
std::vector<float> of_four(const numbers_of& pads, std::string_view mode) {  // 0, 1, 2, 3
    const outcome y = pad(padded(numbers({4}), pads, mode));
    INFO(y.answer.reason);
    REQUIRE(y.answer);
    return elements<float>(y[0]);
}
std::string_view refused(const call& c) { return pad(c).answer.reason; }
}  // namespace

TEST_CASE("Pad puts a constant around the input, 0 unless given") {
    const tensor x = numbers({2, 2});
    CHECK(same(pad(padded(x, {0, 1, 1, 0}))[0], tensor({3, 3}, {0.f, 0.f, 1.f, 0.f, 2.f, 3.f, 0.f, 0.f, 0.f})));
    CHECK(same(pad(padded(x, {1, 0, 0, 2}, "constant", tensor(shape{}, {9.f})))[0],
               tensor({3, 4}, {9.f, 9.f, 9.f, 9.f, 0.f, 1.f, 9.f, 9.f, 2.f, 3.f, 9.f, 9.f})));
    CHECK(same(pad(padded(numbers({}), {}))[0], numbers({})));
    CHECK(same(pad(padded(numbers({0, 2}), {1, 0, 0, 1}, "constant", tensor(shape{1}, {5.f})))[0],
               tensor({1, 3}, {5.f, 5.f, 5.f})));
}
TEST_CASE("Pad mirrors, repeats the edge, or wraps around, as often as it must") {
    using v = std::vector<float>;
    CHECK(of_four({2, 1}, "reflect") == v{2, 1, 0, 1, 2, 3, 2});
    CHECK(of_four({7, 4}, "reflect") == v{1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1});
    CHECK(of_four({2, 3}, "edge") == v{0, 0, 0, 1, 2, 3, 3, 3, 3});
    CHECK(of_four({5, 2}, "wrap") == v{3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1});
    CHECK(same(pad(padded(numbers({1}), {1, 2}, "reflect"))[0], tensor(shape{4}, {0.f, 0.f, 0.f, 0.f})));
    CHECK(same(pad(padded(numbers({2, 2}), {1, 0, 0, 1}, "reflect"))[0],
               tensor({3, 3}, {2.f, 3.f, 2.f, 0.f, 1.f, 0.f, 2.f, 3.f, 2.f})));
}
TEST_CASE("Negative pads take away, before anything is mirrored or repeated") {
    using v = std::vector<float>;
    CHECK(of_four({-1, 0}, "constant") == v{1, 2, 3});
    CHECK(of_four({-1, -2}, "constant") == v{1});
    CHECK(of_four({1, -2}, "constant") == v{0, 0, 1});
    CHECK(of_four({-6, 4}, "constant") == v{0, 0});
    CHECK(of_four({4, -6}, "constant") == v{0, 0});
    CHECK(of_four({-4, 0}, "edge") == v{});
    CHECK(of_four({-1, 2}, "wrap") == v{1, 2, 3, 1, 2});
    CHECK(of_four({-2, 2}, "reflect") == v{2, 3, 2, 3});
    CHECK(of_four({2, -1}, "edge") == v{0, 0, 0, 1, 2});
}
TEST_CASE("Pad of some axes only, which may count from the end") {
    const tensor x = numbers({1, 2, 2}), expected({1, 2, 3}, {7.f, 0.f, 1.f, 7.f, 2.f, 3.f}), seven(shape{}, {7.f});
    CHECK(same(pad(padded(x, {1, 0}, "constant", seven, list({-1})))[0], expected));
    CHECK(same(pad(padded(x, {1, 0, 0, 0}, "constant", seven, tensor({2}, {std::int32_t(2), std::int32_t(0)})))[0],
               expected));
    CHECK(same(pad(padded(x, {}, "edge", {}, as_tensor({})))[0], x));
}
TEST_CASE("Pad before version 11 has attributes") {
    for (const int version : {1, 2}) {
        CAPTURE(version);
        call old{{numbers({2})}, [=](graph_data& g) {
                     const std::int64_t pads[] = {1, 1};
                     return std::vector{g.make(version == 1 ? "paddings" : "pads", std::span<const std::int64_t>(pads)),
                                        g.make("value", 1.5)};
                 }};
        old.version = version;
        CHECK(same(pad(old)[0], tensor({4}, {1.5f, 0.f, 1.f, 1.5f})));
        CHECK(cpu_agrees<op::pad>(old));
        old.inputs = {tensor({1}, {2.})};
        CHECK(same(pad(old)[0], tensor({3}, {1.5, 2., 1.5})));
        old.inputs = {tensor({1}, {float16(2.f)})};
        CHECK(same(pad(old)[0], tensor({3}, {float16(1.5f), float16(2.f), float16(1.5f)})));
        old.inputs = {list({2})};
        CHECK(refused(old) == "before version 11 only floats are padded");
    }
}
TEST_CASE("Pad refuses what it cannot pad") {
    const tensor x = numbers({2, 3});
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    CHECK(refused(padded(x, {0, 0, 0, 0}, "symmetric")) == "mode is none of constant, reflect, edge, wrap");
    CHECK(refused({{x}, in_mode("edge")}) == "there are no pads");
    CHECK(refused(padded(x, {1, 1})) == "there are not two pads for each axis");
    CHECK(refused(padded(x, {1, 1}, "edge", {}, list({2}))) == "an axis is out of range");
    CHECK(refused(padded(x, {1, 1, 1, 1}, "edge", {}, list({1, -1}))) == "an axis is given twice");
    CHECK(refused(padded(x, {-2, 0, -1, 0})) == "more is taken away than an axis has");
    CHECK(refused(padded(x, {-2, 0, 1, 0}, "edge")) == "an axis has nothing to be mirrored or repeated");
    CHECK(refused(padded(numbers({0}), {1, 0}, "wrap")) == "an axis has nothing to be mirrored or repeated");
    CHECK(refused(padded(x, {0, 0, 0, 0}, "constant", numbers({2}))) == "the constant is not a single element");
    for (const std::int64_t pads : {least, most})
        CHECK(refused(padded(x, {0, 0, pads, 0})) == "the output is too large");
    CHECK(refused(padded(x, {std::int64_t(1) << 40, std::int64_t(1) << 40, 0, 0})) == "the output is too large");
    call late = padded(x, {0, 0, 0, 0});
    late.inputs[1] = numbers({4});  // float32 numbers are no pads, and never known
    CHECK(refused(late) == "pads and axes must be known before the run");
}
TEST_CASE("Pad moves every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {2, 3}), around = noise(e, {}, 7);
        const outcome constant_pad = pad(padded(x, {1, 2, 0, 1}, "constant", around)),
                      zero_pad = pad(padded(x, {1, 2, 0, 1})), mirrored = pad(padded(x, {1, 2, 0, 1}, "reflect"));
        REQUIRE((constant_pad.answer && zero_pad.answer && mirrored.answer));
        const std::string zero = e == element::string ? std::string() : std::string(std::max(bits_of(e) / 8, 1), '\0');
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 6; ++j) {
                const bool inside = i >= 1 && j >= 2 && j < 5;
                const int column = j < 2 ? 2 - j : j < 5 ? j - 2 : 1;
                CHECK(bits_at(constant_pad[0], i * 6 + j) ==
                      (inside ? bits_at(x, (i - 1) * 3 + j - 2) : bits_at(around, 0)));
                CHECK(bits_at(zero_pad[0], i * 6 + j) == (inside ? bits_at(x, (i - 1) * 3 + j - 2) : zero));
                CHECK(bits_at(mirrored[0], i * 6 + j) == bits_at(x, (i == 1 ? 0 : 1) * 3 + column));
            }
        if (bits_of(e) >= 8 && e != element::string)
            for (const std::string_view mode : {"constant", "reflect"})
                CHECK(cpu_agrees<op::pad>(padded(x, {1, 2, 0, 1}, mode, around)));
    }
}
TEST_CASE("Pad on the CPU agrees with the reference kernel along every axis") {
    for (const std::string_view mode : {"constant", "reflect", "edge", "wrap"})
        for (std::int64_t n = 1; n <= 35; ++n)
            for (const int axis : {0, 1, 2, 3}) {
                CAPTURE(mode, n, axis);
                shape s{2, 3, 4, 5};
                s[axis] = n;
                const tensor x = noise(element::f32, s);
                numbers_of pads(8);
                pads[std::size_t(axis)] = n % 4;
                pads[std::size_t(axis) + 4] = 3 - n % 5;
                CHECK(cpu_agrees<op::pad>(padded(x, pads, mode, noise(element::f32, {}, 3))));
                pads[std::size_t(axis + 1) % 4] = 2;
                pads[std::size_t(axis + 2) % 4 + 4] = n % 3;
                CHECK(cpu_agrees<op::pad>(padded(x, pads, mode)));
            }
}
TEST_CASE("Pad on the CPU shares large tensors among threads") {
    for (const std::string_view mode : {"constant", "reflect", "edge", "wrap"}) {
        CHECK(cpu_agrees<op::pad>(padded(noise(element::f32, {1, 16, 33, 31}), {0, 0, 3, 3, 0, 0, 3, 2}, mode)));
        CHECK(
            cpu_agrees<op::pad>(padded(noise(element::f16, {2, 3, 4, 90, 7}), {0, 1, 0, 5, -1, 1, 0, 0, -2, 0}, mode)));
        CHECK(cpu_agrees<op::pad>(padded(noise(element::u8, {70001}), {3, 5}, mode)));
        CHECK(cpu_agrees<op::pad>(padded(noise(element::f32, {2, 64, 9, 9}), {0, 1, 0, 0, 0, 2, 0, 0}, mode)));
        CHECK(cpu_agrees<op::pad>(padded(noise(element::f32, {40, 500}), {0, 0, 0, 0}, mode)));
    }
    CHECK(cpu_agrees<op::pad>(padded(noise(element::f32, {2, 0, 9}), {1, 4, 1, 1, 0, 0})));
    CHECK(cpu_agrees<op::pad>(padded(noise(element::f32, {2, 3, 9}), {-1, -3, 1, 0, 0, 0})));
}
