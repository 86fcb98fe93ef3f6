// BitCast (since 26): the bits of the input as elements of the type `to`, which has as many. Of those that become bool,
// every pattern but 0 is 1, because a bool can hold no other.
#pragma once
#include <inlay/onnx/reshape.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct bit_cast : standard {
    static constexpr std::string_view onnx_name = "BitCast";
    static constexpr version_range versions{26, 26};
    static constexpr auto elements = each_type<raw<8>, raw<16>, raw<32>, raw<64>, raw<128>, raw<4>, raw<2>>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const element to = output_type(n, 0), from = n.input(0).type;
        if (to == element::undefined || to == element::string || to == element::object)
            return no("`to` is no type of elements that are bits");
        if (from != element::undefined && bits_of(to) != bits_of(from))
            return no("the elements of the type `to` have another size");
        return same_shape(n, y);
    }
    static constexpr element output_type(const node_view& n, int) { return element_numbered(n.integer("to", 0)); }
};
}  // namespace op

template <class T> struct kernel<op::bit_cast, device::reference, types<T>> : copy_kernel<T> {
    static constexpr verdict supports(const node_view& n) {
        return n.output(0).type == op::bit_cast::output_type(n, 0) ? yes() : no("the output's type is not `to`");
    }
};
template <> struct kernel<op::bit_cast, device::reference, types<raw<8>>> : simple_kernel {
    struct params {
        std::int64_t count;
        bool to_bool;
    };
    static constexpr reuse shares = reuse::in_place;  // no view: a bool's bits may be others
    static constexpr verdict supports(const node_view& n) {
        return kernel<op::bit_cast, device::reference, types<raw<16>>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims.elements(), n.output(0).type == element::boolean};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const auto* x = a.in<std::uint8_t>(0);
        auto* y = a.out<std::uint8_t>(0);
        for (std::int64_t i = 0; i < p.count; ++i) y[i] = p.to_bool ? x[i] != 0 : x[i];
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
