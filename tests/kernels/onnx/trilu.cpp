#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/trilu.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome trilu(const tensor& x, operand k, bool upper, int threads = 1) {
    return run_everywhere<op::trilu>(
        {.inputs = {x, std::move(k)}, .with = integer("upper", upper), .threads = threads});
}
tensor number(std::int64_t k) { return tensor(shape{}, {k}); }
}  // namespace

TEST_CASE("Trilu keeps what is above a diagonal, or below it") {
    const tensor x({3, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f});
    CHECK(same(trilu(x, {}, true)[0], tensor({3, 3}, {1.f, 2.f, 3.f, 0.f, 5.f, 6.f, 0.f, 0.f, 9.f})));
    CHECK(same(run_everywhere<op::trilu>({{x}})[0], trilu(x, number(0), true)[0]));
    CHECK(same(trilu(x, number(1), true)[0], tensor({3, 3}, {0.f, 2.f, 3.f, 0.f, 0.f, 6.f, 0.f, 0.f, 0.f})));
    CHECK(same(trilu(x, number(-1), true)[0], tensor({3, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 0.f, 8.f, 9.f})));
    CHECK(same(trilu(x, {}, false)[0], tensor({3, 3}, {1.f, 0.f, 0.f, 4.f, 5.f, 0.f, 7.f, 8.f, 9.f})));
    CHECK(same(trilu(x, number(1), false)[0], tensor({3, 3}, {1.f, 2.f, 0.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f})));
    CHECK(same(trilu(x, number(-2), false)[0], tensor({3, 3}, {0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 7.f, 0.f, 0.f})));
}
TEST_CASE("Trilu of diagonals that a matrix does not have, and of no matrix") {
    const tensor x = numbers({2, 3}), zeros(element::f32, {2, 3});
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    CHECK((same(trilu(x, number(most), true)[0], zeros) && same(trilu(x, number(3), true)[0], zeros) &&
           same(trilu(x, number(least), true)[0], x) && same(trilu(x, number(-1), true)[0], x)));
    CHECK((same(trilu(x, number(most), false)[0], x) && same(trilu(x, number(2), false)[0], x) &&
           same(trilu(x, number(least), false)[0], zeros) && same(trilu(x, number(-2), false)[0], zeros)));
    CHECK(trilu(numbers({2, 0, 3}), {}, true)[0].shape() == shape{2, 0, 3});
    CHECK(trilu(numbers({2, 3, 0}), {}, false)[0].shape() == shape{2, 3, 0});
    CHECK(trilu(numbers({3}), {}, true).answer.reason == "the input is no matrix");
    CHECK(trilu(x, tensor(shape{}, {1}), true).answer.reason == "k is not int64");
    CHECK(trilu(x, list({1, 2}), true).answer.reason == "k is not one number");
}
TEST_CASE("Trilu of every element type of its schema, matrix by matrix, in several parts") {
    for (const element e : tensor_types) {
        if (bits_of(e) < 8) continue;
        CAPTURE(name_of(e));
        const std::string zero = e == element::string ? std::string() : std::string(std::size_t(bits_of(e) / 8), '\0');
        const tensor x = noise(e, {200, 9, 11});
        for (const bool upper : {false, true}) {
            const outcome y = trilu(x, number(2), upper, 3);
            REQUIRE(y.answer);
            bool right = true;
            for (int i = 0; i < x.elements(); ++i)
                right =
                    right && bits_at(y[0], i) ==
                                 ((upper ? i % 11 >= i / 11 % 9 + 2 : i % 11 <= i / 11 % 9 + 2) ? bits_at(x, i) : zero);
            CHECK(right);
        }
    }
}
TEST_CASE("Trilu of matrices of every width") {
    for (std::int64_t n = 0; n <= 35; ++n)
        for (const bool upper : {false, true})
            for (const std::int64_t k : {-3, 0, 2}) {
                CAPTURE(n, upper, k);
                for (const element e : {element::u8, element::f16, element::f32, element::f64, element::c128})
                    CHECK(trilu(noise(e, {2, 5, n}), number(k), upper).code == status::ok);
            }
}
