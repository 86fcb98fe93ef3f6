// Split (since 1): slices of the input along an axis, of given lengths or of equal ones (since 18 the last may be
// shorter).
#pragma once
#include <inlay/support/pieces.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct split : standard {
    static constexpr std::string_view onnx_name = "Split";
    static constexpr version_range versions{1, 18};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true, .moves = true};
    static constexpr int axis(const node_view& n) { return normal_axis(n.integer("axis", 0), n.input(0).dims.rank); }
    // How long output k is along the axis of `whole` elements, where known.
    static constexpr std::optional<std::int64_t> length(const node_view& n, std::int64_t whole, int k) {
        if (n.has_input(1) && n.version() < 2) {  // lengths in the type of the input
            const auto lengths = n.input_reals(1);
            const double length = lengths && k < int(lengths->size()) ? (*lengths)[std::size_t(k)] : -1;
            return length >= 0 && length < 1e15 ? std::optional(std::int64_t(length)) : std::nullopt;
        }
        const auto lengths = integers_of(n, "split", 1);
        if (lengths.present)
            return lengths.is_known && k < int(lengths.values.size()) ? std::optional(lengths.values[std::size_t(k)])
                                                                      : std::nullopt;
        if (whole < 0) return std::nullopt;
        const std::int64_t parts = n.output_count(), part_size = whole / parts + (whole % parts != 0);
        const std::int64_t before = part_size && k > whole / part_size ? whole : part_size * k;
        return std::min(part_size, whole - before);
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        const int a = axis(n);
        if (a < 0) return no("axis is out of range");
        const bool by_length = n.has_input(1) || n.has("split");
        if (by_length && n.has("num_outputs")) return no("both split and num_outputs are given");
        const int parts = n.output_count();
        if (parts < 1) return no("there are no outputs");
        if (n.has("num_outputs") && n.integer("num_outputs", 0) != parts)
            return no("num_outputs is not the number of outputs");
        if (!by_length && n.version() < 18 && x[a] >= 0 && x[a] % parts != 0)
            return no("the axis does not divide into equal parts");
        const auto list = integers_of(n, "split", 1);
        if (n.version() >= 2 && list.is_known && list.values.size() != std::size_t(parts))
            return no("split has another length than there are outputs");
        std::int64_t sum = 0;
        for (int k = 0; k < parts; ++k) {
            const auto l = length(n, x[a], k);
            if (l && (*l < 0 || !increased(sum, *l))) return no("a length is negative or too large");
            if (!l) sum = -1;
            if (sum < 0 && by_length) return yes();
        }
        if (by_length && x[a] >= 0 && sum != x[a]) return no("the lengths do not add up to the axis");
        for (int k = 0; k < parts; ++k) {
            shape s = x;
            s[a] = length(n, x[a], k).value_or(-1);
            y[std::size_t(k)] = s;
        }
        return yes();
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct split_kernel : simple_kernel {
    using params = pieces;
    static constexpr std::string_view list(const node_view& n, pieces& p) {  // why not
        shape x = n.input(0).dims;
        const int axis = op::split::axis(n), part = n.input_pitch(0) < 0 ? -2 : 1;  // a bf16 pair counts as one
        if (part < 0) x[axis] /= -part;
        for (int k = 0; k < n.output_count(); ++k) {
            const auto length = n.has_output(k) ? std::optional(n.output(k).dims[axis])
                                                : op::split::length(n, n.input(0).dims[axis], k);
            if (!length) return "the length of an output that is not there is not known";
            if (!p.add(part < 0 ? *length / -part : *length, n.has_output(k) ? n.output_layout(k) : n.input_layout(0),
                       n.has_output(k) ? n.output_pitch(k) / part : 0))
                return "the outputs have too many different lengths";
        }
        p.finish(x, axis, n.input_layout(0), n.input_pitch(0) / part);
        return {};
    }
    static constexpr verdict supports(const node_view& n) {
        pieces p;
        const std::string_view reason = list(n, p);
        return reason.empty() ? yes() : no(reason);
    }
    static constexpr params prepare(const node_view& n) {
        pieces p;
        list(n, p);
        return p;
    }
};
template <class T> struct kernel<op::split, device::reference, types<T>> : split_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        over_pieces(p, 0, p.elements(), [&](int k, std::int64_t from, std::int64_t to, std::int64_t count) {
            if (a.outputs[k]) movable<T>::copy(a.outputs[k], from, a.inputs[0], to, count);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
