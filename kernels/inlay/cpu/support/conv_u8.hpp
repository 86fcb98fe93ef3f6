// What the convolutions of 8-bit integers on the CPU share. Elements are multiplied unsigned by signed:
// with the other sign every element and zero point is 128 more or less. With zero points s of X and t of W,
//   sum((x - s)(w - t)) = sum(x w) - s (sum(w) - k t) - t sum(x),
// where padding is as many x that equal s. Only the last term depends on the window's content, and t is mostly 0.
#pragma once
#include "conv_geometry.hpp"
#include "dense.hpp"
#include <inlay/cpu/isa/depthwise_u8.hpp>
#include <inlay/cpu/isa/gemm_u8s8.hpp>
#include <inlay/onnx/conv_integer.hpp>

namespace inlay {
inline namespace v1 {
struct conv_u8_params : conv_geometry {
    int weight = 0, x_zero = 0, w_zero = 0, bias = 0;  // the inputs that these are; none: 0
    bool each_zero = false, each_scale = false;        // one per output channel
    bool linear = false;                               // the accumulators are requantized
    std::uint8_t x_flip = 0, w_flip = 0;               // flips X to unsigned and W to signed
    quantized::code_range codes{};
    quantized::bytes y_type{};

    constexpr void read_types(const node_view& n) {
        x_flip = n.input(0).type == element::i8 ? 128 : 0;
        w_flip = n.input(weight).type == element::u8 ? 128 : 0;
    }
    // A pointwise GEMM reads a single row.
    constexpr void flatten() {
        if (height * width == 1) plain_input = false;  // either layout is the other
        if (!joined() || samples() || deep() || depthwise()) return;
        width *= height;
        if (!plain_input) width *= batch, batch = 1;
        height = out_height = 1;
        out_width = width;
    }
    constexpr gemm_f32_depth numbers() const { return {kernel_h, kernel_w, channels / group}; }
    constexpr gemm_f32_depth words(isa::level l) const { return numbers().in_groups(gemm_u8s8_group(l)); }
    // Memory, in words. Of weights: of a group in panels, of a panel of ones, of all as depthwise loops read them.
    constexpr std::int64_t packed(isa::level l) const { return panels_room(l, columns()); }
    constexpr std::int64_t ones(isa::level l) const { return depthwise() ? 0 : panels_room(l, 1); }
    constexpr std::int64_t weights(isa::level l) const {
        if (!depthwise()) return group * packed(l);
        const std::int64_t pairs = depthwise_u8_pairs(kernel_h) * depthwise_u8_channels(channels),
                           fours = depthwise_u8_fours(kernel_h) * depthwise_u8_wide_channels(channels);
        return padded_floats(kernel_w * (in_fours(l) ? std::max(pairs, fours) : pairs));
    }
    constexpr bool in_fours(isa::level l) const {  // depthwise weights, if they are bytes
        return depthwise_u8_has_fours(l) && depthwise_u8_fours_fit(kernel_w, step_w(), dilation_w);
    }
    constexpr std::int64_t column_room() const { return padded_floats(out_channels); }  // a word per output channel
    // Words from one pixel to the next, of the GEMM's input.
    constexpr std::int64_t pixel(isa::level l) const {
        const std::int64_t length = words(l).length;
        return length + (gemm_f32_aliases(step_w() * length) ? 16 : 0);
    }
    // Pixels of a row, and rows, that so many of the output see.
    constexpr std::int64_t seen(std::int64_t pixels) const { return samples() ? pixels : seen_width(pixels); }
    constexpr std::int64_t seen_lines(std::int64_t rows) const { return (rows - 1) * step_h() + reach_h(); }
    // A block is some rows of the output, or a part of one. Its input is copied, and stays in the second-level cache,
    // as do its accumulators where they are needed.
    constexpr std::int64_t copied(isa::level l) const {
        return depthwise() ? channels : 4 * pixel(l);
    }  // bytes a pixel
    static constexpr std::int64_t cache(isa::level l) { return l >= isa::level::avx512 ? 262144 : 131072; }
    static constexpr std::int64_t least_pixels(isa::level l) { return 8 * gemm_f32_rows(l); }
    constexpr std::int64_t most_pixels(isa::level l) const {
        return std::max(cache(l) / (4 * std::max<std::int64_t>(1, columns())), least_pixels(l));
    }
    constexpr std::int64_t widest(isa::level l) const {  // part of a row
        const std::int64_t column = std::max<std::int64_t>(1, copied(l) * reach_h()),
                           fits = (cache(l) / column - reach_w()) / step_w() + 1;
        return std::min({out_width, std::max(fits, least_pixels(l)), most_pixels(l)});
    }
    constexpr std::int64_t segments(isa::level l, int threads) const {  // of a row
        const std::int64_t fit = std::max<std::int64_t>(1, widest(l)),
                           lines = std::max<std::int64_t>(1, images() * out_height),
                           requested = threads == 1 ? 1 : (2 * threads + lines - 1) / lines;
        return std::max((out_width + fit - 1) / fit, std::min(requested, 2 * out_width / least_pixels(l)));
    }
    constexpr std::int64_t block(isa::level l, std::int64_t segments) const {  // rows
        if (segments > 1) return 1;
        const std::int64_t line = std::max<std::int64_t>(1, seen(out_width) * copied(l)),
                           fits = (cache(l) / line - reach_h()) / step_h() + 1;
        return std::clamp<std::int64_t>(std::min(fits, most_pixels(l) / std::max<std::int64_t>(1, out_width)), 1,
                                        std::max<std::int64_t>(1, out_height));
    }
    // Scratch of a part, in words: enough for every smaller image too. Of GEMM also the sums of rows, and accumulators.
    constexpr std::int64_t copy_room(isa::level l) const {
        const std::int64_t line = seen(widest(l)) * copied(l),
                           bytes = std::min(seen_lines(out_height) * line, std::max(cache(l), reach_h() * line));
        return padded_floats((bytes + (depthwise() ? 16 : 0) + 3) / 4);
    }
    constexpr std::int64_t row_room(isa::level l) const { return padded_floats(most_pixels(l)); }
    constexpr std::int64_t sums_room(isa::level l) const {
        return linear ? padded_floats(most_pixels(l) * columns()) : 0;
    }
    constexpr std::int64_t part_room(isa::level l) const {
        return copy_room(l) + (depthwise() ? 0 : row_room(l) + sums_room(l));
    }

  private:
    constexpr std::int64_t panels_room(isa::level l, std::int64_t n) const {
        return padded_floats(gemm_f32_padded(l, n) * words(l).total() * gemm_u8s8_group(l) / 4);
    }
};
struct conv_u8_state {  // shifted: t is not 0 everywhere; fours: of depthwise weights
    const gemm_u8s8_table* table = nullptr;
    const depthwise_u8_table* depthwise = nullptr;
    isa::level level{};
    bool shifted = false, fours = false;
    const float *weights = nullptr, *ones = nullptr;
    const std::int32_t *zeros = nullptr, *sums = nullptr;  // of each output channel: t, and sum(w) - k t
    const std::int32_t* start = nullptr;                   // as in the arguments; null: not known before a run
    const float* scales = nullptr;
};
struct conv_u8_arguments {
    const std::uint8_t* x;
    const std::int32_t* start;  // of the accumulator of each output channel
    const float* scales;
    std::uint8_t padding;  // its unsigned equivalent
    gemm_codes codes;      // of all of the output, or:
    std::int32_t* sums;
    float* scratch;
};

struct conv_u8_region {  // of an image of the output, and of a group's panels
    std::int64_t image, row, rows, column, column_end, group, panel, panel_end;
    std::int64_t width() const { return column_end - column; }
    // The first element of the output.
    std::int64_t at(const conv_u8_params& p) const {
        return ((image * p.out_height + row) * p.out_width + column) * p.out_channels + group * p.columns();
    }
};
// f(region, scratch) for all blocks of the output, by all threads.
template <class F>
void over_blocks(const conv_u8_params& p, isa::level l, const conv_u8_arguments& a, std::int64_t groups,
                 std::int64_t panels, context& c, F f) {
    const std::int64_t lines = p.images() * p.out_height, segments = p.segments(l, c.threads),
                       block = p.block(l, segments), rows = lines * segments;
    if (rows * groups * panels * p.out_width == 0) return;
    const double work =
        double(lines * p.out_width) * double(p.out_channels) * double(p.depthwise() ? p.taps() : p.words(l).total());
    const bool by_columns = p.out_channels * p.taps() > lines * p.out_width;  // the weights are the larger operand
    const work_grid grid = share(c.threads, rows, groups * panels, work, by_columns);
    const auto part = [&](int index) {
        const auto box = grid.part(index);
        float* const scratch = a.scratch + index * p.part_room(l);
        for (std::int64_t g = box.column / panels; g * panels < box.column_end; ++g)
            for (std::int64_t row = box.row; row < box.row_end && !c.stopped();) {
                const std::int64_t line = row / segments, oy = line % p.out_height, segment = row % segments,
                                   count = std::min({block, p.out_height - oy, box.row_end - row});
                f(conv_u8_region{line / p.out_height, oy, count, p.out_width * segment / segments,
                                 p.out_width * (segment + 1) / segments, g,
                                 std::max(box.column - g * panels, std::int64_t(0)),
                                 std::min(box.column_end - g * panels, panels)},
                  scratch);
                row += count;
            }
    };
    if (grid.parts == 1)
        part(0);
    else
        c.for_each(grid.parts, part);
}
// The input of a region, line by line: runs of padding and of pixels of the image. pad(line, first, count),
// copy(line, first, row, column, count), where `first` counts pixels of the line.
template <class Pad, class Copy> void over_seen(const conv_u8_params& p, const conv_u8_region& r, Pad pad, Copy copy) {
    const std::int64_t top = r.row * p.stride_h - p.pad_top, left = r.column * p.stride_w - p.pad_left,
                       step = p.samples() ? p.stride_h : 1, input_width = p.seen(r.width()),
                       before = std::clamp<std::int64_t>(-left, 0, input_width),
                       end = p.samples() ? input_width : std::clamp<std::int64_t>(p.width - left, before, input_width);
    for (std::int64_t i = 0; i < p.seen_lines(r.rows); ++i) {
        const std::int64_t from = top + i * step;
        if (from < 0 || from >= p.height) {
            pad(i, std::int64_t(0), input_width);
            continue;
        }
        pad(i, std::int64_t(0), before);
        copy(i, before, from, left + before, end - before);
        pad(i, end, input_width - end);
    }
}
}  // namespace v1
}  // namespace inlay
