// Col2Im (since 18): Y[n, c, i] = sum of X[n, (c, k), o] over all blocks o and elements k of a block that lie at i of
// the image. i = o * stride + k * dilation - pad, along any number of spatial axes. Truth values are combined by or.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <complex>

namespace inlay {
inline namespace v1 {
struct column_blocks {
    static constexpr int most_axes = max_rank - 2;
    static constexpr std::int64_t most = std::int64_t(1) << 30;  // of each attribute
    struct axis {
        std::int64_t image = 1, kernel = 1, stride = 1, dilation = 1, before = 0, blocks = 1;
    };
    std::array<axis, most_axes> axes{};
    int count = 0;
    std::int64_t taps = 1, columns = 1;  // elements of a block; blocks

    // Empty, or what is wrong.
    constexpr std::string_view read(const node_view& n, std::span<const std::int64_t> image,
                                    std::span<const std::int64_t> block) {
        const auto strides = n.integers("strides"), dilations = n.integers("dilations"), pads = n.integers("pads");
        if (image.empty() || image.size() > most_axes) return "image_shape must have 1 to 6 numbers";
        count = int(image.size());
        if (int(block.size()) != count) return "image_shape and block_shape differ in length";
        const auto fits = [](std::span<const std::int64_t> list, int size) {
            return list.empty() || int(list.size()) == size;
        };
        if (!fits(strides, count) || !fits(dilations, count) || !fits(pads, 2 * count))
            return "strides, dilations or pads do not fit the spatial axes";
        for (std::size_t i = 0; i < image.size(); ++i) {
            axis& a = axes[i];
            a = {image[i],
                 block[i],
                 strides.empty() ? 1 : strides[i],
                 dilations.empty() ? 1 : dilations[i],
                 pads.empty() ? 0 : pads[i],
                 1};
            const std::int64_t after = pads.empty() ? 0 : pads[i + image.size()];
            if (a.image < 0 || a.kernel < 1 || a.stride < 1 || a.dilation < 1 || a.before < 0 || after < 0)
                return "a size, stride or dilation is not positive, or a pad negative";
            if (a.image > most_elements || a.kernel > most || a.stride > most || a.dilation > most || a.before > most ||
                after > most)
                return "a size, stride, dilation or pad is too large";
            const std::int64_t room = a.image + a.before + after - ((a.kernel - 1) * a.dilation + 1);
            if (room < 0) return "a block is larger than the padded image";
            a.blocks = room / a.stride + 1;
            if (!multiplied(taps, a.kernel) || !multiplied(columns, a.blocks)) return "the image is too large";
        }
        return {};
    }
    // Whether element k of a block lies at position i of the image for one block, which is that.
    static constexpr bool block_at(const axis& a, std::int64_t i, std::int64_t k, std::int64_t& block) {
        const std::int64_t from = i + a.before - k * a.dilation;
        block = from / a.stride;
        return from >= 0 && from % a.stride == 0 && block < a.blocks;
    }
};

namespace op {
struct col2im : standard {
    static constexpr std::string_view onnx_name = "Col2Im";
    static constexpr version_range versions{18, 18};
    static constexpr auto elements =
        each_type<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                  std::uint16_t, std::uint32_t, std::uint64_t, bool, std::complex<float>, std::complex<double>>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2})
            if (!n.has_input(k)) return no("an input is missing");
        for (int k : {1, 2}) {
            if (n.input(k).type != element::i64) return no("image_shape or block_shape is not int64");
            if (n.input(k).dims.rank >= 0 && n.input(k).dims.rank != 1)
                return no("image_shape or block_shape is not a list");
        }
        const shape& x = n.input(0).dims;
        if (x.rank >= 0 && x.rank != 3) return no("the input must have three dimensions");
        const auto image = n.input_integers(1), block = n.input_integers(2);
        if (!image || !block) return yes();
        column_blocks b;
        if (const auto problem = b.read(n, *image, *block); !problem.empty()) return no(problem);
        if (x.rank == 3 && x[1] >= 0 && x[1] % b.taps != 0)
            return no("the input's second dimension is no multiple of a block's elements");
        if (x.rank == 3 && x[2] >= 0 && x[2] != b.columns)
            return no("the input's third dimension is not the number of blocks");
        y[0] = {x.rank == 3 ? x[0] : -1, x.rank == 3 && x[1] >= 0 ? x[1] / b.taps : -1};
        for (std::int64_t d : *image) y[0].push_back(d);
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::col2im, device::reference, types<T>> : simple_kernel {
    struct params {
        column_blocks blocks;
        std::int64_t planes, size;  // batch * channels; elements of an image
    };
    // Unsigned, so that sums may overflow.
    using sum_type = std::conditional_t<
        std::is_same_v<T, bool>, int,
        std::conditional_t<std::is_integral_v<T>, std::uint64_t, std::conditional_t<floating<T>, accumulator<T>, T>>>;
    static constexpr verdict supports(const node_view& n) {
        return n.input_integers(1) && n.input_integers(2) ? yes() : no("image_shape or block_shape is not known");
    }
    static constexpr params prepare(const node_view& n) {
        params p{{}, n.output(0).dims.elements(0, 2), n.output(0).dims.elements(2)};
        const auto image = n.input_integers(1), block = n.input_integers(2);
        if (image && block) (void)p.blocks.read(n, *image, *block);
        return p;
    }
    // Sums over the axes from `axis` on: of element k of the block, in column `column`, of those that the axes before
    // chose.
    static void add(const column_blocks& b, const std::int64_t* at, int axis, const T* x, std::int64_t k,
                    std::int64_t column, sum_type& sum) noexcept {
        if (axis == b.count) {
            if constexpr (std::is_same_v<T, bool>)
                sum |= x[k * b.columns + column];
            else
                sum += static_cast<sum_type>(x[k * b.columns + column]);
            return;
        }
        const column_blocks::axis& a = b.axes[std::size_t(axis)];
        for (std::int64_t i = 0, block = 0; i < a.kernel; ++i)
            if (column_blocks::block_at(a, at[axis], i, block))
                add(b, at, axis + 1, x, k * a.kernel + i, column * a.blocks + block, sum);
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        const column_blocks& b = p.blocks;
        c.split(p.planes * p.size, 1 + 4096 / b.taps, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t i = first; i < end && !ends(b.taps); ++i) {
                std::int64_t at[column_blocks::most_axes], rest = i;
                for (int a = b.count - 1; a >= 0; --a) {
                    at[a] = rest % b.axes[std::size_t(a)].image;
                    rest /= b.axes[std::size_t(a)].image;
                }
                sum_type sum{};
                add(b, at, 0, args.in<T>(0) + i / p.size * b.taps * b.columns, 0, 0, sum);
                args.out<T>(0)[i] = static_cast<T>(sum);
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
