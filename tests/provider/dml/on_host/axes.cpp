// Along axes: reductions, ArgMax and ArgMin, Softmax, normalizations, CumSum.
#include "../../evaluator/functions.hpp"
#include "host.hpp"

namespace host {
namespace {
namespace f = evaluator::functions;
struct reduction {
    function fold;
    type_set types = floats;
};
const std::map<DML_REDUCE_FUNCTION, reduction> reductions{
    {DML_REDUCE_FUNCTION_AVERAGE, {f::mean}},
    {DML_REDUCE_FUNCTION_L1, {f::sum_of_magnitudes, floats | sums}},
    {DML_REDUCE_FUNCTION_L2, {f::norm}},
    {DML_REDUCE_FUNCTION_LOG_SUM, {f::log_of_sum}},
    {DML_REDUCE_FUNCTION_LOG_SUM_EXP, {f::log_of_sum_of_exponentials}},
    {DML_REDUCE_FUNCTION_MAX, {f::greatest, any}},
    {DML_REDUCE_FUNCTION_MIN, {f::least, any}},
    {DML_REDUCE_FUNCTION_MULTIPLY, {f::product, floats | sums}},
    {DML_REDUCE_FUNCTION_SUM, {f::sum, floats | sums}},
    {DML_REDUCE_FUNCTION_SUM_SQUARE, {f::sum_of_squares, floats | sums}}};
void reduce(const dml_reduce& d, planned& p) {
    const reduction& r = reductions.at(d.Function);
    const tensor x = p.in(d.InputTensor, r.types);
    p.result(d.OutputTensor, x.same(), evaluator::reduce(x.sizes, list_of(d.Axes, d.AxisCount), r.fold));
}
template <bool Most> void arg(const dml_arg& d, planned& p) {
    const auto best = [prefers_last = d.AxisDirection == 1](const numbers& line) {
        std::size_t at = 0;
        for (std::size_t k = 1; k < line.size(); ++k)
            if ((Most ? line[k] > line[at] : line[k] < line[at]) || (prefers_last && line[k] == line[at])) at = k;
        return double(at);
    };
    p.result(d.OutputTensor, i64, evaluator::reduce(p.in(d.InputTensor).sizes, list_of(d.Axes, d.AxisCount), best));
}
template <bool Log> void softmax(const dml_softmax& d, planned& p) {
    const tensor x = p.in(d.InputTensor, floats);
    p.result(d.OutputTensor, x.same(), evaluator::softmax(x.sizes, list_of(d.Axes, d.AxisCount), Log));
}
void cumulate(const dml_cumulation& d, planned& p) {
    const tensor x = p.in(d.InputTensor, floats | sums);
    const auto sums = [back = d.AxisDirection == 1, exclusive = d.HasExclusiveSum != 0](numbers line) {
        if (back) std::ranges::reverse(line);
        if (exclusive)
            std::exclusive_scan(line.begin(), line.end(), line.begin(), 0.);
        else
            std::partial_sum(line.begin(), line.end(), line.begin());
        if (back) std::ranges::reverse(line);
        return line;
    };
    p.result(d.OutputTensor, x.same(), along(x.sizes, {d.Axis}, x.sizes, sums));
}
void top(const dml_top_k& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    list y = x.sizes;
    y.at(d.Axis) = d.K;
    require(d.K > 0 && d.K <= x.sizes[d.Axis]);
    p.out(d.OutputValueTensor, x.same(), y);
    p.out(d.OutputIndexTensor, u32, y);
    const auto sorted = [count = d.K, greatest = d.AxisDirection == 1](const numbers& line) {
        numbers places(line.size());
        std::iota(places.begin(), places.end(), 0.);
        std::ranges::stable_sort(places, [&](double a, double b) {
            const double first = line[std::size_t(a)], second = line[std::size_t(b)];
            return greatest ? first > second : first < second;
        });
        places.resize(count);
        return places;
    };
    const auto elements_at = [=](const numbers& line) {
        numbers best = sorted(line);
        for (double& k : best) k = line[std::size_t(k)];
        return best;
    };
    p.compute = [elements = along(x.sizes, {d.Axis}, y, elements_at), places = along(x.sizes, {d.Axis}, y, sorted)](
                    const values& in, values& out) {
        out = {elements.compute(in), places.compute(in)};
    };
}
// Sizes of an input of which each is the tensor's or 1.
list broadcast(planned& p, dml_tensor t, const tensor& x) {
    const list small = p.in(t, x.same()).sizes;
    require(small.size() == x.sizes.size());
    for (std::size_t i = 0; i < small.size(); ++i) require(small[i] == 1 || small[i] == x.sizes[i]);
    return small;
}
void batch_normalization(const dml_batch_normalization& d, planned& p) {
    const tensor x = p.in(d.InputTensor, floats);
    std::vector<list> sizes{x.sizes};
    for (dml_tensor t : {d.MeanTensor, d.VarianceTensor, d.ScaleTensor, d.BiasTensor})
        sizes.push_back(broadcast(p, t, x));
    require(d.Spatial == 1 && !d.FusedActivation);
    p.result(d.OutputTensor, x.same(), element_wise(sizes, [e = double(d.Epsilon)](const numbers& v) {
                 return (v[0] - v[1]) / std::sqrt(v[2] + e) * v[3] + v[4];
             }));
}
void normalization(const dml_normalization& d, planned& p) {
    const tensor x = p.in(d.InputTensor, floats);
    std::vector<list> sizes{x.sizes, broadcast(p, d.ScaleTensor, x)};
    if (d.BiasTensor)
        sizes.push_back(broadcast(p, d.BiasTensor, x));
    else
        p.in_if(nullptr);
    require(d.NormalizeVariance == 1 && !d.FusedActivation);
    const auto affine = [](const numbers& v) { return v[0] * v[1] + (v.size() > 2 ? v[2] : 0); };
    p.result(d.OutputTensor, x.same(),
             after(normalize(x.sizes, list_of(d.Axes, d.AxisCount), d.Epsilon), element_wise(sizes, affine)));
}
void local_response(const dml_local_response& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    require(d.CrossChannel == 1 && d.LocalSize % 2 == 1);
    p.result(d.OutputTensor, x.same(),
             evaluator::local_response(x.sizes, d.LocalSize / 2, double(d.Alpha) / d.LocalSize, d.Beta, d.Bias));
}
}  // namespace
const planners axis_planners{{DML_OPERATOR_REDUCE, by<reduce>},
                             {DML_OPERATOR_ARGMAX, by<arg<true>>},
                             {DML_OPERATOR_ARGMIN, by<arg<false>>},
                             {DML_OPERATOR_ACTIVATION_SOFTMAX1, by<softmax<false>>},
                             {DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1, by<softmax<true>>},
                             {DML_OPERATOR_CUMULATIVE_SUMMATION, by<cumulate>},
                             {DML_OPERATOR_TOP_K1, by<top>},
                             {DML_OPERATOR_BATCH_NORMALIZATION, by<batch_normalization>},
                             {DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, by<normalization>},
                             {DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION, by<local_response>}};
}  // namespace host
