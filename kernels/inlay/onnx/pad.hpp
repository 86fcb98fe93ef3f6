// Pad (since 1): elements added before and after those of an axis, or taken away where their number is negative: a
// constant, or by `mode` the input's nearest (edge), mirrored at its ends (reflect) or repeated (wrap). What is taken
// away is so before the rest is mirrored or repeated. `paddings` in version 1; since 11 the numbers and the constant
// are inputs, since 18 they may be of some axes only.
#pragma once
#include <inlay/support/blank.hpp>
#include <inlay/support/input_order.hpp>

namespace inlay {
inline namespace v1 {
enum class padding : std::uint8_t { constant, reflect, edge, wrap, unknown };
struct pad_axis {
    std::int64_t size = 1;  // of the output
    std::int64_t at = 0, first = 0,
                 length = 1;  // what stays of the input: where it begins in the output, and in the input
    std::int64_t input = 1;   // the length of the input
    constexpr bool whole() const { return at == 0 && length == size && length == input; }
    constexpr std::int64_t source(std::int64_t o, padding mode) const {  // of element o of the output; -1: the constant
        const std::int64_t i = o - at;
        if (i >= 0 && i < length) return first + i;
        if (mode == padding::constant) return -1;
        if (mode == padding::edge || length == 1) return first + (i < 0 ? 0 : length - 1);
        const std::int64_t period = mode == padding::wrap ? length : 2 * (length - 1),
                           k = (i % period + period) % period;
        return first + (k < length ? k : period - k);
    }
};
struct pad_axes {
    std::array<pad_axis, max_rank> list{};
    bool is_known = false;  // the pads are, if not all dimensions
};
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
namespace op {
struct pad : standard {
    static constexpr std::string_view onnx_name = "Pad";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr padding mode(const node_view& n) {
        constexpr std::string_view names[] = {"constant", "reflect", "edge", "wrap"};
        return padding(std::find(std::begin(names), std::end(names), n.text("mode", "constant")) - std::begin(names));
    }
    static constexpr verdict read(const node_view& n, pad_axes& y) {
        if (mode(n) == padding::unknown) return no("mode is none of constant, reflect, edge, wrap");
        const shape& x = n.input(0).dims;
        const auto pads = integers_of(n, n.version() == 1 ? "paddings" : "pads", 1), axes = integers_of(n, "axes", 3);
        if (!pads.present) return no("there are no pads");
        if (n.has_input(2) && n.input(2).dims.known() && n.input(2).dims.elements() != 1)
            return no("the constant is not a single element");
        if (x.rank < 0 || !pads.is_known || (axes.present && !axes.is_known)) return yes();
        if (!countable(x)) return no("the input is too large");
        const std::size_t count = axes.present ? axes.values.size() : std::size_t(x.rank);
        if (pads.values.size() != 2 * count) return no("there are not two pads for each axis");
        for (int i = 0; i < x.rank; ++i) y.list[i] = {x[i], 0, 0, x[i], x[i]};
        named_axes named;
        for (std::size_t i = 0; i < count; ++i) {
            int axis = 0;
            if (const verdict v = named.add(axes.present ? axes.values[i] : std::int64_t(i), x.rank, axis); !v)
                return v;
            const std::int64_t before = pads.values[i], after = pads.values[count + i], length = x[axis];
            if (std::max(before, after) > most_elements || std::min(before, after) < -most_elements)
                return no("the output is too large");
            if (length < 0) continue;
            const std::int64_t first = std::clamp<std::int64_t>(-before, 0, length), rest = length - first;
            const std::int64_t size = length + before + after;
            if (size < 0) return no("more is taken away than an axis has");
            y.list[axis] = {size, std::clamp<std::int64_t>(before, 0, size), first,
                            rest - std::clamp<std::int64_t>(-after, 0, rest), length};
            if (mode(n) != padding::constant && size > 0 && y.list[axis].length == 0)
                return no("an axis has nothing to be mirrored or repeated");
        }
        y.is_known = true;
        return yes();
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        pad_axes axes;
        const verdict v = read(n, axes);
        if (!v || !axes.is_known) return v;
        shape s;
        for (int i = 0; i < n.input(0).dims.rank; ++i) s.push_back(axes.list[i].size);
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
struct pad_kernel : simple_kernel {
    static constexpr std::optional<std::uint64_t> value(const node_view& n) {  // of the attribute, in the type's bits
        if (n.version() >= 11) return 0;
        const double x = n.real("value", 0);
        switch (n.input(0).type) {
            case element::f64: return std::bit_cast<std::uint64_t>(x);
            case element::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(x));
            case element::f16: return float16(static_cast<float>(x)).bits;
            default: return std::nullopt;
        }
    }
    static constexpr verdict supports(const node_view& n) {
        if (!value(n)) return no("before version 11 only floats are padded");
        pad_axes axes;
        const verdict v = op::pad::read(n, axes);
        return !v || axes.is_known ? v : no("pads and axes must be known before the run");
    }
    struct constant {  // what is put around the input
        std::uint64_t bits;
        bool is_input;  // it is input 2
        static constexpr constant of(const node_view& n) { return {value(n).value_or(0), n.has_input(2)}; }
        template <class T> const void* get(const arguments& a, blank<T>& default_value) const {
            if constexpr (!std::is_same_v<T, std::string>) default_value.bits[0] = bits;
            return is_input ? a.inputs[2] : &default_value;
        }
    };
};
template <class T> struct kernel<op::pad, device::reference, types<T>> : pad_kernel {
    struct params {
        pad_axes axes;
        shape dims, steps;
        padding mode;
        constant around;
    };
    static constexpr params prepare(const node_view& n) {
        params p{{}, n.output(0).dims, strides_of(n.input(0).dims, layout::plain), op::pad::mode(n), constant::of(n)};
        op::pad::read(n, p.axes);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        blank<T> default_value;
        const void* around = p.around.get(a, default_value);
        for (std::int64_t i = 0, count = p.dims.elements(); i < count; ++i) {
            std::int64_t from = 0, rest = i;
            for (int axis = p.dims.rank - 1; axis >= 0 && from >= 0; --axis) {
                const std::int64_t k = p.axes.list[axis].source(rest % p.dims[axis], p.mode);
                from = k < 0 ? -1 : from + k * p.steps[axis];
                rest /= p.dims[axis];
            }
            if (from < 0)
                movable<T>::move(a.outputs[0], i, around, 0);
            else
                movable<T>::move(a.outputs[0], i, a.inputs[0], from);
        }
        return status::ok;
    }
};
// For kernels of either layout: rows of the output along the last axis that is padded, in the order of memory.
struct pad_rows {
    std::array<pad_axis, max_rank>
        axes{};  // in the order of memory; those that are not padded are merged into others where they can be
    shape steps = shape::of_rank(max_rank, 0);  // of the input, in elements
    int last_axis = 0;
    std::int64_t rows = 1, inner = 1;  // rows: of the output; inner: elements after the last axis, which stay together
    padding mode;
    pad_kernel::constant around;
    static constexpr pad_rows of(const node_view& n) {
        pad_rows p;
        p.mode = op::pad::mode(n);
        p.around = pad_kernel::constant::of(n);
        pad_axes axes;
        op::pad::read(n, axes);
        const int rank = n.output(0).dims.rank;
        const bool channels_last = rank >= 3 && n.output_layout(0) == layout::channels_last;
        const auto in_memory = [&](int i) { return !channels_last || i == 0 ? i : i == rank - 1 ? 1 : i + 1; };
        int behind = rank;
        for (; behind > 0 && axes.list[in_memory(behind - 1)].whole(); --behind)
            p.inner *= axes.list[in_memory(behind - 1)].size;
        p.last_axis = -1;
        for (int i = 0; i < behind; ++i) {
            const pad_axis& next = axes.list[in_memory(i)];
            if (p.last_axis >= 0 && next.whole() && (p.mode == padding::constant || p.axes[p.last_axis].whole()))
                for (std::int64_t pad_axis::*part :
                     {&pad_axis::size, &pad_axis::at, &pad_axis::first, &pad_axis::length, &pad_axis::input})
                    p.axes[p.last_axis].*part *= next.size;
            else
                p.axes[++p.last_axis] = next;
        }
        p.last_axis = std::max(p.last_axis, 0);
        std::int64_t step = p.inner;
        for (int i = p.last_axis; i >= 0; --i) {
            p.steps[i] = step;
            step *= p.axes[i].input;
            if (i < p.last_axis) p.rows *= p.axes[i].size;
        }
        return p;
    }
};
}  // namespace v1
}  // namespace inlay
