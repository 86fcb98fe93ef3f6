// Generation with an encoder and a decoder. In T5 models, the encoder is run once, over encoder_input_ids and
// encoder_attention_mask. It gives keys and values [texts, heads, length, size] of each layer's attention to the text;
// or, given decoder_input_ids too, [texts, 1], logits, encoder_hidden_states, keys and values of each layer's attention
// to that first token, and then those. The decoder's inputs: input_ids, encoder_input_ids (or not),
// encoder_attention_mask, encoder_hidden_states (or not), pasts of both kinds of each layer; its outputs: logits and
// presents of the first kind. Optional inputs are identified by their names. In Whisper models, the encoder gets the
// features of sound, [texts, features, length], and the decoder's first tokens, [texts, tokens], and gives what it does
// with decoder_input_ids; there are no masks.
#include "generation_run.hpp"

namespace inlay {
inline namespace v1 {
namespace {
std::string_view input_name(const session_core& body, std::size_t k) {
    const graph_view& g = body.graph.view;
    return k < g.inputs.size() ? g.values[std::size_t(g.inputs[k])].name : std::string_view();
}
}  // namespace

any_value generation_run::in_each_row(const any_value& of_texts) {
    const tensor& t = tensor_in(of_texts);
    const bool moves =
        t.type() == element::f32 || t.type() == element::f16 || t.type() == element::bf16 || t.type() == element::i32;
    if (!moves || t.shape().rank < 1 || t.shape()[0] != texts_)
        refuse("its encoder gives results that are no floats, or not of each text");
    product({rows_, t.shape().elements(1)});
    std::vector<std::int64_t> origins;
    for (std::int64_t r = 0; r < rows_; ++r) origins.push_back(r / beams_);
    any_value rows = picked_rows(t, 0, origins);
    take_bytes(size_of(rows));
    return rows;
}
// Unless it is given: 0 for the padding tokens at the beginning of a text.
std::vector<token> generation_run::encoder_mask(const tensor& ids) const {
    if (view_.has_input(at_.mask)) {
        const auto mask = tokens_at(at_.mask, ids.shape(), "attention_mask");
        return {mask.begin(), mask.end()};
    }
    std::vector<token> mask;
    const std::int64_t length = ids.shape()[1];
    bool begun = false;
    for (std::int64_t i = 0; i < ids.elements(); ++i) {
        begun = (i % length != 0 && begun) || ids.as<token>()[std::size_t(i)] != pad_;
        mask.push_back(begun);
    }
    return mask;
}
// The decoder's inputs before its pasts; returns its layers. hidden: null where the encoder gives none.
std::size_t generation_run::read_context(const session_core& decoder, const tensor& ids, const std::vector<token>& mask,
                                         const any_value* hidden) {
    std::size_t next = 1;
    if (!hears_ && input_name(decoder, next) == "encoder_input_ids") {
        encoded_.context.push_back(in_each_row(ids));
        ++next;
    }
    if (!hears_) {
        encoded_.context.push_back(in_each_row(token_tensor(ids.shape(), mask)));
        ++next;
    }
    if (input_name(decoder, next) == "encoder_hidden_states") {
        if (!hidden) refuse("its decoder reads encoder_hidden_states, which its encoder does not give");
        encoded_.context.push_back(in_each_row(*hidden));
        ++next;
    }
    const graph_view& g = decoder.graph.view;
    const std::size_t layers = (g.outputs.size() - 1) / 2;
    if (g.outputs.size() < 3 || g.outputs.size() % 2 == 0 || g.inputs.size() != next + 4 * layers + captured_.size())
        refuse(
            "its decoder has not the inputs and outputs of T5 or Whisper: tokens, of T5 a mask, and four pasts per "
            "layer, logits and two presents per layer");
    const value& tokens = g.values[std::size_t(g.inputs[0])];
    encoded_.whole = !(tokens.dims.rank == 2 && tokens.dims[1] == 1);
    return layers;
}
void generation_run::keep_encoded(std::span<const any_value> results, std::size_t layers, bool begun) {
    for (const any_value& v : results) {
        const tensor& t = tensor_in(v);
        if (t.shape().rank != 4) refuse("its encoder gives keys or values that have not four axes");
    }
    const auto cross = results.last(2 * layers);
    for (std::size_t k = 0; k < 2 * layers; ++k) {
        encoded_.cross.push_back(in_each_row(cross[k]));
        const tensor& t = *encoded_.cross.back().as_tensor();
        pasts_.push_back(begun ? in_each_row(results[k])
                               : any_value(tensor(t.type(), {rows_, t.shape()[1], 0, t.shape()[3]})));
    }
}
// Of the decoder, in each text.
tensor generation_run::first_tokens() const {
    if (at_.first_tokens >= 0 && view_.has_input(at_.first_tokens)) {
        tokens_at(at_.first_tokens, {texts_, -1}, "decoder_input_ids");
        const tensor& first = tensor_at(std::size_t(at_.first_tokens));
        if (first.shape()[1] < 1) refuse("decoder_input_ids has no tokens");
        return first;
    }
    if (!view_.has("decoder_start_token_id")) refuse("decoder_start_token_id is missing");
    const std::int64_t start = view_.integer("decoder_start_token_id", -1);
    if (start < 0 || start != token(start)) refuse("decoder_start_token_id is no token");
    return token_tensor({texts_, 1}, std::vector<token>(std::size_t(texts_), token(start)));
}
void generation_run::encode() {
    const tensor ids = tensor_at(0), first = first_tokens();
    const std::vector<token> mask = hears_ ? std::vector<token>() : encoder_mask(ids);
    take_bytes((token_rows::copies + 3) * product({rows_, most_}) * std::int64_t(sizeof(token)));
    session_core& body = body_named("encoder");
    const std::size_t inputs = body.graph.view.inputs.size() - captured_.size();
    const bool begun = hears_ || inputs == 3;
    std::vector<any_value> arguments{ids};
    if (!hears_) arguments.emplace_back(token_tensor(ids.shape(), mask));
    if (begun) arguments.emplace_back(first);
    if (inputs != arguments.size())
        refuse(hears_ ? "its encoder must have two inputs, features of sound and the decoder's first tokens"
                      : "its encoder must have two inputs, tokens and their mask, or three, the decoder's first token "
                        "too");
    check_arguments(body, "encoder", arguments);
    std::vector<any_value> results = call(body, std::move(arguments));

    const std::size_t before = begun ? 2 : 0;
    const session_core& decoder = body_named("decoder");
    const std::size_t layers = read_context(decoder, ids, mask, begun && results.size() > 1 ? &results[1] : nullptr);
    if (results.size() != before + (begun ? 4 : 2) * layers)
        refuse("its encoder gives " + std::to_string(results.size()) + " results, which its decoder of " +
               std::to_string(layers) + " layers does not fit");
    if (begun) encoded_.logits = *in_each_row(results[0]).as_tensor();
    keep_encoded(std::span(results).subspan(before), layers, begun);
    const auto tokens = first.as<token>();
    for (std::int64_t r = 0; r < rows_; ++r) {
        const auto of_text = tokens.subspan(std::size_t(r / beams_ * prompt_length_), std::size_t(prompt_length_));
        ids_.insert(ids_.end(), of_text.begin(), of_text.end());
    }
    fed_ = prompt_length_;
}
}  // namespace v1
}  // namespace inlay
