// Mirrors kernels/inlay/cuda/fused/attention.hpp: when the library is called.
#include "kernels/attention.hpp"
#include "provider/cuda/on_host/attention.hpp"
#include <inlay/cuda/fused/attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::attention;

TEMPLATE_TEST_CASE("Attention on CUDA in 16 bits goes to the library where that has a plan and supports the request",
                   "", float16, bfloat16) {
    const auto rounded = [](const tensor& x) {
        tensor y(element_of<TestType>, x.shape());
        for (std::int64_t i = 0; i < x.elements(); ++i)
            y.as<TestType>()[std::size_t(i)] = static_cast<TestType>(x.as<float>()[std::size_t(i)]);
        return y;
    };
    constexpr double unit = std::is_same_v<TestType, float16> ? 1e-3 : 8e-3;
    const auto by_library = [&](const call& c) {
        const tensor expected = on_reference<op::attention>(c);
        const int before = runs_of_library;
        const outcome actual = run<op::attention, device::cuda>(c);
        REQUIRE(actual.answer);
        REQUIRE(actual.code == status::ok);
        for (std::int64_t i = 0; i < expected.elements(); ++i)
            REQUIRE(std::abs(float(actual[0].as<TestType>()[std::size_t(i)]) -
                             float(expected.as<TestType>()[std::size_t(i)])) <= unit);
        return runs_of_library > before;
    };
    library_has_plan = true;
    const sizes s{2, 3, 17, 21, 8, 16};
    const auto [q, k, v] = columns(s);
    const tensor a = rounded(q), b = rounded(k), c = rounded(v);
    CHECK(by_library({{a, b, c}, with(s, 0.7)}));
    for (const shape& m : {shape{s.keys},
                           {s.rows, s.keys},
                           {s.heads, 1, s.keys},
                           {s.batch, 1, 1, s.keys},
                           {s.batch, s.heads, s.rows, s.keys}}) {
        CAPTURE(to_string(m));
        CHECK(by_library({{a, b, c, rounded(fractions(m, 5))}, with(s, 0.7)}));
        CHECK_FALSE(by_library({{a, b, c, truths(m, 6)}, with(s, 0.7, -5)}));
    }
    CHECK_FALSE(by_library({{a, b, c, rounded(fractions({s.rows, 1}, 5))}, with(s)}));
    const sizes projection{2, 3, 17, 17, 8, 8};
    const tensor x = rounded(fractions({2, 17, 80}, 4));
    CHECK(by_library({{x, x, x}, with(projection, 1, 0, {0, 24, 56})}));  // parts of one projection
    CHECK_FALSE(
        by_library({{x, x, x}, with(projection, 1, 0, {2, 24, 48})}));  // one begins where 16 bytes cannot be read
    for (const sizes& few : {sizes{1, 2, 4, 9, 8, 8}, {1, 2, 9, 9, 12, 8}}) {
        const auto [d, e, f] = columns(few);
        CHECK_FALSE(by_library({{rounded(d), rounded(e), rounded(f)}, with(few)}));
    }
    library_takes_pointers = false;
    CHECK_FALSE(by_library({{a, b, c}, with(s, 0.7)}));
    library_takes_pointers = true;
    library_has_plan = false;
    CHECK_FALSE(by_library({{a, b, c}, with(s, 0.7)}));
}
