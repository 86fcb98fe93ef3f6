// Inputs that a line of any language makes again, for values that another implementation computed.
#pragma once
#include "quantized.hpp"

namespace inlay::testing::ramps {
using quantization::numbers;
using quantization::real_numbers;
inline tensor ramp(const shape& dims, int by, int period, double scale, int offset, element e = element::f32) {
    real_numbers x;
    for (std::int64_t i = 0; i < dims.elements(); ++i) x.push_back((double(i * by % period) - offset) * scale);
    return numbers(e, dims, x);
}
template <class T> tensor whole(const shape& dims, std::vector<T> values) { return tensor(dims, values); }
// Each output is what is expected of it; those that are expected to have nothing are not looked at.
inline void check_outputs(const outcome& y, const std::vector<real_numbers>& expected, double margin = 1e-6) {
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    for (std::size_t k = 0; k < expected.size(); ++k) {
        if (expected[k].empty()) continue;
        const real_numbers result = numbers(y[k]);
        REQUIRE(result.size() == expected[k].size());
        for (std::size_t i = 0; i < result.size(); ++i) {
            CAPTURE(k, i);
            CHECK(result[i] == Approx(expected[k][i]).epsilon(0).margin(margin));
        }
    }
}
template <class Op> outcome on_plain(const call& c) { return run<Op, device::reference>(c); }
template <class Op> std::string_view reason_of(const call& c) { return on_plain<Op>(c).answer.reason; }
}  // namespace inlay::testing::ramps
