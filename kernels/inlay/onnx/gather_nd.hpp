// GatherND (since 11): y[i, j] = x[indices[i, j]], where the last axis of the indices holds the first coordinates in x;
// since 12 the first `batch_dims` axes of both are the same, and looked up one by one. Negative indices count from the
// end.
#pragma once
#include <inlay/support/indices.hpp>
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct gather_nd : standard {
    static constexpr std::string_view onnx_name = "GatherND";
    static constexpr version_range versions{11, 13};
    static constexpr auto elements = whole_byte_types;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape &x = n.input(0).dims, &indices = n.input(1).dims;
        const std::int64_t batch = n.integer("batch_dims", 0);
        const auto has_batch = [&](const shape& s) { return s.rank <= 0 || batch < s.rank; };
        if (batch < 0 || batch >= max_rank || !has_batch(x) || !has_batch(indices))
            return no("batch_dims is out of range");
        if (const verdict v = check_index_rows(n, int(batch)); !v || x.rank < 0 || indices.rank < 0) return v;
        for (int i = 0; i < batch; ++i)
            if (x[i] >= 0 && indices[i] >= 0 && x[i] != indices[i])
                return no("the input and the indices have different batches");
        const std::int64_t axes = indices[indices.rank - 1];
        if (axes < 0) return yes();
        const int leading = int(batch + axes);
        if (indices.rank - 1 + x.rank - leading > max_rank) return no("the output has more than 8 dimensions");
        shape s;
        for (int i = 0; i < indices.rank - 1; ++i) s.push_back(indices[i]);
        for (int i = leading; i < x.rank; ++i) s.push_back(x[i]);
        if (!countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::gather_nd, device::reference, types<T>> : simple_kernel {
    struct params {  // batch: elements of one in the input
        index_rows rows;
        std::int64_t batches, batch;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int batch = int(n.integer("batch_dims", 0));
        return {index_rows::of(n.input(1).dims, x, batch), x.elements(0, batch), x.elements(batch)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t count = p.batches * p.rows.count;
        if (!p.rows.valid(a.in<std::int64_t>(1), count)) return c.fail("an index is out of range");
        c.split(count, 1 + 16384 / std::max<std::int64_t>(p.rows.inner, 1),
                [&](std::int64_t first, std::int64_t end, int) noexcept {
                    for (std::int64_t i = first; i < end; ++i)
                        movable<T>::copy(a.outputs[0], i * p.rows.inner, a.inputs[0],
                                         i / p.rows.count * p.batch + p.rows.offset(a.in<std::int64_t>(1), i),
                                         p.rows.inner);
                });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
