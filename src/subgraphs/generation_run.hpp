// GreedySearch, Sampling, BeamSearch and WhisperBeamSearch (com.microsoft): a decoder that keeps keys and values of the
// previous tokens is run for each new token. In GPT-2 models its inputs are input_ids, position_ids, attention_mask,
// and the past of each layer, [2, texts, heads, length, size]; its outputs are logits, and the present of each layer.
// T5 and Whisper models have an encoder that is run once: generation_encoder.cpp.
#pragma once
#include "engine/subgraph_run.hpp"
#include "token_search.hpp"

namespace inlay {
inline namespace v1 {
tensor token_tensor(const shape& dims, std::span<const token> tokens);
// Row k along the axis becomes what row origins[k] was; there may be more of them, or fewer.
tensor picked_rows(const tensor& t, int axis, std::span<const std::int64_t> origins);

class generation_run final : public subgraph_run {
    struct positions {  // of the inputs that operators have in different places; -1: it has none
        int beams = -1, returned = -1, length_penalty = -1, repetition = 3, allowed = 4, first_allowed = 5, mask = 6,
            first_tokens = -1, processor = -1, temperature = -1, present = -1, seed = -1, final_input = 6;
    };
    positions at_{};
    score_rules rules_{};
    std::int64_t texts_ = 0, beams_ = 1;
    std::int64_t prompt_length_ = 0, most_ = 0;  // tokens at first, and at last
    std::int64_t pad_ = 0;
    bool encodes_ = false, hears_ = false;  // hears_: the encoder reads audio features
    std::int64_t silence_ = -1;             // the token whose first probability says that there is no speech
    std::vector<float> silent_{};           // that probability, of each text

    // What the encoder passes to the decoder, in each row; it stays the same from token to token.
    struct {
        std::vector<any_value> context{}, cross{};  // inputs before and after the pasts
        tensor logits{};                            // of the first token, if the encoder gives them
        bool whole = false;                         // the decoder gets all tokens again, not the last ones
    } encoded_{};

    // The next inputs of the decoder.
    std::int64_t rows_ = 0;
    std::vector<token> ids_{}, places_{}, mask_{}, next_place_{};  // next_place_: of each row's next token
    std::int64_t fed_ = 0;                                         // tokens of each row
    std::vector<any_value> pasts_{};
    std::vector<float> scores_{};  // of each row's last token

    std::int64_t product(std::initializer_list<std::int64_t>) const;  // refuses what cannot be counted
    std::span<const token> tokens_at(int k, const shape& dims, std::string_view name) const;
    std::span<const token> mask_at(int k, bool of_texts, std::string_view name) const;
    std::int64_t integer_at(int k, std::string_view name, std::optional<std::int64_t> otherwise) const;
    float real_at(int k, std::string_view name, float otherwise) const;

    void read_inputs();
    void read_type();
    void read_rules();
    void read_times();
    void read_silence();
    void begin();
    token_rows given_rows() const;
    void begin_pasts(const session_core& body);
    void check_arguments(const session_core& body, std::string_view role, std::span<const any_value> arguments) const;
    tensor first_tokens() const;
    void encode();
    std::vector<token> encoder_mask(const tensor& ids) const;
    std::size_t read_context(const session_core& decoder, const tensor& ids, const std::vector<token>& mask,
                             const any_value* hidden);
    void keep_encoded(std::span<const any_value> results, std::size_t layers, bool begun);
    any_value in_each_row(const any_value&);
    session_core& decoder(bool first) const;
    void decode(bool first);
    void read_scores(const tensor& logits);
    void go_on(const token_rows& rows, std::span<const std::int64_t> origins);
    void go_on_with_mask();
    void put_rows(const token_rows& rows);

    void run_alone(bool sampled);
    void sum_scores(const token_rows& rows, std::span<const float> sums, tensor& steps);
    void run_beams();
    void give_beams(const std::vector<beam_texts>& texts);

  public:
    generation_run(const session_setup&, graph_bodies&, run_context&, const exec_step&, const run_options&);
    void run() override;
};
}  // namespace v1
}  // namespace inlay
