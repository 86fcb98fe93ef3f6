// TensorScatter (since 24): the cache, of which rows along the axis are those of the update: from row write_indices[b]
// on for the batch b, or from 0. In the mode `circular` rows go on at the first after the last one. Inputs: past_cache,
// update, write_indices.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct tensor_scatter : standard {
    static constexpr std::string_view onnx_name = "TensorScatter";
    static constexpr version_range versions{24, 24};
    static constexpr auto elements = movable_types;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.moves = true};
    static constexpr int axis(const node_view& n) { return normal_axis(n.integer("axis", -2), n.input(0).dims.rank); }
    static constexpr cached_pairs caches(const node_view& n) {
        if (!n.has_input(1)) return {};
        const int rank = n.input(1).dims.rank, rows = rank < 1 ? -1 : normal_axis(n.integer("axis", -2), rank);
        return {{{0, 0, -1, cached_pair::form::state, 1, rows}}};
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const auto mode = n.text("mode", "linear"); mode != "linear" && mode != "circular")
            return no("mode is neither linear nor circular");
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        const shape &x = n.input(0).dims, &update = n.input(1).dims;
        if (n.input(0).type != n.input(1).type) return no("cache and update are of different types");
        y[0] = x;
        if (x.rank < 0) return yes();
        if (axis(n) < 0) return no("axis is out of range");
        if (axis(n) == 0) return no("axis is that of the batches");
        if (n.has_input(2)) {
            const shape& write_indices = n.input(2).dims;
            if (n.input(2).type != element::i64) return no("write_indices are not int64");
            if (write_indices.rank >= 0 &&
                (write_indices.rank != 1 || (write_indices[0] >= 0 && x[0] >= 0 && write_indices[0] != x[0])))
                return no("write_indices are not one per batch");
        }
        if (update.rank < 0) return yes();
        if (update.rank != x.rank) return no("cache and update have different ranks");
        for (int i = 0; i < x.rank; ++i)
            if (x[i] >= 0 && update[i] >= 0 && (i == axis(n) ? update[i] > x[i] : update[i] != x[i]))
                return no("the update does not fit into the cache");
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::tensor_scatter, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t batches, prefixes, length, rows, inner;  // prefixes: of each batch; length: of the cache
        bool circular, placed;                                // placed: there are write_indices
    };
    // Elements that share a byte are written in order, from both inputs.
    static constexpr bool packed = std::is_same_v<T, raw<4>> || std::is_same_v<T, raw<2>>;
    static constexpr reuse shares = packed ? reuse::none : reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        const shape &x = n.input(0).dims, &update = n.input(1).dims;
        const int axis = op::tensor_scatter::axis(n);
        return {x[0],          x.elements(1, axis),  x[axis],
                update[axis],  x.elements(axis + 1), n.text("mode", "linear") == "circular",
                n.has_input(2)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const auto* write_indices = p.placed ? a.in<std::int64_t>(2) : nullptr;
        for (std::int64_t b = 0; b < p.batches && write_indices && !p.circular; ++b)
            if (write_indices[b] < 0 || write_indices[b] > p.length - p.rows)
                return c.fail("the update goes beyond the cache");
        if (a.inputs[0] != a.outputs[0] && !packed)
            movable<T>::copy(a.outputs[0], 0, a.inputs[0], 0, p.batches * p.prefixes * p.length * p.inner);
        for (std::int64_t prefix = 0; prefix < p.batches * p.prefixes && p.length > 0; ++prefix) {
            std::int64_t first = write_indices ? write_indices[prefix / p.prefixes] % p.length : 0;
            if (write_indices && !p.circular)
                first = write_indices[prefix / p.prefixes];  // length itself, where there is no row
            if (first < 0) first += p.length;
            if constexpr (packed)
                merge(p, a, prefix, first);
            else
                for (std::int64_t r = 0; r < p.rows; ++r)
                    movable<T>::copy(a.outputs[0], (prefix * p.length + (first + r) % p.length) * p.inner, a.inputs[1],
                                     (prefix * p.rows + r) * p.inner, p.inner);
        }
        return status::ok;
    }

  private:
    static void merge(const params& p, const arguments& a, std::int64_t prefix, std::int64_t first) {
        for (std::int64_t k = 0; k < p.length; ++k) {
            const std::int64_t r = k >= first ? k - first : k - first + p.length,
                               at = (prefix * p.length + k) * p.inner;
            const bool updated = r < p.rows;
            movable<T>::copy(a.outputs[0], at, a.inputs[updated ? 1 : 0],
                             updated ? (prefix * p.rows + r) * p.inner : at, p.inner);
        }
    }
};
}  // namespace v1
}  // namespace inlay
