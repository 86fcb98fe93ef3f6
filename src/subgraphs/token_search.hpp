// The step of GreedySearch, Sampling, BeamSearch and WhisperBeamSearch of com.microsoft between two runs of their
// decoder: from the scores of all tokens of the vocabulary to the next ones.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace inlay {
inline namespace v1 {
using token = std::int32_t;
inline constexpr float least_score = std::numeric_limits<float>::lowest();  // of what may not be chosen

// Whisper's tokens: those from `first` on are times. -1: the vocabulary has none of the name.
struct time_tokens {
    std::int64_t first = -1, start = -1, translate = -1, transcribe = -1, start_of_lm = -1, no_times = -1;
};
// Rules that change scores before one is chosen. Masks: 0 forbids a token; empty: there is none.
struct score_rules {
    std::int64_t vocabulary = 0, end_token = -1, least_length = 0, ngram = 0;
    float repetition = 1;
    std::span<const token> allowed{};             // of the vocabulary
    std::span<const token> first_allowed{};       // of each text's first new token
    float temperature = 0, presence_penalty = 0;  // 0: not requested
    std::span<const token> present{};             // of each text: what presence_penalty is for
    std::optional<time_tokens> times{};           // where texts include timestamps
};
// Of one text, which has `sequence` so far and is number `text` of the batch.
void apply_rules(const score_rules&, std::span<const token> sequence, std::int64_t text, bool first,
                 std::span<float> scores);
void take_log_softmax(std::span<float> scores);
token largest_score(std::span<const float> scores);  // the first of equal ones

// Texts of one length so far, with capacity for their next tokens.
class token_rows {
    std::int64_t rows_, room_, length_;
    std::vector<token> tokens_, moved_;

  public:
    token_rows(std::int64_t rows, std::int64_t room) : rows_(rows), room_(room), length_(0) {
        tokens_.resize(std::size_t(rows * room));
    }
    static constexpr std::int64_t copies = 2;  // of all tokens, at most
    std::int64_t rows() const { return rows_; }
    std::int64_t length() const { return length_; }
    std::span<const token> operator[](std::int64_t row) const {
        return std::span(tokens_).subspan(std::size_t(row * room_), std::size_t(length_));
    }
    void append(std::span<const token> column);        // one for each row
    void keep(std::span<const std::int64_t> origins);  // row k becomes what row origins[k] is
};

// Tokens by their probabilities, of which those are left out whose sum, from the least likely on, is at most 1 - most.
struct nucleus {
    float most = 0, filtered = -1e20f;  // filtered: the score of what is left out
    std::int64_t min_tokens = 0;        // as many tokens stay
    bool from_the_top = false;          // those are left out that come after the sum, from the most likely on, is more
                                        // than `most`
    void filter(std::span<float> scores, std::vector<std::int32_t>& order) const;
};
// The generator that C++ calls minstd_rand0, and a number in [0, 1) of two of its steps.
class dice {
    std::uint64_t state_;
    std::uint64_t next() { return state_ = state_ * 16807 % 2147483647; }

  public:
    explicit dice(std::uint32_t seed) : state_(seed % 2147483647) {
        if (state_ == 0) state_ = 1;
    }
    double roll();
};
token draw_token(std::span<const float> scores, dice&);  // by probabilities, which the scores are logarithms of

// One of the best scores of a text: `place` counts the tokens after its first beam, then those after the next one.
struct scored_token {
    float score;
    std::int64_t place;
};
void add_best(std::span<const float> scores, std::int64_t count, std::vector<scored_token>&);  // the best one first

// The beams of one text, and the best that ended.
class beam_texts {
  public:
    struct options {
        std::int64_t beams, end_token, pad_token;
        float length_penalty;
        bool early_stopping;
    };
    struct finished {
        float score;
        std::vector<token> tokens;
    };
    struct beam {
        float score;
        token next;
        std::int64_t origin;  // the row that it continues
    };
    explicit beam_texts(const options& o) : o_(o) {}
    bool done() const { return is_complete_; }
    const std::vector<finished>& best() const { return best_; }  // the best one first
    // candidates: two of the best per row. rows: of all texts, this one's beginning at `first`. The rows of a text that
    // is done continue the first row of all, with padding tokens.
    std::vector<beam> step(std::span<const scored_token> candidates, std::int64_t vocabulary, const token_rows& rows,
                           std::int64_t first);
    void end(const token_rows& rows, std::int64_t first, std::span<const float> scores);

  private:
    options o_;
    std::vector<finished> best_{};
    bool is_complete_ = false;
    void add(std::span<const token> tokens, float score);
    float rated(float score, std::int64_t length) const;
};
}  // namespace v1
}  // namespace inlay
