// How ScatterND and ScatterElements update an element: `reduction` (since 16, max and min since 18) combines it with
// what is there.
#pragma once
#include "indices.hpp"
#include "movable.hpp"
#include <inlay/onnx/binary.hpp>
#include <inlay/onnx/sum.hpp>

namespace inlay {
inline namespace v1 {
enum class scatter_reduction : std::uint8_t { none, add, mul, max, min, unknown };
constexpr scatter_reduction reduction_of(const node_view& n) {
    constexpr std::string_view names[] = {"none", "add", "mul", "max", "min"};
    return scatter_reduction(std::find(std::begin(names), std::end(names), n.text("reduction", "none")) -
                             std::begin(names));
}
template <class Op> struct element_of_extreme {
    template <class T> INLAY_ON_DEVICE T operator()(T a, T b) const {
        return static_cast<T>(Op::template join<accumulator<T>>(a, b));
    }
};
template <class F>
INLAY_ON_DEVICE void with_reduction(scatter_reduction reduction, F f) {  // f(the function of two elements)
    switch (reduction) {
        case scatter_reduction::add: f(element_of_arithmetic<op::add>{}); break;
        case scatter_reduction::mul: f(element_of_arithmetic<op::mul>{}); break;
        case scatter_reduction::max: f(element_of_extreme<op::max>{}); break;
        case scatter_reduction::min: f(element_of_extreme<op::min>{}); break;
        default: break;
    }
}
// By size where elements are only moved, then by type.
inline constexpr auto scatter_types =
    each_type<raw<8>, raw<16>, raw<32>, raw<64>, raw<128>, std::string, float, double, float16, bfloat16, std::int8_t,
              std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
namespace op {
struct scattering : standard {
    static constexpr version_range versions{11, 18};
    static constexpr auto elements = scatter_types;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
};
}  // namespace op

template <class T>
concept joinable = floating<T> || std::integral<T>;
template <class T> struct scatter_kernel : simple_kernel {
    static constexpr bool moves = !joinable<T>;
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        const bool is_assignment = reduction_of(n) == scatter_reduction::none;
        if constexpr (moves)
            return is_assignment ? yes() : no("a reduction needs numbers, this kernel only moves elements");
        else
            return is_assignment ? no("elements that are only moved have a kernel by their size") : yes();
    }
    static void copy_input(const arguments& a, std::int64_t count) noexcept {
        if (a.inputs[0] != a.outputs[0]) movable<T>::copy(a.outputs[0], 0, a.inputs[0], 0, count);
    }
    // Elements j, j + 1, ... of x into i, i + 1, ... of y.
    static void update(scatter_reduction reduction, void* y, std::int64_t i, const void* x, std::int64_t j,
                       std::int64_t count) noexcept {
        if constexpr (moves)
            movable<T>::copy(y, i, x, j, count);
        else
            with_reduction(reduction, [&](auto join) {
                T* to = static_cast<T*>(y) + i;
                for (std::int64_t e = 0; e < count; ++e) to[e] = join(to[e], static_cast<const T*>(x)[j + e]);
            });
    }
};
}  // namespace v1
}  // namespace inlay
