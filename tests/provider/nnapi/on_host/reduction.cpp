// Reductions, and what normalizes along axes.
#include "host.hpp"
#include <algorithm>

namespace host {
namespace {
planned reduce(const call& c) {
    require(c.count() == 3);
    c.require_floats();
    const dims x = c.shape(0);
    dims y = x;
    for (std::int32_t axis : c.integers(1)) y.at(std::size_t(axis)) = 1;
    require(c.op.code == MEAN ? c.integer(2) == 1 : c.flag(2));  // all dimensions are kept
    return {y, [=, code = c.op.code](const auto& in) {
                std::vector<double> all(std::size_t(elements(y)), code == REDUCE_PROD ? 1. : 0.);
                std::vector<int> seen(all.size(), 0);
                for_each_index(x, [&](std::vector<std::int64_t> at) {
                    const double v = (*in[0])[place(x, at)];
                    for (std::size_t i = 0; i < at.size(); ++i)
                        if (y[i] == 1) at[i] = 0;
                    double& to = all[place(y, at)];
                    const bool first = seen[place(y, at)]++ == 0;
                    if (code == REDUCE_MAX)
                        to = first ? v : std::max(to, v);
                    else if (code == REDUCE_MIN)
                        to = first ? v : std::min(to, v);
                    else if (code == REDUCE_PROD)
                        to *= v;
                    else
                        to += v;
                });
                numbers out;
                for (std::size_t k = 0; k < all.size(); ++k)
                    out.push_back(float(code == MEAN ? all[k] / seen[k] : all[k]));
                return out;
            }};
}
// Along one axis of [outer, length, inner].
planned softmax(const call& c) {
    const bool log = c.op.code == LOG_SOFTMAX;
    const dims x = c.shape(0);
    require(c.count() == 3 || (!log && c.count() == 2));
    require(c.real(1) == 1 && (log || x.size() == 2 || x.size() == 4 || LEVEL >= 29) &&
            (c.count() == 2 || LEVEL >= 29));
    c.require_one_type(1);
    const bool has_sign = c.output().type == TENSOR_QUANT8_ASYMM_SIGNED;
    if (c.tensor(0).in_bytes())
        require(!log && c.output().scale == 1.f / 256 && c.output().zero == (has_sign ? -128 : 0));
    const std::int64_t axis = c.count() == 3 ? c.integer(2) : std::int64_t(x.size()) - 1;
    require(axis >= 0 && axis < std::int64_t(x.size()));
    std::int64_t inner = 1;
    for (std::size_t i = std::size_t(axis) + 1; i < x.size(); ++i) inner *= x[i];
    const std::int64_t length = x[std::size_t(axis)], outer = elements(x) / (inner * length);
    return {x, [=](const auto& in) {
                numbers y = *in[0];
                for (std::int64_t o = 0; o < outer; ++o)
                    for (std::int64_t i = 0; i < inner; ++i) {
                        const auto at = [&](std::int64_t k) { return std::size_t((o * length + k) * inner + i); };
                        double most = y[at(0)], sum = 0;
                        for (std::int64_t k = 0; k < length; ++k) most = std::max(most, double(y[at(k)]));
                        for (std::int64_t k = 0; k < length; ++k) sum += std::exp(y[at(k)] - most);
                        for (std::int64_t k = 0; k < length; ++k) {
                            const double e = y[at(k)] - most;
                            y[at(k)] = float(log ? e - std::log(sum) : std::exp(e) / sum);
                        }
                    }
                return y;
            }};
}
planned local_response(const call& c) {  // along the last dimension
    require(c.count() == 5 && c.shape(0).size() == 4);
    c.require_floats();
    const std::int64_t radius = c.integer(1), channels = c.shape(0).back();
    const float bias = c.real(2), alpha = c.real(3), beta = c.real(4);
    return {c.shape(0), [=](const auto& in) {
                const numbers& x = *in[0];
                numbers y;
                for (std::int64_t k = 0; k < std::int64_t(x.size()); ++k) {
                    double squares = 0;
                    const std::int64_t own = k % channels;
                    for (std::int64_t j = std::max<std::int64_t>(0, own - radius);
                         j <= std::min(channels - 1, own + radius); ++j)
                        squares += std::pow(double(x[std::size_t(k - own + j)]), 2);
                    y.push_back(float(x[std::size_t(k)] / std::pow(bias + alpha * squares, double(beta))));
                }
                return y;
            }};
}
planned instance_normalization(const call& c) {
    require(c.count() == 5);
    c.require_floats();
    const images x(c.shape(0), c.flag(4));
    const float gamma = c.real(1), beta = c.real(2), epsilon = c.real(3);
    return {x.shape(), [=](const auto& in) {
                numbers y(in[0]->size());
                for (std::int64_t i = 0; i < x.n; ++i)
                    for (std::int64_t k = 0; k < x.c; ++k) {
                        double sum = 0, squares = 0;
                        const double count = double(x.h * x.w);
                        const auto each = [&](auto f) {
                            for (std::int64_t r = 0; r < x.h; ++r)
                                for (std::int64_t q = 0; q < x.w; ++q) f(x.at(i, r, q, k));
                        };
                        each([&](std::size_t at) { sum += (*in[0])[at]; });
                        each([&](std::size_t at) { squares += std::pow((*in[0])[at] - sum / count, 2); });
                        each([&](std::size_t at) {
                            y[at] = float(((*in[0])[at] - sum / count) * gamma / std::sqrt(squares / count + epsilon) +
                                          beta);
                        });
                    }
                return y;
            }};
}
}  // namespace

planned plan_reduction(const call& c) {
    switch (c.op.code) {
        case MEAN:
        case REDUCE_MAX:
        case REDUCE_MIN:
        case REDUCE_PROD:
        case REDUCE_SUM: return reduce(c);
        case SOFTMAX:
        case LOG_SOFTMAX: return softmax(c);
        case LOCAL_RESPONSE_NORMALIZATION: return local_response(c);
        case INSTANCE_NORMALIZATION: return instance_normalization(c);
        default: throw bad_data();
    }
}
}  // namespace host
