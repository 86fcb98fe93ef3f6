// NonZero (since 9): the indices of the elements that are not zero, in the order of the elements: a row of them per
// axis. NaN is not zero; of strings the empty one is.
#pragma once
#include <inlay/support/bit_order.hpp>
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct non_zero : standard {
    static constexpr std::string_view onnx_name = "NonZero";
    static constexpr version_range versions{9, 13};
    static constexpr auto elements = whole_byte_types;
    static constexpr bool data_dependent = true;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank >= 0 && !countable(x)) return no("the input is too large");
        y[0] = {x.rank >= 0 ? x.rank : -1, -1};
        return yes();
    }
    static constexpr element output_type(const node_view&, int) { return element::i64; }
    static constexpr void bounds(const node_view& n, std::span<shape> y) {
        y[0] = {n.input(0).dims.rank, n.input(0).dims.elements()};
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct non_zero_params {
    shape dims;
    std::uint64_t mask;  // the bits of an element, some of which are set unless it is zero
    static constexpr non_zero_params of(const node_view& n) {
        const element type = n.input(0).type;
        const bit_order order = bit_order::of(type);
        return {n.input(0).dims, type == element::c64    ? 0x7fffffff7fffffff
                                 : type == element::c128 ? 0x7fffffffffffffff  // of each part
                                 : order.infinity        ? ~order.sign
                                                         : ~std::uint64_t(0)};
    }
};
template <class T> struct kernel<op::non_zero, device::reference, types<T>> : simple_kernel {
    using params = non_zero_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t elements = p.dims.elements();
        std::int64_t count = 0, column = 0;
        for (std::int64_t e = 0; e < elements; ++e) count += counts(p, a, e);
        auto* y = c.output<std::int64_t>(0, {p.dims.rank, count});
        if (!y && p.dims.rank * count > 0) return c.fail("no memory for the indices", status::out_of_memory);
        for (std::int64_t e = 0; e < elements; ++e) {
            if (!counts(p, a, e)) continue;
            std::int64_t rest = e;
            for (int i = p.dims.rank - 1; i >= 0; --i) {
                y[i * count + column] = rest % p.dims[i];
                rest /= p.dims[i];
            }
            ++column;
        }
        return status::ok;
    }

  private:
    static bool counts(const params& p, const arguments& a, std::int64_t e) {
        if constexpr (std::is_same_v<T, std::string>) {
            return !a.in<std::string>(0)[e].empty();
        } else if constexpr (std::is_same_v<T, raw<128>>) {
            const auto* parts = a.in<std::uint64_t>(0) + 2 * e;
            return ((parts[0] | parts[1]) & p.mask) != 0;
        } else {
            using word = word_of<T>;
            return (a.in<word>(0)[e] & word(p.mask)) != 0;
        }
    }
};
}  // namespace v1
}  // namespace inlay
