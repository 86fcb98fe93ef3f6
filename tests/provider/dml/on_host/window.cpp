// Convolutions, pools and products.
#include "host.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace host {
namespace {
struct axes {
    list strides, dilations, start, end;
    std::size_t count() const { return strides.size(); }
};
// Calls f(tap's index, input's index) for each tap of the window at `at` that lies in the input of these sizes.
template <class F> void for_each_tap(const axes& a, const list& kernel, const list& in, const list& at, F f) {
    for_each_index(kernel, [&](const list& tap) {
        list from;
        for (std::size_t i = 0; i < a.count(); ++i) {
            from.push_back(at[i] * a.strides[i] - a.start[i] + tap[i] * a.dilations[i]);
            if (from[i] < 0 || from[i] >= in[i]) return;
        }
        f(tap, from);
    });
}
list spatial(const list& sizes) { return {sizes.begin() + 2, sizes.end()}; }
list joined(std::int64_t a, std::int64_t b, const list& rest) {
    list all{a, b};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
}
std::int64_t reach(const axes& a, const list& kernel, std::size_t i) { return (kernel[i] - 1) * a.dilations[i] + 1; }
void require_windows(const axes& a, const list& kernel, const list& in, const list& out) {
    for (std::size_t i = 0; i < a.count(); ++i) {
        const std::int64_t room = in[i] + a.start[i] + a.end[i] - reach(a, kernel, i);
        require(a.strides[i] > 0 && a.dilations[i] > 0 && room >= 0 && out[i] == room / a.strides[i] + 1);
    }
}
void convolve(planned& p, const axes& a, std::int64_t groups, const tensor& x, const tensor& w, const tensor& y) {
    const list in = spatial(x.sizes), out = spatial(y.sizes), kernel = spatial(w.sizes);
    require(x.sizes[1] == w.sizes[1] * groups && y.sizes[1] == w.sizes[0] && w.sizes[0] % groups == 0);
    require_windows(a, kernel, in, out);
    const std::int64_t depth = w.sizes[1], filters = w.sizes[0], channels = x.sizes[1];
    const std::int64_t area = x.elements() / (x.sizes[0] * channels), taps = w.elements() / (filters * depth);
    p.one_result([=, ys = y.sizes](const auto& v) {
        numbers all;
        for_each_index(ys, [&](const list& at) {
            double sum = v[2].empty() ? 0 : double(v[2][std::size_t(at[1])]);
            const std::int64_t first = at[0] * channels + at[1] / (filters / groups) * depth;
            for_each_tap(a, kernel, in, spatial(at), [&](const list& tap, const list& from) {
                const double* const pixel = v[0].data() + first * area + std::int64_t(place(in, from));
                const double* const weight = v[1].data() + at[1] * depth * taps + std::int64_t(place(kernel, tap));
                for (std::int64_t k = 0; k < depth; ++k) sum += pixel[k * area] * weight[k * taps];
            });
            all.push_back(float(sum));
        });
        return all;
    });
}
// Each input element is spread over the result; filters are [inputs, outputs of a group, ...].
void convolve_back(planned& p, const axes& a, const list& more, std::int64_t groups, const tensor& x, const tensor& w,
                   const tensor& y) {
    const list in = spatial(x.sizes), out = spatial(y.sizes), kernel = spatial(w.sizes);
    require(x.sizes[1] == w.sizes[0] && y.sizes[1] == w.sizes[1] * groups && x.sizes[1] % groups == 0);
    for (std::size_t i = 0; i < a.count(); ++i)
        require(out[i] == a.strides[i] * (in[i] - 1) + reach(a, kernel, i) - a.start[i] - a.end[i] + more[i]);
    const std::int64_t width = w.sizes[1], depth = x.sizes[1] / groups;
    p.one_result([=, xs = x.sizes, ws = w.sizes, ys = y.sizes](const auto& v) {
        numbers all;
        for_each_index(ys, [&](const list& at) { all.push_back(v[2].empty() ? 0 : v[2][std::size_t(at[1])]); });
        for_each_index(xs, [&](const list& at) {
            for_each_index(kernel, [&](const list& tap) {
                list to;
                for (std::size_t i = 0; i < tap.size(); ++i) {
                    to.push_back(at[i + 2] * a.strides[i] - a.start[i] + tap[i] * a.dilations[i]);
                    if (to[i] < 0 || to[i] >= out[i]) return;
                }
                for (std::int64_t k = 0; k < width; ++k)
                    all[place(ys, joined(at[0], at[1] / depth * width + k, to))] +=
                        v[0][place(xs, at)] * v[1][place(ws, joined(at[1], k, tap))];
            });
        });
        return all;
    });
}
void convolution(const dml_convolution& d, planned& p) {
    const tensor x = p.in(d.InputTensor), w = p.in(d.FilterTensor);
    const tensor* const b = p.in_if(d.BiasTensor);
    const tensor bias = b ? *b : tensor{}, y = p.out(d.OutputTensor);
    const UINT n = d.DimensionCount;
    const axes a{list_of(d.Strides, n), list_of(d.Dilations, n), list_of(d.StartPadding, n), list_of(d.EndPadding, n)};
    const list more = list_of(d.OutputPadding, n);
    require((n == 2 || n == 3) && x.sizes.size() == n + 2 && w.sizes.size() == n + 2 && y.sizes.size() == n + 2);
    require(d.Mode == DML_CONVOLUTION_MODE_CROSS_CORRELATION && d.GroupCount > 0 && !d.FusedActivation);
    require(is_float(x) && x.type == w.type && x.type == y.type && x.sizes[0] == y.sizes[0]);
    if (b) {
        list row(n + 2, 1);
        row[1] = y.sizes[1];
        require(bias.sizes == row && bias.type == x.type);
    }
    if (d.Direction == DML_CONVOLUTION_DIRECTION_BACKWARD) return convolve_back(p, a, more, d.GroupCount, x, w, y);
    require(std::ranges::all_of(more, [](std::int64_t m) { return m == 0; }));
    convolve(p, a, d.GroupCount, x, w, y);
}
void gemm(const dml_gemm& d, planned& p) {
    const tensor x = p.in(d.ATensor), w = p.in(d.BTensor);
    const tensor* const c = p.in_if(d.CTensor);
    const bool more = c != nullptr;
    const list third = more ? c->sizes : list{};
    const tensor y = p.out(d.OutputTensor);
    require(x.sizes.size() == 4 && w.sizes.size() == 4 && y.sizes.size() == 4 && !d.FusedActivation);
    require(is_float(x) && x.type == w.type && x.type == y.type);
    const std::size_t row = d.TransA ? 3 : 2, column = d.TransB ? 2 : 3;
    const std::int64_t depth = x.sizes[5 - row];
    require(depth == w.sizes[5 - column] && y.sizes[2] == x.sizes[row] && y.sizes[3] == w.sizes[column]);
    for (std::size_t i : {0, 1}) require(x.sizes[i] == y.sizes[i] && w.sizes[i] == y.sizes[i]);
    require(!more || third == y.sizes);
    p.one_result([=, alpha = d.Alpha, beta = d.Beta, xs = x.sizes, ws = w.sizes, ys = y.sizes](const auto& v) {
        numbers all;
        for_each_index(ys, [&](const list& at) {
            double sum = 0;
            list l = at, r = at;
            l[row] = at[2];
            r[column] = at[3];
            for (std::int64_t k = 0; k < depth; ++k) {
                l[5 - row] = r[5 - column] = k;
                sum += double(v[0][place(xs, l)]) * double(v[1][place(ws, r)]);
            }
            all.push_back(float(double(alpha) * sum + (more ? double(beta) * double(v[2][place(ys, at)]) : 0)));
        });
        return all;
    });
}
// average: 0: no, 1: of the input's elements, 2: of the padding's too
void pool(planned& p, const axes& a, const list& kernel, dml_tensor from, dml_tensor to, int average) {
    const tensor x = p.in(from), y = p.out(to);
    require(x.sizes.size() == a.count() + 2 && y.sizes.size() == a.count() + 2 && (a.count() == 2 || a.count() == 3));
    require(is_of(x, average ? floats : any) && x.type == y.type);
    require(x.sizes[0] == y.sizes[0] && x.sizes[1] == y.sizes[1]);
    const list in = spatial(x.sizes);
    require_windows(a, kernel, in, spatial(y.sizes));
    std::int64_t area = 1;
    for (std::int64_t k : kernel) area *= k;
    p.one_result([=, xs = x.sizes, ys = y.sizes](const auto& v) {
        numbers all;
        for_each_index(ys, [&](const list& at) {
            double sum = 0;
            std::int64_t count = 0;
            double most = -std::numeric_limits<double>::infinity();
            for_each_tap(a, kernel, in, spatial(at), [&](const list&, const list& tap) {
                const double e = v[0][place(xs, joined(at[0], at[1], tap))];
                sum += e;
                ++count;
                most = e > most || std::isnan(e) ? e : most;
            });
            all.push_back(average ? sum / double(average == 2 ? area : count) : most);
        });
        return all;
    });
}
}  // namespace

bool plan_window(const DML_OPERATOR_DESC& d, planned& p) {
    switch (d.Type) {
        case DML_OPERATOR_CONVOLUTION: convolution(*static_cast<const dml_convolution*>(d.Desc), p); return true;
        case DML_OPERATOR_GEMM: gemm(*static_cast<const dml_gemm*>(d.Desc), p); return true;
        case DML_OPERATOR_AVERAGE_POOLING: {
            const auto& o = *static_cast<const dml_average_pooling*>(d.Desc);
            const UINT n = o.DimensionCount;
            pool(p, {list_of(o.Strides, n), list(n, 1), list_of(o.StartPadding, n), list_of(o.EndPadding, n)},
                 list_of(o.WindowSize, n), o.InputTensor, o.OutputTensor, o.IncludePadding ? 2 : 1);
            return true;
        }
        case DML_OPERATOR_MAX_POOLING2: {
            const auto& o = *static_cast<const dml_max_pooling*>(d.Desc);
            const UINT n = o.DimensionCount;
            require(!o.OutputIndicesTensor);
            pool(p,
                 {list_of(o.Strides, n), list_of(o.Dilations, n), list_of(o.StartPadding, n), list_of(o.EndPadding, n)},
                 list_of(o.WindowSize, n), o.InputTensor, o.OutputTensor, 0);
            return true;
        }
        default: return false;
    }
}
}  // namespace host
