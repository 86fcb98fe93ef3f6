// Convolutions, products, pools and reductions.
#include "graph.hpp"
#include <algorithm>

namespace test_runner {
namespace {
struct window {  // [columns, rows], pads: left, right, top, bottom
    integers kernel, stride, dilation{1, 1}, pad;
    explicit window(const operation& o) : kernel(o.list("kernel")), stride(o.list("stride")), pad(o.list("pad")) {
        if (o.get<std::string>("pad_mode") != "FLOOR") throw std::runtime_error("pad_mode is not FLOOR");
        if (o.op->has_attr("dilation")) dilation = o.list("dilation");
    }
    std::int64_t row(std::int64_t y, std::int64_t k) const { return y * stride[1] + k * dilation[1] - pad[2]; }
    std::int64_t column(std::int64_t x, std::int64_t k) const { return x * stride[0] + k * dilation[0] - pad[0]; }
};
template <class F> void for_each_place(const tensor& y, F f) {
    for (int n = 0; n < y.dims[0]; ++n)
        for (int r = 0; r < y.dims[1]; ++r)
            for (int c = 0; c < y.dims[2]; ++c)
                for (int o = 0; o < y.dims[3]; ++o) f(n, r, c, o);
}
bool inside(const tensor& x, std::int64_t row, std::int64_t column) {
    return row >= 0 && column >= 0 && row < x.dims[1] && column < x.dims[2];
}
// weights: [outputs, rows, columns, inputs], or for each channel [1, rows, columns, channels]
tensor convolve(const operation& o) {
    const window s(o);
    const tensor &x = o.input(), &w = o.input("weights");
    const bool each = o.type() == "depthwise-conv2d";
    if (w.dims[1] != s.kernel[1] || w.dims[2] != s.kernel[0]) throw std::runtime_error("weights and kernel differ");
    tensor y(o.dims());
    for_each_place(y, [&](int n, int r, int c, int out) {
        double sum = o.has("bias") ? o.input("bias").elements[std::size_t(out)] : 0;
        for (int a = 0; a < w.dims[1]; ++a)
            for (int b = 0; b < w.dims[2]; ++b) {
                const std::int64_t row = s.row(r, a), column = s.column(c, b);
                if (!inside(x, row, column)) continue;
                if (each)
                    sum += double(x.at(n, row, column, out)) * w.at(0, a, b, out);
                else
                    for (int i = 0; i < w.dims[3]; ++i) sum += double(x.at(n, row, column, i)) * w.at(out, a, b, i);
            }
        y.at(n, r, c, out) = float(sum);
    });
    return y;
}
tensor convolve_transposed(const operation& o) {
    const window s(o);
    const tensor &x = o.input(), &w = o.input("weights");
    tensor y(o.dims());
    for_each_place(y, [&](int n, int r, int c, int out) {
        y.at(n, r, c, out) = o.has("bias") ? o.input("bias").elements[std::size_t(out)] : 0;
    });
    for_each_place(x, [&](int n, int r, int c, int in) {
        for (int out = 0; out < w.dims[0]; ++out)
            for (int a = 0; a < w.dims[1]; ++a)
                for (int b = 0; b < w.dims[2]; ++b) {
                    const std::int64_t row = r * s.stride[1] + a - s.pad[2], column = c * s.stride[0] + b - s.pad[0];
                    if (inside(y, row, column)) y.at(n, row, column, out) += x.at(n, r, c, in) * w.at(out, a, b, in);
                }
    });
    return y;
}
tensor pool(const operation& o) {
    const window s(o);
    const tensor& x = o.input();
    const bool mean = o.type() == "avgpool2d", count_pads = mean && o.get<bool>("count_include_pad");
    tensor y(o.dims());
    for_each_place(y, [&](int n, int r, int c, int k) {
        double sum = 0, most = -INFINITY;
        int count = 0;
        for (int a = 0; a < s.kernel[1]; ++a)
            for (int b = 0; b < s.kernel[0]; ++b) {
                const std::int64_t row = s.row(r, a), column = s.column(c, b);
                const bool there = inside(x, row, column);
                count += there || count_pads;
                if (!there) continue;
                sum += x.at(n, row, column, k);
                most = std::max(most, double(x.at(n, row, column, k)));
            }
        y.at(n, r, c, k) = float(mean ? sum / count : most);
    });
    return y;
}
tensor multiply(const operation& o) {  // [..., M, K] and [..., K, N], or [N, K] where that is transposed
    const tensor &a = o.input("input", 0), &b = o.input("input", 1);
    if (o.get<bool>("transpose_a")) throw std::runtime_error("transpose_a is not made here");
    const bool turned = o.get<bool>("transpose_b");
    tensor y(o.dims());
    const std::size_t rank = y.dims.size();
    const std::int64_t rows = y.dims[rank - 2], columns = y.dims[rank - 1], depth = a.dims[rank - 1];
    for (std::int64_t k = 0; k < std::int64_t(y.elements.size()); ++k) {
        const std::int64_t batch = k / (rows * columns), column = k % columns;
        double sum = o.has("bias") ? o.input("bias").elements[std::size_t(column)] : 0;
        for (std::int64_t i = 0; i < depth; ++i)
            sum +=
                double(a.elements[std::size_t(k / columns * depth + i)]) *
                b.elements[std::size_t(batch * depth * columns + (turned ? column * depth + i : i * columns + column))];
        y.elements[std::size_t(k)] = float(sum);
    }
    return y;
}
tensor reduce(const operation& o) {
    const tensor& x = o.input();
    const integers axes = o.list("axis");
    const bool most = o.type() == "reduction_max", product = o.type() == "reduction_product";
    tensor y(o.dims());
    std::vector<double> sums(y.elements.size(), most ? -INFINITY : product ? 1 : 0);
    for (std::int64_t k = 0; k < std::int64_t(x.elements.size()); ++k) {
        integers at = place_of(k, x.dims);
        for (std::int32_t i : axes) at[std::size_t(i)] = 0;
        double& s = sums[std::size_t(number_of(at, y.dims))];
        const double e = x.elements[std::size_t(k)];
        s = most ? std::max(s, e) : product ? s * e : s + e;
    }
    const double count = o.type() == "reduction_mean" ? double(x.elements.size()) / double(y.elements.size()) : 1;
    for (std::size_t k = 0; k < sums.size(); ++k) y.elements[k] = float(sums[k] / count);
    return y;
}
}  // namespace

rule find_window_rule(const std::string& type) {
    if (type == "conv2d" || type == "depthwise-conv2d") return convolve;
    if (type == "transposed-conv2d") return convolve_transposed;
    if (type == "maxpool2d" || type == "avgpool2d") return pool;
    if (type == "matmul") return multiply;
    return type.starts_with("reduction_") ? reduce : nullptr;
}
}  // namespace test_runner
