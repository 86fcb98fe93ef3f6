// Schemas of operators that onnx has none for, and whose arguments no kernel checks: GreedySearch, Sampling, BeamSearch
// and WhisperBeamSearch of com.microsoft.
#include "schemas.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

constexpr std::int64_t whisper_type = 2;

struct schema_argument {
    const char *name, *type;
    OpSchema::FormalParameterOption option = OpSchema::Optional;
};
OpSchema generation_schema(const char* name, const std::vector<schema_argument>& inputs,
                           const std::vector<schema_argument>& outputs) {
    OpSchema s;
    s.SetName(name).SetDomain("com.microsoft").SinceVersion(1);
    int k = 0;
    for (const schema_argument& a : inputs) s.Input(k++, a.name, "", a.type, a.option);
    k = 0;
    for (const schema_argument& a : outputs) s.Output(k++, a.name, "", a.type, a.option);
    s.TypeConstraint("I", {"tensor(int32)"}, "").TypeConstraint("T", {"tensor(float)"}, "");
    s.TypeConstraint("F", {"tensor(int32)", "tensor(float)", "tensor(float16)"}, "");
    for (const char* graph : {"init_decoder", "encoder"}) s.Attr(graph, "", AttributeProto::GRAPH, false);
    s.Attr("decoder", "", AttributeProto::GRAPH, true);
    for (const char* token : {"eos_token_id", "pad_token_id"}) s.Attr(token, "", AttributeProto::INT, true);
    for (const char* number : {"decoder_start_token_id", "model_type", "no_repeat_ngram_size", "vocab_size"})
        s.Attr(number, "", AttributeProto::INT, false);
    return s;
}
constexpr auto needed = OpSchema::Single;
std::vector<schema_argument> beam_search_inputs() {
    return {{"input_ids", "F", needed},
            {"max_length", "I", needed},
            {"min_length", "I"},
            {"num_beams", "I", needed},
            {"num_return_sequences", "I", needed},
            {"length_penalty", "T"},
            {"repetition_penalty", "T"},
            {"vocab_mask", "I"},
            {"prefix_vocab_mask", "I"},
            {"attention_mask", "I"},
            {"decoder_input_ids", "I"},
            {"logits_processor", "I"}};
}
OpSchema beam_search_schema() {
    OpSchema s = generation_schema("BeamSearch", beam_search_inputs(),
                                   {{"sequences", "I", needed}, {"sequences_scores", "T"}, {"scores", "T"}});
    s.Attr("early_stopping", "", AttributeProto::INT, false);
    return s;
}
OpSchema whisper_beam_search_schema() {
    auto inputs = beam_search_inputs();
    inputs.insert(inputs.end(), {{"cross_qk_layer_head", "I"}, {"extra_decoding_ids", "I"}, {"temperature", "T"}});
    OpSchema s = generation_schema("WhisperBeamSearch", inputs,
                                   {{"sequences", "I", needed},
                                    {"sequences_scores", "T"},
                                    {"scores", "T"},
                                    {"cross_qk", "T"},
                                    {"non_speech_probs", "T"}});
    for (const char* number :
         {"early_stopping", "decoder_output_cross_qk", "translate_token_id", "transcribe_token_id",
          "start_of_lm_token_id", "no_speech_token_id", "no_timestamps_token_id", "beginning_timestamp_token_id"})
        s.Attr(number, "", AttributeProto::INT, false);
    return s;
}
OpSchema greedy_search_schema() {
    return generation_schema("GreedySearch",
                             {{"input_ids", "I", needed},
                              {"max_length", "I", needed},
                              {"min_length", "I"},
                              {"repetition_penalty", "T"},
                              {"vocab_mask", "I"},
                              {"prefix_vocab_mask", "I"},
                              {"attention_mask", "I"}},
                             {{"sequences", "I", needed}});
}
OpSchema sampling_schema() {
    OpSchema s = generation_schema("Sampling",
                                   {{"input_ids", "I", needed},
                                    {"max_length", "I", needed},
                                    {"min_length", "I"},
                                    {"repetition_penalty", "T"},
                                    {"vocab_mask", "I"},
                                    {"prefix_vocab_mask", "I"},
                                    {"attention_mask", "I"},
                                    {"presence_mask", "I"},
                                    {"seed", "I"}},
                                   {{"sequences", "I", needed}, {"filtered_logits", "T"}});
    for (const char* number : {"filter_value", "presence_penalty", "temperature", "top_p"})
        s.Attr(number, "", AttributeProto::FLOAT, false);
    for (const char* number : {"custom", "min_tokens_to_keep"}) s.Attr(number, "", AttributeProto::INT, false);
    return s;
}
constexpr schema_maker own_makers[] = {{"BeamSearch", 1, beam_search_schema},
                                       {"GreedySearch", 1, greedy_search_schema},
                                       {"Sampling", 1, sampling_schema},
                                       {"WhisperBeamSearch", 1, whisper_beam_search_schema}};
}  // namespace

int generation_tokens(const ::onnx::NodeProto& n) {
    const auto type = std::ranges::find(n.attribute(), "model_type", &AttributeProto::name);
    const std::int64_t otherwise = n.op_type() == "WhisperBeamSearch" ? whisper_type : 0;
    return generation_tokens(type == n.attribute().end() ? otherwise : type->i());
}
const std::span<const schema_maker> own_schema_makers{own_makers};
}  // namespace loading
}  // namespace v1
}  // namespace inlay
