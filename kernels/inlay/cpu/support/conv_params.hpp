// What the convolutions of float32 on the CPU share: sizes, and how they are computed. A convolution over frames is a
// sum of convolutions of images, one per tap of the window along the frames, each accumulated in Y: the loops see
// images only.
#pragma once
#include "conv_geometry.hpp"
#include "dense.hpp"
#include "kept_pairs.hpp"
#include <inlay/cpu/isa/depthwise_f32.hpp>
#include <inlay/cpu/isa/depthwise_wide_f32.hpp>
#include <inlay/cpu/isa/winograd_f32.hpp>

namespace inlay {
inline namespace v1 {
struct conv_f32_params : conv_geometry {
    // Float32 elements from one pixel to the next, where channels are last; packed bf16 pairs, where kept as bf16.
    std::int64_t x_pixel = 1, y_pixel = 1, add_pixel = 1;
    bool x_pairs = false, y_pairs = false, add_pairs = false;
    bool has_bias = false, has_addend = false;
    inlay::precision precision = precision::standard;
    epilogue post_op{};

    static constexpr conv_f32_params of(const node_view& n) {
        conv_f32_params p;
        p.read(n);
        const auto pixel = [](std::int64_t pitch, std::int64_t default_pitch, bool& pairs) {
            pairs = pitch < 0;
            return pairs ? -pitch / 2 : pitch ? pitch : default_pitch;
        };
        p.x_pixel = pixel(n.input_pitch(0), p.channels, p.x_pairs);
        p.y_pixel = pixel(n.output_pitch(0), p.out_channels, p.y_pairs);
        p.add_pixel = pixel(n.has_input(3) ? n.input_pitch(3) : 0, p.out_channels, p.add_pairs);
        p.has_bias = n.has_input(2);
        p.precision = n.graph.precision;
        return p;
    }
    // Packed bf16 pairs lie within a pixel, so that taps begin with one; where the channels are odd, a zero follows
    // them in a copy.
    constexpr bool wide_windows() const {  // of depthwise convolutions: those that have specialized loops
        return depthwise() && dilation_w == 1 && (kernel_w == 5 || kernel_w == 7);
    }
    constexpr bool bf16() const { return precision == precision::bfloat16 && !depthwise() && channels / group > 1; }
    constexpr bool rounds(isa::level l) const { return bf16() && gemm_bf16_pairs(l); }  // X
    // A first layer reads planes: its few channels are taps, so that images need not be interleaved.
    constexpr bool planar() const {
        return !bf16() && group == 1 && channels > 1 && channels <= 4 && kernel_w > 1 && dilation_w == 1 &&
               frames.kernel == 1;
    }
    // Decided by the channels alone, since the packed weights serve every image; `side` is then chosen for the image,
    // and whether bf16 dot products are faster.
    constexpr bool winograd() const {
        return kernel_h == 3 && kernel_w == 3 && stride_h * stride_w * dilation_h * dilation_w * group == 1 &&
               channels >= 16 && channels * out_channels > 12 * (channels + out_channels);
    }
    // In tiles bf16 is faster for every image, else for some.
    constexpr bool may_transform(isa::level l) const { return winograd() && !(rounds(l) && l == isa::level::amx); }
    // A bf16 multiplication takes 0.68 of the time that cost() counts for one.
    constexpr bool transforms(isa::level l) const {
        return may_transform(l) &&
               !(rounds(l) &&
                 0.68 * double(tiles_of_image(1)) * 9 * double(channels) * double(out_channels) < cost(form().side));
    }
    // May X, the addend or Y be kept as bf16? Taps and panels begin with a pair, and there is one slab.
    constexpr bool keeps_pairs(bool output) const {
        if (depthwise()) return precision == precision::bfloat16 && !deep();
        const auto cut = depth().in_groups(2).cuts(isa::level::amx);
        return bf16() && !deep() && !transforms(isa::level::amx) &&
               (output ? columns() % 2 == 0 && cut.y1 * cut.x1 * cut.i1 == 1
                       : channels / group % 2 == 0 && !plain_input);
    }
    constexpr bool multiplies(isa::level l) const {
        return !depthwise() && (!winograd() || rounds(l));
    }  // at least some images
    // Of an image with frames, else of all images.
    constexpr std::int64_t tiles(std::int64_t side) const { return (deep() ? 1 : batch) * tiles_of_image(side); }
    constexpr std::int64_t tiles_of_image(std::int64_t side) const {
        return ((out_height + side - 1) / side) * ((out_width + side - 1) / side);
    }
    constexpr winograd_f32_form form(std::int64_t side) const {
        const std::int64_t tile_count = std::max<std::int64_t>(1, tiles(side)),
                           fits =
                               std::min<std::int64_t>(side == 1 ? most_pixels : 112,
                                                      524288 / ((side + 2) * (side + 2) * channels));  // inputs of 2 MB
        return {side, channels, std::clamp<std::int64_t>(fits, std::min<std::int64_t>(28, tile_count), tile_count)};
    }
    // In multiplications: to transform the weights takes as long as 9 tiles, to transform a value of an input or an
    // output as long as 30; one pixel by itself needs neither, but a copy. Of one image, whatever the batch, so that
    // its results have the same bits alone as there.
    constexpr double cost(std::int64_t side) const {
        const double points = double((side + 2) * (side + 2)), tile_count = double(tiles_of_image(side)),
                     c = double(channels), k = double(out_channels);
        return points * (side == 1 ? tile_count * c * (k + 40) : (tile_count + 9) * c * k + 30 * tile_count * (c + k));
    }
    constexpr winograd_f32_form form() const {
        std::int64_t side = precision == precision::strict || cost(2) < cost(4) ? 2 : 4;
        if (tiles_of_image(1) <= most_pixels && cost(1) < cost(side)) side = 1;
        return form(side);
    }
    // Of scratch, in float32 elements: enough for every smaller image too, whichever tiles that chooses.
    constexpr std::int64_t winograd_room(isa::level l) const {
        return std::max({std::min(tiles(1), most_pixels) * window_row(channels), form(2).room(l),
                         precision == precision::strict ? 0 : form(4).room(l)});
    }
    static constexpr std::int64_t most_pixels = 32;  // that are multiplied one by one
    static constexpr std::int64_t window_row(std::int64_t channels) {
        return 9 * channels + 16;
    }  // float32 elements that one pixel sees
    constexpr gemm_f32_depth depth() const {
        return planar() ? gemm_f32_depth{channels, kernel_h, kernel_w}
                        : gemm_f32_depth{kernel_h, kernel_w, channels / group};
    }
    // Of weights, in float32 elements: of a group and frame as the GEMM reads them, of a frame so, and of a frame as
    // the other loops read it.
    constexpr std::int64_t packed(isa::level l) const { return packed_floats(bf16(), l, depth(), columns()); }
    constexpr std::int64_t packed_frame(isa::level l) const { return multiplies(l) ? group * packed(l) : 0; }
    constexpr std::int64_t other_frame(isa::level l) const {
        return depthwise() ? taps() * channels : may_transform(l) ? packed_floats(false, l, depth(), columns()) : 0;
    }
    constexpr bool flat() const {
        return joined() && stride_h * stride_w == 1 && !plain_input && !deep();
    }  // all pixels are one run of rows
    constexpr bool copies() const {
        return planar() ? padded() || !plain_input
                        : !flat() &&
                              (bf16() || padded() || plain_input || samples() || gemm_f32_aliases(stride_w * x_pixel));
    }
    // Float32 elements from one pixel, and row, of the GEMM's input to the next: for `pixels` of a row of the output.
    constexpr std::int64_t pixel() const {
        return planar()    ? 1
               : !copies() ? x_pixel
                           : copied_channels() + (gemm_f32_aliases(step_w() * copied_channels()) ? 16 : 0);
    }
    constexpr std::int64_t copied_channels() const {
        return bf16() ? (channels / group + 1) / 2 * 2 : channels / group;
    }
    constexpr std::int64_t line(std::int64_t pixels) const {
        return (samples() ? pixels : copies() ? seen_width(pixels) : width) * pixel();
    }
    // Where elements of a pixel begin, in the float32 or pairs that x_pixel and its like count.
    constexpr std::int64_t of_x(std::int64_t element) const { return element / (x_pairs ? 2 : 1); }
    constexpr std::int64_t of_y(std::int64_t element) const { return element / (y_pairs ? 2 : 1); }
    constexpr std::int64_t of_add(std::int64_t element) const { return element / (add_pairs ? 2 : 1); }
    constexpr std::int64_t planes() const { return planar() ? channels : 1; }
    // Of X, in float32 elements: from one channel, pixel, frame and volume to the next.
    constexpr std::int64_t channel_step() const { return plain_input ? frames.in * height * width : 1; }
    constexpr std::int64_t pixel_step() const { return plain_input ? 1 : x_pixel; }
    constexpr std::int64_t frame_step() const { return height * width * pixel_step(); }
    constexpr std::int64_t volume_step() const {
        return frames.in * height * width * (plain_input ? channels : x_pixel);
    }
    // A block is some rows of the output, or a part of one, whose input stays in the cache: so many of its elements.
    // All weights are read again for each block, and reading more than 512 KiB of them is slower than the tiles.
    constexpr std::int64_t cache(isa::level l) const {
        if (l == isa::level::amx && bf16() && columns() * depth().total() > 262144) return 524288;
        return l >= isa::level::avx512 ? 98304 : 40960;
    }
    constexpr std::int64_t widest(isa::level l) const {  // part of a row
        const std::int64_t fits =
            (cache(l) / std::max<std::int64_t>(1, pixel() * planes() * reach_h()) - reach_w()) / step_w() + 1;
        return std::min(out_width, std::max(fits, 8 * gemm_f32_rows(l)));
    }
    constexpr std::int64_t segments(
        isa::level l) const {  // of a row; single rows are cut so that threads can share them
        const std::int64_t fit = std::max<std::int64_t>(1, widest(l)),
                           lines = std::max<std::int64_t>(1, images() * out_height);
        return std::max((out_width + fit - 1) / fit, std::min(8 / lines, out_width / (8 * gemm_f32_rows(l))));
    }
    constexpr std::int64_t block(isa::level l) const {  // rows
        if (segments(l) > 1) return 1;
        const std::int64_t lines = cache(l) / std::max<std::int64_t>(1, line(out_width) * planes());
        return std::clamp<std::int64_t>((lines - reach_h()) / step_h() + 1, 1, std::max<std::int64_t>(1, out_height));
    }
    constexpr std::int64_t part_room(
        isa::level l) const {  // scratch of a part, in float32 elements: enough for every smaller image too
        if (depthwise())
            return deep()               ? padded_floats(out_width * channels)
                   : x_pairs || y_pairs ? widened_rows() + finished_rows()
                                        : 0;
        return std::max(may_transform(l) ? padded_floats(winograd_room(l)) : 0, multiplies(l) ? products_room(l) : 0);
    }
    // Of depthwise convolutions: rows of Y that are computed one after another, and the float32 that they need where
    // the values are kept as bf16.
    constexpr std::int64_t band() const {
        return std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, stride_h * width * channels));
    }
    constexpr std::int64_t widened_rows() const {
        return x_pairs ? padded_floats(std::min(height, band() * stride_h + reach_h()) * width * channels) : 0;
    }
    constexpr std::int64_t finished_rows() const {
        return y_pairs ? padded_floats(std::min(out_height, band()) * out_width * channels) : 0;
    }
    constexpr std::int64_t products_room(isa::level l) const {
        if (flat()) return x_pairs ? 0 : gemm_f32_scratch(l, depth(), x_pixel, batch * height * width, rounds(l));
        const std::int64_t row = line(widest(l)) * planes();
        const std::int64_t elements =
            std::min(((out_height - 1) * step_h() + reach_h()) * row, std::max(cache(l), reach_h() * row));
        return copies() ? padded_floats(rounds(l) ? (elements + 1) / 2 : elements) : 0;
    }
};
struct conv_f32_state {
    const gemm_f32_table* table = nullptr;
    const depthwise_f32_table* depthwise = nullptr;
    const winograd_f32_table* winograd = nullptr;
    const gemm_bf16_table* bf16 = nullptr;
    kept_pairs pairs{};
    isa::level level{};
    const float *packed = nullptr,
                *loop_weights =
                    nullptr;  // weights, as the GEMM and as the other loops read them: packed is [frame][group][panels]
};
struct conv_f32_arguments {  // bias and addend may be null
    const float *x, *weights;
    std::int64_t weights_frame;
    const float *bias, *add;
    float *y, *scratch;
};

// The contribution of one tap along the frames to an image.
struct conv_f32_pass {  // sees: else all of x is padding
    const float *x, *weights, *bias, *add;
    std::int64_t add_pixel;
    float* y;
    epilogue post_op;
    bool sees;
};
// f(pass) for each tap that sees a frame, in their order; where none does, for one that sees nothing.
template <class F> void over_taps(const conv_f32_params& p, const conv_f32_arguments& a, std::int64_t image, F f) {
    const std::int64_t o = image % p.frames.out, first = p.frames.taps(o, 0),
                       end = std::max(first + 1, p.frames.taps(o, p.frames.in)), area = p.out_height * p.out_width;
    const bool sees = p.frames.taps(o, p.frames.in) > first;
    float* const y = a.y + image * area * p.y_pixel;
    for (std::int64_t k = first; k < end; ++k) {
        const bool begins = k == first;
        const float* const add = begins ? a.add ? a.add + image * area * p.add_pixel : nullptr : y;
        f(conv_f32_pass{
            sees ? a.x + image / p.frames.out * p.volume_step() + p.frames.position(o, k) * p.frame_step() : a.x,
            a.weights + (sees ? k * a.weights_frame : 0), begins ? a.bias : nullptr, add,
            begins ? p.add_pixel : p.y_pixel, y, k + 1 == end ? p.post_op : epilogue{}, sees});
    }
}
}  // namespace v1
}  // namespace inlay
