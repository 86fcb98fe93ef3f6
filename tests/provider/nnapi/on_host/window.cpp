// Convolutions, pools and GEMM.
#include "../../evaluator/functions.hpp"
#include "host.hpp"

namespace host {
namespace {
// Pads left, right, top and bottom, then strides over columns and rows, from input k on.
window window_at(const call& c, std::size_t k) {
    const list n = c.integers_from(k, 6);
    for (const std::int64_t size : n) require(size >= 0);
    return {{n[5], n[4]}, {1, 1}, {n[2], n[0]}, {n[3], n[1]}};
}
// The input's type goes with those of filter and bias, and its scale with the bias's.
void check_filter(const call& c, std::int64_t channels, std::uint32_t channel, bool per_channel) {
    const operand &x = c.tensor(0), &w = c.any(1), &b = c.any(2);
    require(w.is_filter() && w.value && b.value && b.shape == list{channels});
    require(x.type == c.output().type);
    if (x.type == TENSOR_FLOAT32) return require(w.type == TENSOR_FLOAT32 && b.type == TENSOR_FLOAT32);
    require(b.type == TENSOR_INT32 && b.zero == 0);
    if (w.type == TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        require(per_channel && LEVEL >= 29 && w.channel == channel && std::int64_t(w.scales.size()) == channels &&
                b.scale == 0);
        return;
    }
    require(w.type == x.type && std::fabs(b.scale - x.scale * w.scale) <= 1e-6f * b.scale);
    require(LEVEL >= 29 || c.output().scale > x.scale * w.scale);
}
// With the bias in numbers, of a filter with a scale for each channel too.
primitive with_bias(const call& c, const primitive& p) {
    const operand &x = c.tensor(0), &w = c.any(1);
    if (w.scales.empty()) return p;
    const primitive scaled = evaluator::element_wise({c.any(2).shape, c.any(2).shape},
                                                     [s = x.scale](const numbers& v) { return v[0] * s * v[1]; });
    return through(p, 2, {scaled.sizes, [=, scales = numbers(w.scales.begin(), w.scales.end())](const values& in) {
                              return scaled.compute({in[0], scales});
                          }});
}
primitive convolution(const call& c) {
    const bool depthwise = c.op.code == DEPTHWISE_CONV_2D, grouped = c.op.code == GROUPED_CONV_2D;
    const std::size_t at = depthwise || grouped ? 10 : 9;  // of the activation
    const bool dilated = c.count() == at + 4;
    c.require_count(grouped ? at + 2 : at + 1, grouped ? at + 2 : at + 4);
    require(c.count() != at + 3 && (!dilated || LEVEL >= 29));  // both dilations or none
    c.require_no_activation(at);
    window win = window_at(c, 3);
    if (dilated) win.dilation = {c.integer(at + 3), c.integer(at + 2)};
    const primitive filter = evaluator::transpose(c.any(1).shape, depthwise ? list{3, 0, 1, 2} : list{0, 3, 1, 2});
    const std::int64_t channels = filter.sizes[0];
    check_filter(c, channels, depthwise ? 3 : 0, true);
    return c.of_images(grouped ? c.flag(at + 1) : c.flag_if(at + 1, 29), [&](const list& x) {
        require(!depthwise || c.integer(9) * x[1] == channels);
        const std::int64_t groups = depthwise ? x[1] : grouped ? c.integer(9) : 1;
        return through(with_bias(c, evaluator::convolution(x, filter.sizes, win, groups)), 1, filter);
    });
}
primitive transposed_convolution(const call& c) {
    require(c.count() == 11);
    c.require_no_activation(9);
    c.require_floats();
    const window win = window_at(c, 3);
    const primitive filter = evaluator::transpose(c.any(1).shape, {3, 0, 1, 2});
    check_filter(c, filter.sizes[1], 0, true);
    return c.of_images(c.flag(10), [&](const list& x) {
        return through(evaluator::transposed_convolution(x, filter.sizes, win, {0, 0}, 1), 1, filter);
    });
}
template <function F> primitive pool(const call& c) {
    c.require_count(10, 11);
    c.require_one_type(1);
    c.require_same_scale();
    c.require_no_activation(9);
    const window win = window_at(c, 1);
    const list length{c.integer(8), c.integer(7)};
    for (std::size_t i : {0, 1}) require(win.before[i] < length[i]);
    require(win.after[1] < length[1] + win.stride[1]);
    return c.of_images(c.flag_if(10, 29), [&](const list& x) { return evaluator::pool(x, length, win, F); });
}
primitive fully_connected(const call& c) {
    require(c.count() == 4);
    c.require_no_activation(3);
    const list &x = c.shape(0), &w = c.any(1).shape;
    require(w.size() == 2 && elements(x) % w[1] == 0 && x.size() >= 2);
    check_filter(c, w[0], 0, false);
    return evaluator::convolution({elements(x) / w[1], w[1]}, w, {}, 1);
}
primitive batch_matmul(const call& c) {
    require(c.count() == 4 && !c.flag(2) && !c.flag(3));
    c.require_floats();
    c.require_one_type(2);
    return matmul(c.shape(0), c.shape(1));
}
}  // namespace
const rules window_rules{{CONV_2D, convolution},
                         {DEPTHWISE_CONV_2D, convolution},
                         {GROUPED_CONV_2D, convolution},
                         {TRANSPOSE_CONV_2D, transposed_convolution},
                         {AVERAGE_POOL_2D, pool<functions::mean>},
                         {MAX_POOL_2D, pool<functions::greatest>},
                         {FULLY_CONNECTED, fully_connected},
                         {BATCH_MATMUL, batch_matmul}};
}  // namespace host
