// Schemas of operators that onnx has none of, where inference has to go into their subgraphs: GreedySearch, Sampling
// and BeamSearch of com.microsoft.
#include "schemas.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::InferenceContext;
using ::onnx::OpSchema;
using ::onnx::TypeProto;

// What bodies declare of the rest of their inputs is checked in a run.
void infer_generation(InferenceContext& c) {
    for (std::size_t k = 0; k < c.getNumOutputs(); ++k)
        c.getOutputType(k)->mutable_tensor_type()->set_elem_type(k == 0 ? ::onnx::TensorProto::INT32
                                                                        : ::onnx::TensorProto::FLOAT);
    TypeProto tokens;
    tokens.mutable_tensor_type()->set_elem_type(::onnx::TensorProto::INT32);
    const AttributeProto* type = c.getAttribute("model_type");
    const auto known = std::size_t(generation_tokens(type ? type->i() : 0));
    for (const char* name : {"decoder", "init_decoder", "encoder"}) {
        const AttributeProto* body = c.getAttribute(name);
        auto* inside = body ? c.getGraphAttributeInferencer(name) : nullptr;
        if (!inside) continue;
        std::vector<const TypeProto*> types(std::size_t(body->g().input_size()), nullptr);
        for (std::size_t k = 0; k < std::min(types.size(), known); ++k) types[k] = &tokens;
        inside->doInferencing(types, std::vector<const ::onnx::TensorProto*>(types.size(), nullptr));
    }
}
struct schema_argument {
    const char *name, *type;
    OpSchema::FormalParameterOption option = OpSchema::Optional;
};
OpSchema generation_schema(const char* name, std::initializer_list<schema_argument> inputs,
                           std::initializer_list<schema_argument> outputs) {
    OpSchema s;
    s.SetName(name).SetDomain("com.microsoft").SinceVersion(1);
    int k = 0;
    for (const schema_argument& a : inputs) s.Input(k++, a.name, "", a.type, a.option);
    k = 0;
    for (const schema_argument& a : outputs) s.Output(k++, a.name, "", a.type, a.option);
    s.TypeConstraint("I", {"tensor(int32)"}, "").TypeConstraint("T", {"tensor(float)"}, "");
    for (const char* graph : {"init_decoder", "encoder"}) s.Attr(graph, "", AttributeProto::GRAPH, false);
    s.Attr("decoder", "", AttributeProto::GRAPH, true);
    for (const char* token : {"eos_token_id", "pad_token_id"}) s.Attr(token, "", AttributeProto::INT, true);
    for (const char* number : {"decoder_start_token_id", "model_type", "no_repeat_ngram_size", "vocab_size"})
        s.Attr(number, "", AttributeProto::INT, false);
    s.TypeAndShapeInferenceFunction(infer_generation);
    return s;
}
constexpr auto needed = OpSchema::Single;
OpSchema beam_search_schema() {
    OpSchema s = generation_schema("BeamSearch",
                                   {{"input_ids", "I", needed},
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
                                    {"logits_processor", "I"}},
                                   {{"sequences", "I", needed}, {"sequences_scores", "T"}, {"scores", "T"}});
    s.Attr("early_stopping", "", AttributeProto::INT, false);
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
constexpr schema_maker own_makers[] = {
    {"BeamSearch", 1, beam_search_schema}, {"GreedySearch", 1, greedy_search_schema}, {"Sampling", 1, sampling_schema}};
}  // namespace

int generation_tokens(const ::onnx::NodeProto& n) {
    const auto type = std::ranges::find(n.attribute(), "model_type", &AttributeProto::name);
    return generation_tokens(type == n.attribute().end() ? 0 : type->i());
}
const std::span<const schema_maker> own_schema_makers{own_makers};
}  // namespace loading
}  // namespace v1
}  // namespace inlay
