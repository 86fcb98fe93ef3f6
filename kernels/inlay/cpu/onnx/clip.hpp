// Clip of float32 on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/unary_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/clip.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::clip, device::cpu, types<float>> : simple_kernel {
    struct params {
        std::int64_t count;
        int inputs;
        clip_bounds<float> bounds;
    };
    struct state {
        unary_f32_table::map function;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view& n) { return order_of_input(n); }
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims.elements(), n.input_count(), bounds_of(n)};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.function = unary_f32(u.level).clip;
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const float* x = args.in<float>(0);
        float* y = args.out<float>(0);
        const clip_bounds<float> b = p.bounds.with_inputs(args, p.inputs);
        c.split(p.count, 16 * 1024, [&](std::int64_t first, std::int64_t end, int) {
            if (std::isnan(b.low) || std::isnan(b.high))
                std::fill(y + first, y + end, std::numeric_limits<float>::quiet_NaN());
            else
                s.function(x + first, y + first, end - first, b.low, b.high);
        });
        return status::ok;
    }

  private:
    static constexpr clip_bounds<float> bounds_of(
        const node_view& n) {  // in the type of the node, which has its own maximum
        const auto as_floats = [](auto b) { return clip_bounds<float>{float(b.low), float(b.high)}; };
        const element type = n.input(0).type;
        return type == element::f16    ? as_floats(clip_bounds<float16>::of(n))
               : type == element::bf16 ? as_floats(clip_bounds<bfloat16>::of(n))
                                       : clip_bounds<float>::of(n);
    }
};
}  // namespace v1
}  // namespace inlay
