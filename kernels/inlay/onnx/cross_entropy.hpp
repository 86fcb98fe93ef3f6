// NegativeLogLikelihoodLoss (since 12): of log-probabilities [batches, classes, ..], -x[n, label, ..] times the weight
// of the label; 0, with no weight, where the label is ignore_index. SoftmaxCrossEntropyLoss (since 12): the same of
// LogSoftmax over the classes, which output 1 gives. reduction: none, sum, or mean, the sum divided by that of the
// weights. Inputs: x, labels, weights [classes]. Computed in double.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct negative_log_likelihood_loss : standard {
    static constexpr std::string_view onnx_name = "NegativeLogLikelihoodLoss";
    static constexpr version_range versions{12, 22};
    static constexpr int required_inputs = 2;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const auto reduction = n.text("reduction", "mean");
        if (reduction != "none" && reduction != "sum" && reduction != "mean")
            return no("reduction is none of none, sum, mean");
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        if (n.input(1).type != element::i32 && n.input(1).type != element::i64)
            return no("the labels are neither int32 nor int64");
        const shape &x = n.input(0).dims, &labels = n.input(1).dims;
        if (y.size() > 1) y[1] = x;
        if (reduction != "none") y[0] = {};
        if (x.rank < 0) return yes();
        if (x.rank < 2) return no("the input is not [batches, classes, ..]");
        shape places{x[0]};
        for (int i = 2; i < x.rank; ++i) places.push_back(x[i]);
        if (reduction == "none") y[0] = places;
        if (labels.rank >= 0 && labels.rank != places.rank) return no("the labels are not one for each place");
        for (int i = 0; i < labels.rank; ++i)
            if (labels[i] >= 0 && places[i] >= 0 && labels[i] != places[i])
                return no("the labels are not one for each place");
        if (!n.has_input(2)) return yes();
        const shape& w = n.input(2).dims;
        if (n.input(2).type != n.input(0).type) return no("the weights are of another type than the input");
        return w.rank < 0 || (w.rank == 1 && (w[0] < 0 || x[1] < 0 || w[0] == x[1]))
                   ? yes()
                   : no("the weights are not [classes]");
    }
};
struct softmax_cross_entropy_loss : negative_log_likelihood_loss {
    static constexpr std::string_view onnx_name = "SoftmaxCrossEntropyLoss";
    static constexpr version_range versions{12, 13};
    static constexpr operator_facts facts{.required_outputs = 1};
};
}  // namespace op

template <class T, bool Softmax> struct loss_kernel : simple_kernel {
    struct params {
        std::int64_t batches, classes, inner, ignored;
        bool ignores, weighted, long_labels, averages, reduces, gives_logarithms;
    };
    struct sample {
        double loss, weight;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const auto reduction = n.text("reduction", "mean");
        return {x[0],
                x[1],
                x.elements(2),
                n.integer("ignore_index", 0),
                n.has("ignore_index"),
                n.has_input(2),
                n.input(1).type == element::i64,
                reduction == "mean",
                reduction != "none",
                n.has_output(1)};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, p.batches * p.inner * std::int64_t(sizeof(sample))};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        auto* samples = reinterpret_cast<sample*>(c.scratch);
        const std::int64_t places = p.batches * p.inner;
        std::atomic<bool> wrong = false, is_stopped = false;
        c.split(places, 1 + (1 << 12) / (1 + p.classes), [&](std::int64_t first, std::int64_t end, int) {
            stop_check stop(c);
            for (std::int64_t i = first; i < end; ++i) {
                if (stop(8 * p.classes)) is_stopped = true;
                if (is_stopped || wrong) return;
                if (!measure(p, a, i, samples[i])) wrong = true;
            }
        });
        if (is_stopped) return c.end_of_run();
        if (wrong) return c.fail("a label is no class");
        double sum = 0, weights = 0;
        for (std::int64_t i = 0; i < places; ++i) {
            sum += samples[i].loss;
            weights += samples[i].weight;
            if (!p.reduces) a.out<T>(0)[i] = static_cast<T>(samples[i].loss);
        }
        if (p.reduces) *a.out<T>(0) = static_cast<T>(p.averages ? sum / weights : sum);
        return status::ok;
    }

  private:
    static bool measure(const params& p, const arguments& a, std::int64_t i, sample& s) noexcept {
        const std::int64_t first = i / p.inner * p.classes * p.inner + i % p.inner;
        const T* x = a.in<T>(0) + first;
        const double shift = Softmax ? shift_of(p, x) : 0;
        if constexpr (Softmax)
            for (std::int64_t k = 0; k < p.classes && p.gives_logarithms; ++k)
                a.out<T>(1)[first + k * p.inner] = static_cast<T>(static_cast<double>(x[k * p.inner]) - shift);
        const std::int64_t label = p.long_labels ? a.in<std::int64_t>(1)[i] : a.in<std::int32_t>(1)[i];
        s = {0, 0};
        if (p.ignores && label == p.ignored) return true;
        if (label < 0 || label >= p.classes) return false;
        s.weight = p.weighted ? static_cast<double>(a.in<T>(2)[label]) : 1;
        s.loss = -(static_cast<double>(x[label * p.inner]) - shift) * s.weight;
        return true;
    }
    // The logarithm of the sum of e^x over the classes.
    static double shift_of(const params& p, const T* x) noexcept {
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        for (std::int64_t k = 0; k < p.classes; ++k) most = std::max(most, static_cast<double>(x[k * p.inner]));
        for (std::int64_t k = 0; k < p.classes; ++k) sum += std::exp(static_cast<double>(x[k * p.inner]) - most);
        return most + std::log(sum);
    }
};
template <class T>
struct kernel<op::negative_log_likelihood_loss, device::reference, types<T>> : loss_kernel<T, false> {};
template <class T> struct kernel<op::softmax_cross_entropy_loss, device::reference, types<T>> : loss_kernel<T, true> {};
}  // namespace v1
}  // namespace inlay
