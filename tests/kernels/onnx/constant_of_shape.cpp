#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/onnx/constant_of_shape.hpp>
#include <on_test_devices/onnx/constant_of_shape.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome filled(const tensor& dims, std::optional<tensor> value = {}) {
    call c{{dims}};
    if (value) c.with = [=](graph_data& g) { return std::vector{g.make("value", *value)}; };
    c.outputs = {value ? value->type() : element::f32};
    return run<op::constant_of_shape, device::reference>(c);
}
}  // namespace

TEST_CASE("ConstantOfShape gives zeros unless another value is given") {
    CHECK(same(filled(list({2, 3}))[0], tensor(element::f32, {2, 3})));
    CHECK(same(filled(list({3}), tensor(shape{1}, {-1.5f}))[0], tensor(shape{3}, {-1.5f, -1.5f, -1.5f})));
    CHECK(same(filled(tensor(element::i64, {0}), tensor(shape{1}, {2.f}))[0], tensor(shape{}, {2.f})));
    CHECK(filled(list({2, 0}))[0].shape() == shape{2, 0});
}
TEST_CASE("ConstantOfShape repeats a value of every type that it may have") {
    for (const element e : tensor_types) {
        if (e == element::string || bits_of(e) > 64 || e == element::c64) continue;
        CAPTURE(name_of(e));
        tensor value(e, {1});
        static_cast<std::uint8_t*>(value.data())[(bits_of(e) + 7) / 8 - 1] = e == element::boolean ? 1
                                                                             : bits_of(e) < 8      ? 1
                                                                                                   : 0x45;
        const outcome y = filled(list({13}), value);
        REQUIRE(y.answer);
        for (int i = 0; i < 13; ++i) CHECK(bits_at(y[0], i) == bits_at(value, 0));
        call c{{list({13})}, [=](graph_data& g) { return std::vector{g.make("value", value)}; }};
        c.outputs = {e};
        CHECK(devices_agree<op::constant_of_shape>(c));
    }
}
TEST_CASE("ConstantOfShape refuses shapes and values that are none") {
    CHECK(filled(list({2, -1})).answer.reason == "a dimension is negative");
    CHECK(filled(list({1, 1, 1, 1, 1, 1, 1, 1, 1})).answer.reason == "the output has more than 8 dimensions");
    CHECK(filled(list({std::int64_t(1) << 60})).answer.reason == "the output is too large");
    CHECK(filled(list({2}), numbers({2})).answer.reason == "the value is not a single element");
    CHECK(filled(tensor({1, 1}, {std::int64_t(2)})).answer.reason == "the shape is not a list");
}
