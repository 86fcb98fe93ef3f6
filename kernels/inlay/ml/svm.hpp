// SVMRegressor, SVMClassifier (since 1): sums of K(x, support vector) * coefficient, plus rho. Without support vectors
// the coefficients are those of a linear model.
//
// A classifier has a machine for each pair of classes, votes for the first of a pair where the sum is above 0, and has
// the label of most votes. Its scores are the sums of all pairs; with prob_a and prob_b the probabilities of all
// classes, coupled as libsvm couples them (Wu, Lin and Weng, method 2). As in ONNX Runtime, two classes without
// probabilities have scores -s and s, or 1 - s and s where softmax is requested, which then is not applied.
#pragma once
#include <inlay/support/class_labels.hpp>
#include <inlay/support/post_transform.hpp>

namespace inlay {
inline namespace v1 {
enum class svm_kernel : std::uint8_t { linear, poly, rbf, sigmoid };
constexpr int svm_kernel_of(std::string_view name) {  // -1: no such
    constexpr std::string_view names[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    for (int i = 0; i < 4; ++i)
        if (names[i] == name) return i;
    return -1;
}
struct svm_shape {
    std::int64_t features = 0, vectors = 0, classes = 0;  // no vectors: a linear model; no classes: a regressor
    bool probabilities = false;
    constexpr std::int64_t pairs() const { return classes * (classes - 1) / 2; }
    constexpr std::int64_t columns() const {
        return classes == 0 ? 1 : vectors == 0 || probabilities || classes == 2 ? classes : pairs();
    }
};

namespace op {
struct svm : standard {
    static constexpr std::string_view domain = "ai.onnx.ml";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = feature_types;
    static constexpr std::int64_t size(const node_view& n, std::string_view list) {
        return std::int64_t(n.reals(list).size());
    }
    static constexpr verdict check(const node_view& n, const svm_shape& s) noexcept {
        if (post_of(n.text("post_transform", "NONE")) < 0) return no("no such post_transform");
        const int k = svm_kernel_of(n.text("kernel_type", "LINEAR"));
        if (k < 0) return no("no such kernel_type");
        if (const auto count = size(n, "kernel_params"); count != 3 && (count != 0 || k != 0))
            return no("kernel_params are not gamma, coef0 and degree");
        const shape& x = n.input(0).dims;
        if (const verdict fits = feature_rows::check(x); !fits) return fits;
        if (size(n, "rho") < 1) return no("rho is missing");
        const std::int64_t features = feature_rows::features_of(x), listed = size(n, "support_vectors");
        if (s.vectors > 0 && (listed % s.vectors || (features >= 0 && listed / s.vectors != features)))
            return no("the support vectors have another number of features than the input");
        return yes();
    }
};
struct svm_regressor : svm {
    static constexpr std::string_view onnx_name = "SVMRegressor";
    static constexpr element output_type(const node_view&, int) { return element::f32; }
    static constexpr svm_shape measured(const node_view& n) {
        return {feature_rows::features_of(n.input(0).dims), n.integer("n_supports", 0)};
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const svm_shape s = measured(n);
        if (s.vectors < 0) return no("n_supports is negative");
        if (const verdict fits = check(n, s); !fits) return fits;
        const std::int64_t expected = s.vectors ? s.vectors : s.features;
        if (expected >= 0 && size(n, "coefficients") != expected) return no("the coefficients do not fit");
        y[0] = {feature_rows::rows_of(n.input(0).dims), 1};
        return yes();
    }
};
struct svm_classifier : svm {
    static constexpr std::string_view onnx_name = "SVMClassifier";
    static constexpr element output_type(const node_view& n, int k) {
        return k == 0 ? class_labels::type(n) : element::f32;
    }
    static constexpr svm_shape measured(const node_view& n) {
        svm_shape s{feature_rows::features_of(n.input(0).dims), 0, class_labels::count(n, "classlabels_ints"),
                    size(n, "prob_a") > 0};
        for (std::int64_t count : n.integers("vectors_per_class")) {
            if (count < 0 || !increased(s.vectors, count)) s.vectors = -1;
            if (s.vectors < 0) break;
        }
        return s;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict named = class_labels::check(n, "classlabels_ints"); !named) return named;
        const svm_shape s = measured(n);
        if (s.vectors < 0) return no("vectors_per_class are negative");
        if (const verdict fits = check(n, s); !fits) return fits;
        if (s.vectors == 0 ? s.probabilities : s.classes < 2)
            return no("a classifier by pairs needs two classes and support vectors");
        if (s.vectors > 0) {
            if (std::int64_t(n.integers("vectors_per_class").size()) != s.classes)
                return no("vectors_per_class has not one number for each class");
            if (size(n, "coefficients") % (s.classes - 1) || size(n, "coefficients") / (s.classes - 1) != s.vectors)
                return no("the coefficients do not fit");
            if (size(n, "rho") != s.pairs() ||
                (s.probabilities && (size(n, "prob_a") != s.pairs() || size(n, "prob_b") != s.pairs())))
                return no("rho, prob_a or prob_b has not one number for each pair of classes");
        } else if (size(n, "coefficients") % s.classes ||
                   (s.features >= 0 && size(n, "coefficients") / s.classes != s.features))
            return no("the coefficients do not fit");
        if (n.output_count() < 1 || n.output_count() > 2) return no("a classifier has labels and scores");
        y[0] = {feature_rows::rows_of(n.input(0).dims)};
        const shape z{y[0][0], s.columns()};
        if (n.output_count() > 1) y[1] = z;
        return countable(z) ? yes() : no("the output is too large");
    }
};
}  // namespace op

// Probabilities p of k classes from those of pairs, r[i * k + j] of i against j: minimises the sum of
// (r[j][i] p[i] - r[i][j] p[j])^2. q: space for k * k + k numbers.
inline void couple_pairs(std::int64_t k, const double* r, double* p, double* q) {
    double* qp = q + k * k;
    for (std::int64_t t = 0; t < k; ++t) {
        p[t] = 1. / double(k);
        q[t * k + t] = 0;
        for (std::int64_t j = 0; j < k; ++j)
            if (j != t) {
                q[t * k + t] += r[j * k + t] * r[j * k + t];
                q[t * k + j] = -r[j * k + t] * r[t * k + j];
            }
    }
    for (std::int64_t round = 0; round < std::max<std::int64_t>(100, k); ++round) {
        double pqp = 0, worst = 0;
        for (std::int64_t t = 0; t < k; ++t) {
            qp[t] = 0;
            for (std::int64_t j = 0; j < k; ++j) qp[t] += q[t * k + j] * p[j];
            pqp += p[t] * qp[t];
        }
        for (std::int64_t t = 0; t < k; ++t) worst = std::max(worst, std::abs(qp[t] - pqp));
        if (worst < 0.005 / double(k)) return;
        for (std::int64_t t = 0; t < k; ++t) {
            const double step = (pqp - qp[t]) / q[t * k + t], scale = 1 + step;
            p[t] += step;
            pqp = (pqp + step * (step * q[t * k + t] + 2 * qp[t])) / (scale * scale);
            for (std::int64_t j = 0; j < k; ++j) {
                qp[j] = (qp[j] + step * q[t * k + j]) / scale;
                p[j] /= scale;
            }
        }
    }
}

template <class T> struct svm_base : simple_kernel {
    struct params {
        node_pointer node;
        feature_rows x;
        svm_shape size;
        svm_kernel kind;
        post after;
        bool one_class, has_scores;
    };
    struct state {
        std::vector<double> coefficients, vectors, rho, prob_a, prob_b;
        double gamma = 0, offset = 0, degree = 0;
        std::vector<std::int64_t> first;  // support vector of each class
        std::vector<std::int64_t> counts;
        class_labels labels;
    };
    static constexpr params prepared(const node_view& n, const svm_shape& s) {
        return {node_pointer(n),
                feature_rows::of(n),
                s,
                svm_kernel(svm_kernel_of(n.text("kernel_type", "LINEAR"))),
                post(post_of(n.text("post_transform", "NONE"))),
                n.integer("one_class", 0) != 0,
                n.has_output(1)};
    }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            const node_view n = p.node.view();
            s.coefficients = real_list(n, "coefficients", "");
            s.vectors = real_list(n, "support_vectors", "");
            s.rho = real_list(n, "rho", "");
            s.prob_a = real_list(n, "prob_a", "");
            s.prob_b = real_list(n, "prob_b", "");
            if (const auto values = n.reals("kernel_params"); values.size() == 3) {
                s.gamma = values[0];
                s.offset = values[1];
                s.degree = values[2];
            }
            std::int64_t at = 0;
            for (std::int64_t count : n.integers("vectors_per_class")) {
                s.first.push_back(at);
                s.counts.push_back(count);
                at += count;
            }
            s.labels.read(n, "classlabels_ints");
            return status::ok;
        });
    }
    static double similarity(const params& p, const state& s, const T* x, const double* v) noexcept {
        double sum = 0;
        for (std::int64_t k = 0; k < p.x.features; ++k) {
            const auto a = static_cast<double>(x[k]);
            sum += p.kind == svm_kernel::rbf ? (a - v[k]) * (a - v[k]) : a * v[k];
        }
        switch (p.kind) {
            case svm_kernel::poly: return std::pow(s.gamma * sum + s.offset, s.degree);
            case svm_kernel::rbf: return std::exp(-s.gamma * sum);
            case svm_kernel::sigmoid: return std::tanh(s.gamma * sum + s.offset);
            default: return sum;
        }
    }
    static constexpr std::int64_t grain(const params& p) {
        return 1 + 16384 / (1 + (p.size.vectors + p.size.classes + 1) * p.x.features);
    }
};
template <class T> struct kernel<op::svm_regressor, device::reference, types<T>> : svm_base<T> {
    using base = svm_base<T>;
    using typename base::params;
    using typename base::state;
    static constexpr params prepare(const node_view& n) { return base::prepared(n, op::svm_regressor::measured(n)); }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        c.split(p.x.rows, base::grain(p), [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t r = first; r < end; ++r) {
                const T* x = a.in<T>(0) + r * p.x.features;
                double y = s.rho[0];
                for (std::int64_t v = 0; v < p.size.vectors; ++v)
                    y +=
                        s.coefficients[std::size_t(v)] * base::similarity(p, s, x, s.vectors.data() + v * p.x.features);
                if (p.size.vectors == 0) y += base::similarity(p, s, x, s.coefficients.data());
                if (p.one_class)
                    y = y > 0 ? 1 : -1;
                else if (p.after == post::probit)
                    apply(p.after, &y, 1);
                a.out<float>(0)[r] = static_cast<float>(y);
            }
        });
        return status::ok;
    }
};
template <class T> struct kernel<op::svm_classifier, device::reference, types<T>> : svm_base<T> {
    using base = svm_base<T>;
    using typename base::params;
    using typename base::state;
    static constexpr params prepare(const node_view& n) { return base::prepared(n, op::svm_classifier::measured(n)); }
    // Of one thread, in doubles: similarities, scores, votes, and for probabilities those of pairs and space to couple
    // them.
    static constexpr std::int64_t room(const params& p) {
        const std::int64_t k = p.size.classes;
        return p.size.vectors + std::max(p.size.pairs(), k) + k + (p.size.probabilities ? 2 * k * k + k : 0);
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, threads * room(p) * std::int64_t(sizeof(double))};
    }
    static double sum_of_pair(const params& p, const state& s, std::int64_t i, std::int64_t j, const double* near) {
        double sum = 0;
        const auto add = [&](std::int64_t of, std::int64_t row) {
            const std::int64_t from = s.first[std::size_t(of)];
            for (std::int64_t v = from; v < from + s.counts[std::size_t(of)]; ++v)
                sum += s.coefficients[std::size_t(row * p.size.vectors + v)] * near[v];
        };
        add(i, j - 1);
        add(j, i);
        return sum;
    }
    static std::int64_t by_pairs(const params& p, const state& s, const T* x, double* near, double* z) noexcept {
        const std::int64_t k = p.size.classes;
        double *const votes = z + std::max(p.size.pairs(), k), *const pairs = votes + k;
        for (std::int64_t v = 0; v < p.size.vectors; ++v)
            near[v] = base::similarity(p, s, x, s.vectors.data() + v * p.x.features);
        std::fill_n(votes, k, 0.);
        std::int64_t at = 0;
        for (std::int64_t i = 0; i < k; ++i)
            for (std::int64_t j = i + 1; j < k; ++j, ++at) {
                z[at] = s.rho[std::size_t(at)] + sum_of_pair(p, s, i, j, near);
                ++votes[z[at] > 0 ? i : j];
                if (!p.size.probabilities) continue;
                const double likely = logistic(-(z[at] * s.prob_a[std::size_t(at)] + s.prob_b[std::size_t(at)]));
                pairs[i * k + j] = std::clamp(likely, 1e-7, 1 - 1e-7);
                pairs[j * k + i] = 1 - pairs[i * k + j];
            }
        if (p.size.probabilities) couple_pairs(k, pairs, z, pairs + k * k);
        return std::max_element(votes, votes + k) - votes;
    }
    static void transform(const params& p, double* z) noexcept {
        if (p.size.vectors == 0 || p.size.probabilities || p.size.classes > 2)
            return apply(p.after, z, p.size.columns());
        const double s = z[0];
        const bool complement = p.after != post::none && p.after != post::logistic;
        z[0] = complement ? 1 - s : -s;
        z[1] = s;
        if (p.after == post::logistic || p.after == post::probit) apply(p.after, z, 2);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::int64_t columns = p.size.columns();
        c.split(p.x.rows, base::grain(p), [&](std::int64_t first, std::int64_t end, int part) noexcept {
            double *const near = reinterpret_cast<double*>(c.scratch) + part * room(p), *const z =
                                                                                            near + p.size.vectors;
            for (std::int64_t r = first; r < end; ++r) {
                const T* x = a.in<T>(0) + r * p.x.features;
                std::int64_t best = 0;
                if (p.size.vectors > 0)
                    best = by_pairs(p, s, x, near, z);
                else {
                    for (std::int64_t k = 0; k < p.size.classes; ++k)
                        z[k] = s.rho[0] + base::similarity(p, s, x, s.coefficients.data() + k * p.x.features);
                    best = std::max_element(z, z + p.size.classes) - z;
                }
                if (a.outputs[0]) s.labels.put(a.outputs[0], r, best);
                if (!p.has_scores) continue;
                transform(p, z);
                std::copy_n(z, columns, a.out<float>(1) + r * columns);
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
