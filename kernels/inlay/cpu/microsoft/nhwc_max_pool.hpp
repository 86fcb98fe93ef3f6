// NhwcMaxPool on the CPU: the maxima of some channels stay in registers during a window. By the compiler's
// own vectors, of the baseline.
#pragma once
#include <inlay/microsoft/nhwc_max_pool.hpp>
#include <cstring>

namespace inlay {
inline namespace v1 {
template <class T>
requires(sizeof(T) == 1) struct kernel<op::nhwc_max_pool, device::cpu, types<T>> : simple_kernel {
    using plain = kernel<op::nhwc_max_pool, device::reference, types<T>>;
    using params = typename plain::params;
    using lanes [[gnu::vector_size(16)]] = T;
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const pool_windows& w = p.windows;
        if (p.channels == 0) return status::ok;
        stop_check ends(c);
        pool_kernel::over_windows(w, [&, work = pool_kernel::window_work(w) * p.channels](
                                         std::int64_t output, std::int64_t plane, const auto&, auto window) {
            if (ends(work)) return false;
            const auto for_each_tap = [&, x = a.in<T>(0) + plane * p.channels, rows = w.axes[1].in,
                                       columns = w.axes[2].in](auto f) {
                window([&](std::int64_t i, std::int64_t j, std::int64_t k) {
                    f(x + ((i * rows + j) * columns + k) * p.channels);
                });
            };
            T* const y = a.out<T>(0) + output * p.channels;
            std::int64_t q = 0;
            for (; q + 64 <= p.channels; q += 64) pool<4>(for_each_tap, y, q);
            for (; q + 16 <= p.channels; q += 16) pool<1>(for_each_tap, y, q);
            for (; q < p.channels; ++q) {
                T most = std::numeric_limits<T>::lowest();
                for_each_tap([&](const T* x) { most = std::max(most, x[q]); });
                y[q] = most;
            }
            return true;
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }

  private:
    // Channels [q, q + 16 * Count).
    template <int Count, class F> static void pool(const F& for_each_tap, T* y, std::int64_t q) noexcept {
        lanes most[Count];
        for (lanes& m : most) m = lanes{} + std::numeric_limits<T>::lowest();
        for_each_tap([&](const T* x) {
            for (int i = 0; i < Count; ++i) {
                lanes values;
                std::memcpy(&values, x + q + 16 * i, 16);
                most[i] = values > most[i] ? values : most[i];
            }
        });
        std::memcpy(y + q, most, 16 * Count);
    }
};
}  // namespace v1
}  // namespace inlay
