// Shape (since 1): the input's dimensions as int64; since 15 those from `start` to `end` only. Size (since 1): how many
// elements it has.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct shape_of : standard {
    static constexpr std::string_view onnx_name = "Shape";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements = each_type<any_element>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .reads = reading::shape_only};
    static constexpr shape part(const node_view& n, const shape& x) {
        const auto place = [&](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + x.rank : i, 0, x.rank); };
        const std::int64_t begin = place(n.integer("start", 0)), end = place(n.integer("end", x.rank));
        shape s;
        for (std::int64_t i = begin; i < end; ++i) s.push_back(x[int(i)]);
        return s;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (x.rank >= 0) y[0] = {part(n, x).rank};
        return yes();
    }
    static constexpr element output_type(const node_view&, int) { return element::i64; }
};
struct size_of : standard {
    static constexpr std::string_view onnx_name = "Size";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements = each_type<any_element>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .reads = reading::shape_only};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input(0).dims.rank >= 0 && !countable(n.input(0).dims)) return no("the input is too large");
        y[0] = {};
        return yes();
    }
    static constexpr element output_type(const node_view&, int) { return element::i64; }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::shape_of, device::reference, types<any_element>> : simple_kernel {
    struct params {
        shape dims;
    };
    static constexpr params prepare(const node_view& n) { return {op::shape_of::part(n, n.input(0).dims)}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        std::copy(p.dims.begin(), p.dims.end(), a.out<std::int64_t>(0));
        return status::ok;
    }
};
template <> struct kernel<op::size_of, device::reference, types<any_element>> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        *a.out<std::int64_t>(0) = p.count;
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
