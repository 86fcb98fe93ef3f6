// What the tests of Gemm, MatMul and Conv share: small whole numbers, whose sums are exact in any order, so that every
// kernel agrees to the bit.
#pragma once
#include "result_of.hpp"
#include <algorithm>
#include <cmath>
#include <random>

namespace inlay::testing::dense {
inline constexpr float infinity = std::numeric_limits<float>::infinity(),
                       quiet_nan = std::numeric_limits<float>::quiet_NaN();

inline tensor whole(const shape& dims, unsigned seed, int most = 3) {
    tensor t(element::f32, dims);
    std::mt19937 random(seed);
    for (float& x : t.as<float>()) x = float(int(random() % unsigned(2 * most + 1)) - most);
    return t;
}
inline tensor fractions(const shape& dims, unsigned seed) {
    tensor t(element::f32, dims);
    std::mt19937 random(seed);
    for (float& x : t.as<float>()) x = float(int(random() % 20001) - 10000) / 10000;
    return t;
}
template <class T> tensor list(const shape& dims, std::initializer_list<double> values) {
    tensor t(element_of<T>, dims);
    std::int64_t i = 0;
    for (double x : values) t.as<T>()[std::size_t(i++)] = static_cast<T>(x);
    return t;
}
template <class T> bool same(const tensor& a, const tensor& b) {  // -0 is 0; NaN is NaN
    if (a.type() != b.type() || a.shape() != b.shape()) return false;
    const auto xs = a.as<T>(), ys = b.as<T>();
    return std::ranges::equal(xs, ys, [](T first, T second) {
        const auto x = static_cast<double>(first), y = static_cast<double>(second);
        return x == y || (std::isnan(x) && std::isnan(y));
    });
}
inline double difference(const tensor& a, const tensor& b) {  // the largest, relative to the largest element
    double most = 0, scale = 1;
    const auto xs = a.as<float>(), ys = b.as<float>();
    for (std::size_t i = 0; i < xs.size(); ++i) {
        const double x = xs[i], y = ys[i];
        most = std::max(most, std::abs(x - y));
        scale = std::max(scale, std::abs(y));
    }
    return most / scale;
}
// On the devices of packages as in the reference kernel, or refused for one of the reasons that are given.
template <class Op>
bool devices_agree(const call& c, const tensor& expected, std::initializer_list<std::string_view> refusals) {
    return std::ranges::all_of(on_test_devices<Op>(), [&](const device_runner& d) {
        const outcome o = d.run(c);
        UNSCOPED_INFO("on " << d.device << ": " << o.answer.reason << o.detail);
        if (!o.answer) return std::ranges::find(refusals, o.answer.reason) != refusals.end();
        return o.code == status::ok && same<float>(o[0], expected);
    });
}
// The result of device::cpu at one level, with one thread and with three, which must agree to the bit.
template <class Op> tensor on_cpu(call c, isa::level level) {
    c.level = level;
    tensor first;
    for (int threads : {1, 3}) {
        c.threads = threads;
        outcome o = run<Op, device::cpu>(c);
        CAPTURE(threads, o.answer.reason, o.detail, name_of(level));
        REQUIRE(o.answer);
        REQUIRE(o.code == status::ok);
        if (!first)
            first = o.outputs[0];
        else
            REQUIRE(std::memcmp(first.data(), o.outputs[0].data(), std::size_t(first.bytes())) == 0);
    }
    return first;
}
template <class F> void at_every_level(F f) {
    for (isa::level l : tested_levels()) f(l);
}
using list_of_attributes = std::vector<attribute>;
}  // namespace inlay::testing::dense
