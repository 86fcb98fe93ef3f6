// Convolutions, pools and GEMM.
#include "../../evaluator/functions.hpp"
#include "host.hpp"

namespace host {
namespace {
template <class Desc> window window_of(const Desc& d) {
    const UINT n = d.DimensionCount;
    require(n == 2 || n == 3);
    window w{list_of(d.Strides, n), list(n, 1), list_of(d.StartPadding, n), list_of(d.EndPadding, n)};
    if constexpr (requires { d.Dilations; }) w.dilation = list_of(d.Dilations, n);
    return w;
}
void convolution(const dml_convolution& d, planned& p) {
    const tensor x = p.in(d.InputTensor, floats), w = p.in(d.FilterTensor, x.same());
    const tensor* const bias = p.in_if(d.BiasTensor, x.same());
    const list more = list_of(d.OutputPadding, d.DimensionCount);
    require(d.Mode == DML_CONVOLUTION_MODE_CROSS_CORRELATION && !d.FusedActivation);
    const bool back = d.Direction == DML_CONVOLUTION_DIRECTION_BACKWARD;
    require(back || more == list(more.size(), 0));
    const primitive y = back ? transposed_convolution(x.sizes, w.sizes, window_of(d), more, d.GroupCount)
                             : evaluator::convolution(x.sizes, w.sizes, window_of(d), d.GroupCount);
    list row(y.sizes.size(), 1);
    row[1] = y.sizes[1];
    require(!bias || bias->sizes == row);
    p.result(d.OutputTensor, x.same(), y);
}
void gemm(const dml_gemm& d, planned& p) {
    const tensor a = p.in(d.ATensor, floats), b = p.in(d.BTensor, a.same());
    const tensor* const c = p.in_if(d.CTensor);
    require(a.sizes.size() == 4 && b.sizes.size() == 4 && !d.FusedActivation);
    const list swapped{0, 1, 3, 2}, plain{0, 1, 2, 3};
    const primitive left = transpose(a.sizes, d.TransA ? swapped : plain),
                    right = transpose(b.sizes, d.TransB ? swapped : plain), product = matmul(left.sizes, right.sizes);
    require(!c || c->sizes == product.sizes);
    p.result(d.OutputTensor, a.same(),
             {product.sizes, [=, alpha = double(d.Alpha), beta = double(d.Beta)](const values& in) {
                  numbers y = product.compute({left.compute({in[0]}), right.compute({in[1]})});
                  for (std::size_t k = 0; k < y.size(); ++k)
                      y[k] = alpha * y[k] + (in[2].empty() ? 0 : beta * in[2][k]);
                  return y;
              }});
}
void average_pool(const dml_average_pooling& d, planned& p) {
    const tensor x = p.in(d.InputTensor, floats);
    const list length = list_of(d.WindowSize, d.DimensionCount);
    const auto average = [area = double(elements(length)), padded = d.IncludePadding != 0](const numbers& v) {
        return functions::sum(v) / (padded ? area : double(v.size()));
    };
    p.result(d.OutputTensor, x.same(), pool(x.sizes, length, window_of(d), average));
}
void max_pool(const dml_max_pooling& d, planned& p) {
    require(!d.OutputIndicesTensor);
    const tensor x = p.in(d.InputTensor);
    p.result(d.OutputTensor, x.same(),
             pool(x.sizes, list_of(d.WindowSize, d.DimensionCount), window_of(d), functions::greatest));
}
}  // namespace
const planners window_planners{{DML_OPERATOR_CONVOLUTION, by<convolution>},
                               {DML_OPERATOR_GEMM, by<gemm>},
                               {DML_OPERATOR_AVERAGE_POOLING, by<average_pool>},
                               {DML_OPERATOR_MAX_POOLING2, by<max_pool>}};
}  // namespace host
