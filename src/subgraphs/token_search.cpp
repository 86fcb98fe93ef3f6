#include "token_search.hpp"
#include <cmath>
#include <numeric>

namespace inlay {
inline namespace v1 {
namespace {
void penalise_repetition(const score_rules& r, std::span<const token> sequence, std::span<float> scores) {
    std::vector<token> tokens(sequence.begin(), sequence.end());
    std::ranges::sort(tokens);
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    for (const token t : tokens)
        if (t >= 0 && t < r.vocabulary) {
            float& s = scores[std::size_t(t)];
            s = s < 0 ? s * r.repetition : s / r.repetition;
        }
}
// The tokens that would end with the last ones of the sequence an n-gram that is already in it.
void forbid_ngrams(const score_rules& r, std::span<const token> sequence, std::span<float> scores) {
    const auto length = std::int64_t(sequence.size()), before = r.ngram - 1;
    if (r.ngram > length) return;
    const auto suffix = sequence.last(std::size_t(before));
    for (std::int64_t i = 0; i + before < length; ++i)
        if (std::ranges::equal(suffix, sequence.subspan(std::size_t(i), std::size_t(before))))
            if (const token t = sequence[std::size_t(i + before)]; t >= 0 && t < r.vocabulary)
                scores[std::size_t(t)] = least_score;
}
void forbid(std::span<const token> allowed, std::span<float> scores) {
    for (std::size_t t = 0; t < allowed.size(); ++t)
        if (allowed[t] == 0) scores[t] = least_score;
}
void forbid_range(std::span<float> scores, std::int64_t from, std::int64_t to) {
    for (std::int64_t k = std::max<std::int64_t>(from, 0); k < std::min(to, std::int64_t(scores.size())); ++k)
        scores[std::size_t(k)] = least_score;
}
void forbid_one(std::span<float> scores, std::int64_t k) {
    if (k >= 0 && k < std::int64_t(scores.size())) scores[std::size_t(k)] = least_score;
}
// The logarithm of the sum of probabilities, of those that may be chosen.
float log_sum(std::span<const float> scores) {
    const float most = *std::ranges::max_element(scores);
    float sum = 0;
    for (const float s : scores)
        if (s > least_score) sum += std::exp(s - most);
    return sum > 0 ? std::log(sum) + most : least_score;
}
// Time tokens come in pairs, except the first one, and do not decrease; the first is one of the first 51, in steps of
// 1/50 s; and a time token is forced where all of them together are more probable than every other token.
void keep_times(const score_rules& r, std::span<const token> sequence, std::span<float> scores) {
    const time_tokens& t = *r.times;
    const auto is_time = [&](token x) { return x >= t.first; };
    const auto vocabulary = std::int64_t(scores.size()), length = std::int64_t(sequence.size());
    const auto first_time = std::ranges::find_if(sequence, is_time);
    const std::int64_t begun = std::min<std::int64_t>(first_time - sequence.begin() + 1, length);  // with that time
    for (const std::int64_t k : {t.no_times, t.start_of_lm}) forbid_one(scores, k);
    if (length > begun)
        for (const std::int64_t k : {t.start, t.translate, t.transcribe}) forbid_one(scores, k);
    const bool ends_in_time = length > 0 && is_time(sequence.back());
    const bool before = length <= begun || is_time(sequence[std::size_t(length - 2)]);
    if (ends_in_time && before) forbid_range(scores, t.first, vocabulary);
    if (ends_in_time && !before) forbid_range(scores, 0, r.end_token);
    const auto latest = std::find_if(sequence.rbegin(), sequence.rend(), is_time);
    if (latest != sequence.rend())
        forbid_range(scores, t.first, std::int64_t(*latest) + (ends_in_time && !before ? 0 : 1));
    constexpr std::int64_t most_at_first = 50;
    if (length == begun) forbid_range(scores, t.first + most_at_first + 1, vocabulary);
    const auto words = scores.first(std::size_t(t.first));
    if (log_sum(scores.subspan(std::size_t(t.first))) > *std::ranges::max_element(words))
        forbid_range(scores, 0, t.first);
}
// A number that is less than all others replaces NaN, so that scores have an order.
float score_order(float x) { return std::isnan(x) ? -std::numeric_limits<float>::infinity() : x; }
}  // namespace

void apply_rules(const score_rules& r, std::span<const token> sequence, std::int64_t text, bool first,
                 std::span<float> scores) {
    const auto of_text = [&](std::span<const token> mask) {
        return mask.empty() ? mask : mask.subspan(std::size_t(text * r.vocabulary), std::size_t(r.vocabulary));
    };
    if (r.repetition != 1) penalise_repetition(r, sequence, scores);
    if (r.ngram > 0) forbid_ngrams(r, sequence, scores);
    forbid(r.allowed, scores);
    if (first) forbid(of_text(r.first_allowed), scores);
    if (std::int64_t(sequence.size()) < r.least_length && r.end_token >= 0 && r.end_token < r.vocabulary)
        scores[std::size_t(r.end_token)] = least_score;
    if (r.temperature > 0)
        for (float& s : scores) s /= r.temperature;
    if (r.presence_penalty > 0)
        for (std::size_t t = 0; t < of_text(r.present).size(); ++t)
            scores[t] -= float(of_text(r.present)[t]) * r.presence_penalty;
    if (r.times) keep_times(r, sequence, scores);
}
void take_log_softmax(std::span<float> scores) {
    float most = -std::numeric_limits<float>::infinity();
    for (const float s : scores) most = std::max(most, s);
    double sum = 0;
    for (const float s : scores) sum += std::exp(double(s) - double(most));
    const auto base = float(double(most) + std::log(sum));
    for (float& s : scores) s -= base;
}
token largest_score(std::span<const float> scores) {
    std::size_t best = 0;
    for (std::size_t t = 1; t < scores.size(); ++t)
        if (score_order(scores[t]) > score_order(scores[best])) best = t;
    return token(best);
}

void token_rows::append(std::span<const token> column) {
    for (std::int64_t r = 0; r < rows_; ++r) tokens_[std::size_t(r * room_ + length_)] = column[std::size_t(r)];
    ++length_;
}
void token_rows::keep(std::span<const std::int64_t> origins) {
    moved_.resize(tokens_.size());
    for (std::int64_t r = 0; r < rows_; ++r)
        std::ranges::copy((*this)[origins[std::size_t(r)]], moved_.begin() + r * room_);
    tokens_.swap(moved_);
}

void nucleus::filter(std::span<float> scores, std::vector<std::int32_t>& order) const {
    const std::size_t count = scores.size();
    order.resize(count);
    std::iota(order.begin(), order.end(), 0);
    const auto score = [&](std::int32_t t) { return score_order(scores[std::size_t(t)]); };
    std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
        return from_the_top ? score(a) > score(b) : score(a) < score(b);
    });
    float top = score(order[0]), total = 0;
    for (const float s : scores) top = std::max(top, score_order(s));
    std::vector<float> part(count);
    for (std::size_t k = 0; k < count; ++k) total += part[k] = std::exp(score(order[k]) - top);
    float sum = 0;
    const std::size_t end = from_the_top ? count - 1 : std::max<std::size_t>(count - std::size_t(min_tokens), 1);
    for (std::size_t k = 0; k < end; ++k) {
        sum += part[k] / total;
        if (from_the_top ? sum > most : sum <= 1 - most)
            scores[std::size_t(order[from_the_top ? k + 1 : k])] = filtered;
    }
}
double dice::roll() {
    constexpr double range = 2147483646;
    const auto low = double(next() - 1), high = double(next() - 1);
    return std::min((low + high * range) / (range * range), std::nextafter(1.0, 0.0));
}
token draw_token(std::span<const float> scores, dice& d) {
    float most = least_score;
    for (const float s : scores)
        if (std::isfinite(s)) most = std::max(most, s);
    const auto share = [&](float s) { return std::isfinite(s) ? std::exp(double(s) - double(most)) : 0.0; };
    double total = 0;
    for (const float s : scores) total += share(s);
    const double threshold = d.roll() * total;
    double sum = 0;
    for (std::size_t t = 0; t < scores.size(); ++t)
        if ((sum += share(scores[t])) > threshold) return token(t);
    return largest_score(scores);  // where rounding leaves none, or no score is finite
}

float beam_texts::rated(float score, std::int64_t length) const {
    return score / std::pow(float(length), o_.length_penalty);
}
void beam_texts::add(std::span<const token> tokens, float score) {
    const float rating = rated(score, std::int64_t(tokens.size()));
    const bool full = std::int64_t(best_.size()) == o_.beams;
    if (full && !(rating > best_.back().score)) return;
    if (full) best_.pop_back();
    auto at = best_.end();
    while (at != best_.begin() && rating > std::prev(at)->score) --at;
    best_.insert(at, {rating, {tokens.begin(), tokens.end()}});
}
void add_best(std::span<const float> scores, std::int64_t count, std::vector<scored_token>& candidates) {
    const auto better = [&](std::int64_t a, std::int64_t b) {
        const float x = score_order(scores[std::size_t(a)]), y = score_order(scores[std::size_t(b)]);
        return x > y || (x == y && a < b);
    };
    std::vector<std::int64_t> top;  // a heap, the worst one first, then in order
    for (std::int64_t i = 0; i < std::int64_t(scores.size()); ++i) {
        if (std::int64_t(top.size()) == count) {
            if (!better(i, top.front())) continue;
            std::ranges::pop_heap(top, better);
            top.pop_back();
        }
        top.push_back(i);
        std::ranges::push_heap(top, better);
    }
    std::ranges::sort_heap(top, better);
    for (const std::int64_t i : top) candidates.push_back({scores[std::size_t(i)], i});
}
std::vector<beam_texts::beam> beam_texts::step(std::span<const scored_token> candidates, std::int64_t vocabulary,
                                               const token_rows& rows, std::int64_t first) {
    std::vector<beam> next;
    if (is_complete_) {
        for (std::int64_t k = 0; k < o_.beams; ++k) next.push_back({0, token(o_.pad_token), 0});
        return next;
    }
    const auto top = candidates.subspan(std::size_t(2 * first), std::size_t(2 * o_.beams));
    for (std::size_t j = 0; j < top.size() && std::int64_t(next.size()) < o_.beams; ++j) {
        const beam b{top[j].score, token(top[j].place % vocabulary), first + top[j].place / vocabulary};
        if (o_.end_token < 0 || b.next != o_.end_token)
            next.push_back(b);
        else if (std::int64_t(j) < o_.beams)
            add(rows[b.origin], b.score);
    }
    if (std::int64_t(best_.size()) < o_.beams) return next;
    // As in ONNX Runtime, the scores that are to be beaten begin at `first` too, where half of each text's are:
    // with several texts, those of others decide.
    float best = -std::numeric_limits<float>::infinity();
    for (const scored_token& c : candidates.subspan(std::size_t(first), std::size_t(2 * o_.beams)))
        best = std::max(best, score_order(c.score));
    is_complete_ = o_.early_stopping || !(best_.back().score < rated(best, rows.length()));
    return next;
}
void beam_texts::end(const token_rows& rows, std::int64_t first, std::span<const float> scores) {
    for (std::int64_t k = 0; k < o_.beams && !is_complete_; ++k) add(rows[first + k], scores[std::size_t(k)]);
}
}  // namespace v1
}  // namespace inlay
