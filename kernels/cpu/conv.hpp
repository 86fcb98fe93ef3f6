// Conv and Conv with addend and activation on the CPU, channels last: every convolution is a product of rows of pixels, read where they lie, with weights
// packed once in the order (kernel row, kernel column, channel). Rows that meet padding are copied, a block that fits the cache at a time.
// 3x3 windows that step by one, between enough channels, go through Winograd's F(4x4, 3x3) or F(2x2, 3x3): within 2e-5 of the largest output, and what is not
// finite in the input makes NaN of the whole tiles of 4x4 or 2x2 outputs that see it, not only of the pixels that do.
#pragma once
#include "../conv.hpp"
#include "dense.hpp"
#include "isa/depthwise_f32.hpp"
#include "isa/winograd_f32.hpp"
#include <cstring>

namespace inlay::inline v1 {
struct conv_f32_params {
    std::int64_t batch = 1, channels = 1, height = 1, width = 1, out_channels = 1, group = 1, out_height = 1, out_width = 1;
    std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1, pad_top = 0, pad_left = 0;
    std::int64_t x_pixel = 1, y_pixel = 1, add_pixel = 1;  // floats from one pixel to the next, where channels are last
    bool has_bias = false, has_addend = false, plain_input = false, plain_output = false;
    inlay::precision precision = precision::standard;
    epilogue last{};

    static constexpr conv_f32_params of(const node_view& n) {
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        convolution c;
        shape y;
        convolution::read(n, c, y);
        conv_f32_params p;
        const int v = x.rank - 3, h = x.rank - 4;  // the axes of width and height; one spatial axis is a width
        const auto at = [](const shape& s, int i) { return i < 0 ? 1 : s[i]; };
        p.batch = x[0];
        p.channels = x[1];
        p.out_channels = w[0];
        p.group = c.group;
        p.height = at(c.input, h), p.width = c.input[v];
        p.out_height = at(c.output, h), p.out_width = c.output[v];
        p.kernel_h = at(c.kernel, h), p.kernel_w = c.kernel[v];
        p.stride_h = at(c.strides, h), p.stride_w = c.strides[v];
        p.dilation_h = at(c.dilations, h), p.dilation_w = c.dilations[v];
        p.pad_top = h < 0 ? 0 : c.pads[h], p.pad_left = c.pads[v];
        const auto pixel = [](std::int64_t of_slice, std::int64_t own) { return of_slice ? of_slice : own; };
        p.x_pixel = pixel(n.input_pixel(0), p.channels);
        p.y_pixel = pixel(n.output_pixel(0), p.out_channels);
        p.add_pixel = pixel(n.has_input(3) ? n.input_pixel(3) : 0, p.out_channels);
        p.has_bias = n.has_input(2);
        p.precision = n.graph.precision;
        p.plain_input = n.input_layout(0) == layout::plain && x[1] > 1;
        p.plain_output = n.output_layout(0) == layout::plain && w[0] > 1;
        return p;
    }
    constexpr bool depthwise() const { return group > 1 && group == channels && group == out_channels; }
    // A first layer reads planes: its few channels are taps, so that images need not be interleaved.
    constexpr bool planar() const { return group == 1 && channels > 1 && channels <= 4 && kernel_w > 1 && dilation_w == 1; }
    // Told by the channels alone, since the packed weights serve every image; `side` is then chosen for the image.
    constexpr bool winograd() const {
        return kernel_h == 3 && kernel_w == 3 && stride_h * stride_w * dilation_h * dilation_w * group == 1 && channels >= 16 && channels * out_channels > 12 * (channels + out_channels);
    }
    // Pairs of bfloat16 lie within a pixel, so that taps begin with one. Winograd's products, up to four times fewer, are faster than twice as many in the same time.
    constexpr bool bf16() const { return precision == precision::bfloat16 && !depthwise() && !planar() && !winograd() && channels / group % 2 == 0; }
    constexpr bool rounds(isa::level l) const { return bf16() && gemm_bf16_pairs(l); }  // X
    constexpr std::int64_t tiles(std::int64_t side) const { return batch * ((out_height + side - 1) / side) * ((out_width + side - 1) / side); }
    constexpr winograd_f32_form form(std::int64_t side) const {
        const std::int64_t all = std::max<std::int64_t>(1, tiles(side)), fits = std::min<std::int64_t>(112, 524288 / ((side + 2) * (side + 2) * channels));  // inputs of 2 MB
        return {side, channels, std::clamp<std::int64_t>(fits, std::min<std::int64_t>(28, all), all)};
    }
    constexpr winograd_f32_form form() const {
        // In multiplications: to transform the weights takes as long as 9 tiles, to transform a value of an input or a sum as long as 30; one pixel by itself needs neither, but a copy.
        const auto cost = [this](std::int64_t side) {
            const double points = double((side + 2) * (side + 2)), all = double(tiles(side)), c = double(channels), k = double(out_channels);
            return points * (side == 1 ? all * c * (k + 40) : (all + 9) * c * k + 30 * all * (c + k));
        };
        std::int64_t side = precision == precision::strict || cost(2) < cost(4) ? 2 : 4;
        if (tiles(1) <= most_pixels && cost(1) < cost(side)) side = 1;
        return form(side);
    }
    // Of scratch, in floats: enough for every smaller image too, whichever tiles that chooses.
    constexpr std::int64_t winograd_room(isa::level l) const { return std::max({std::min(tiles(1), most_pixels) * window_row(), form(2).room(l), precision == precision::strict ? 0 : form(4).room(l)}); }
    static constexpr std::int64_t most_pixels = 32;  // that are multiplied one by one
    constexpr std::int64_t window_row() const { return 9 * channels + 16; }  // floats that one pixel sees
    constexpr gemm_f32_depth depth() const { return planar() ? gemm_f32_depth{channels, kernel_h, kernel_w} : gemm_f32_depth{kernel_h, kernel_w, channels / group}; }
    constexpr std::int64_t columns() const { return out_channels / group; }
    constexpr std::int64_t packed(isa::level l) const { return packed_floats(bf16(), l, depth(), columns()); }  // weights of a group
    constexpr std::int64_t reach_h() const { return (kernel_h - 1) * dilation_h + 1; }
    constexpr std::int64_t reach_w() const { return (kernel_w - 1) * dilation_w + 1; }
    constexpr std::int64_t seen_width() const { return (out_width - 1) * stride_w + reach_w(); }  // of a row of the padded input
    constexpr bool padded() const { return pad_top > 0 || pad_left > 0 || (out_height - 1) * stride_h + reach_h() > height || seen_width() > width; }
    constexpr bool flat() const { return kernel_h * kernel_w * stride_h * stride_w == 1 && !padded() && !plain_input; }  // all pixels are one run of rows
    constexpr bool samples() const { return kernel_h * kernel_w == 1 && stride_h * stride_w > 1 && !padded(); }  // only pixels that are used are copied
    constexpr bool copies() const { return planar() ? padded() || !plain_input : !flat() && (bf16() || padded() || plain_input || samples() || gemm_f32_aliases(stride_w * x_pixel)); }
    constexpr std::int64_t step_h() const { return samples() ? 1 : stride_h; }  // of what the product reads
    constexpr std::int64_t step_w() const { return samples() ? 1 : stride_w; }
    // Floats from one pixel, and row, of what the product reads to the next.
    constexpr std::int64_t pixel() const { return planar() ? 1 : !copies() ? x_pixel : channels / group + (gemm_f32_aliases(step_w() * (channels / group)) ? 16 : 0); }
    constexpr std::int64_t line() const { return (samples() ? out_width : copies() ? seen_width() : width) * pixel(); }
    constexpr std::int64_t planes() const { return planar() ? channels : 1; }
    constexpr std::int64_t block(isa::level l) const {  // output rows that are computed from one block of the cache
        const std::int64_t lines = (l >= isa::level::avx512 ? 98304 : 40960) / std::max<std::int64_t>(1, line() * planes());
        return std::clamp<std::int64_t>((lines - reach_h()) / step_h() + 1, 1, std::max<std::int64_t>(1, out_height));
    }
    constexpr std::int64_t part_room(isa::level l) const {  // scratch of a part, in floats
        if (depthwise()) return plain_input ? align_floats(height * width * channels) : 0;
        if (winograd()) return align_floats(winograd_room(l));
        if (flat()) return gemm_f32_scratch(l, depth(), x_pixel, batch * height * width, rounds(l));
        return copies() ? align_floats(((block(l) - 1) * step_h() + reach_h()) * line() * planes()) : 0;
    }
    constexpr std::int64_t output_room() const { return plain_output ? align_floats(batch * out_height * out_width * out_channels) : 0; }
};

struct conv_f32_loops : simple_kernel {  // the same for both operators, so that a program has them once
    using params = conv_f32_params;
    struct state { const gemm_f32_table* table = nullptr; const depthwise_f32_table* depthwise = nullptr; const winograd_f32_table* winograd = nullptr;
        const gemm_bf16_table* bf16 = nullptr; isa::level level{}; const float* weights = nullptr; };
    static constexpr unsigned packs = 1 << 1;
    static constexpr int addend = 3;
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * (p.depthwise() ? p.kernel_h * p.kernel_w * p.channels : p.group * p.packed(l)), 4 * (p.output_room() + threads * p.part_room(l))};
    }
    // The families of loops that a convolution needs: a program that knows its parameters links no others.
    struct families { bool dense, depthwise, winograd, bf16; };
    static constexpr families all_families{true, true, true, true};
    static constexpr families needs(const params& p) { return {!p.depthwise() && !p.winograd() && !p.bf16(), p.depthwise(), !p.depthwise() && p.winograd(), p.bf16()}; }
    static constexpr bool reduced(const params& p) { return p.bf16(); }
    template <families Linked = all_families> static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* const to = reinterpret_cast<float*>(u.storage);
        const float* const from = w.in<float>(1);
        const std::int64_t taps = p.kernel_h * p.kernel_w, filter = p.channels / p.group * taps;
        const gemm_f32_source source{from, p.columns(), filter, p.winograd() ? taps : p.planar() ? p.kernel_w : 1, p.winograd() || p.planar() ? 1 : taps};
        s.level = u.level;
        s.weights = to;
        if constexpr (Linked.dense || Linked.winograd) s.table = &gemm_f32(u.level);
        if constexpr (Linked.bf16) if (p.bf16()) {
            s.bf16 = &gemm_bf16(u.level);
            s.table = s.bf16;
        }
        if constexpr (Linked.depthwise) s.depthwise = &depthwise_f32(u.level);
        if constexpr (Linked.winograd) s.winograd = &winograd_f32(u.level);
        if (Linked.depthwise && p.depthwise()) for (std::int64_t t = 0; t < taps; ++t) for (std::int64_t c = 0; c < p.channels; ++c) to[t * p.channels + c] = from[c * taps + t];
        else if (Linked.winograd && p.winograd()) for (std::int64_t i = 0; i < p.form().slabs(); ++i) {
            gemm_f32_source own = source;
            own.b += i * winograd_f32_slab * taps;
            s.table->pack(own, p.form().depth(i), 0, gemm_f32_panels(u.level, p.columns()), to + i * winograd_f32_slab * taps * gemm_f32_padded(u.level, p.columns()));
        } else if constexpr (Linked.dense || Linked.bf16) for (std::int64_t g = 0; g < p.group; ++g) {
            gemm_f32_source own = source;
            own.b += g * p.columns() * filter;
            s.table->pack(own, p.depth(), 0, gemm_f32_panels(u.level, p.columns()), to + g * p.packed(u.level));
        }
        return status::ok;
    }
    template <families Linked = all_families> static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        float* const scratch = reinterpret_cast<float*>(c.scratch);
        float* const y = p.plain_output ? scratch : a.out<float>(0);
        const float* const add = p.has_addend ? a.in<float>(addend) : nullptr;
        const float* const bias = p.has_bias ? a.in<float>(2) : nullptr;
        if (Linked.depthwise && p.depthwise()) run_depthwise(p, s, a.in<float>(0), bias, add, y, scratch + p.output_room(), c);
        else if (Linked.winograd && p.winograd()) run_winograd(p, s, a.in<float>(0), bias, add, y, scratch + p.output_room(), c);
        else if constexpr (Linked.dense || Linked.bf16) run_dense<Linked.bf16>(p, s, a.in<float>(0), bias, add, y, scratch + p.output_room(), c);
        if (c.stopped()) return status::stopped;
        if (p.plain_output) c.split(p.batch * p.out_channels, 8, [&](std::int64_t first, std::int64_t last, int) {
            const std::int64_t area = p.out_height * p.out_width;
            for (std::int64_t i = first; i < last; ++i) for (std::int64_t o = 0; o < area; ++o)
                a.out<float>(0)[i * area + o] = y[(i / p.out_channels * area + o) * p.out_channels + i % p.out_channels];
        });
        return status::ok;
    }

private:
    template <bool Bf16> static void run_dense(const params& p, const state& s, const float* x, const float* bias, const float* add, float* y, float* scratch, context& c) noexcept {
        const isa::level l = s.level;
        const std::int64_t n = p.columns(), panels = gemm_f32_panels(l, n), tile = gemm_f32_rows(l), pixels = p.batch * p.height * p.width, room = p.part_room(l);
        const std::int64_t lines = p.batch * p.out_height, rows = p.flat() ? (pixels + tile - 1) / tile : lines;
        const double work = double(p.batch) * double(p.out_height * p.out_width) * double(p.out_channels) * double(p.depth().total());
        const bool by_columns = p.out_channels * p.kernel_h * p.kernel_w > lines * p.out_width;  // the weights are the larger operand
        if (rows * panels == 0) return;
        const work_grid grid = share(c.threads, rows, p.group * panels, work, by_columns);
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            float* const own = scratch + index * room;
            for (std::int64_t g = box.column / panels; g * panels < box.column_end; ++g) {
                const std::int64_t first = std::max(box.column, g * panels) - g * panels, last = std::min(box.column_end - g * panels, panels);
                gemm_f32_call call{x + g * (p.channels / p.group), 0, p.x_pixel, pixels, p.depth(), 0, 0, {s.weights + g * p.packed(l)}, n,
                                   bias ? bias + g * n : nullptr, add ? add + g * n : nullptr, p.add_pixel, y + g * n, p.y_pixel, p.last};
                call.rounds = p.rounds(l);
                if (p.flat()) multiply_blocks(*s.table, l, call, pixels * box.row / grid.rows, pixels * box.row_end / grid.rows, first, last, room ? own : nullptr, c);
                else for (std::int64_t row = box.row; row < box.row_end && !c.stopped();) {
                    const std::int64_t image = row / p.out_height, oy = row % p.out_height, count = std::min({p.block(l), p.out_height - oy, box.row_end - row});
                    multiply_lines<Bf16>(p, s, call, x, image, g, oy, count, first, last, own, c);
                    row += count;
                }
            }
        };
        if (grid.parts == 1) part(0);
        else c.for_each(grid.parts, part);
    }
    // Output rows [oy, oy + count) of one image and group.
    template <bool Bf16>
    static void multiply_lines(const params& p, const state& s, gemm_f32_call call, const float* x, std::int64_t image, std::int64_t g, std::int64_t oy, std::int64_t count,
                               std::int64_t panel, std::int64_t panel_end, float* own, const context& c) noexcept {
        const std::int64_t top = oy * p.stride_h - p.pad_top, lines = (count - 1) * p.step_h() + p.reach_h();
        if (p.copies()) {
            const auto copy = [](const float* from, std::int64_t n, float* to) { std::memcpy(to, from, std::size_t(n) * 4); };
            if (!Bf16 || !p.rounds(s.level)) for (std::int64_t k = 0; k < p.planes(); ++k) copy_lines(p, x, image, g, k, top, lines, own + k * lines * p.line(), copy);
            else if constexpr (Bf16) copy_lines(p, x, image, g, 0, top, lines, reinterpret_cast<std::uint16_t*>(own), s.bf16->round);
            call.a = own;
        } else call.a += (image * p.planes() * p.height + top) * p.line();
        call.a_outer = p.step_h() * p.line();
        call.a_row = p.step_w() * p.pixel();
        call.inner = p.samples() ? count * p.out_width : p.out_width;  // sampled pixels lie side by side
        const std::int64_t next_row = p.dilation_h * p.line();
        call.step_y = p.planar() ? (p.copies() ? lines : p.height) * p.line() : next_row;
        call.step_x = p.planar() ? next_row : p.dilation_w * p.pixel();
        const std::int64_t at = (image * p.out_height + oy) * p.out_width;
        call.y += at * p.y_pixel;
        if (call.add) call.add += at * p.add_pixel;
        multiply_part(*s.table, s.level, call, {0, p.samples() ? 1 : count, 0, call.inner, panel, panel_end}, c);
    }
    // `count` rows of a group's channels (of one plane, if planar) in the padded image, the first of them row `top`, as the product reads them: made by copy(from, n, to).
    template <class T, class Copy>
    static void copy_lines(const params& p, const float* x, std::int64_t image, std::int64_t g, std::int64_t plane, std::int64_t top, std::int64_t count, T* to, Copy copy) noexcept {
        const std::int64_t channels = p.planar() ? 1 : p.channels / p.group, pixel = p.pixel(), line = p.line(), step_h = p.stride_h / p.step_h();
        const std::int64_t seen = p.samples() ? p.out_width : p.seen_width(), left = std::min(p.pad_left, seen), pixels = p.samples() ? seen : std::min(p.width, seen - left);
        // Of the input, in floats: from one channel, pixel and row to the next.
        const std::int64_t from_channel = p.plain_input ? p.height * p.width : 1, pixel_step = p.plain_input ? 1 : p.x_pixel;
        const std::int64_t from_pixel = pixel_step * (p.stride_w / p.step_w()), from_row = pixel_step * p.width;
        x += image * (p.plain_input ? p.channels : p.x_pixel) * p.height * p.width + (g * channels + plane) * from_channel;
        for (std::int64_t i = 0; i < count; ++i, to += line) {
            const std::int64_t row = top + i * step_h;
            if (row < 0 || row >= p.height) {
                std::fill_n(to, line, T(0));
                continue;
            }
            T* const inside = to + left * pixel;
            const float* const from = x + row * from_row;
            std::fill_n(to, left * pixel, T(0));
            std::fill(inside + pixels * pixel, to + line, T(0));
            if (from_pixel == channels && pixel == channels) copy(from, pixels * pixel, inside);
            else if (from_channel == 1 && channels > 1) for (std::int64_t j = 0; j < pixels; ++j) copy(from + j * from_pixel, channels, inside + j * pixel);
            else for (std::int64_t k = 0; k < channels; ++k) for (std::int64_t j = 0; j < pixels; ++j) copy(from + k * from_channel + j * from_pixel, 1, inside + j * pixel + k);
        }
    }
    static void run_winograd(const params& p, const state& s, const float* x, const float* bias, const float* add, float* y, float* scratch, context& c) noexcept {
        const isa::level l = s.level;
        const winograd_f32_form form = p.form();
        const std::int64_t tiles = p.tiles(form.side), panels = gemm_f32_panels(l, p.out_channels), room = p.part_room(l);
        if (tiles == 0 || panels == 0) return;
        const double work = double(tiles * form.points()) * double(p.channels) * double(p.out_channels);
        const work_grid grid = share(c.threads, (tiles + 1) / 2, panels, work, p.out_channels > 2 * tiles);
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            const std::int64_t first = tiles * box.row / grid.rows, last = tiles * box.row_end / grid.rows;
            if (form.side == 1) return multiply_windows(p, s, form, x, bias, add, y, first, last, box.column, box.column_end, scratch + index * room, c);
            const winograd_f32_call call{form, x, p.x_pixel, p.height, p.width, p.pad_top, p.pad_left, p.out_height, p.out_width, s.weights, p.out_channels, bias, add, p.add_pixel, y, p.y_pixel, p.last, scratch + index * room};
            const std::int64_t count = last - first, blocks = (count + form.tiles - 1) / form.tiles;
            for (std::int64_t b = 0; b < blocks && !c.stopped(); ++b) {
                const std::int64_t begin = first + count * b / blocks, end = first + count * (b + 1) / blocks;
                s.winograd->transform(call, begin, end);
                for (std::int64_t panel = box.column; panel < box.column_end && !c.stopped(); ++panel) s.winograd->multiply(call, begin, end, panel);
            }
        };
        if (grid.parts == 1) part(0);
        else c.for_each(grid.parts, part);
    }
    // Few pixels: a plain product, with rows of what each pixel sees in the order of the packed weights.
    static void multiply_windows(const params& p, const state& s, const winograd_f32_form& form, const float* x, const float* bias, const float* add, float* y, std::int64_t first,
                                 std::int64_t last, std::int64_t panel, std::int64_t panel_end, float* own, const context& c) noexcept {
        const std::int64_t area = p.out_height * p.out_width, row = p.window_row();
        for (std::int64_t i = first; i < last; ++i) for (std::int64_t t = 0; t < 9; ++t) {
            const std::int64_t iy = i % area / p.out_width + t / 3 - p.pad_top, ix = i % p.out_width + t % 3 - p.pad_left;
            const bool seen = iy >= 0 && iy < p.height && ix >= 0 && ix < p.width;
            const float* const from = seen ? x + ((i / area * p.height + iy) * p.width + ix) * p.x_pixel : nullptr;
            for (std::int64_t k = 0; k < p.channels; ++k) own[(i - first) * row + k * 9 + t] = seen ? from[k] : 0.f;
        }
        const std::int64_t slabs = form.slabs();
        float* const to = y + first * p.y_pixel;
        for (std::int64_t k = 0; k < slabs && !c.stopped(); ++k) {
            const std::int64_t before = k * winograd_f32_slab * 9;
            const float* const added = k > 0 ? to : add ? add + first * p.add_pixel : nullptr;
            const gemm_f32_call call{own + before, 0, row, last - first, form.depth(k), 0, 9, {s.weights + before * gemm_f32_padded(s.level, p.out_channels)}, p.out_channels,
                                     k > 0 ? nullptr : bias, added, k > 0 ? p.y_pixel : p.add_pixel, to, p.y_pixel, k + 1 < slabs ? epilogue{} : p.last};
            multiply_part(*s.table, s.level, call, {0, 1, 0, last - first, panel, panel_end}, c);
        }
    }
    static void run_depthwise(const params& p, const state& s, const float* x, const float* bias, const float* add, float* y, float* scratch, context& c) noexcept {
        const std::int64_t lanes = gemm_f32_lanes(s.level), vectors = std::max<std::int64_t>(1, p.channels / lanes), lines = p.batch * p.out_height, plane = p.out_width * p.channels;
        const double work = double(lines * p.out_width) * double(p.channels) * double(p.kernel_h * p.kernel_w);
        const work_grid grid = share(c.threads, lines, vectors, work, false);
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            const std::int64_t first = box.column * lanes, last = box.column_end == vectors ? p.channels : box.column_end * lanes;
            for (std::int64_t row = box.row; row < box.row_end && !c.stopped();) {
                const std::int64_t image = row / p.out_height, oy = row % p.out_height, count = std::min(p.out_height - oy, box.row_end - row), area = p.height * p.width;
                const float* own_x = x + image * area * p.channels;
                if (p.plain_input) {
                    float* const own = scratch + index * p.part_room(s.level);
                    for (std::int64_t i = 0; i < area; ++i) for (std::int64_t k = first; k < last; ++k) own[i * p.channels + k] = own_x[k * area + i];
                    own_x = own;
                }
                const std::int64_t at = image * p.out_height * plane;
                const depthwise_f32_call call{own_x, p.height, p.width, p.channels, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w, p.pad_top, p.pad_left,
                                              p.out_width, s.weights, bias, add ? add + at : nullptr, y + at, p.last};
                s.depthwise->run(call, oy, oy + count, first, last);
                row += count;
            }
        };
        if (grid.parts == 1) part(0);
        else c.for_each(grid.parts, part);
    }
};

template <bool Fused> struct conv_f32_kernel : conv_f32_loops {
    static constexpr verdict supports(const node_view& n) {
        const int rank = n.input(0).dims.rank;
        epilogue e;
        if (rank != 3 && rank != 4) return no("written for one or two spatial axes");
        if (!n.is_constant(1)) return no("W is no constant, so it cannot be packed");
        if (n.is_constant(0)) return no("X is a constant, which is never channels last");
        if (Fused && !read_epilogue(n, e)) return no("the activation is not one that Conv ends with");
        if (Fused && n.has_input(addend) && (rank == 3 || n.is_constant(addend))) return no("the addend is not channels last");
        const params p = params::of(n);
        return countable({p.seen_width(), p.channels + 16, p.reach_h()}) ? yes() : no("the padded rows are too large to copy");
    }
    static constexpr layout_rule layouts(const node_view& n) {
        const shape& x = n.input(0).dims;
        if (x.rank != 4) return {};
        const bool reads_both = x[1] >= 0 && x[1] <= 4 && n.integer("group", 1) == 1 && !(Fused && n.has_input(addend));  // a first layer copies its rows anyway
        return {reads_both ? layout::any : layout::channels_last, layout::channels_last};
    }
    static constexpr bool strided(const node_view& n, int argument) {
        return (argument == input(0) || argument == input(addend) || argument == output(0)) && n.input(0).dims.rank == 4 && !params::of(n).depthwise();
    }
    static constexpr params prepare(const node_view& n) {
        params p = params::of(n);
        if (Fused) {
            read_epilogue(n, p.last);
            p.has_addend = n.has_input(addend);
        }
        return p;
    }
};
template <> struct kernel<op::conv, device::cpu, types<float>> : conv_f32_kernel<false> {};
template <> struct kernel<op::fused_conv, device::cpu, types<float>> : conv_f32_kernel<true> {};
}  // namespace inlay::inline v1
