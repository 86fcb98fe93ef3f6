// Int8 and uint8: quantize, dequantize, convolve and multiply. Rounded to the nearest, of two the even one.
#include "../../evaluator/functions.hpp"
#include "host.hpp"

namespace host {
namespace {
double code(double v, double zero, DML_TENSOR_DATA_TYPE type) {
    const double least = type == DML_TENSOR_DATA_TYPE_INT8 ? -128 : 0;
    return std::clamp(std::nearbyint(double(float(v))) + zero, least, least + 255);
}
template <bool Quantizes> void scaled(const dml_linear_codes& d, planned& p) {
    const tensor x = p.in(d.InputTensor, Quantizes ? f32 : narrow), s = p.in(d.ScaleTensor, f32),
                 z = p.in(d.ZeroPointTensor, Quantizes ? codes : x.same());
    require(s.sizes == x.sizes && z.sizes == x.sizes);
    p.result(d.OutputTensor, Quantizes ? z.same() : f32,
             element_wise({x.sizes, s.sizes, z.sizes}, [type = z.type](const numbers& v) {
                 return Quantizes ? code(float(v[0]) / float(v[1]), v[2], type)
                                  : double(float(v[0] - v[2]) * float(v[1]));
             }));
}
void dynamic(const dml_dynamic_quantize& d, planned& p) {
    const list x = p.in(d.InputTensor, f32).sizes, scalar(x.size(), 1);
    p.out(d.OutputTensor, u8, x);
    p.out(d.OutputScaleTensor, f32, scalar);
    p.out(d.OutputZeroPointTensor, u8, scalar);
    p.compute = [](const values& in, values& out) {
        const auto [low, high] = std::ranges::minmax(in[0]);
        const float least = float(std::min(low, 0.)), most = float(std::max(high, 0.)), scale = (most - least) / 255;
        const double zero = scale == 0 ? 0 : code(-least / scale, 0, DML_TENSOR_DATA_TYPE_UINT8);
        for (double v : in[0])
            out[0].push_back(scale == 0 ? zero : code(float(v) / scale, zero, DML_TENSOR_DATA_TYPE_UINT8));
        out[1] = {double(scale)};
        out[2] = {zero};
    };
}
// The sizes of an optional input: a number, or one for each place of one axis.
list parameter(planned& p, dml_tensor t, type_set types, const list& sizes) {
    const tensor* const x = p.in_if(t, types);
    if (!x) return list(4, 1);
    require(x->sizes.size() == 4 && (elements(x->sizes) == 1 || x->sizes == sizes));
    return x->sizes;
}
numbers or_else(const numbers& v, double otherwise) { return v.empty() ? numbers{otherwise} : v; }
// The same with each input less its zero point: inputs a, its zero point, b, its zero point.
primitive of_offsets(const primitive& p, const list& a, const list& a_zero, const list& b, const list& b_zero) {
    const auto minus = functions::pair<std::minus<>>;
    require(a.size() == 4 && b.size() == 4);
    return {p.sizes, [=, x = element_wise({a, a_zero}, minus), y = element_wise({b, b_zero}, minus)](const values& in) {
                return p.compute({x.compute({in[0], or_else(in[1], 0)}), y.compute({in[2], or_else(in[3], 0)})});
            }};
}
template <class Desc> primitive sums_of(const Desc& d, const list& x, const list& x_zero, const list& w, list w_zero) {
    const UINT n = d.DimensionCount;
    require(n == 2);
    std::swap(w_zero[0], w_zero[1]);  // one for each filter
    return of_offsets(convolution(x, w,
                                  {list_of(d.Strides, n), list_of(d.Dilations, n), list_of(d.StartPadding, n),
                                   list_of(d.EndPadding, n)},
                                  d.GroupCount),
                      x, x_zero, w, w_zero);
}
// Inputs: a, its scale and zero point, b, its scale and zero point, perhaps a bias, and the result's scale and zero
// point.
struct code_parameters {
    list a_scale, a_zero, b_scale, b_zero, bias{1, 1, 1, 1}, scale, zero;
};
void plan_codes(planned& p, dml_tensor to, const primitive& sums, const code_parameters& by) {
    const std::size_t last_index = p.inputs.size() - 1;
    const auto scaled = element_wise(
        {sums.sizes, by.bias, by.a_scale, by.b_scale, by.scale, by.zero},
        [type = described(to).type](const numbers& v) { return code((v[0] + v[1]) * v[2] * v[3] / v[4], v[5], type); });
    p.result(to, codes, {sums.sizes, [=](const values& in) {
                             return scaled.compute({sums.compute({in[0], in[2], in[3], in[5]}),
                                                    or_else(last_index == 8 ? in[6] : numbers(), 0), or_else(in[1], 1),
                                                    or_else(in[4], 1), or_else(in[last_index - 1], 1),
                                                    or_else(in[last_index], 0)});
                         }});
}
void convolve_codes(const dml_codes_convolution& d, planned& p) {
    code_parameters by;
    const list scalar_sizes(4, 1);
    const tensor x = p.in(d.InputTensor, codes);
    by.a_scale = parameter(p, d.InputScaleTensor, floats, scalar_sizes);
    by.a_zero = parameter(p, d.InputZeroPointTensor, x.same(), scalar_sizes);
    const tensor w = p.in(d.FilterTensor, codes);
    const list row{1, w.sizes[0], 1, 1};
    by.b_scale = parameter(p, d.FilterScaleTensor, floats, row);
    by.b_zero = parameter(p, d.FilterZeroPointTensor, w.same(), row);
    by.bias = parameter(p, d.BiasTensor, i32, row);
    by.scale = parameter(p, d.OutputScaleTensor, floats, scalar_sizes);
    by.zero = parameter(p, d.OutputZeroPointTensor, codes, scalar_sizes);
    plan_codes(p, d.OutputTensor, sums_of(d, x.sizes, by.a_zero, w.sizes, by.b_zero), by);
}
void convolve_integers(const dml_integer_convolution& d, planned& p) {
    const tensor x = p.in(d.InputTensor, codes);
    const list x_zero = parameter(p, d.InputZeroPointTensor, x.same(), list(4, 1));
    const tensor w = p.in(d.FilterTensor, codes);
    const list w_zero = parameter(p, d.FilterZeroPointTensor, w.same(), {1, w.sizes[0], 1, 1});
    p.result(d.OutputTensor, i32, sums_of(d, x.sizes, x_zero, w.sizes, w_zero));
}
void multiply_codes(const dml_codes_product& d, planned& p) {
    code_parameters by;
    const tensor a = p.in(d.ATensor, codes);
    const list rows{1, 1, a.sizes.at(2), 1};
    by.a_scale = parameter(p, d.AScaleTensor, floats, rows);
    by.a_zero = parameter(p, d.AZeroPointTensor, a.same(), rows);
    const tensor b = p.in(d.BTensor, codes);
    const list columns{1, 1, 1, b.sizes.at(3)};
    by.b_scale = parameter(p, d.BScaleTensor, floats, columns);
    by.b_zero = parameter(p, d.BZeroPointTensor, b.same(), columns);
    by.scale = parameter(p, d.OutputScaleTensor, floats, rows);
    by.zero = parameter(p, d.OutputZeroPointTensor, codes, rows);
    plan_codes(p, d.OutputTensor, of_offsets(matmul(a.sizes, b.sizes), a.sizes, by.a_zero, b.sizes, by.b_zero), by);
}
void multiply_integers(const dml_integer_product& d, planned& p) {
    const tensor a = p.in(d.ATensor, codes);
    const list a_zero = parameter(p, d.AZeroPointTensor, a.same(), {1, 1, a.sizes.at(2), 1});
    const tensor b = p.in(d.BTensor, codes);
    const list b_zero = parameter(p, d.BZeroPointTensor, b.same(), {1, 1, 1, b.sizes.at(3)});
    p.result(d.OutputTensor, i32, of_offsets(matmul(a.sizes, b.sizes), a.sizes, a_zero, b.sizes, b_zero));
}
}  // namespace
const planners code_planners{{DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR, by<scaled<true>>},
                             {DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR, by<scaled<false>>},
                             {DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR, by<dynamic>},
                             {DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION, by<convolve_codes>},
                             {DML_OPERATOR_CONVOLUTION_INTEGER, by<convolve_integers>},
                             {DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY, by<multiply_codes>},
                             {DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, by<multiply_integers>}};
}  // namespace host
