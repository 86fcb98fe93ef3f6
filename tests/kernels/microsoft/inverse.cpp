// Mirrors kernels/inlay/microsoft/inverse.hpp and kernels/inlay/cpu/microsoft/inverse.hpp.
#include "../every_level.hpp"
#include <inlay/cpu/microsoft/inverse.hpp>
#include <on_test_devices/microsoft/inverse.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

TEMPLATE_TEST_CASE("Inverse of matrices, in a batch and alone", "", float, double, float16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float16> ? 1e-3 : 1e-6;
    const tensor x = list<T>({4, 7, 2, 6, 1, 2, 3, 4}), y = list<T>({.6, -.7, -.2, .4, -2, 1, 1.5, -.5});
    CHECK(same<T>(on_reference<op::inverse>({{x.reshaped({1, 2, 2, 2})}}), y.reshaped({1, 2, 2, 2}), tolerance));
    CHECK(same<T>(on_reference<op::inverse>({{list<T>({0, 2, 4, 0}).reshaped({2, 2})}}),
                  list<T>({0, .25, .5, 0}).reshaped({2, 2})));
    CHECK(same<T>(on_reference<op::inverse>({{list<T>({-8}).reshaped({1, 1})}}), list<T>({-.125}).reshaped({1, 1})));
}
TEST_CASE("The product of a matrix and its inverse is one, on every number of threads") {
    constexpr std::int64_t n = 19;
    call c{{random_tensor<double>({3, n, n}, 1)}};
    for (int threads : {1, 3}) {
        c.threads = threads;
        const auto x = elements<double>(c.inputs[0].value), y = elements<double>(on_reference<op::inverse>(c));
        for (std::size_t b = 0; b < 3 * n * n; b += n * n)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    double sum = 0;
                    for (std::size_t k = 0; k < n; ++k) sum += x[b + i * n + k] * y[b + k * n + j];
                    CHECK(sum == Approx(i == j).margin(1e-10));
                }
    }
}
TEST_CASE("What has no inverse gives NaN, and of nothing the inverse is nothing") {
    for (std::initializer_list<double> odd : {std::initializer_list<double>{1, 1, 1, 1},
                                              {0, 0, 0, 0},
                                              {quiet_nan, 1, 1, 1},
                                              {infinity, infinity, infinity, infinity}})
        for (float y : elements<float>(on_reference<op::inverse>({{list<float>(odd).reshaped({2, 2})}})))
            CHECK(std::isnan(y));
    CHECK(on_reference<op::inverse>({{tensor(element::f32, {0, 3, 3})}}).shape() == shape{0, 3, 3});
    CHECK(on_reference<op::inverse>({{tensor(element::f32, {2, 0, 0})}}).shape() == shape{2, 0, 0});
}
namespace {
// Of numbers of [-1, 1), but with such as are certain to be the greatest of their columns, in rows that must change
// places.
template <class T = float> tensor turned_matrices(const shape& dims) {
    tensor x = random_tensor<T>(dims, 1, -1, 1);
    const std::int64_t n = dims[dims.rank - 1];
    for (std::int64_t i = 0; i < dims.elements() / std::max<std::int64_t>(1, n); ++i) {
        T& number = x.as<T>()[std::size_t(i * n + (i % n * 7 + 3) % n)];
        number = static_cast<T>(static_cast<float>(number) + (i % 2 ? 6.f : -6.f) * std::sqrt(float(n)));
    }
    return x;
}
}  // namespace
TEST_CASE("The fast Inverse agrees with the reference kernel at every size, on every number of threads") {
    for (std::int64_t n = 1; n <= 70; ++n) {
        if (n % 7 == 0) continue;  // then what turned_matrices() adds lies in one column
        CAPTURE(n);
        check_levels<op::inverse>({{turned_matrices({3, n, n})}}, 1e-5);
    }
    check_levels<op::inverse>({{turned_matrices({1, 2, 131, 131})}}, 1e-5);
    check_levels<op::inverse>({{turned_matrices({257, 4, 4})}}, 1e-5);
}
TEST_CASE("The fast Inverse gives NaN for what has no inverse, and for nothing else of its batch") {
    tensor x = turned_matrices({3, 20, 20});
    std::fill_n(x.as<float>().begin() + 20 * 20 + 17 * 20, 20, 0.f);
    beside_plain<op::inverse>({{x}}, [](const outcome& y, const outcome& plain) {
        for (std::size_t i = 0; i < 3 * 20 * 20; ++i) REQUIRE(std::isnan(plain[0].as<float>()[i]) == (i / 400 == 1));
        CHECK(same<float>(y[0], plain[0], 1e-5));
    });
    check_levels<op::inverse>({{tensor(element::f32, {0, 3, 3})}});
    check_levels<op::inverse>({{tensor(element::f32, {2, 0, 0})}});
}
TEST_CASE("The fast Inverse takes float16") {
    beside_plain<op::inverse>({{turned_matrices<float16>({3, 19, 19})}}, [](const outcome& y, const outcome& plain) {
        CHECK(same<float16>(y[0], plain[0], 1e-3));
    });
}
TEST_CASE("Inverse refuses what is not square") {
    const auto reason = [](const shape& s) {
        return run<op::inverse, device::reference>({{tensor(element::f32, s)}}).answer.reason;
    };
    CHECK(reason({2, 3}) == "the matrices are not square");
    CHECK(reason({3}) == "the input has no matrices");
}
