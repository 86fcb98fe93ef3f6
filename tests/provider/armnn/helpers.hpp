// What the tests of Arm NN have in common.
#pragma once
#include "../../models.hpp"
#include <inlay/provider/armnn.hpp>

namespace inlay::testing {
inline tensor ramp(const shape& dims, float first = -2.f) {
    tensor t(element::f32, dims);
    int k = 0;
    for (float& x : t.as<float>()) x = .25f * float(k++ * 7 % 17) + first;
    return t;
}
inline session_options quiet() {
    session_options o;
    o.log = [](severity, std::string_view) {};
    return o;
}
inline void check_close(const std::vector<float>& y, const std::vector<float>& expected) {
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).epsilon(1e-4).margin(1e-5));
}
// Why Arm NN did not take the node; empty: it took it.
inline std::string refusal_of(const plan_report& plan, std::string_view op) {
    for (const auto& a : line_of(plan, op).answers)
        if (a.provider == armnn::name) return a.text;
    return {};
}
inline std::string numbers(int count, double step = .1, int period = 7) {
    std::string all;
    for (int k = 0; k < count; ++k) all += (k ? ", " : "") + std::to_string(step * (k % period) - 2 * step);
    return all;
}
}  // namespace inlay::testing
