// QLinearReduceMean (com.microsoft, since 1): the mean of 8-bit quantized values, (value - zero point) * scale over
// `axes`, over all of them where there are none, quantized as the result. Inputs: data, its scale and zero point, those
// of the result.
#pragma once
#include <inlay/onnx/reduce.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qlinear_reduce_mean : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QLinearReduceMean";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte>>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs};
    static constexpr verdict axes(const node_view& n, reduced_axes& axes) {
        const int rank = n.input(0).dims.rank;
        named_axes named;
        for (const std::int64_t value : n.integers("axes")) {
            int axis = 0;
            if (const verdict v = named.add(value, rank, axis); !v) return v;
            axes.bits |= 1u << axis;
        }
        if (n.integers("axes").empty()) axes.bits = (1u << rank) - 1;
        axes.is_known = true;
        return yes();
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        if (n.input_count() > 5) return no("there are too many inputs");
        for (int k : {1, 3})
            if (const verdict v = quantized::scalar_scaling(n, k, k + 1, n.input(0).type); !v) return v;
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        reduced_axes over;
        if (const verdict v = axes(n, over); !v) return v;
        shape s;
        for (int i = 0; i < x.rank; ++i) {
            if (!over.has(i))
                s.push_back(x[i]);
            else if (n.integer("keepdims", 1) != 0)
                s.push_back(1);
        }
        y[0] = s;
        return yes();
    }
};
}  // namespace op

template <> struct kernel<op::qlinear_reduce_mean, device::reference, types<quantized::byte>> : simple_kernel {
    struct params {
        reduction_loops loops;
        element type;
        presence has;
    };
    static constexpr params prepare(const node_view& n) {
        reduced_axes over;
        (void)op::qlinear_reduce_mean::axes(n, over);
        return {reduction_loops(n.input(0).dims, over, layout::plain), n.input(0).type, presence(n)};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const quantized::linear_code from(p.type, a, 1, 2, p.has), to(p.type, a, 3, 4, p.has);
        const std::uint8_t* x = a.in<std::uint8_t>(0);
        std::uint8_t* y = a.out<std::uint8_t>(0);
        const float count = float(p.loops.elements(true));
        p.loops.walk(false, p.loops.rank, [&](std::int64_t first) {
            std::int64_t sum = 0;
            p.loops.walk(true, p.loops.rank, [&](std::int64_t step) { sum += from.integer(x[first + step]); });
            *y++ = to(from.scale * (float(sum) / count));
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
