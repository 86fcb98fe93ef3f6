// Routes each token to experts with weights: the k of the largest scores, of two equal ones the last, as in ONNX
// Runtime.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace inlay {
inline namespace v1 {
struct expert_routing {
    enum class weighing : std::uint8_t {
        softmax,         // over all experts
        softmax_of_top,  // over those that are chosen
        given,           // numbers besides the scores
        sparse_mixer     // of Phi-3.5-MoE: of two experts, each over the scores that are close to its own
    };
    std::int64_t tokens = 0, experts = 0, k = 0;
    weighing by = weighing::softmax;
    bool normalise = false;  // weights of a token sum up to 1

    // score(i), weight_of(i): of expert i.
    template <class Score, class Given>
    void choose(Score score, Given weight_of, std::int64_t* selection, float* weights) const noexcept {
        for (std::int64_t j = 0; j < k; ++j) selection[j] = next(score, j ? selection[j - 1] : -1);
        const float most = score(selection[0]);
        double sum = 0;
        for (std::int64_t j = 0; j < k; ++j) {
            weights[j] = by == weighing::given          ? weight_of(selection[j])
                         : by == weighing::sparse_mixer ? mixed(score, selection, j)
                                                        : std::exp(score(selection[j]) - most);
            sum += double(weights[j]);
        }
        double total = sum;
        if (by == weighing::softmax && !normalise) {
            total = 0;
            for (std::int64_t i = 0; i < experts; ++i) total += double(std::exp(score(i) - most));
        } else if (!normalise && by != weighing::softmax_of_top)
            return;
        for (std::int64_t j = 0; j < k; ++j) weights[j] = total == 0 ? 0 : float(double(weights[j]) / total);
    }

  private:
    template <class Score> static float rank(Score score, std::int64_t i) noexcept {  // NaN comes first, and shows
        const float s = score(i);
        return s != s ? std::numeric_limits<float>::infinity() : s;
    }
    // The largest after `previous`, which is -1 for none.
    template <class Score> std::int64_t next(Score score, std::int64_t previous) const noexcept {
        std::int64_t best = -1;
        for (std::int64_t i = 0; i < experts; ++i) {
            if (previous >= 0 &&
                !(rank(score, i) < rank(score, previous) || (rank(score, i) == rank(score, previous) && i < previous)))
                continue;
            if (best < 0 || rank(score, i) >= rank(score, best)) best = i;
        }
        return best;
    }
    template <class Score> float mixed(Score score, const std::int64_t* selection, std::int64_t j) const noexcept {
        const float chosen_score = score(selection[j]);
        double sum = 0;
        for (std::int64_t i = 0; i < experts; ++i) {
            const float s = score(i), size = std::fabs(s) > chosen_score ? std::fabs(s) : chosen_score;
            if ((j == 0 || i != selection[0]) && !((chosen_score - s) / size > 0.02f))
                sum += double(std::exp(s - chosen_score));
        }
        return float(1 / sum);
    }
};
}  // namespace v1
}  // namespace inlay
