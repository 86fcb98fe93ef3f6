// What the threads of Pad, Trilu, EyeLike, OneHot and ReverseSequence do: each element of the output follows from its
// place.
#include "moving.cuh"
#include <inlay/cuda/onnx/eye_like.hpp>
#include <inlay/cuda/onnx/one_hot.hpp>
#include <inlay/cuda/onnx/pad.hpp>
#include <inlay/cuda/onnx/reverse_sequence.hpp>
#include <inlay/cuda/onnx/trilu.hpp>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, class T> struct pad_body {
    pad_rows p;
    divider inner, sizes[max_rank];  // inner: in steps of W elements
    const T *x, *around;             // around: null where it is `fill`
    T fill, *y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t o = i, from = inner.split(o) * W;  // negative: around the input
        for (int a = p.last_axis; a >= 0; --a) {  // few axes are left: unrolled for all, the remainders would be long
            const std::int64_t k = p.axes[a].source(a > 0 ? sizes[a].split(o) : o, p.mode);
            from = k < 0 || from < 0 ? -1 : from + k * p.steps[a];
        }
        store_lanes(y + i * W, from < 0 ? operand_lanes<W>(around ? around : &fill, false) : load_lanes<W>(x + from));
    }
};
template <int W, class T> struct trilu_body {
    divider columns, rows;  // columns: in steps of W
    bool upper;
    const std::int64_t* diagonal;
    const T* x;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t o = i;
        const std::int64_t column = columns.split(o) * W, row = rows.split(o);
        const std::int64_t d =
            row + std::clamp(diagonal ? *diagonal : 0, -std::int64_t(rows.by), std::int64_t(columns.by) * W);
        auto v = load_lanes<W>(x + i * W);
        for (int k = 0; k < W; ++k)
            if (upper ? column + k < d : column + k > d) v.at[k] = T{};
        store_lanes(y + i * W, v);
    }
};
template <class U> struct eye_body {
    divider columns;
    std::int64_t diagonal;
    U unit, *y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t row = i;
        const std::int64_t column = columns.split(row);
        y[i] = column - row == diagonal ? unit : U(0);
    }
};
template <class T> struct one_hot_body {
    element type;
    divider depth, inner;
    const void* indices;
    const T* values;  // off, on
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t o = i;
        const std::int64_t e = inner.split(o), k = depth.split(o),
                           at = op::one_hot::index(type, indices, o * std::int64_t(inner.by) + e);
        y[i] = values[k == (at < 0 ? at + std::int64_t(depth.by) : at)];
    }
};
template <int W, class T> struct reverse_body {
    divider inner, columns;  // inner: in steps of W elements
    std::int64_t time;
    bool batch_first;
    const std::int64_t* lengths;
    const T* x;
    T* y;
    unsigned* faults;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t row = i;
        const std::int64_t e = inner.split(row), column = columns.split(row);
        const std::int64_t t = batch_first ? column : row, length = lengths[batch_first ? row : column];
        if (length < 0 || length > time) {
            report(faults, fault::sequence_length);
            return store_lanes(y + i * W, lanes<T, W>{});
        }
        const std::int64_t from = t < length ? length - 1 - t : t, at = batch_first
                                                                            ? row * std::int64_t(columns.by) + from
                                                                            : from * std::int64_t(columns.by) + column;
        store_lanes(y + i * W, load_lanes<W>(x + (at * std::int64_t(inner.by) + e) * W));
    }
};
struct check_lengths {  // where no element is moved, lengths are checked all the same
    std::int64_t time;
    const std::int64_t* lengths;
    unsigned* faults;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        if (lengths[i] < 0 || lengths[i] > time) report(faults, fault::sequence_length);
    }
};
}  // namespace
template <int Bits>
status pad_on_cuda<Bits>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    using T = moved<Bits>;
    constexpr int w = full_lanes<T>;
    const T *x = a.in<T>(0), *around = p.around.is_input ? a.in<T>(2) : nullptr;
    T fill{}, *y = a.out<T>(0);
    std::memcpy(&fill, &p.around.bits, std::min(sizeof fill, sizeof p.around.bits));
    return launch_lanes<w>(c, p.rows * p.axes[std::size_t(p.last_axis)].size * p.inner,
                           p.inner % w == 0 && is_aligned(x, y), [&]<int W>(std::integral_constant<int, W>) {
                               pad_body<W, T> body{p, divider(p.inner / W), {}, x, around, fill, y};
                               for (int i = 0; i <= p.last_axis; ++i)
                                   body.sizes[i] = divider(p.axes[std::size_t(i)].size);
                               return body;
                           });
}
template <int Bits>
status trilu_on_cuda<Bits>::run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
    using T = moved<Bits>;
    constexpr int w = full_lanes<T>;
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    const auto* diagonal = p.has_k ? a.in<std::int64_t>(1) : nullptr;
    return launch_lanes<w>(c, p.matrices * p.rows * p.columns, p.columns % w == 0 && is_aligned(x, y),
                           [&]<int W>(std::integral_constant<int, W>) {
                               return trilu_body<W, T>{
                                   divider(p.columns / W), divider(p.rows), p.upper, diagonal, x, y};
                           });
}
template <class U>
status eye_on_cuda(std::int64_t rows, std::int64_t columns, std::int64_t diagonal, U unit, void* y,
                   context& c) noexcept {
    return launch(c, rows * columns, eye_body<U>{divider(columns), diagonal, unit, static_cast<U*>(y)});
}
template <int Bits>
status one_hot_on_cuda<Bits>::run(const params& p, const simple_kernel::state&, const arguments& a,
                                  context& c) noexcept {
    using T = moved<Bits>;
    return launch(c, p.outer * p.depth * p.inner,
                  one_hot_body<T>{p.indices, divider(p.depth), divider(p.inner), a.inputs[0], a.in<T>(2), a.out<T>(0)});
}
template <int Bits>
status reverse_sequence_on_cuda<Bits>::run(const params& p, const simple_kernel::state&, const arguments& a,
                                           context& c) noexcept {
    using T = moved<Bits>;
    constexpr int w = full_lanes<T>;
    const std::int64_t count = p.rows * p.columns * p.inner, time = p.batch_first ? p.columns : p.rows;
    const auto* lengths = a.in<std::int64_t>(1);
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    if (count == 0) return launch(c, p.batch_first ? p.rows : p.columns, check_lengths{time, lengths, c.faults});
    return launch_lanes<w>(c, count, p.inner % w == 0 && is_aligned(x, y), [&]<int W>(std::integral_constant<int, W>) {
        return reverse_body<W, T>{
            divider(p.inner / W), divider(p.columns), time, p.batch_first, lengths, x, y, c.faults};
    });
}
#define INLAY_PLACED(Bits) \
    template struct pad_on_cuda<Bits>; \
    template struct trilu_on_cuda<Bits>; \
    template struct one_hot_on_cuda<Bits>; \
    template struct reverse_sequence_on_cuda<Bits>;
INLAY_PLACED(8)
INLAY_PLACED(16)
INLAY_PLACED(32)
INLAY_PLACED(64)
INLAY_PLACED(128)
#undef INLAY_PLACED
template status eye_on_cuda(std::int64_t, std::int64_t, std::int64_t, std::uint8_t, void*, context&) noexcept;
template status eye_on_cuda(std::int64_t, std::int64_t, std::int64_t, std::uint16_t, void*, context&) noexcept;
template status eye_on_cuda(std::int64_t, std::int64_t, std::int64_t, std::uint32_t, void*, context&) noexcept;
template status eye_on_cuda(std::int64_t, std::int64_t, std::int64_t, std::uint64_t, void*, context&) noexcept;
}  // namespace v1
}  // namespace inlay
