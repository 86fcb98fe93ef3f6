// DeformConv of float32 on the CPU, over two axes: the kernel's inputs of some outputs are gathered, then multiplied.
#pragma once
#include <inlay/cpu/isa/sample_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/deform_conv.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::deform_conv, device::cpu, types<float>> : simple_kernel {
    using params = deformation;
    struct state {
        const sample_f32_table* functions;
    };
    static constexpr std::int64_t block = sample_f32_points::outputs;
    static constexpr std::int64_t points_bytes = (sizeof(sample_f32_points) + 63) / 64 * 64;
    static constexpr verdict supports(const node_view& n) {
        const shape& x = n.input(0).dims;
        if (x.rank != 4) return no("the fast kernel has two spatial axes");
        return x.elements(2) <= std::numeric_limits<std::int32_t>::max()
                   ? yes()
                   : no("the fast kernel takes images of less than 2^31 pixels");
    }
    static constexpr params prepare(const node_view& n) { return deformation::of(n); }
    static constexpr std::int64_t thread_bytes(const params& p) {
        return points_bytes + p.channels * p.taps * block * 4;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, threads * thread_bytes(p)};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &sample_f32(u.level);
        return status::ok;
    }
    // Where element k of the kernel lies for outputs [first, first + count) of image n, by the offsets of group g.
    static void find(const params& p, const arguments& a, std::int64_t n, std::int64_t g, std::int64_t k,
                     std::int64_t first, std::int64_t count, sample_f32_points& to) noexcept {
        const auto& c = p.axes;
        const std::int64_t tap = (n * p.offset_groups + g) * p.taps + k, height = c.input[0], width = c.input[1];
        const float* down = a.in<float>(2) + 2 * tap * p.places + first;
        const float* across = down + p.places;
        const float* mask = p.has.in<float>(a, 4);
        const std::int64_t row = k / c.kernel[1] * c.dilations[0] - c.pads[0],
                           column = k % c.kernel[1] * c.dilations[1] - c.pads[1];
        for (std::int64_t i = 0; i < (count + 15) / 16 * 16; ++i) {
            for (int q = 0; q < 4; ++q) {
                to.pixel[0][q][i] = i < count ? -1 : 0;
                to.weight[0][q][i] = 0;
            }
            if (i >= count) continue;
            const std::int64_t o = first + i;
            const float y = static_cast<float>(o / c.output[1] * c.strides[0] + row) + down[i],
                        x = static_cast<float>(o % c.output[1] * c.strides[1] + column) + across[i];
            if (!(y > -1 && y < static_cast<float>(height) && x > -1 && x < static_cast<float>(width))) continue;
            const float above = std::floor(y), left = std::floor(x), ry = y - above, rx = x - left,
                        factor = mask ? mask[tap * p.places + o] : 1.f;
            const std::int64_t top = std::int64_t(above), start = std::int64_t(left);
            for (int q = 0; q < 4; ++q) {
                const std::int64_t r = top + q / 2, s = start + q % 2;
                if (r < 0 || r >= height || s < 0 || s >= width) continue;
                to.pixel[0][q][i] = std::int32_t(r * width + s);
                to.weight[0][q][i] = (q / 2 ? ry : 1 - ry) * (q % 2 ? rx : 1 - rx) * factor;
            }
        }
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::int64_t blocks = (p.places + block - 1) / block, share = p.channels / p.offset_groups,
                           group = p.axes.group, inner = p.channels / group * p.taps, rows = p.outputs / group;
        const float* bias = p.has.in<float>(a, 3);
        c.split(p.batch * blocks, 1, [&](std::int64_t begin, std::int64_t end, int part) noexcept {
            std::byte* scratch = c.scratch + part * thread_bytes(p);
            auto& points = *reinterpret_cast<sample_f32_points*>(scratch);
            auto* columns = reinterpret_cast<float*>(scratch + points_bytes);
            for (std::int64_t b = begin; b < end && !c.stopped(); ++b) {
                const std::int64_t n = b / blocks, first = b % blocks * block,
                                   count = std::min(block, p.places - first);
                for (std::int64_t g = 0; g < p.offset_groups; ++g)
                    for (std::int64_t k = 0; k < p.taps; ++k) {
                        find(p, a, n, g, k, first, count, points);
                        s.functions->region({a.in<float>(0) + (n * p.channels + g * share) * p.size, nullptr,
                                             columns + (g * share * p.taps + k) * block, p.size, share, p.taps * block,
                                             count, 1, false, false, false},
                                            points);
                    }
                for (std::int64_t g = 0; g < group; ++g)
                    s.functions->product({a.in<float>(1) + g * rows * inner, columns + g * inner * block,
                                          bias ? bias + g * rows : nullptr,
                                          a.out<float>(0) + (n * p.outputs + g * rows) * p.places + first, rows, inner,
                                          count, p.places});
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
