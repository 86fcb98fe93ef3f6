// OneHot (since 9): along a new axis of `depth` elements the on-value at the place of the index, the off-value
// elsewhere, and everywhere where the index is outside [-depth, depth). Negative indices count from the end; real
// numbers lose their fractions.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/on_device.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct one_hot : standard {
    static constexpr std::string_view onnx_name = "OneHot";
    static constexpr version_range versions{9, 28};
    static constexpr std::array constraints{v1::input(2)};
    static constexpr auto elements = whole_byte_types;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr std::optional<std::int64_t> depth(const node_view& n) {  // -1: no number of elements
        if (const auto number = n.input_integers(1)) return number->size() == 1 ? (*number)[0] : -1;
        const auto number = n.input_reals(1);
        if (!number) return std::nullopt;
        return number->size() == 1 && (*number)[0] > -1 && (*number)[0] < double(most_elements)
                   ? std::int64_t((*number)[0])
                   : -1;
    }
    INLAY_ON_DEVICE static std::int64_t index(element type, const void* x, std::int64_t i) {
        const auto whole = [](double v) {
            return v > -double(most_elements) && v < double(most_elements) ? std::int64_t(v) : most_elements;
        };
        switch (type) {
            case element::i8: return static_cast<const std::int8_t*>(x)[i];
            case element::i16: return static_cast<const std::int16_t*>(x)[i];
            case element::i32: return static_cast<const std::int32_t*>(x)[i];
            case element::u8: return static_cast<const std::uint8_t*>(x)[i];
            case element::u16: return static_cast<const std::uint16_t*>(x)[i];
            case element::u32: return static_cast<const std::uint32_t*>(x)[i];
            case element::u64:
                return std::int64_t(std::min(static_cast<const std::uint64_t*>(x)[i], std::uint64_t(most_elements)));
            case element::f16: return whole(static_cast<const float16*>(x)[i]);
            case element::f32: return whole(static_cast<const float*>(x)[i]);
            case element::f64: return whole(static_cast<const double*>(x)[i]);
            default: return static_cast<const std::int64_t*>(x)[i];
        }
    }
    static constexpr int axis(const node_view& n) {
        return normal_axis(n.integer("axis", -1), n.input(0).dims.rank + 1);
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape &indices = n.input(0).dims, &values = n.input(2).dims;
        if (values.known() && !(values == shape{2})) return no("the values are not an off-value and an on-value");
        if (depth(n) && *depth(n) < 0) return no("depth is not one number, or negative");
        if (indices.rank < 0) return yes();
        if (indices.rank == max_rank) return no("the output has more than 8 dimensions");
        const int a = axis(n);
        if (a < 0) return no("axis is out of range");
        shape s;
        for (int i = 0; i < a; ++i) s.push_back(indices[i]);
        s.push_back(depth(n).value_or(-1));
        for (int i = a; i < indices.rank; ++i) s.push_back(indices[i]);
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
template <class T> struct kernel<op::one_hot, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t outer, depth, inner;
        element indices;
    };
    static constexpr verdict supports(const node_view& n) {
        const element e = n.input(0).type;
        return e != element::boolean && (is_integer(e) || e == element::f32 || e == element::f64 || e == element::f16)
                   ? yes()
                   : no("the indices are no numbers");
    }
    static constexpr params prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        const int axis = op::one_hot::axis(n);
        return {y.elements(0, axis), y[axis], y.elements(axis + 1), n.input(0).type};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (p.depth * p.inner == 0) return status::ok;
        c.split(p.outer, 1 + 16384 / (p.depth * p.inner), [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t i = first * p.depth * p.inner; i < end * p.depth * p.inner; ++i)
                movable<T>::move(a.outputs[0], i, a.inputs[2], 0);
            for (std::int64_t o = first; o < end; ++o)
                for (std::int64_t i = 0; i < p.inner; ++i) {
                    std::int64_t k = op::one_hot::index(p.indices, a.inputs[0], o * p.inner + i);
                    if (k < 0) k += p.depth;
                    if (k >= 0 && k < p.depth)
                        movable<T>::move(a.outputs[0], (o * p.depth + k) * p.inner + i, a.inputs[2], 1);
                }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
