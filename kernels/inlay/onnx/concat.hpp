// Concat (since 1): the inputs one after another along an axis.
#pragma once
#include <inlay/support/pieces.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct concat : standard {
    static constexpr std::string_view onnx_name = "Concat";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .keeps_names = true, .moves = true};
    static constexpr int axis(const node_view& n, int rank) { return normal_axis(n.integer("axis", 1), rank); }
    static constexpr cached_pairs caches(const node_view& n) {
        if (n.input_count() < 2 || !n.has_input(0)) return {};
        const int rank = n.input(0).dims.rank;
        return {{{0, 0, rank < 1 ? -1 : normal_axis(n.integer("axis", 1), rank)}}};
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.version() >= 4 && !n.has("axis")) return no("there is no axis");
        if (n.input_count() == 0) return no("there are no inputs");
        shape s = shape::unknown();
        std::int64_t length = 0;
        bool complete = true;
        for (int k = 0; k < n.input_count(); ++k) {
            if (!n.has_input(k)) return no("an input is missing");
            const shape& x = n.input(k).dims;
            if (x.rank < 0) {
                complete = false;
                continue;
            }
            const int a = axis(n, x.rank);
            if (a < 0) return no("axis is out of range");
            if (s.rank < 0) s = x;
            if (x.rank != s.rank) return no("the inputs have different ranks");
            for (int i = 0; i < x.rank; ++i) {
                if (i == a) continue;
                if (s[i] >= 0 && x[i] >= 0 && s[i] != x[i])
                    return no("the inputs differ in a dimension other than the axis");
                if (s[i] < 0 && x[i] >= 0) s[i] = x[i];
            }
            if (length < 0 || x[a] < 0)
                length = -1;
            else if (!increased(length, x[a]))
                return no("the output is too large");
        }
        if (!complete) return yes();
        s[axis(n, s.rank)] = length;
        if (!countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
    static constexpr bool passes_through(const node_view& n) { return n.input_count() == 1; }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct concat_kernel : simple_kernel {
    using params = pieces;
    static constexpr bool list(const node_view& n, pieces& p) {
        shape y = n.output(0).dims;
        const int axis = op::concat::axis(n, y.rank), part = n.output_pitch(0) < 0 ? -2 : 1;  // a bf16 pair is one
        if (part < 0) y[axis] /= -part;
        for (int k = 0; k < n.input_count(); ++k)
            if (!p.add(n.input(k).dims[axis] / (part < 0 ? -part : 1), n.input_layout(k), n.input_pitch(k) / part))
                return false;
        p.finish(y, axis, n.output_layout(0), n.output_pitch(0) / part);
        return true;
    }
    static constexpr verdict supports(const node_view& n) {
        pieces p;
        return list(n, p) ? yes() : no("the inputs have too many different lengths");
    }
    static constexpr params prepare(const node_view& n) {
        pieces p;
        list(n, p);
        return p;
    }
};
template <class T> struct kernel<op::concat, device::reference, types<T>> : concat_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        over_pieces(p, 0, p.elements(), [&](int k, std::int64_t from, std::int64_t to, std::int64_t count) {
            movable<T>::copy(a.outputs[0], to, a.inputs[k], from, count);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
