// What the tests of element-wise operators share: small tensors, random ones, and comparison with NaN equal to NaN.
#pragma once
#include "result_of.hpp"
#include <cmath>
#include <random>

namespace inlay::testing::elementwise {
inline constexpr float infinity = std::numeric_limits<float>::infinity(),
                       quiet_nan = std::numeric_limits<float>::quiet_NaN();

template <class T> tensor list(std::initializer_list<double> values) {  // of rank 1
    tensor t(element_of<T>, {std::int64_t(values.size())});
    std::int64_t i = 0;
    for (double v : values) t.as<T>()[std::size_t(i++)] = static_cast<T>(v);
    return t;
}
template <class T = float> tensor random_tensor(const shape& dims, unsigned seed, double low = -4, double high = 4) {
    tensor t(element_of<T>, dims);
    std::mt19937 g(seed);
    std::uniform_real_distribution<double> d(low, high);
    for (T& x : t.as<T>()) x = static_cast<T>(d(g));
    return t;
}
// Dims equal, and elements: bit by bit if `tolerance` is 0 (but any NaN for NaN), else relative to the larger of 1 and
// the expected.
template <class T> bool same(const tensor& result, const tensor& expected, double tolerance = 0) {
    if (!(result.shape() == expected.shape()) || result.type() != expected.type()) return false;
    const auto as = result.as<T>(), bs = expected.as<T>();
    for (std::size_t i = 0; i < bs.size(); ++i) {
        const double a = static_cast<double>(static_cast<accumulator<T>>(as[i])),
                     b = static_cast<double>(static_cast<accumulator<T>>(bs[i]));
        const bool equal = std::isnan(b) ? std::isnan(a)
                           : a == b      ? std::signbit(a) == std::signbit(b)
                                         : std::abs(a - b) <= tolerance * std::max(1., std::abs(b));
        if (!equal) {
            UNSCOPED_INFO("element " << i << ": " << a << ", not " << b);
            return false;
        }
    }
    return true;
}
inline void agree(runner reference, runner cpu, std::span<const device_runner> devices,
                  bool (*same)(const tensor&, const tensor&, double), call c, double tolerance) {
    const tensor expected = result_of(reference, c);
    if (cpu)
        for (isa::level level : tested_levels()) {
            for (layout in : {layout::plain, layout::channels_last})
                for (int threads : {1, 3}) {
                    CAPTURE(isa::name_of(level), int(in), threads);
                    c.level = level;
                    c.in = in;
                    c.threads = threads;
                    CHECK(same(result_of(cpu, c), expected, tolerance));
                }
        }
    for (const device_runner& device : devices)
        for (layout in : {layout::plain, layout::channels_last}) {
            CAPTURE(device.device, int(in));
            c.in = in;
            CHECK(same(result_of(device.run, c), expected, tolerance));
        }
}
// The kernels of the CPU and of other devices, those there are and the test includes, give the reference kernel's
// results: the CPU's at every level, with one thread and with three; in both layouts.
template <class Op, class T = float> void agree(const call& c, double tolerance = 0) {
    constexpr bool cpu = kernel_count<Op, device::cpu>() > 0;
    agree(run<Op, device::reference>, cpu ? run<Op, device::cpu> : nullptr, on_test_devices<Op>(), same<T>, c,
          tolerance);
}
}  // namespace inlay::testing::elementwise
