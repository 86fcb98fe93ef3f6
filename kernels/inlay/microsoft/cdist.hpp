// CDist (com.microsoft, since 1): y[i, j] = the distance of row i of A and row j of B: the sum of the squared
// differences, of which metric `euclidean` takes the root.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct cdist : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "CDist";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, double>;
    static constexpr int required_inputs = 2;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        const std::string_view metric = n.text("metric", "sqeuclidean");
        if (metric != "sqeuclidean" && metric != "euclidean")
            return no("the metric is neither sqeuclidean nor euclidean");
        const shape &a = n.input(0).dims, &b = n.input(1).dims;
        if ((a.rank >= 0 && a.rank != 2) || (b.rank >= 0 && b.rank != 2)) return no("A and B must have two axes");
        if (a.rank < 0 || b.rank < 0) return yes();
        if (a[1] >= 0 && b[1] >= 0 && a[1] != b[1]) return no("the rows of A and B have different lengths");
        const shape s{a[0], b[0]};
        if (s.known() && !countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::cdist, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, columns, length;
        bool root;
    };
    static constexpr verdict supports(const node_view& n) {
        return n.input(0).type == n.input(1).type ? yes() : no("A and B must have one type");
    }
    static constexpr params prepare(const node_view& n) {
        const shape &a = n.input(0).dims, &b = n.input(1).dims;
        return {a[0], b[0], a[1], n.text("metric", "sqeuclidean") == "euclidean"};
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        const std::int64_t work = p.columns * (p.length + 1);
        c.split(p.rows, 16384 / (work + 1) + 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t i = first; i < end; ++i)
                for (std::int64_t j = 0; j < p.columns; ++j) {
                    if (ends(p.length + 1)) return;
                    const T *a = args.in<T>(0) + i * p.length, *b = args.in<T>(1) + j * p.length;
                    double sum = 0;
                    for (std::int64_t k = 0; k < p.length; ++k) {
                        const double d = static_cast<double>(a[k]) - static_cast<double>(b[k]);
                        sum += d * d;
                    }
                    args.out<T>(0)[i * p.columns + j] = static_cast<T>(p.root ? std::sqrt(sum) : sum);
                }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
