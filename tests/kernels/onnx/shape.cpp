#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/onnx/shape.hpp>
#include <on_test_devices/onnx/shape.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::vector<std::int64_t> dims(
    const tensor& x, attributes with = [](graph_data&) { return std::vector<attribute>{}; }) {
    call c{{x}, with};
    c.outputs = {element::i64};
    const outcome y = run<op::shape_of, device::reference>(c);
    REQUIRE(y.answer);
    CHECK(devices_agree<op::shape_of>(c));
    const auto s = y[0].as<std::int64_t>();
    return {s.begin(), s.end()};
}
attributes between(std::int64_t start, std::int64_t end) {
    return [=](graph_data& g) { return std::vector{g.make("start", start), g.make("end", end)}; };
}
}  // namespace

TEST_CASE("Shape gives the dimensions of every element type") {
    using v = std::vector<std::int64_t>;
    for (const element e : tensor_types) CHECK(dims(tensor(e, {2, 0, 3})) == v{2, 0, 3});
    CHECK(dims(numbers({})) == v{});
}
TEST_CASE("Shape clamps start and end") {
    using v = std::vector<std::int64_t>;
    const tensor x = numbers({2, 3, 4});
    CHECK(dims(x, integer("start", 1)) == v{3, 4});
    CHECK(dims(x, integer("end", -1)) == v{2, 3});
    CHECK(dims(x, between(-2, 2)) == v{3});
    CHECK(dims(x, between(-9, 9)) == v{2, 3, 4});
    CHECK(dims(x, between(2, 1)) == v{});
    CHECK(dims(x, between(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max())) ==
          v{2, 3, 4});
}
TEST_CASE("Size counts the elements of every element type") {
    const auto size = [](const tensor& x) {
        const outcome y = run<op::size_of, device::reference>({.inputs = {x}, .outputs = {element::i64}});
        REQUIRE(y.answer);
        CHECK(y[0].shape() == shape{});
        return y[0].as<std::int64_t>()[0];
    };
    for (const element e : tensor_types) CHECK(size(tensor(e, {2, 3, 5})) == 30);
    CHECK(size(numbers({})) == 1);
    CHECK(size(numbers({2, 0})) == 0);
}
