// Device code of kernels/inlay/cuda/onnx/cum_sum.hpp.
#include "cum_sum.hpp"
#include <inlay/cuda/support/scan.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class T> struct summed { using type = computed<T>; };
template <std::integral T> struct summed<T> { using type = std::make_unsigned_t<T>; };  // wraps

template <class T> struct cum_sum_line {  // a row or column in the order in which it is summed
    using sum = typename summed<T>::type;
    const T* x;
    T* y;
    std::int64_t step;
    bool exclusive;
    INLAY_ON_DEVICE sum at(std::int64_t k) const { return sum(widened(x[k * step])); }
    INLAY_ON_DEVICE sum put(std::int64_t k, sum before) const {  // x[k] is read first: y may be x
        const sum with = before + at(k);
        y[k * step] = narrowed<T>(static_cast<computed<T>>(exclusive ? before : with));
        return with;
    }
};
template <class T> struct cum_sum_lines {
    using sum = typename cum_sum_line<T>::sum;
    cum_sum_on_cuda_params p;
    std::int64_t length;
    const T* x;
    T* y;
    INLAY_ON_DEVICE cum_sum_line<T> row(std::int64_t o, std::int64_t i = 0) const {
        const std::int64_t first = o * p.length * p.inner + i + (p.reverse ? (p.length - 1) * p.inner : 0);
        return {x + first, y + first, p.reverse ? -p.inner : p.inner, p.exclusive};
    }
};
template <class T> struct cum_sum_column {  // a piece of it
    cum_sum_lines<T> lines;
    divider inner, pieces;
    typename cum_sum_lines<T>::sum* sums;
    bool puts;
    INLAY_ON_DEVICE void operator()(std::int64_t at) const {
        std::int64_t o = at;
        const std::int64_t i = inner.split(o), piece = pieces.split(o), piece_length = lines.p.each(),
                           first = piece * piece_length,
                           end = first + piece_length < lines.length ? first + piece_length : lines.length;
        auto& sum = sums[(o * (std::int64_t(pieces.by) + 1) + piece) * std::int64_t(inner.by) + i];
        const auto line = lines.row(o, i);
        auto accumulator = puts ? sum : 0;
        for (std::int64_t k = first; k < end; ++k)
            accumulator = puts ? line.put(k, accumulator) : accumulator + line.at(k);
        if (!puts) sum = accumulator;
    }
};
}  // namespace
template <class T>
status cum_sum_on_cuda<T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    const cum_sum_lines<T> lines{p, p.length, a.in<T>(0), a.out<T>(0)};
    auto* const sums = reinterpret_cast<typename cum_sum_lines<T>::sum*>(c.scratch);
    if (p.inner == 1) {
        const status s = scan_sums(c, lines, p.outer, sums);
        return s == status::ok ? scan_puts(c, lines, p.outer, sums) : s;
    }
    const std::int64_t pieces = p.pieces();
    const auto pass = [&](bool puts) noexcept {
        return launch(c, p.outer * pieces * p.inner,
                      cum_sum_column<T>{lines, divider(p.inner), divider(pieces), sums, puts});
    };
    if (const status s = pass(false); s != status::ok) return s;
    if (const status s = launch(c, p.outer * p.inner,
                                scan_sums_before<typename cum_sum_lines<T>::sum>{divider(p.inner), pieces, sums});
        s != status::ok)
        return s;
    return pass(true);
}
template struct cum_sum_on_cuda<float>;
template struct cum_sum_on_cuda<double>;
template struct cum_sum_on_cuda<float16>;
template struct cum_sum_on_cuda<bfloat16>;
template struct cum_sum_on_cuda<std::int32_t>;
template struct cum_sum_on_cuda<std::int64_t>;
}  // namespace v1
}  // namespace inlay
