// Range (since 11): start, start + delta, ... before limit.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct range : standard {
    static constexpr std::string_view onnx_name = "Range";
    static constexpr version_range versions{11, 27};
    static constexpr auto elements =
        each_type<float, double, std::int16_t, std::int32_t, std::int64_t, float16, bfloat16>;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr std::int64_t too_many = -1;
    static constexpr std::int64_t length(std::int64_t start, std::int64_t limit,
                                         std::int64_t delta) {  // delta is not 0
        if (delta > 0 ? limit <= start : limit >= start) return 0;
        const auto from = std::uint64_t(start), to = std::uint64_t(limit), by = std::uint64_t(delta);
        const std::uint64_t n = (delta > 0 ? (to - from - 1) / by : (from - to - 1) / (0 - by)) + 1;
        return n > std::uint64_t(most_elements) ? too_many : std::int64_t(n);
    }
    static constexpr std::int64_t length(double distance, double delta) {  // from start to limit
        const double n = distance / delta;
        if (!(n < double(most_elements))) return too_many;
        if (n <= 0) return 0;
        const auto whole = std::int64_t(n);
        return whole + (double(whole) < n);
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 3; ++k) {
            if (!n.has_input(k)) return no("an input is missing");
            if (n.input(k).dims.known() && n.input(k).dims.elements() != 1)
                return no("an input is not a single element");
        }
        std::int64_t size = too_many;
        if (is_integer(n.input(0).type)) {
            const auto start = n.input_integers(0), limit = n.input_integers(1), delta = n.input_integers(2);
            if (!start || !limit || !delta) return yes();
            if ((*delta)[0] == 0) return no("delta is 0");
            size = length((*start)[0], (*limit)[0], (*delta)[0]);
        } else {
            const auto start = n.input_reals(0), limit = n.input_reals(1), delta = n.input_reals(2);
            if (!start || !limit || !delta) return yes();
            if ((*delta)[0] == 0) return no("delta is 0");
            const double distance = (*limit)[0] - (*start)[0];  // rounded as in the type that is computed in
            size = length(in_double(n) ? distance : double(static_cast<float>(distance)), (*delta)[0]);
        }
        if (size == too_many) return no("the output is too large, or an input is not a number");
        y[0] = {size};
        return yes();
    }
    static constexpr bool in_double(const node_view& n) {
        const element e = n.input(0).type;
        return e == element::f64 ||
               ((e == element::f16 || e == element::bf16) && n.integer("stash_type", 1) == int(element::f64));
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::range, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t count;
        bool in_double;
    };
    static constexpr params prepare(const node_view& n) {
        return {n.output(0).dims.elements(), op::range::in_double(n)};
    }
    template <class A> static void fill(const params& p, const arguments& a) {
        const A start(*a.in<T>(0)), delta(*a.in<T>(2));
        for (std::int64_t i = 0; i < p.count; ++i) a.out<T>(0)[i] = T(start + A(i) * delta);
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        if constexpr (std::is_integral_v<T>)
            fill<std::uint64_t>(p, a);  // modulo 2^64: right where i * delta alone would overflow
        else if (p.in_double)
            fill<double>(p, a);
        else
            fill<float>(p, a);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
