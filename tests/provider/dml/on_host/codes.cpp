// Codes of 8 bits: made, read, convolved and multiplied. Rounded to the nearest, of two the even one.
#include "host.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace host {
namespace {
double code(float v, double zero, DML_TENSOR_DATA_TYPE type) {
    const bool has_sign = type == DML_TENSOR_DATA_TYPE_INT8;
    return std::clamp(std::nearbyint(double(v)) + zero, has_sign ? -128. : 0., has_sign ? 127. : 255.);
}
void scaled(const dml_linear_codes& d, bool quantizes, planned& p) {
    const tensor x = p.in(d.InputTensor), s = p.in(d.ScaleTensor), z = p.in(d.ZeroPointTensor),
                 y = p.out(d.OutputTensor);
    for (const tensor& t : {s, z, y}) require(t.sizes == x.sizes);
    const tensor &real = quantizes ? x : y, &whole = quantizes ? y : x;
    require(real.type == DML_TENSOR_DATA_TYPE_FLOAT32 && s.type == real.type && z.type == whole.type);
    require(is_of(whole, quantizes ? codes : narrow));
    p.one_result([=, type = y.type](const auto& in) {
        numbers all;
        for (std::size_t k = 0; k < in[0].size(); ++k)
            all.push_back(quantizes ? code(float(in[0][k]) / float(in[1][k]), in[2][k], type)
                                    : double(float(in[0][k] - in[2][k]) * float(in[1][k])));
        return all;
    });
}
void dynamic(const dml_dynamic_quantize& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor), s = p.out(d.OutputScaleTensor),
                 z = p.out(d.OutputZeroPointTensor);
    require(x.type == DML_TENSOR_DATA_TYPE_FLOAT32 && s.type == x.type && is_of(y, u8) && is_of(z, u8));
    require(x.sizes == y.sizes && s.elements() == 1 && z.elements() == 1 && s.sizes.size() == x.sizes.size());
    p.compute = [](const auto& in, auto& out) {
        const auto [low, high] = std::ranges::minmax(in[0]);
        const float least = float(std::min(low, 0.)), most = float(std::max(high, 0.)), scale = (most - least) / 255;
        const double zero = scale == 0 ? 0 : code(-least / scale, 0, DML_TENSOR_DATA_TYPE_UINT8);
        for (double v : in[0])
            out[0].push_back(scale == 0 ? zero : code(float(v) / scale, zero, DML_TENSOR_DATA_TYPE_UINT8));
        out[1].push_back(double(scale));
        out[2].push_back(zero);
    };
}
// A number, or one for each place of one axis.
struct each_of {
    list sizes;
    double at(const numbers& values, const list& where, double otherwise) const {
        return values.empty() ? otherwise : values[broadcast_place(sizes, where)];
    }
};
each_of parameter(planned& p, dml_tensor t, type_set types, const list& dims) {
    const tensor* const x = p.in_if(t);
    if (!x) return {};
    require(is_of(*x, types) && x->sizes.size() == dims.size());
    require(x->elements() == 1 || x->sizes == dims);
    return {x->sizes};
}
struct image_product {
    list x, w, y, strides, dilations, start, end;
    std::int64_t groups;
    // The sum of (x - x's zero point) * (w - w's).
    double sum(const numbers& image, const numbers& filter, double x_zero, double w_zero, const list& at) const {
        double all = 0;
        const std::int64_t first = at[1] / (w[0] / groups) * w[1];
        for_each_index({w[1], w[2], w[3]}, [&](const list& tap) {
            const std::int64_t row = at[2] * strides[0] - start[0] + tap[1] * dilations[0],
                               column = at[3] * strides[1] - start[1] + tap[2] * dilations[1];
            if (row < 0 || row >= x[2] || column < 0 || column >= x[3]) return;
            all += (image[place(x, {at[0], first + tap[0], row, column})] - x_zero) *
                   (filter[place(w, {at[1], tap[0], tap[1], tap[2]})] - w_zero);
        });
        return all;
    }
};
template <class Desc> image_product product_of(const Desc& d, const tensor& x, const tensor& w, const tensor& y) {
    const UINT n = d.DimensionCount;
    require(n == 2 && x.sizes.size() == 4 && w.sizes.size() == 4 && y.sizes.size() == 4);
    image_product i{x.sizes,
                    w.sizes,
                    y.sizes,
                    list_of(d.Strides, n),
                    list_of(d.Dilations, n),
                    list_of(d.StartPadding, n),
                    list_of(d.EndPadding, n),
                    d.GroupCount};
    require(i.groups > 0 && i.x[1] == i.w[1] * i.groups && i.y[1] == i.w[0] && i.w[0] % i.groups == 0);
    require(i.x[0] == i.y[0] && is_of(x, codes) && is_of(w, codes));
    for (std::size_t k = 0; k < 2; ++k) {
        const std::int64_t room = i.x[k + 2] + i.start[k] + i.end[k] - (i.w[k + 2] - 1) * i.dilations[k] - 1;
        require(room >= 0 && i.y[k + 2] == room / i.strides[k] + 1);
    }
    return i;
}
void convolve_codes(const dml_codes_convolution& d, planned& p) {
    const list one(4, 1);
    const tensor x = p.in(d.InputTensor);
    const each_of xs = parameter(p, d.InputScaleTensor, floats, one),
                  xz = parameter(p, d.InputZeroPointTensor, of_type(x.type), one);
    const tensor w = p.in(d.FilterTensor);
    const list row{1, w.sizes[0], 1, 1};
    const each_of ws = parameter(p, d.FilterScaleTensor, floats, row),
                  wz = parameter(p, d.FilterZeroPointTensor, of_type(w.type), row),
                  b = parameter(p, d.BiasTensor, i32, row), ys = parameter(p, d.OutputScaleTensor, floats, one),
                  yz = parameter(p, d.OutputZeroPointTensor, codes, one);
    const tensor y = p.out(d.OutputTensor);
    require(is_of(y, codes));
    p.one_result([=, i = product_of(d, x, w, y), type = y.type](const auto& in) {
        numbers all;
        for_each_index(i.y, [&](const list& at) {
            const list k{0, at[1], 0, 0};
            const double sum = i.sum(in[0], in[3], xz.at(in[2], k, 0), wz.at(in[5], k, 0), at) + b.at(in[6], k, 0),
                         scale = xs.at(in[1], k, 1) * ws.at(in[4], k, 1) / ys.at(in[7], k, 1);
            all.push_back(code(float(sum * scale), yz.at(in[8], k, 0), type));
        });
        return all;
    });
}
void convolve_integers(const dml_integer_convolution& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    const each_of xz = parameter(p, d.InputZeroPointTensor, of_type(x.type), list(4, 1));
    const tensor w = p.in(d.FilterTensor);
    const each_of wz = parameter(p, d.FilterZeroPointTensor, of_type(w.type), {1, w.sizes[0], 1, 1});
    const tensor y = p.out(d.OutputTensor);
    require(is_of(y, i32));
    p.one_result([=, i = product_of(d, x, w, y)](const auto& in) {
        numbers all;
        for_each_index(i.y, [&](const list& at) {
            const list k{0, at[1], 0, 0};
            all.push_back(i.sum(in[0], in[2], xz.at(in[1], k, 0), wz.at(in[3], k, 0), at));
        });
        return all;
    });
}
void require_matrices(const list& a, const list& b, const list& y) {
    require(a.size() == 4 && b.size() == 4 && y.size() == 4 && a[3] == b[2] && y[2] == a[2] && y[3] == b[3]);
    for (std::size_t i : {0, 1}) require(a[i] == y[i] && b[i] == y[i]);
}
double sum_of_products(const numbers& a, const numbers& b, const list& as, const list& bs, double a_zero, double b_zero,
                       const list& at) {
    double all = 0;
    for (std::int64_t k = 0; k < as[3]; ++k)
        all += (a[place(as, {at[0], at[1], at[2], k})] - a_zero) * (b[place(bs, {at[0], at[1], k, at[3]})] - b_zero);
    return all;
}
void multiply_codes(const dml_codes_product& d, planned& p) {
    const tensor a = p.in(d.ATensor);
    const list rows{1, 1, a.sizes.at(2), 1};
    const each_of as = parameter(p, d.AScaleTensor, floats, rows),
                  az = parameter(p, d.AZeroPointTensor, of_type(a.type), rows);
    const tensor b = p.in(d.BTensor);
    const list columns{1, 1, 1, b.sizes.at(3)};
    const each_of bs = parameter(p, d.BScaleTensor, floats, columns),
                  bz = parameter(p, d.BZeroPointTensor, of_type(b.type), columns),
                  ys = parameter(p, d.OutputScaleTensor, floats, rows),
                  yz = parameter(p, d.OutputZeroPointTensor, codes, rows);
    const tensor y = p.out(d.OutputTensor);
    require_matrices(a.sizes, b.sizes, y.sizes);
    require(is_of(a, codes) && is_of(b, codes) && is_of(y, codes));
    p.one_result([=](const auto& in) {
        numbers all;
        for_each_index(y.sizes, [&](const list& at) {
            const double sum = sum_of_products(in[0], in[3], a.sizes, b.sizes, az.at(in[2], at, 0), bz.at(in[5], at, 0),
                                               at),
                         scale = as.at(in[1], at, 1) * bs.at(in[4], at, 1) / ys.at(in[6], at, 1);
            all.push_back(code(float(sum * scale), yz.at(in[7], at, 0), y.type));
        });
        return all;
    });
}
void multiply_integers(const dml_integer_product& d, planned& p) {
    const tensor a = p.in(d.ATensor);
    const each_of az = parameter(p, d.AZeroPointTensor, of_type(a.type), {1, 1, a.sizes.at(2), 1});
    const tensor b = p.in(d.BTensor);
    const each_of bz = parameter(p, d.BZeroPointTensor, of_type(b.type), {1, 1, 1, b.sizes.at(3)});
    const tensor y = p.out(d.OutputTensor);
    require_matrices(a.sizes, b.sizes, y.sizes);
    require(is_of(a, codes) && is_of(b, codes) && is_of(y, i32));
    p.one_result([=](const auto& in) {
        numbers all;
        for_each_index(y.sizes, [&](const list& at) {
            all.push_back(
                sum_of_products(in[0], in[2], a.sizes, b.sizes, az.at(in[1], at, 0), bz.at(in[3], at, 0), at));
        });
        return all;
    });
}
}  // namespace

bool plan_codes(const DML_OPERATOR_DESC& d, planned& p) {
    switch (d.Type) {
        case DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR:
        case DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR:
            scaled(*static_cast<const dml_linear_codes*>(d.Desc), d.Type == DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR,
                   p);
            return true;
        case DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR:
            dynamic(*static_cast<const dml_dynamic_quantize*>(d.Desc), p);
            return true;
        case DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION:
            convolve_codes(*static_cast<const dml_codes_convolution*>(d.Desc), p);
            return true;
        case DML_OPERATOR_CONVOLUTION_INTEGER:
            convolve_integers(*static_cast<const dml_integer_convolution*>(d.Desc), p);
            return true;
        case DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY:
            multiply_codes(*static_cast<const dml_codes_product*>(d.Desc), p);
            return true;
        case DML_OPERATOR_MATRIX_MULTIPLY_INTEGER:
            multiply_integers(*static_cast<const dml_integer_product*>(d.Desc), p);
            return true;
        default: return false;
    }
}
}  // namespace host
