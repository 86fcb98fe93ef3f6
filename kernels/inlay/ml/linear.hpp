// LinearRegressor, LinearClassifier (since 1): scores x * coefficients + intercepts, and then transformed. A classifier
// of two classes and one score s has scores 1 - s and s, and returns the second class where s > 0; with LOGISTIC they
// are logistic(-s) and logistic(s).
#pragma once
#include <inlay/support/class_labels.hpp>
#include <inlay/support/post_transform.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct linear : standard {
    static constexpr std::string_view domain = "ai.onnx.ml";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = feature_types;
    // Common checks: `scores` rows of coefficients for as many features as there are.
    static constexpr verdict check(const node_view& n, std::int64_t scores) noexcept {
        if (post_of(n.text("post_transform", "NONE")) < 0) return no("no such post_transform");
        const shape& x = n.input(0).dims;
        if (const verdict fits = feature_rows::check(x); !fits) return fits;
        const auto coefficients = std::int64_t(n.reals("coefficients").size()),
                   intercepts = std::int64_t(n.reals("intercepts").size()), features = feature_rows::features_of(x);
        if (scores < 1 || scores > std::max<std::int64_t>(1, std::max(coefficients, intercepts)))
            return no("the number of targets or classes does not fit the coefficients");
        if (coefficients % scores || (features >= 0 && coefficients / scores != features))
            return no("the coefficients are not one for each feature and score");
        if (intercepts && intercepts != scores) return no("the intercepts are not one for each score");
        return yes();
    }
};
struct linear_regressor : linear {
    static constexpr std::string_view onnx_name = "LinearRegressor";
    static constexpr element output_type(const node_view&, int) { return element::f32; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::int64_t targets = n.integer("targets", 1);
        if (const verdict fits = check(n, targets); !fits) return fits;
        y[0] = {feature_rows::rows_of(n.input(0).dims), targets};
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
struct linear_classifier : linear {
    static constexpr std::string_view onnx_name = "LinearClassifier";
    static constexpr element output_type(const node_view& n, int k) {
        return k == 0 ? class_labels::type(n) : element::f32;
    }
    static constexpr std::int64_t labels(const node_view& n) { return class_labels::count(n, "classlabels_ints"); }
    static constexpr std::int64_t scores(const node_view& n) {
        const auto intercepts = std::int64_t(n.reals("intercepts").size());
        return intercepts ? intercepts : labels(n);
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict named = class_labels::check(n, "classlabels_ints"); !named) return named;
        if (n.output_count() < 1 || n.output_count() > 2) return no("a classifier has labels and scores");
        if (const verdict fits = check(n, scores(n)); !fits) return fits;
        if (scores(n) != labels(n) && !(scores(n) == 1 && labels(n) == 2))
            return no("classes and scores differ in number");
        y[0] = {feature_rows::rows_of(n.input(0).dims)};
        const shape z{y[0][0], labels(n)};
        if (n.output_count() > 1) y[1] = z;
        return countable(z) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct linear_kernel : simple_kernel {
    struct params {
        node_pointer node;
        feature_rows x;
        std::int64_t scores, columns;  // columns: of the output
        post after;
        bool has_scores;
    };
    struct state {
        std::vector<double> coefficients, intercepts;
        class_labels labels;
    };
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, threads * p.columns * std::int64_t(sizeof(double))};
    }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            const node_view n = p.node.view();
            s.coefficients = real_list(n, "coefficients", "");
            s.intercepts = real_list(n, "intercepts", "");
            s.labels.read(n, "classlabels_ints");
            return status::ok;
        });
    }
    // visit(row, scores), the scores being in memory for `columns` of them.
    template <class F>
    static void each_row(const params& p, const state& s, const arguments& a, context& c, F visit) noexcept {
        const std::int64_t grain = 1 + 16384 / (1 + p.scores * p.x.features);
        c.split(p.x.rows, grain, [&](std::int64_t first, std::int64_t end, int part) noexcept {
            double* z = reinterpret_cast<double*>(c.scratch) + part * p.columns;
            for (std::int64_t r = first; r < end; ++r) {
                const T* x = a.in<T>(0) + r * p.x.features;
                for (std::int64_t t = 0; t < p.scores; ++t) {
                    const double* w = s.coefficients.data() + t * p.x.features;
                    z[t] = s.intercepts.empty() ? 0 : s.intercepts[std::size_t(t)];
                    for (std::int64_t k = 0; k < p.x.features; ++k) z[t] += w[k] * static_cast<double>(x[k]);
                }
                visit(r, z);
            }
        });
    }
};
template <class T> struct kernel<op::linear_regressor, device::reference, types<T>> : linear_kernel<T> {
    using typename linear_kernel<T>::params;
    using typename linear_kernel<T>::state;
    static constexpr params prepare(const node_view& n) {
        const std::int64_t targets = n.integer("targets", 1);
        return {node_pointer(n),
                feature_rows::of(n),
                targets,
                targets,
                post(post_of(n.text("post_transform", "NONE"))),
                true};
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        linear_kernel<T>::each_row(p, s, a, c, [&](std::int64_t r, double* z) {
            if (p.scores > 1 || p.after == post::probit) apply(p.after, z, p.scores);
            std::copy_n(z, p.scores, a.out<float>(0) + r * p.scores);
        });
        return status::ok;
    }
};
template <class T> struct kernel<op::linear_classifier, device::reference, types<T>> : linear_kernel<T> {
    using typename linear_kernel<T>::params;
    using typename linear_kernel<T>::state;
    static constexpr params prepare(const node_view& n) {
        return {node_pointer(n),
                feature_rows::of(n),
                op::linear_classifier::scores(n),
                op::linear_classifier::labels(n),
                post(post_of(n.text("post_transform", "NONE"))),
                n.has_output(1)};
    }
    static void transform(const params& p, double* z) noexcept {
        if (p.scores == p.columns) {
            if (p.scores > 1 || p.after == post::probit) apply(p.after, z, p.scores);
            return;
        }
        const double s = z[0];
        z[0] = p.after == post::logistic ? logistic(-s) : 1 - s;
        z[1] = p.after == post::logistic ? logistic(s) : s;
        if (p.after == post::probit) apply(p.after, z, 2);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        linear_kernel<T>::each_row(p, s, a, c, [&](std::int64_t r, double* z) {
            const std::int64_t best = p.scores < p.columns ? z[0] > 0 : std::max_element(z, z + p.scores) - z;
            if (a.outputs[0]) s.labels.put(a.outputs[0], r, best);
            if (!p.has_scores) return;
            transform(p, z);
            std::copy_n(z, p.columns, a.out<float>(1) + r * p.columns);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
