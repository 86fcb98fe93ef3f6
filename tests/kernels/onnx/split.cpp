#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/split.hpp>
#include <on_test_devices/onnx/split.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
call into(const tensor& x, std::int64_t axis, const std::vector<std::int64_t>& lengths) {
    call c{{x, tensor({std::int64_t(lengths.size())}, lengths)}, integer("axis", axis)};
    c.outputs = std::vector(lengths.size(), x.type());
    return c;
}
call equally(const tensor& x, int parts, int version, bool count = false) {
    call c{{x}};
    if (count) c.with = integer("num_outputs", parts);
    c.outputs = std::vector(std::size_t(parts), x.type());
    c.version = version;
    return c;
}
outcome split(const call& c) { return run<op::split, device::reference>(c); }
}  // namespace

TEST_CASE("Split cuts along an axis") {
    const outcome y = split(into(numbers({2, 3}), -1, {2, 0, 1}));
    REQUIRE(y.answer);
    CHECK(same(y[0], tensor({2, 2}, {0.f, 1.f, 3.f, 4.f})));
    CHECK(y[1].shape() == shape{2, 0});
    CHECK(same(y[2], tensor({2, 1}, {2.f, 5.f})));
    call old{{numbers({3})}, integers("split", {1, 2})};
    old.outputs = {element::f32, element::f32};
    old.version = 11;
    CHECK(same(split(old)[1], tensor(shape{2}, {1.f, 2.f})));
    call oldest{{numbers({3}), tensor(shape{2}, {1.f, 2.f})}};  // lengths in the input's type
    oldest.outputs = old.outputs;
    oldest.version = 1;
    CHECK(same(split(oldest)[1], tensor(shape{2}, {1.f, 2.f})));
}
TEST_CASE("Split makes equal parts, of which the last may be shorter since version 18") {
    for (const int version : {2, 11, 13}) {
        CHECK(same(split(equally(numbers({4}), 2, version))[1], tensor(shape{2}, {2.f, 3.f})));
        CHECK(split(equally(numbers({5}), 2, version)).answer.reason == "the axis does not divide into equal parts");
    }
    CHECK(same(split(equally(numbers({5}), 2, 18, true))[1], tensor(shape{2}, {3.f, 4.f})));
    const outcome y = split(equally(numbers({5}), 4, 18, true));  // 2, 2, 1 and nothing
    CHECK(same(y[2], tensor(shape{1}, {4.f})));
    CHECK(y[3].shape() == shape{0});
}
TEST_CASE("Split skips absent outputs") {
    call c = into(numbers({6}), 0, {2, 3, 1});
    c.outputs[1] = element::undefined;
    const outcome y = split(c);
    CHECK(same(y[0], tensor(shape{2}, {0.f, 1.f})));
    CHECK(!y[1]);
    CHECK(same(y[2], tensor(shape{1}, {5.f})));
}
TEST_CASE("Split refuses lengths that do not fit") {
    CHECK(split(into(numbers({3}), 0, {1, 1})).answer.reason == "the lengths do not add up to the axis");
    CHECK(split(into(numbers({3}), 0, {4, -1})).answer.reason == "a length is negative or too large");
    CHECK(split(into(numbers({3}), 1, {3})).answer.reason == "axis is out of range");
    call c = into(numbers({3}), 0, {1, 2});
    c.outputs.push_back(element::f32);
    CHECK(split(c).answer.reason == "split has another length than there are outputs");
    c = equally(numbers({4}), 2, 18, true);
    c.outputs.push_back(element::f32);
    CHECK(split(c).answer.reason == "num_outputs is not the number of outputs");
}
TEST_CASE("Split moves every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 5});
        const call c = into(x, 1, {3, 2});
        const outcome y = split(c);
        REQUIRE(y.answer);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 5; ++j)
                CHECK(bits_at(x, i * 5 + j) == (j < 3 ? bits_at(y[0], i * 3 + j) : bits_at(y[1], i * 2 + j - 3)));
        if (bits_of(e) >= 8 && e != element::string) CHECK(cpu_agrees<op::split>(c));
    }
}
TEST_CASE("Split on the CPU agrees with the reference kernel along every axis") {
    for (std::int64_t length = 0; length <= 67; ++length)
        for (const int axis : {0, 1, 2, 3}) {
            CAPTURE(length, axis);
            shape s{2, 3, 4, 5};
            s[axis] = 2 * length + 3;
            CHECK(cpu_agrees<op::split>(into(noise(element::f32, s), axis, {length, 3, length})));
            call c = into(noise(element::u8, s), axis, {length, length, 3});
            c.outputs[1] = element::undefined;
            CHECK(cpu_agrees<op::split>(c));
        }
    CHECK(cpu_agrees<op::split>(into(noise(element::f32, {3, 97, 31, 29}), 1, {40, 57})));
}
