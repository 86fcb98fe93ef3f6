// Along axes: reductions, places of the greatest and least, Softmax, normalizations.
#include "host.hpp"
#include <algorithm>
#include <cmath>

namespace host {
namespace {
// For each index of the axes that are kept, the elements of the others, in order.
struct lines {
    list sizes;
    std::vector<char> along;
    lines(const list& s, const UINT* axes, UINT count) : sizes(s), along(s.size(), 0) {
        require(count > 0);
        for (std::int64_t a : list_of(axes, count)) {
            require(!along.at(std::size_t(a)));
            along[std::size_t(a)] = 1;
        }
    }
    list kept() const {
        list k = sizes;
        for (std::size_t i = 0; i < k.size(); ++i)
            if (along[i]) k[i] = 1;
        return k;
    }
    // f(places of the elements)
    template <class F> void each(F f) const {
        list other = sizes;
        for (std::size_t i = 0; i < other.size(); ++i)
            if (!along[i]) other[i] = 1;
        for_each_index(kept(), [&](const list& at) {
            std::vector<std::size_t> places;
            for_each_index(other, [&](list more) {
                for (std::size_t i = 0; i < more.size(); ++i) more[i] += at[i];
                places.push_back(place(sizes, more));
            });
            f(places);
        });
    }
};
double folded(DML_REDUCE_FUNCTION f, const std::vector<double>& line) {
    double sum = 0, squares = 0, magnitudes = 0, product = 1, most = line[0], least = line[0];
    for (double x : line) {
        sum += x;
        squares += x * x;
        magnitudes += std::fabs(x);
        product *= x;
        most = x > most || std::isnan(x) ? x : most;
        least = x < least || std::isnan(x) ? x : least;
    }
    double exponents = 0;
    for (double x : line) exponents += std::exp(x - most);
    switch (f) {
        case DML_REDUCE_FUNCTION_AVERAGE: return sum / double(line.size());
        case DML_REDUCE_FUNCTION_L1: return magnitudes;
        case DML_REDUCE_FUNCTION_L2: return std::sqrt(squares);
        case DML_REDUCE_FUNCTION_LOG_SUM: return std::log(sum);
        case DML_REDUCE_FUNCTION_LOG_SUM_EXP: return most + std::log(exponents);
        case DML_REDUCE_FUNCTION_MAX: return most;
        case DML_REDUCE_FUNCTION_MIN: return least;
        case DML_REDUCE_FUNCTION_MULTIPLY: return product;
        case DML_REDUCE_FUNCTION_SUM: return sum;
        case DML_REDUCE_FUNCTION_SUM_SQUARE: return squares;
    }
    throw bad_argument();
}
type_set reduced_types(DML_REDUCE_FUNCTION f) {
    switch (f) {
        case DML_REDUCE_FUNCTION_MAX:
        case DML_REDUCE_FUNCTION_MIN: return any;
        case DML_REDUCE_FUNCTION_L1:
        case DML_REDUCE_FUNCTION_MULTIPLY:
        case DML_REDUCE_FUNCTION_SUM:
        case DML_REDUCE_FUNCTION_SUM_SQUARE: return floats | sums;
        default: return floats;
    }
}
void reduce(const dml_reduce& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    const lines l(x.sizes, d.Axes, d.AxisCount);
    require(is_of(x, reduced_types(d.Function)) && x.type == y.type && y.sizes == l.kept());
    p.one_result([=, f = d.Function](const auto& in) {
        numbers all;
        l.each([&](const auto& places) {
            std::vector<double> line;
            for (std::size_t k : places) line.push_back(double(in[0][k]));
            all.push_back(float(folded(f, line)));
        });
        return all;
    });
}
void arg(const dml_arg& d, bool most, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    const lines l(x.sizes, d.Axes, d.AxisCount);
    require(y.type == DML_TENSOR_DATA_TYPE_INT64 && y.sizes == l.kept());
    p.one_result([=, last = d.AxisDirection == 1](const auto& in) {
        numbers all;
        l.each([&](const auto& places) {
            std::size_t best = 0;
            for (std::size_t k = 1; k < places.size(); ++k) {
                const double a = in[0][places[k]], b = in[0][places[best]];
                if ((most ? a > b : a < b) || (last && a == b)) best = k;
            }
            all.push_back(double(best));
        });
        return all;
    });
}
void softmax(const dml_softmax& d, bool log, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    const lines l(x.sizes, d.Axes, d.AxisCount);
    require(is_float(x) && x.type == y.type && x.sizes == y.sizes);
    p.one_result([=](const auto& in) {
        numbers all(in[0].size());
        l.each([&](const auto& places) {
            double most = -std::numeric_limits<double>::infinity(), sum = 0;
            for (std::size_t k : places) most = std::max(most, double(in[0][k]));
            for (std::size_t k : places) sum += std::exp(double(in[0][k]) - most);
            for (std::size_t k : places) {
                const double z = double(in[0][k]) - most;
                all[k] = float(log ? z - std::log(sum) : std::exp(z) / sum);
            }
        });
        return all;
    });
}
// Each size is the tensor's or 1.
void require_broadcasts(const tensor& small, const tensor& x) {
    require(small.type == x.type && small.sizes.size() == x.sizes.size());
    for (std::size_t i = 0; i < x.sizes.size(); ++i) require(small.sizes[i] == 1 || small.sizes[i] == x.sizes[i]);
}
void batch_normalization(const dml_batch_normalization& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    std::vector<list> sizes;
    for (dml_tensor t : {d.MeanTensor, d.VarianceTensor, d.ScaleTensor, d.BiasTensor}) {
        const tensor& small = p.in(t);
        require_broadcasts(small, x);
        sizes.push_back(small.sizes);
    }
    const tensor y = p.out(d.OutputTensor);
    require(is_float(x) && x.type == y.type && x.sizes == y.sizes && d.Spatial == 1 && !d.FusedActivation);
    p.one_result([=, e = d.Epsilon](const auto& in) {
        numbers all;
        for_each_index(y.sizes, [&](const list& at) {
            const auto each = [&](std::size_t k) { return double(in[k + 1][broadcast_place(sizes[k], at)]); };
            const double z = (double(in[0][place(y.sizes, at)]) - each(0)) / std::sqrt(each(1) + double(e));
            all.push_back(float(z * each(2) + each(3)));
        });
        return all;
    });
}
void normalization(const dml_normalization& d, planned& p) {
    const tensor x = p.in(d.InputTensor), scale = p.in(d.ScaleTensor);
    const tensor* const b = p.in_if(d.BiasTensor);
    const bool has_bias = b != nullptr;
    const tensor bias = b ? *b : scale, y = p.out(d.OutputTensor);
    require_broadcasts(scale, x);
    require_broadcasts(bias, x);
    const lines l(x.sizes, d.Axes, d.AxisCount);
    require(is_float(x) && x.type == y.type && x.sizes == y.sizes && d.NormalizeVariance == 1 && !d.FusedActivation);
    p.one_result([=, e = double(d.Epsilon)](const auto& in) {
        numbers normal(in[0].size()), all;
        l.each([&](const auto& places) {
            double mean = 0, variance = 0;
            for (std::size_t k : places) mean += double(in[0][k]) / double(places.size());
            for (std::size_t k : places) variance += std::pow(double(in[0][k]) - mean, 2) / double(places.size());
            for (std::size_t k : places) normal[k] = float((double(in[0][k]) - mean) / std::sqrt(variance + e));
        });
        for_each_index(y.sizes, [&](const list& at) {
            const double s = in[1][broadcast_place(scale.sizes, at)];
            all.push_back(normal[place(y.sizes, at)] * s + (has_bias ? in[2][broadcast_place(bias.sizes, at)] : 0));
        });
        return all;
    });
}
void local_response(const dml_local_response& d, planned& p) {
    const tensor x = p.in(d.InputTensor), y = p.out(d.OutputTensor);
    require(x.sizes.size() == 4 && x.sizes == y.sizes && x.type == y.type && d.CrossChannel == 1 &&
            d.LocalSize % 2 == 1);
    p.one_result([=, half = std::int64_t(d.LocalSize / 2), size = double(d.LocalSize), alpha = double(d.Alpha),
                  beta = double(d.Beta), bias = double(d.Bias)](const auto& in) {
        numbers all;
        for_each_index(y.sizes, [&](const list& at) {
            double sum = 0;
            for (std::int64_t k = std::max<std::int64_t>(0, at[1] - half); k <= std::min(at[1] + half, y.sizes[1] - 1);
                 ++k)
                sum += std::pow(double(in[0][place(y.sizes, {at[0], k, at[2], at[3]})]), 2);
            all.push_back(float(double(in[0][place(y.sizes, at)]) / std::pow(bias + alpha / size * sum, beta)));
        });
        return all;
    });
}
}  // namespace

bool plan_reduction(const DML_OPERATOR_DESC& d, planned& p) {
    switch (d.Type) {
        case DML_OPERATOR_REDUCE: reduce(*static_cast<const dml_reduce*>(d.Desc), p); return true;
        case DML_OPERATOR_ARGMAX:
        case DML_OPERATOR_ARGMIN:
            arg(*static_cast<const dml_arg*>(d.Desc), d.Type == DML_OPERATOR_ARGMAX, p);
            return true;
        case DML_OPERATOR_ACTIVATION_SOFTMAX1:
        case DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1:
            softmax(*static_cast<const dml_softmax*>(d.Desc), d.Type == DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1, p);
            return true;
        case DML_OPERATOR_BATCH_NORMALIZATION:
            batch_normalization(*static_cast<const dml_batch_normalization*>(d.Desc), p);
            return true;
        case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1:
            normalization(*static_cast<const dml_normalization*>(d.Desc), p);
            return true;
        case DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION:
            local_response(*static_cast<const dml_local_response*>(d.Desc), p);
            return true;
        default: return false;
    }
}
}  // namespace host
