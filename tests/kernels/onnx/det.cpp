// Mirrors kernels/inlay/onnx/det.hpp.
#include "../elementwise.hpp"
#include <inlay/onnx/det.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
double by_minors(const std::vector<double>& m, std::size_t n) {  // along the first row
    if (n == 0) return 1;
    double sum = 0;
    for (std::size_t c = 0; c < n; ++c) {
        std::vector<double> minor;
        for (std::size_t i = 1; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (j != c) minor.push_back(m[i * n + j]);
        sum += (c % 2 ? -1 : 1) * m[c] * by_minors(minor, n - 1);
    }
    return sum;
}
float one(const tensor& x) {
    const tensor y = on_reference<op::det>({{x}});
    return y.as<float>()[0];
}
}  // namespace

TEMPLATE_TEST_CASE("Det of every type, of one matrix and of several", "", float, double, float16, bfloat16) {
    using T = TestType;
    CHECK(same<T>(on_reference<op::det>({{list<T>({0, 1, 2, 3}).reshaped({2, 2})}}), list<T>({-2}).reshaped({})));
    const tensor many = list<T>({1, 2, 3, 4, 1, 2, 2, 1, 1, 3, 3, 1}).reshaped({3, 2, 2});
    CHECK(same<T>(on_reference<op::det>({.inputs = {many}, .threads = 3}), list<T>({-2, -3, -8})));
    CHECK(same<T>(on_reference<op::det>({.inputs = {many.reshaped({1, 3, 2, 2})}, .version = 11}),
                  list<T>({-2, -3, -8}).reshaped({1, 3})));
    CHECK(same<T>(on_reference<op::det>({{list<T>({-5, 7}).reshaped({2, 1, 1})}}), list<T>({-5, 7})));
}
TEST_CASE("Det agrees with the expansion by minors, with few threads and many") {
    for (std::int64_t n = 0; n <= 7; ++n)
        for (const int threads : {1, 7}) {
            CAPTURE(n, threads);
            const tensor x = random_tensor<double>({5, n, n}, unsigned(n));
            const tensor y = on_reference<op::det>({.inputs = {x}, .threads = threads});
            REQUIRE(y.shape() == shape{5});
            for (std::int64_t i = 0; i < 5; ++i) {
                const double* m = x.as<double>().data() + i * n * n;
                CHECK(y.as<double>()[std::size_t(i)] ==
                      Approx(by_minors({m, m + n * n}, std::size_t(n))).epsilon(1e-10).margin(1e-10));
            }
        }
}
TEST_CASE("Det of singular matrices is 0, of NaN it is NaN, and of no matrices nothing") {
    CHECK(one(list<float>({1, 2, 2, 4}).reshaped({2, 2})) == 0);
    CHECK(one(list<float>({0, 0, 0, 0, 1, 2, 0, 3, 4}).reshaped({3, 3})) == 0);
    CHECK(std::isnan(one(list<float>({1, 2, quiet_nan, 4}).reshaped({2, 2}))));
    CHECK(std::isnan(one(list<float>({1, quiet_nan, 2, 4}).reshaped({2, 2}))));
    CHECK(on_reference<op::det>({{tensor(element::f32, {0, 2, 2})}}).shape() == shape{0});
    CHECK(one(tensor(element::f32, {0, 0})) == 1);
}
TEST_CASE("Det refuses what is no square matrix") {
    const auto reason_of = [](shape s) {
        return run<op::det, device::reference>({{tensor(element::f32, s)}}).answer.reason;
    };
    CHECK(reason_of({3}) == "the input has fewer than two axes");
    CHECK(reason_of({}) == "the input has fewer than two axes");
    CHECK(reason_of({2, 3}) == "the matrices are not square");
}
