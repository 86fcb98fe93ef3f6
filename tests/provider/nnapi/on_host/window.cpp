// Convolutions, pools and products.
#include "host.hpp"
#include <algorithm>
#include <limits>

namespace host {
namespace {
// Pads left, right, top and bottom, then strides over columns and rows, from input k on.
struct window {
    std::int64_t left, right, top, bottom, step_x, step_y;
    window(const call& c, std::size_t k)
        : left(c.integer(k)),
          right(c.integer(k + 1)),
          top(c.integer(k + 2)),
          bottom(c.integer(k + 3)),
          step_x(c.integer(k + 4)),
          step_y(c.integer(k + 5)) {
        require(left >= 0 && right >= 0 && top >= 0 && bottom >= 0 && step_x > 0 && step_y > 0);
    }
    static std::int64_t length(std::int64_t in, std::int64_t reach, std::int64_t pads, std::int64_t step) {
        require(in + pads >= reach);
        return (in + pads - reach) / step + 1;
    }
};
// The input's type goes with those of filter and bias, and its scale with the bias's.
void check_filter(const call& c, std::int64_t channels, std::uint32_t channel, bool each) {
    const operand &x = c.tensor(0), &w = c.any(1), &b = c.any(2);
    require(w.is_filter() && w.value && b.value && b.shape == dims{std::uint32_t(channels)});
    require(x.type == c.output().type);
    if (x.type == TENSOR_FLOAT32) return require(w.type == TENSOR_FLOAT32 && b.type == TENSOR_FLOAT32);
    require(b.type == TENSOR_INT32 && b.zero == 0);
    if (w.type == TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        require(each && LEVEL >= 29 && w.channel == channel && std::int64_t(w.scales.size()) == channels &&
                b.scale == 0);
        return;
    }
    require(w.type == x.type && std::fabs(b.scale - x.scale * w.scale) <= 1e-6f * b.scale);
    require(LEVEL >= 29 || c.output().scale > x.scale * w.scale);
}
// The bias in numbers, of a filter with a scale for each channel too.
float bias_of(const operand& x, const operand& w, const operand& b, const numbers& decoded, std::int64_t k) {
    if (w.scales.empty()) return decoded[std::size_t(k)];
    return float(static_cast<const std::int32_t*>(b.value)[k]) * x.scale * w.scales[std::size_t(k)];
}

planned convolution(const call& c) {
    const bool depthwise = c.op.code == DEPTHWISE_CONV_2D, grouped = c.op.code == GROUPED_CONV_2D;
    const std::size_t at = depthwise || grouped ? 10 : 9;  // of the activation
    const std::size_t least = grouped ? at + 2 : at + 1, most = grouped ? at + 2 : at + 4;
    require(c.count() >= least && c.count() <= most && c.count() != at + 3);  // both dilations or none
    c.require_no_activation(at);
    const images x(c.shape(0), grouped ? c.flag(at + 1) : c.flag_if(at + 1, 29));
    const window win(c, 3);
    const bool dilated = c.count() == at + 4;
    const std::int64_t dx = dilated ? c.integer(at + 2) : 1, dy = dilated ? c.integer(at + 3) : 1;
    const dims w = c.any(1).shape;
    require(w.size() == 4 && dx > 0 && dy > 0 && (!dilated || LEVEL >= 29));
    const std::int64_t channels = w[depthwise ? 3 : 0], kh = w[1], kw = w[2],
                       groups = depthwise ? x.c
                                : grouped ? c.integer(9)
                                          : 1,
                       depth = depthwise ? 1 : std::int64_t(w[3]);
    require(groups > 0 && depth * groups == x.c && channels % groups == 0);
    if (depthwise) require(w[0] == 1 && c.integer(9) * x.c == channels);
    check_filter(c, channels, depthwise ? 3 : 0, true);
    images y = x;
    y.c = channels;
    y.h = window::length(x.h, (kh - 1) * dy + 1, win.top + win.bottom, win.step_y);
    y.w = window::length(x.w, (kw - 1) * dx + 1, win.left + win.right, win.step_x);
    const operand *ox = &c.tensor(0), *ow = &c.any(1), *ob = &c.any(2);
    return {y.shape(), [=](const auto& in) {
                numbers all(std::size_t(elements(y.shape())));
                for (std::int64_t i = 0; i < y.n; ++i)
                    for (std::int64_t r = 0; r < y.h; ++r)
                        for (std::int64_t q = 0; q < y.w; ++q)
                            for (std::int64_t o = 0; o < channels; ++o) {
                                double sum = bias_of(*ox, *ow, *ob, *in[2], o);
                                const std::int64_t first = o / (channels / groups) * depth;
                                for (std::int64_t a = 0; a < kh; ++a)
                                    for (std::int64_t b = 0; b < kw; ++b) {
                                        const std::int64_t py = r * win.step_y - win.top + a * dy,
                                                           px = q * win.step_x - win.left + b * dx;
                                        if (py < 0 || py >= x.h || px < 0 || px >= x.w) continue;
                                        for (std::int64_t k = 0; k < depth; ++k) {
                                            const std::int64_t tap = depthwise ? (a * kw + b) * channels + o
                                                                               : ((o * kh + a) * kw + b) * depth + k;
                                            sum += double((*in[0])[x.at(i, py, px, first + k)]) *
                                                   double((*in[1])[std::size_t(tap)]);
                                        }
                                    }
                                all[y.at(i, r, q, o)] = float(sum);
                            }
                return all;
            }};
}
planned transposed_convolution(const call& c) {
    require(c.count() == 11);
    c.require_no_activation(9);
    c.require_floats();
    const images x(c.shape(0), c.flag(10));
    const window win(c, 3);
    const dims w = c.any(1).shape;
    require(w.size() == 4 && w[3] == x.c);
    const std::int64_t channels = w[0], kh = w[1], kw = w[2];
    check_filter(c, channels, 0, true);
    images y = x;
    y.c = channels;
    y.h = win.step_y * (x.h - 1) + kh - win.top - win.bottom;
    y.w = win.step_x * (x.w - 1) + kw - win.left - win.right;
    require(y.h > 0 && y.w > 0);
    return {y.shape(), [=](const auto& in) {
                numbers all(std::size_t(elements(y.shape())));
                for (std::int64_t i = 0; i < y.n; ++i)
                    for (std::int64_t o = 0; o < channels; ++o) {
                        for (std::int64_t r = 0; r < y.h; ++r)
                            for (std::int64_t q = 0; q < y.w; ++q) all[y.at(i, r, q, o)] = (*in[2])[std::size_t(o)];
                        for (std::int64_t r = 0; r < x.h; ++r)
                            for (std::int64_t q = 0; q < x.w; ++q)
                                for (std::int64_t a = 0; a < kh; ++a)
                                    for (std::int64_t b = 0; b < kw; ++b) {
                                        const std::int64_t py = r * win.step_y - win.top + a,
                                                           px = q * win.step_x - win.left + b;
                                        if (py < 0 || py >= y.h || px < 0 || px >= y.w) continue;
                                        for (std::int64_t k = 0; k < x.c; ++k)
                                            all[y.at(i, py, px, o)] +=
                                                (*in[0])[x.at(i, r, q, k)] *
                                                (*in[1])[std::size_t(((o * kh + a) * kw + b) * x.c + k)];
                                    }
                    }
                return all;
            }};
}
planned pool(const call& c) {
    const bool average = c.op.code == AVERAGE_POOL_2D;
    require(c.count() == 10 || c.count() == 11);
    c.require_one_type(1);
    c.require_same_scale();
    c.require_no_activation(9);
    const images x(c.shape(0), c.flag_if(10, 29));
    const window win(c, 1);
    const std::int64_t kw = c.integer(7), kh = c.integer(8);
    require(kw > 0 && kh > 0 && win.left < kw && win.right < kw + win.step_x && win.top < kh);
    images y = x;
    y.h = window::length(x.h, kh, win.top + win.bottom, win.step_y);
    y.w = window::length(x.w, kw, win.left + win.right, win.step_x);
    return {y.shape(), [=](const auto& in) {
                numbers all(std::size_t(elements(y.shape())));
                for (std::int64_t i = 0; i < y.n; ++i)
                    for (std::int64_t r = 0; r < y.h; ++r)
                        for (std::int64_t q = 0; q < y.w; ++q)
                            for (std::int64_t k = 0; k < y.c; ++k) {
                                double sum = 0, count = 0;
                                float most = -std::numeric_limits<float>::infinity();
                                for (std::int64_t a = 0; a < kh; ++a)
                                    for (std::int64_t b = 0; b < kw; ++b) {
                                        const std::int64_t py = r * win.step_y - win.top + a,
                                                           px = q * win.step_x - win.left + b;
                                        if (py < 0 || py >= x.h || px < 0 || px >= x.w) continue;
                                        const float v = (*in[0])[x.at(i, py, px, k)];
                                        sum += v;
                                        ++count;
                                        most = v > most || std::isnan(v) ? v : most;
                                    }
                                all[y.at(i, r, q, k)] = average ? float(sum / count) : most;
                            }
                return all;
            }};
}
planned fully_connected(const call& c) {
    require(c.count() == 4);
    c.require_no_activation(3);
    const dims w = c.any(1).shape;
    require(w.size() == 2 && elements(c.shape(0)) % w[1] == 0 && c.shape(0).size() >= 2);
    const std::int64_t depth = w[1], columns = w[0], rows = elements(c.shape(0)) / depth;
    check_filter(c, columns, 0, false);
    return {{std::uint32_t(rows), w[0]}, [=](const auto& in) {
                numbers all;
                for (std::int64_t r = 0; r < rows; ++r)
                    for (std::int64_t o = 0; o < columns; ++o) {
                        double sum = (*in[2])[std::size_t(o)];
                        for (std::int64_t k = 0; k < depth; ++k)
                            sum += double((*in[0])[std::size_t(r * depth + k)]) *
                                   double((*in[1])[std::size_t(o * depth + k)]);
                        all.push_back(float(sum));
                    }
                return all;
            }};
}
planned batch_matmul(const call& c) {
    require(c.count() == 4 && !c.flag(2) && !c.flag(3));
    c.require_floats();
    c.require_one_type(2);
    const dims a = c.shape(0), b = c.shape(1);
    const std::size_t rank = a.size();
    require(rank >= 2 && b.size() == rank && a[rank - 1] == b[rank - 2] &&
            std::equal(a.begin(), a.end() - 2, b.begin()));
    dims y = a;
    y[rank - 1] = b[rank - 1];
    const std::int64_t m = a[rank - 2], depth = a[rank - 1], n = b[rank - 1], batches = elements(a) / (m * depth);
    return {y, [=](const auto& in) {
                numbers all;
                for (std::int64_t i = 0; i < batches; ++i)
                    for (std::int64_t r = 0; r < m; ++r)
                        for (std::int64_t q = 0; q < n; ++q) {
                            double sum = 0;
                            for (std::int64_t k = 0; k < depth; ++k)
                                sum += double((*in[0])[std::size_t((i * m + r) * depth + k)]) *
                                       double((*in[1])[std::size_t((i * depth + k) * n + q)]);
                            all.push_back(float(sum));
                        }
                return all;
            }};
}
}  // namespace

planned plan_window(const call& c) {
    switch (c.op.code) {
        case CONV_2D:
        case DEPTHWISE_CONV_2D:
        case GROUPED_CONV_2D: return convolution(c);
        case TRANSPOSE_CONV_2D: return transposed_convolution(c);
        case AVERAGE_POOL_2D:
        case MAX_POOL_2D: return pool(c);
        case FULLY_CONNECTED: return fully_connected(c);
        case BATCH_MATMUL: return batch_matmul(c);
        default: throw bad_data();
    }
}
}  // namespace host
