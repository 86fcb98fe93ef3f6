// Mirrors kernels/inlay/onnx/bit_cast.hpp.
#include "../moving.hpp"
#include <inlay/onnx/bit_cast.hpp>
#include <cstring>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome cast(const tensor& x, element to) {
    return run<op::bit_cast, device::reference>(
        {.inputs = {x}, .with = integer("to", std::int64_t(to)), .outputs = {to}});
}
}  // namespace

TEST_CASE("BitCast keeps the bits between all types of one size") {
    for (const element from : tensor_types)
        for (const element to : tensor_types) {
            CAPTURE(name_of(from), name_of(to));
            const tensor x = noise(from, {3, 5});
            const outcome y = cast(x, to);
            if (from == element::string || to == element::string || bits_of(from) != bits_of(to)) {
                CHECK(!y.answer);
                continue;
            }
            INFO(y.answer.reason);
            REQUIRE(y.answer);
            REQUIRE(y.code == status::ok);
            CHECK(y[0].type() == to);
            CHECK(y[0].shape() == shape{3, 5});
            if (to != element::boolean || from == to)
                CHECK(std::memcmp(y[0].data(), x.data(), std::size_t(x.bytes())) == 0);
        }
}
TEST_CASE("BitCast of floats to integers and back, of a scalar and of nothing") {
    const outcome y = cast(tensor({3}, {1.f, -0.f, 0.5f}), element::i32);
    REQUIRE(y.code == status::ok);
    CHECK(elements<std::int32_t>(y[0]) ==
          std::vector<std::int32_t>{0x3f800000, std::numeric_limits<std::int32_t>::min(), 0x3f000000});
    CHECK(elements<float>(cast(y[0], element::f32)[0]) == std::vector<float>{1, 0, .5});
    CHECK(cast(tensor(shape{}, {2.}), element::u64)[0].as<std::uint64_t>()[0] == 0x4000000000000000u);
    CHECK(cast(tensor(element::f16, {0, 3}), element::i16)[0].shape() == shape{0, 3});
}
TEST_CASE("BitCast to bool makes 1 of every pattern but 0") {
    const outcome y =
        cast(tensor({4}, {std::uint8_t(0), std::uint8_t(1), std::uint8_t(2), std::uint8_t(255)}), element::boolean);
    REQUIRE(y.code == status::ok);
    CHECK(std::memcmp(y[0].data(), "\0\1\1\1", 4) == 0);
}
TEST_CASE("BitCast refuses types of another size, strings, numbers that are no types, and an output of another type") {
    const auto reason_of = [](const outcome& o) { return o.answer.reason; };
    CHECK(reason_of(cast(numbers({2}), element::f64)) == "the elements of the type `to` have another size");
    CHECK(reason_of(cast(numbers({2}), element::string)) == "`to` is no type of elements that are bits");
    const auto numbered = [](std::int64_t to) {
        return run<op::bit_cast, device::reference>(
                   {.inputs = {numbers({2})}, .with = integer("to", to), .outputs = {element::i32}})
            .answer.reason;
    };
    for (const std::int64_t to : {0, -1, 1000, int(element::object)})
        CHECK(numbered(to) == "`to` is no type of elements that are bits");
    CHECK(numbered(std::int64_t(element::u32)) == "the output's type is not `to`");
}
