// Col2Im of float32 on the CPU, one row of the image after another: one block element across all blocks along the row
// is a run of the row or, with a stride, of those of its elements that are the stride apart. Such runs are accumulated,
// and then interleaved.
#pragma once
#include <inlay/cpu/isa/col2im_f32.hpp>
#include <inlay/cpu/support/dense.hpp>
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/col2im.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::col2im, device::cpu, types<float>> : simple_kernel {
    using plain = kernel<op::col2im, device::reference, types<float>>;
    using axis = column_blocks::axis;
    struct params : plain::params {
        bool moves = false;  // blocks follow each other along the row and cover it: nothing is added there
        // The last axis, and of the others: elements of a block, rows of the image.
        constexpr const axis& inner() const { return blocks.axes[std::size_t(blocks.count - 1)]; }
        constexpr std::int64_t outer_taps() const { return blocks.taps / inner().kernel; }
        constexpr std::int64_t rows() const { return size / inner().image; }
        constexpr bool empty() const { return blocks.count == 0 || planes == 0 || size == 0; }
        // The runs of a row, and how long they are at most.
        constexpr std::int64_t runs() const { return std::min(inner().stride, inner().image); }
        constexpr std::int64_t run_room() const { return inner().image / inner().stride + 1; }
        // Scratch in bytes: what all parts read, and the runs and the block bases of each part.
        constexpr std::int64_t taps_room() const { return whole_lines(inner().kernel * 24 + (runs() + 1) * 8); }
        constexpr std::int64_t runs_room() const {
            return inner().stride == 1 ? 0 : whole_lines(runs() * run_room() * 4);
        }
        constexpr std::int64_t part_room() const { return runs_room() + whole_lines(outer_taps() * 8); }
        static constexpr std::int64_t whole_lines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
    };
    struct state {
        const col2im_f32_table* functions;
    };
    static constexpr verdict supports(const node_view& n) { return plain::supports(n); }
    static constexpr params prepare(const node_view& n) {
        params p{plain::prepare(n)};
        if (p.blocks.count == 0) return p;
        const axis& a = p.inner();
        p.moves =
            a.stride > 1 && a.kernel == a.stride && a.dilation == 1 && a.before == 0 && a.blocks * a.stride == a.image;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, p.empty() ? 0 : p.taps_room() + threads * p.part_room()};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &col2im_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        if (p.empty()) return status::ok;
        const axis& a = p.inner();
        auto* const taps = reinterpret_cast<col2im_f32_tap*>(c.scratch);
        auto* const starts = reinterpret_cast<std::int64_t*>(taps + a.kernel);
        place_taps(p, taps, starts);
        const std::int64_t rows = p.rows(), work = a.image + p.blocks.taps * a.blocks;
        c.split(p.planes * rows, 1 + (1 << 15) / work, [&](std::int64_t first, std::int64_t end, int part) noexcept {
            std::byte* const room = c.scratch + p.taps_room() + part * p.part_room();
            auto** const bases = reinterpret_cast<const float**>(room + p.runs_room());
            float* const runs = reinterpret_cast<float*>(room);
            col2im_f32_call call{
                bases, 1, taps, starts, runs, p.run_room(), p.runs(), a.image / a.stride, a.image % a.stride};
            stop_check ends(c);
            places at = place(p, first % rows);
            for (std::int64_t i = first, plane = first / rows; i < end && !ends(work); ++i) {
                float* const y = args.out<float>(0) + i * a.image;
                *bases = args.in<float>(0) + plane * p.blocks.taps * p.blocks.columns;
                if (p.blocks.count > 1) call.base_count = find_bases(p, at, 0, 0, 0, *bases, bases);
                if (p.moves && call.base_count == 1) {
                    mix(p, *bases, p.blocks.columns, y);
                } else {
                    if (a.stride == 1) call.y = y;
                    s.functions->add(call);
                    if (a.stride > 1) mix(p, runs, p.run_room(), y);
                }
                if (next(p, at)) ++plane;
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }

  private:
    // Where a row lies along an axis: the place, and the place after the pad by the stride.
    struct place_of_axis {
        std::int64_t at, block, rest;
    };
    using places = std::array<place_of_axis, column_blocks::most_axes>;
    static place_of_axis place(const axis& a, std::int64_t i) noexcept {
        return {i, (i + a.before) / a.stride, (i + a.before) % a.stride};
    }
    static places place(const params& p, std::int64_t row) noexcept {
        places position{};
        for (int k = p.blocks.count - 2; k >= 0; --k) {
            const axis& a = p.blocks.axes[std::size_t(k)];
            position[std::size_t(k)] = place(a, row % a.image);
            row /= a.image;
        }
        return position;
    }
    // The next row; whether it is the first one of a plane.
    static bool next(const params& p, places& position) noexcept {
        for (int k = p.blocks.count - 2; k >= 0; --k) {
            const axis& a = p.blocks.axes[std::size_t(k)];
            place_of_axis& x = position[std::size_t(k)];
            if (++x.rest == a.stride) x.rest = 0, ++x.block;
            if (++x.at < a.image) return false;
            x = place(a, 0);
        }
        return true;
    }
    // The elements of a block along the row, ordered by the run that they lie in: block j of an element is element
    // j + offset of its run.
    static void place_taps(const params& p, col2im_f32_tap* taps, std::int64_t* starts) noexcept {
        const axis& a = p.inner();
        const std::int64_t runs = p.runs();
        const auto for_each = [&](auto f) {
            std::int64_t offset = -((a.before + a.stride - 1) / a.stride), run = -a.before - offset * a.stride;
            for (std::int64_t i = 0; i < a.kernel; ++i) {
                if (run < runs) f(i, offset, run);
                offset += a.dilation / a.stride;
                run += a.dilation % a.stride;
                if (run >= a.stride) run -= a.stride, ++offset;
            }
        };
        std::fill_n(starts, runs + 1, 0);
        for_each([&](std::int64_t, std::int64_t, std::int64_t run) { ++starts[run]; });
        for (std::int64_t r = 1; r < runs; ++r) starts[r] += starts[r - 1];
        starts[runs] = starts[runs - 1];
        // Turns the ends of the runs' taps into their beginnings.
        for_each([&](std::int64_t i, std::int64_t offset, std::int64_t run) {
            taps[--starts[run]] = {i * p.blocks.columns - offset, std::max<std::int64_t>(0, offset), a.blocks + offset};
        });
    }
    // The axes before `axis`, which is not the last one, have selected element k of a block and the block `column`, for
    // the row that is at `at`: how many bases there are of these.
    static std::int64_t find_bases(const params& p, const places& at, int axis, std::int64_t k, std::int64_t column,
                                   const float* x, const float** bases) noexcept {
        const column_blocks& b = p.blocks;
        const column_blocks::axis &a = b.axes[std::size_t(axis)], &inner = p.inner();
        std::int64_t step = a.stride == 1 ? a.dilation : 0;
        if (a.stride > 1 && a.dilation >= a.stride) step = a.dilation / a.stride;
        const std::int64_t turn = a.dilation - step * a.stride;
        std::int64_t count = 0, block = at[std::size_t(axis)].block, rest = at[std::size_t(axis)].rest;
        for (std::int64_t i = 0; i < a.kernel && block >= 0; ++i, block -= step, rest -= turn) {
            if (rest < 0) rest += a.stride, --block;
            if (rest != 0 || block < 0 || block >= a.blocks) continue;
            const std::int64_t element = k * a.kernel + i, target = column * a.blocks + block;
            if (axis + 2 == b.count)
                bases[count++] = x + element * inner.kernel * b.columns + target * inner.blocks;
            else
                count += find_bases(p, at, axis + 1, element, target, x, bases + count);
        }
        return count;
    }
    // Element i of the row is element i / stride of run i % stride; runs are `row` apart.
    static void mix(const params& p, const float* runs, std::int64_t row, float* y) noexcept {
        const axis& a = p.inner();
        const std::int64_t whole = a.image / a.stride;
        auto* const to = reinterpret_cast<std::byte*>(y);
        const auto* const from = reinterpret_cast<const std::byte*>(runs);
        if (a.stride == 2)
            mix_two(to, from, from + row * 4, whole);
        else if (whole > 0)
            transpose_block<32>(to, from, a.stride, whole, row, a.stride);
        for (std::int64_t r = 0; r < a.image % a.stride; ++r) y[whole * a.stride + r] = runs[r * row + whole];
    }
    static void mix_two(std::byte* y, const std::byte* a, const std::byte* b, std::int64_t n) noexcept {
        std::int64_t i = 0;
        for (; i + 4 <= n; i += 4) {
            lanes_of<4>::type of_a, of_b;
            std::memcpy(&of_a, a + i * 4, 16);
            std::memcpy(&of_b, b + i * 4, 16);
            const auto first = interleave<0>(of_a, of_b, std::make_index_sequence<4>()),
                       second = interleave<1>(of_a, of_b, std::make_index_sequence<4>());
            std::memcpy(y + i * 8, &first, 16);
            std::memcpy(y + i * 8 + 16, &second, 16);
        }
        if (i < n) transpose_block<32>(y + i * 8, a + i * 4, 2, n - i, (b - a) / 4, 2);
    }
};
}  // namespace v1
}  // namespace inlay
