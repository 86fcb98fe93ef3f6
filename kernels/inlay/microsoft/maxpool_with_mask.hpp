// MaxpoolWithMask (com.microsoft, since 1): MaxPool, where a line of a window along the last axis ends before the first
// element whose mask is 0; the first element of a plane of several axes needs no mask. M is as X, or has fewer planes,
// which repeat. A window without elements gives the minimum of the type.
#pragma once
#include <inlay/onnx/pool.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct maxpool_with_mask : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MaxpoolWithMask";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(1)) return no("the mask is missing");
        if (n.input(1).type != element::i32 && n.input(1).type != element::undefined)
            return no("the mask must be of 32-bit integers");
        const shape &x = n.input(0).dims, &m = n.input(1).dims;
        if (x.rank >= 0 && m.rank >= 0 && x.rank != m.rank) return no("the mask has not the axes of the input");
        for (int i = 2; i < std::min(x.rank, m.rank); ++i)
            if (x[i] >= 0 && m[i] >= 0 && x[i] != m[i]) return no("the mask has other spatial axes than the input");
        if (x.known() && m.known() && (m[0] == 0 || m[1] == 0) && x.elements(0, 2) > 0)
            return no("the mask has no planes");
        return m.known() && !countable(m) ? no("the mask is too large") : pool_shapes(n, y);
    }
};
}  // namespace op

template <> struct kernel<op::maxpool_with_mask, device::reference, types<float>> : simple_kernel {
    struct params {
        pool_windows windows;
        std::int64_t masks;  // planes of the mask
        bool free_first;     // the first element of a plane needs no mask
    };
    static constexpr params prepare(const node_view& n) {
        params p{{}, std::max<std::int64_t>(n.input(1).dims.elements(0, 2), 1), n.input(0).dims.rank > 3};
        (void)p.windows.read(n);
        return p;
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        const pool_windows& w = p.windows;
        const std::int64_t size = w.axes[0].in * w.axes[1].in * w.axes[2].in,
                           outputs = w.axes[0].out * w.axes[1].out * w.axes[2].out;
        stop_check ends(c);
        pool_kernel::over_windows(
            w, [&, work = pool_kernel::window_work(w)](std::int64_t output, std::int64_t, const auto&, auto window) {
                if (ends(work)) return false;
                const std::int64_t plane = output / outputs;
                const float* x = args.in<float>(0) + plane * size;
                const auto* mask = args.in<std::int32_t>(1) + plane % p.masks * size;
                float most = std::numeric_limits<float>::lowest();
                std::int64_t masked_line = -1;  // the line that has
                window([&](std::int64_t i, std::int64_t j, std::int64_t k) {
                    const std::int64_t line = i * w.axes[1].in + j, at = line * w.axes[2].in + k;
                    if (mask[at] == 0 && !(p.free_first && at == 0)) masked_line = line;
                    if (masked_line != line && !(x[at] <= most) && most == most) most = x[at];  // NaN stays
                });
                args.out<float>(0)[output] = most;
                return true;
            });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
