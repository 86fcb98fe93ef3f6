// Col2Im of floats on the CPU: element by element of a block, its numbers in all blocks are added to the image.
#pragma once
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/col2im.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::col2im, device::cpu, types<float>> : simple_kernel {
    using plain = kernel<op::col2im, device::reference, types<float>>;
    using params = plain::params;
    static constexpr verdict supports(const node_view& n) { return plain::supports(n); }
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    // The blocks whose element i lies within the image: [first, last).
    static void blocks_of(const column_blocks::axis& a, std::int64_t i, std::int64_t& first,
                          std::int64_t& last) noexcept {
        const std::int64_t start = i * a.dilation - a.before, room = a.image - start;
        first = start >= 0 ? 0 : (-start + a.stride - 1) / a.stride;
        last = room <= 0 ? 0 : std::min(a.blocks, (room + a.stride - 1) / a.stride);
    }
    // The axes before `axis` have chosen element k of a block, the block `column`, and the row of the image that y is.
    static void add(const column_blocks& b, int axis, const float* x, float* y, std::int64_t k,
                    std::int64_t column) noexcept {
        const column_blocks::axis& a = b.axes[std::size_t(axis)];
        std::int64_t inner = 1;
        for (int i = axis + 1; i < b.count; ++i) inner *= b.axes[std::size_t(i)].image;
        for (std::int64_t i = 0, first = 0, last = 0; i < a.kernel; ++i) {
            blocks_of(a, i, first, last);
            const std::int64_t start = i * a.dilation - a.before;
            if (axis + 1 < b.count) {
                for (std::int64_t block = first; block < last; ++block)
                    add(b, axis + 1, x, y + (block * a.stride + start) * inner, k * a.kernel + i,
                        column * a.blocks + block);
                continue;
            }
            const float* from = x + (k * a.kernel + i) * b.columns + column * a.blocks;
            if (a.stride == 1)
                for (std::int64_t block = first; block < last; ++block) y[block + start] += from[block];
            else
                for (std::int64_t block = first; block < last; ++block) y[block * a.stride + start] += from[block];
        }
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        const std::int64_t work = p.blocks.taps * p.blocks.columns;
        c.split(p.planes, 1 + (1 << 15) / std::max<std::int64_t>(work, 1),
                [&](std::int64_t first, std::int64_t last, int) noexcept {
                    for (std::int64_t plane = first; plane < last && !c.stopped(); ++plane) {
                        float* y = args.out<float>(0) + plane * p.size;
                        std::fill_n(y, p.size, 0.f);
                        if (p.size > 0) add(p.blocks, 0, args.in<float>(0) + plane * work, y, 0, 0);
                    }
                });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
