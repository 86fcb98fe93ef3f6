// Mirrors kernels/inlay/microsoft/complex_mul.hpp.
#include "../../catch.hpp"
#include "../../run_on.hpp"
#include <complex>
#include <on_test_devices/microsoft/complex_mul.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
template <class Op, class T> void check(const shape& a, const shape& b, const shape& y) {
    const auto numbers = [](const shape& s, int first) {
        std::vector<T> x;
        for (std::int64_t i = 0; i < s.elements(); ++i) x.emplace_back(float((i * 5 + first) % 11 - 4));
        return x;
    };
    const auto x = numbers(a, 1), z = numbers(b, 3);
    const outcome result = run<Op, device::reference>({{tensor(a, x), tensor(b, z)}});
    REQUIRE(result.answer);
    REQUIRE(result.code == status::ok);
    REQUIRE(result[0].shape() == y);
    for (std::int64_t i = 0; i < y.elements(); i += 2) {
        const auto at = [&](const shape& s, const std::vector<T>& v) {  // of the element that y's is made of
            std::int64_t rest = i / 2, place = 0, step = 1;
            for (int k = y.rank - 2, j = s.rank - 2; k >= 0; --k, --j) {
                const std::int64_t index = rest % y[k];
                rest /= y[k];
                if (j < 0) continue;
                if (s[j] > 1) place += index * step;
                step *= s[j];
            }
            return std::complex<double>(double(accumulator<T>(v[std::size_t(2 * place)])),
                                        double(accumulator<T>(v[std::size_t(2 * place + 1)])));
        };
        const auto factor = at(b, z), product = at(a, x) * (Op::conjugate ? std::conj(factor) : factor);
        CHECK(double(accumulator<T>(result[0].as<T>()[std::size_t(i)])) == product.real());
        CHECK(double(accumulator<T>(result[0].as<T>()[std::size_t(i + 1)])) == product.imag());
    }
}
template <class T> void check_all(const shape& a, const shape& b, const shape& y) {
    check<op::complex_mul, T>(a, b, y);
    check<op::complex_mul_conj, T>(a, b, y);
}
}  // namespace

TEMPLATE_TEST_CASE("ComplexMul and ComplexMulConj multiply with broadcasting", "", float, double, float16, bfloat16) {
    check_all<TestType>({2}, {2}, {2});
    check_all<TestType>({3, 5, 2}, {3, 5, 2}, {3, 5, 2});
    check_all<TestType>({3, 5, 2}, {5, 2}, {3, 5, 2});
    check_all<TestType>({3, 1, 2}, {4, 2}, {3, 4, 2});
    check_all<TestType>({1, 2}, {4, 3, 2}, {4, 3, 2});
    check_all<TestType>({2, 1, 3, 2}, {4, 1, 2}, {2, 4, 3, 2});
    check_all<TestType>({0, 2}, {1, 2}, {0, 2});
}
TEST_CASE("ComplexMul refuses numbers without two parts, and shapes that do not broadcast") {
    const auto reason_of = [](const shape& a, const shape& b) {
        return run<op::complex_mul, device::reference>({{tensor(element::f32, a), tensor(element::f32, b)}})
            .answer.reason;
    };
    CHECK(reason_of({3}, {2}) == "the last axis must have a real and an imaginary part");
    CHECK(reason_of({2, 1}, {2}) == "the last axis must have a real and an imaginary part");
    CHECK(reason_of({}, {2}) == "the last axis must have a real and an imaginary part");
    CHECK(reason_of({3, 2}, {4, 2}) == "the inputs' shapes do not broadcast");
}
