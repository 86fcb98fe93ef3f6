#include "generation_run.hpp"
#include <inlay/onnx/control_flow.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace {
template <class T> void copy_last_row(const tensor& logits, std::int64_t row, std::span<float> scores) {
    const std::int64_t length = logits.shape()[1], width = logits.shape()[2];
    const auto from = logits.as<T>().subspan(std::size_t((row * length + length - 1) * width));
    for (std::size_t t = 0; t < scores.size(); ++t) scores[t] = float(from[t]);
}
}  // namespace

tensor token_tensor(const shape& dims, std::span<const token> tokens) {
    tensor t(element::i32, dims);
    std::ranges::copy(tokens, t.as<token>().begin());
    return t;
}
tensor picked_rows(const tensor& t, int axis, std::span<const std::int64_t> origins) {
    shape dims = t.shape();
    const std::int64_t rows = dims[axis], count = std::int64_t(origins.size()), outer = dims.elements(0, axis);
    dims[axis] = count;
    tensor y(t.type(), dims);
    const std::int64_t bytes = y.bytes() / std::max<std::int64_t>(outer * count, 1);
    for (std::int64_t r = 0; r < outer * count && bytes > 0; ++r)
        std::memcpy(
            static_cast<std::byte*>(y.data()) + r * bytes,
            static_cast<const std::byte*>(t.data()) + (r / count * rows + origins[std::size_t(r % count)]) * bytes,
            std::size_t(bytes));
    return y;
}

generation_run::generation_run(const session_setup& setup, graph_bodies& bodies, run_context& c, const exec_step& e,
                               const run_options& o)
    : subgraph_run(setup, bodies, c, e, o) {
    if (n_.op == op::sampling::onnx_name) at_ = {.present = 7, .seed = 8, .final_input = 8};
    if (has_beams(n_.op))
        at_ = {.beams = 3,
               .returned = 4,
               .length_penalty = 5,
               .repetition = 6,
               .allowed = 7,
               .first_allowed = 8,
               .mask = 9,
               .final_input = 9};
}

std::int64_t generation_run::product(std::initializer_list<std::int64_t> factors) const {
    std::int64_t result = 1;
    for (const std::int64_t f : factors) result = checked_product(result, std::max<std::int64_t>(f, 1));
    if (result > std::int64_t(1) << 36) refuse("its texts are too many or too long");
    return result;
}
std::span<const token> generation_run::tokens_at(int k, const shape& dims, std::string_view name) const {
    const tensor& t = tensor_at(std::size_t(k));
    bool fits = t.type() == element::i32 && t.shape().rank == dims.rank;
    for (int i = 0; fits && i < dims.rank; ++i) fits = dims[i] < 0 || dims[i] == t.shape()[i];
    if (!fits) refuse(std::string(name) + " is not of 32-bit integers, or has another shape");
    return t.as<token>();
}
std::span<const token> generation_run::mask_at(int k, bool of_texts, std::string_view name) const {
    if (k < 0 || !view_.has_input(k)) return {};
    return tokens_at(k, of_texts ? shape{texts_, rules_.vocabulary} : shape{rules_.vocabulary}, name);
}
std::int64_t generation_run::integer_at(int k, std::string_view name, std::optional<std::int64_t> otherwise) const {
    if (!view_.has_input(k)) {
        if (!otherwise) refuse(std::string(name) + " is missing");
        return *otherwise;
    }
    const tensor& t = tensor_at(std::size_t(k));
    if (t.type() != element::i32 || t.elements() != 1) refuse(std::string(name) + " is not one integer of 32 bits");
    return t.as<token>()[0];
}
float generation_run::real_at(int k, std::string_view name, float otherwise) const {
    if (k < 0 || !view_.has_input(k)) return otherwise;
    const tensor& t = tensor_at(std::size_t(k));
    if (t.type() != element::f32 || t.elements() != 1) refuse(std::string(name) + " is not one float");
    return t.as<float>()[0];
}

void generation_run::read_type() {
    const bool whisper = n_.op == op::whisper_beam_search::onnx_name;
    const std::int64_t type = view_.integer("model_type", whisper ? 2 : 0);
    if (type < (whisper ? 2 : 0) || type > (has_beams(n_.op) ? 2 : 1))
        refuse(
            "only model_type 0, decoders like that of GPT-2, 1, an encoder and a decoder as T5 has them, and of "
            "searches with beams 2, those of Whisper, are run");
    encodes_ = type > 0;
    hears_ = type == 2;
    if (hears_) {
        at_.mask = -1;
        at_.first_tokens = 10;
        at_.final_input = at_.processor = 11;
    }
    if (whisper) at_.final_input = at_.temperature = 14;
    if (whisper && (view_.has_input(12) || view_.has_input(13) || view_.has_output(3) ||
                    view_.integer("decoder_output_cross_qk", 0) != 0))
        refuse("what its decoder attends to (cross_qk) is not given, and extra_decoding_ids are not taken");
    if (hears_ && view_.has_input(9)) refuse("sound has no attention_mask");
}
void generation_run::read_inputs() {
    read_type();
    for (std::string_view name : {"eos_token_id", "pad_token_id"})
        if (!view_.has(name)) refuse("eos_token_id or pad_token_id is missing");
    for (int k = at_.final_input + 1; k < n_.inputs.count; ++k)
        if (view_.has_input(k)) refuse("it has an input that only other model types have");
    if (!view_.has_input(0)) refuse("input_ids is missing");
    const tensor& ids = tensor_at(0);
    if (!hears_) tokens_at(0, {-1, -1}, "input_ids");
    if (hears_ && (ids.shape().rank != 3 || ids.shape()[2] < 1))
        refuse("input_ids, the features of sound, has not three axes, or is empty");
    texts_ = ids.shape()[0];
    if (ids.shape()[1] < 1) refuse("input_ids has no tokens");
    prompt_length_ = encodes_ ? first_tokens().shape()[1] : ids.shape()[1];
    most_ = integer_at(1, "max_length", {});
    if (most_ <= prompt_length_)
        refuse("max_length is not more than " +
               (encodes_ ? std::to_string(prompt_length_) : std::string("the tokens of input_ids")));
    if (at_.beams >= 0) {
        beams_ = integer_at(at_.beams, "num_beams", {});
        const std::int64_t returned = integer_at(at_.returned, "num_return_sequences", {});
        if (beams_ < 1 || returned < 1 || returned > beams_)
            refuse("num_beams is less than 1, or num_return_sequences is not between 1 and num_beams");
    }
    rows_ = product({texts_, beams_}) * (texts_ > 0);
    pad_ = view_.integer("pad_token_id", 0);
    if (pad_ != token(pad_)) refuse("pad_token_id has more than 32 bits");
}
// Once the vocabulary is known.
void generation_run::read_rules() {
    rules_.end_token = view_.integer("eos_token_id", -1);
    rules_.least_length = integer_at(2, "min_length", 0);
    rules_.ngram = std::max<std::int64_t>(view_.integer("no_repeat_ngram_size", 0), 0);
    rules_.repetition = real_at(at_.repetition, "repetition_penalty", 1);
    if (!(rules_.repetition > 0)) refuse("repetition_penalty is not positive");
    rules_.allowed = mask_at(at_.allowed, false, "vocab_mask");
    rules_.first_allowed = mask_at(at_.first_allowed, true, "prefix_vocab_mask");
    rules_.present = mask_at(at_.present, true, "presence_mask");
    if (hears_) {
        rules_.temperature = real_at(at_.temperature, "temperature", 1);
        read_times();
        read_silence();
    }
    if (n_.op != op::sampling::onnx_name) return;
    rules_.temperature = float(view_.real("temperature", 1));
    rules_.presence_penalty = float(view_.real("presence_penalty", 0));
}

void generation_run::read_times() {
    if (integer_at(at_.processor, "logits_processor", 0) != 1) return;
    const auto token_of = [&](const char* name) { return view_.integer(name, -1); };
    rules_.times = {token_of("beginning_timestamp_token_id"), token_of("decoder_start_token_id"),
                    token_of("translate_token_id"),           token_of("transcribe_token_id"),
                    token_of("start_of_lm_token_id"),         token_of("no_timestamps_token_id")};
    if (rules_.times->first < 1 || rules_.times->first >= rules_.vocabulary)
        refuse("beginning_timestamp_token_id is no token of its vocabulary");
}
void generation_run::read_silence() {
    if (out.size() < 5 || !view_.has_output(4)) return;
    silence_ = view_.integer("no_speech_token_id", -1);
    if (silence_ < 0 || silence_ >= rules_.vocabulary) refuse("no_speech_token_id is no token of its vocabulary");
}

// The given tokens, each text as often as it has beams; padding tokens have no position, and are not attended
// to.
void generation_run::begin() {
    const auto tokens = tokens_at(0, {texts_, prompt_length_}, "input_ids");
    const auto mask = view_.has_input(at_.mask) ? tokens_at(at_.mask, {texts_, prompt_length_}, "attention_mask")
                                                : std::span<const token>();
    const std::int64_t room = product({rows_, most_});
    take_bytes((token_rows::copies + 5) * room * std::int64_t(sizeof(token)));
    fed_ = prompt_length_;
    for (std::int64_t row = 0; row < rows_; ++row) {
        token place = 0;
        for (std::int64_t i = 0; i < prompt_length_; ++i) {
            const auto at = std::size_t(row / beams_ * prompt_length_ + i);
            const bool counts = tokens[at] != pad_;
            ids_.push_back(tokens[at]);
            places_.push_back(counts ? place++ : 0);
            mask_.push_back(mask.empty() ? token(counts) : mask[at]);
        }
        next_place_.push_back(place);
    }
}
token_rows generation_run::given_rows() const {
    token_rows rows(rows_, most_);
    for (std::int64_t i = 0; i < prompt_length_; ++i) {
        std::vector<token> column;
        for (std::int64_t r = 0; r < rows_; ++r) column.push_back(ids_[std::size_t(r * prompt_length_ + i)]);
        rows.append(column);
    }
    return rows;
}
void generation_run::begin_pasts(const session_core& body) {
    const graph_view& g = body.graph.view;
    const std::size_t layers = g.outputs.size() - 1;
    if (g.outputs.size() < 2 || g.inputs.size() != 3 + layers + captured_.size())
        refuse(
            "its decoder has not the inputs and outputs of GPT-2: three and a past, logits and a present, per layer");
    for (std::size_t k = 0; k < layers; ++k) {
        const value& past = g.values[std::size_t(g.inputs[3 + k])];
        if (past.dims.rank != 5 || past.dims[2] < 1 || past.dims[4] < 1 ||
            (past.type != element::f32 && past.type != element::f16 && past.type != element::bf16))
            refuse("its decoder's past must be floats of five axes, of which those of heads and sizes are known");
        product({2, rows_, past.dims[2], most_, past.dims[4]});
        pasts_.emplace_back(tensor(past.type, {2, rows_, past.dims[2], 0, past.dims[4]}));
    }
}
// What the decoder declares of its inputs was trusted when its plan was computed.
void generation_run::check_arguments(const session_core& body, std::string_view role,
                                     std::span<const any_value> arguments) const {
    const graph_view& g = body.graph.view;
    std::vector<std::int64_t> sizes(g.symbols.size(), -1);
    for (std::size_t k = 0; k < g.inputs.size(); ++k) {
        const value& v = g.values[std::size_t(g.inputs[k])];
        const tensor* t = (k < arguments.size() ? arguments[k] : captured_[k - arguments.size()]).as_tensor();
        if (!t || v.dims.rank < 0) continue;
        bool fits = v.type == t->type() && v.dims.rank == t->shape().rank;
        for (int i = 0; fits && i < v.dims.rank; ++i) {
            const std::int64_t d = v.dims[i], actual = t->shape()[i];
            if (d < -1) {
                std::int64_t& size = sizes[std::size_t(-2 - d)];
                fits = size < 0 || size == actual;
                size = actual;
            } else
                fits = d < 0 || d == actual;
        }
        if (!fits)
            refuse("the input `" + std::string(v.name) + "` of its " + std::string(role) +
                   " is declared with another type or shape than it is given: " + to_string(t->shape()));
    }
}
session_core& generation_run::decoder(bool first) const {
    return body_named(first && has_body("init_decoder") ? "init_decoder" : "decoder");
}
void generation_run::decode(bool first) {
    if (first && encoded_.logits) {
        read_scores(encoded_.logits);
        encoded_.logits = {};
        return;
    }
    session_core& body = decoder(first);
    if (first && !encodes_) begin_pasts(body);
    std::vector<any_value> arguments{token_tensor({rows_, fed_}, ids_)};
    if (!encodes_) {
        arguments.emplace_back(token_tensor({rows_, fed_}, places_));
        arguments.emplace_back(
            token_tensor({rows_, std::int64_t(mask_.size()) / std::max<std::int64_t>(rows_, 1)}, mask_));
    }
    for (const auto* list : {&encoded_.context, &pasts_, &encoded_.cross})
        arguments.insert(arguments.end(), list->begin(), list->end());
    if (body.graph.view.inputs.size() != arguments.size() + captured_.size() ||
        body.graph.view.outputs.size() != pasts_.size() + 1)
        refuse("its decoder and its first decoder have not the same layers");
    check_arguments(body, "decoder", arguments);
    std::vector<any_value> results = call(body, std::move(arguments));
    for (std::size_t k = 0; k < pasts_.size(); ++k) {
        const tensor &past = *pasts_[k].as_tensor(), &present = tensor_in(results[k + 1]);
        shape dims = past.shape();
        dims[dims.rank - 2] += encodes_ ? 1 : fed_;
        if (present.type() != past.type() || present.shape() != dims)
            refuse("its decoder gives a present that is not the past and the new tokens");
        pasts_[k] = results[k + 1];
    }
    read_scores(tensor_in(results[0]));
}
void generation_run::read_scores(const tensor& logits) {
    const shape& dims = logits.shape();
    if (dims.rank != 3 || dims[0] != rows_ || dims[1] < 1 || dims[2] < 1) refuse("its decoder gives no logits");
    std::int64_t width = view_.integer("vocab_size", -1);
    if (width <= 0) width = dims[2];
    if (width > dims[2]) refuse("vocab_size is more than its decoder has logits");
    if (rules_.vocabulary == 0) {
        rules_.vocabulary = width;
        if (at_.beams >= 0 && width < 2) refuse("it has beams, and a vocabulary of one token");
        take_bytes(product({rows_, width, 2}) * std::int64_t(sizeof(float)));
        scores_.resize(std::size_t(rows_ * width));
        read_rules();
    }
    if (width != rules_.vocabulary) refuse("its decoder gives logits of another vocabulary than before");
    for (std::int64_t row = 0; row < rows_; ++row) {
        const auto scores = std::span(scores_).subspan(std::size_t(row * width), std::size_t(width));
        switch (logits.type()) {
            case element::f32: copy_last_row<float>(logits, row, scores); break;
            case element::f16: copy_last_row<float16>(logits, row, scores); break;
            case element::bf16: copy_last_row<bfloat16>(logits, row, scores); break;
            default: refuse("its decoder gives logits that are no floats");
        }
    }
}
// To the token after those of `rows`: row k continues what was row origins[k]; empty: itself.
void generation_run::go_on(const token_rows& rows, std::span<const std::int64_t> origins) {
    ids_.clear();
    fed_ = encoded_.whole ? rows.length() : 1;
    for (std::int64_t r = 0; r < rows_; ++r) {
        const auto fed = rows[r].last(std::size_t(fed_));
        ids_.insert(ids_.end(), fed.begin(), fed.end());
    }
    if (!encodes_) go_on_with_mask();
    if (origins.empty() || beams_ == 1) return;  // as in ONNX Runtime, also where a text is done
    for (any_value& past : pasts_) {
        const tensor& t = *past.as_tensor();
        take_bytes(t.bytes());
        past = picked_rows(t, t.shape().rank - 4, origins);
        take_bytes(-past.as_tensor()->bytes());
    }
}
void generation_run::go_on_with_mask() {
    const std::int64_t length = std::int64_t(mask_.size()) / rows_;
    std::vector<token> mask;
    mask.reserve(std::size_t(rows_ * (length + 1)));
    places_.clear();
    for (std::int64_t r = 0; r < rows_; ++r) {  // beams of a text have the same mask
        mask.insert(mask.end(), mask_.begin() + r * length, mask_.begin() + (r + 1) * length);
        mask.push_back(1);
        places_.push_back(next_place_[std::size_t(r)]++);
    }
    mask_ = std::move(mask);
}

void generation_run::put_rows(const token_rows& rows) {
    tensor y(element::i32, {texts_, most_});
    std::ranges::fill(y.as<token>(), token(pad_));
    for (std::int64_t r = 0; r < rows_; ++r) std::ranges::copy(rows[r], y.as<token>().begin() + r * most_);
    if (!out.empty()) out[0] = std::move(y);
}
void generation_run::run_alone(bool sampled) {
    const nucleus cutoff{float(view_.real("top_p", 0)), float(view_.real("filter_value", -1e20)),
                         view_.integer("min_tokens_to_keep", 0), view_.integer("custom", 0) != 0};
    dice d(sampled ? std::uint32_t(integer_at(at_.seed, "seed", 0)) : 0);
    token_rows rows = given_rows();
    const context x = base();
    std::vector<char> is_done(std::size_t(rows_), false);
    std::vector<token> next(std::size_t(rows_), 0);
    std::vector<std::int32_t> order;
    while (rows.length() < most_ && std::ranges::find(is_done, char(false)) != is_done.end()) {
        end_if_stopped(x);
        const bool first = rows.length() == prompt_length_;
        if (!first) go_on(rows, {});
        decode(first);
        if (sampled && (cutoff.min_tokens < 0 || cutoff.min_tokens >= rules_.vocabulary))
            refuse("min_tokens_to_keep is not less than the vocabulary");
        for (std::int64_t r = 0; r < rows_; ++r) {
            const auto at = std::size_t(r);
            const auto scores =
                std::span(scores_).subspan(at * std::size_t(rules_.vocabulary), std::size_t(rules_.vocabulary));
            apply_rules(rules_, rows[r], r, first, scores);
            if (sampled) cutoff.filter(scores, order);
            next[at] = sampled ? draw_token(scores, d) : largest_score(scores);
            is_done[at] |= next[at] == rules_.end_token;
            if (is_done[at]) next[at] = token(pad_);
        }
        rows.append(next);
    }
    put_rows(rows);
    if (out.size() < 2 || !view_.has_output(1)) return;  // of Sampling: the scores of the last tokens
    tensor y(element::f32, {texts_, rules_.vocabulary});
    std::ranges::copy(scores_, y.as<float>().begin());
    out[1] = std::move(y);
}

void generation_run::give_beams(const std::vector<beam_texts>& texts) {
    const std::int64_t returned = integer_at(at_.returned, "num_return_sequences", {});
    product({texts_, returned, most_});
    tensor y(element::i32, {texts_, returned, most_}), scores(element::f32, {texts_, returned});
    std::ranges::fill(y.as<token>(), token(pad_));
    for (std::int64_t text = 0; text < texts_; ++text)
        for (std::int64_t k = 0; k < returned; ++k) {
            const auto& best = texts[std::size_t(text)].best()[std::size_t(k)];
            std::ranges::copy(best.tokens, y.as<token>().begin() + (text * returned + k) * most_);
            scores.as<float>()[std::size_t(text * returned + k)] = best.score;
        }
    if (!out.empty()) out[0] = std::move(y);
    if (out.size() > 1) out[1] = std::move(scores);
}
// Of each token after each beam: the logarithms of probabilities since the beginning, except for the rules' changes.
void generation_run::sum_scores(const token_rows& rows, std::span<const float> sums, tensor& steps) {
    const auto width = std::size_t(rules_.vocabulary);
    for (std::int64_t r = 0; r < rows_; ++r) {
        const auto scores = std::span(scores_).subspan(std::size_t(r) * width, width);
        const bool first = rows.length() == prompt_length_;
        take_log_softmax(scores);
        if (first && silence_ >= 0 && r % beams_ == 0) silent_.push_back(std::exp(scores[std::size_t(silence_)]));
        apply_rules(rules_, rows[r], r / beams_, first, scores);
        for (float& s : scores) s += sums[std::size_t(r)];
    }
    if (out.size() < 3 || !view_.has_output(2)) return;
    if (!steps) {
        take_bytes(product({most_ - prompt_length_, rows_, rules_.vocabulary}) * std::int64_t(sizeof(float)));
        steps = tensor(element::f32, {most_ - prompt_length_, texts_, beams_, rules_.vocabulary});
        std::ranges::fill(steps.as<float>(), 0.f);
    }
    std::ranges::copy(scores_,
                      steps.as<float>().begin() + (rows.length() - prompt_length_) * std::int64_t(scores_.size()));
}
void generation_run::run_beams() {
    const beam_texts::options o{beams_, view_.integer("eos_token_id", -1), pad_,
                                real_at(at_.length_penalty, "length_penalty", 1),
                                view_.integer("early_stopping", 0) != 0};
    take_bytes(product({rows_, most_}) * std::int64_t(sizeof(token)));  // of what ended
    token_rows rows = given_rows();
    std::vector<beam_texts> texts;
    for (std::int64_t text = 0; text < texts_; ++text) texts.emplace_back(o);
    std::vector<float> sums;
    for (std::int64_t r = 0; r < rows_; ++r) sums.push_back(r % beams_ == 0 ? 0.f : -1e9f);
    std::vector<std::int64_t> origins(sums.size());
    std::vector<token> next(sums.size());
    std::vector<scored_token> best;
    const context x = base();
    tensor steps;
    while (rows.length() < most_ && !std::ranges::all_of(texts, &beam_texts::done)) {
        end_if_stopped(x);
        const bool first = rows.length() == prompt_length_;
        if (!first) go_on(rows, origins);
        decode(first);
        sum_scores(rows, sums, steps);
        const std::int64_t text_scores = rules_.vocabulary * beams_;
        best.clear();
        for (std::int64_t text = 0; text < texts_; ++text)
            add_best(std::span(scores_).subspan(std::size_t(text * text_scores), std::size_t(text_scores)), 2 * beams_,
                     best);
        for (std::int64_t text = 0, r = 0; text < texts_; ++text)
            for (const auto& beam : texts[std::size_t(text)].step(best, rules_.vocabulary, rows, text * beams_)) {
                sums[std::size_t(r)] = beam.score;
                next[std::size_t(r)] = beam.next;
                origins[std::size_t(r++)] = beam.origin;
            }
        rows.keep(origins);
        rows.append(next);
    }
    for (std::int64_t text = 0; text < texts_; ++text)
        texts[std::size_t(text)].end(rows, text * beams_,
                                     std::span(sums).subspan(std::size_t(text * beams_), std::size_t(beams_)));
    give_beams(texts);
    if (out.size() > 4 && view_.has_output(4)) out[4] = tensor({texts_}, silent_);
    if (out.size() > 2 && view_.has_output(2))
        out[2] = steps ? std::move(steps) : tensor(element::f32, {most_ - prompt_length_, 0, beams_, 0});
}

void generation_run::run() {
    read_inputs();
    if (encodes_)
        encode();
    else
        begin();
    if (has_beams(n_.op))
        run_beams();
    else
        run_alone(n_.op == op::sampling::onnx_name);
}
}  // namespace v1
}  // namespace inlay
