// ReverseSequence (since 10): of each sequence of a batch the first elements, as many as its length, in reverse
// order.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct reverse_sequence : standard {
    static constexpr std::string_view onnx_name = "ReverseSequence";
    static constexpr version_range versions{10, 28};
    static constexpr auto elements = whole_byte_types;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape &x = n.input(0).dims, &lengths = n.input(1).dims;
        const std::int64_t batch = n.integer("batch_axis", 1), time = n.integer("time_axis", 0);
        if (batch < 0 || time < 0 || batch + time != 1) return no("batch_axis and time_axis are not 0 and 1");
        if (n.input(1).type != element::i64) return no("the lengths are not int64");
        if (x.rank == 0 || x.rank == 1) return no("the input has fewer than 2 dimensions");
        if (lengths.rank >= 0 &&
            (lengths.rank != 1 || (x.rank > 0 && x[int(batch)] >= 0 && lengths[0] >= 0 && lengths[0] != x[int(batch)])))
            return no("there is not one length for each sequence");
        return same_shape(n, y);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::reverse_sequence, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, columns, inner;
        bool batch_first;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x[0], x[1], x.elements(2), n.integer("batch_axis", 1) == 0};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const auto* lengths = a.in<std::int64_t>(1);
        const std::int64_t time = p.batch_first ? p.columns : p.rows;
        for (std::int64_t b = 0; b < (p.batch_first ? p.rows : p.columns); ++b)
            if (lengths[b] < 0 || lengths[b] > time) return c.fail("a length is negative, or more than there is");
        if (p.inner == 0) return status::ok;
        c.split(p.rows * p.columns, 1 + 16384 / p.inner, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t i = first; i < end; ++i) {
                const std::int64_t row = i / p.columns, column = i % p.columns, t = p.batch_first ? column : row,
                                   length = lengths[p.batch_first ? row : column];
                const std::int64_t from = t < length ? length - 1 - t : t;
                movable<T>::copy(a.outputs[0], i * p.inner, a.inputs[0],
                                 (p.batch_first ? row * p.columns + from : from * p.columns + column) * p.inner,
                                 p.inner);
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
