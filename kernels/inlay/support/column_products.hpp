// Matmul of reference kernels, Y = A B, whose B is not stored as a matrix of numbers: each column is dequantized into
// scratch first.
#pragma once
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct column_products {
    std::int64_t m, n, k;

    constexpr bytes_needed footprint(int threads) const { return {0, std::int64_t(sizeof(float)) * k * threads}; }
    // dequantize(j, column): the k numbers of column j; finish(j, sum): what is stored of an element of it.
    template <class T, class Dequantize, class Finish>
    status run(const arguments& a, context& c, Dequantize dequantize, Finish finish) const noexcept {
        c.split(n, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check ends(c);
            float* column = reinterpret_cast<float*>(c.scratch) + part * k;
            for (std::int64_t j = first; j < end; ++j) {
                if (ends(k * (m + 1))) return;
                dequantize(j, column);
                for (std::int64_t row = 0; row < m; ++row) {
                    float sum = 0;
                    for (std::int64_t i = 0; i < k; ++i) sum += static_cast<float>(a.in<T>(0)[row * k + i]) * column[i];
                    a.out<T>(0)[row * n + j] = static_cast<T>(finish(j, sum));
                }
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }
    template <class T, class Dequantize>
    status run(const arguments& a, context& c, Dequantize dequantize) const noexcept {
        return run<T>(a, c, dequantize, [](std::int64_t, float sum) noexcept { return sum; });
    }
};
}  // namespace v1
}  // namespace inlay
