// The operators' schemas, each created when a model first needs it. The onnx library's own registry creates those of
// all operators and versions at its first use, which takes longer than everything else in loading a small model.
#pragma once
#include <algorithm>
#include <climits>
#include <onnx/defs/schema.h>
#include <span>
#include <string_view>

namespace inlay {
inline namespace v1 {
namespace loading {
struct schema_maker {
    std::string_view name;
    int version;
    ::onnx::OpSchema (*make)();
};
extern const std::span<const schema_maker>
    schema_makers;  // by name and version; cmake/inlay_schema_makers.cmake writes them
extern const std::span<const schema_maker> own_schema_makers;  // of com.microsoft, by name: own_schemas.cpp
// How many of the first inputs of the bodies of GreedySearch, Sampling and BeamSearch are 32-bit integers: of decoders
// like GPT-2's the tokens, positions and a mask; of T5, and of its encoder, only the first one is certain; Whisper's
// encoder reads audio features.
constexpr int generation_tokens(std::int64_t model_type) { return model_type == 0 ? 3 : model_type == 1 ? 1 : 0; }
int generation_tokens(const ::onnx::NodeProto&);

// The library's inference rules, which they have, are never called: types and shapes are those of our own operators.
const ::onnx::ISchemaRegistry& schemas();
// Of operators in files of older opsets, as ONNX Runtime's optimiser wrote them: the version that is meant there
// too. 0: no such operator.
int first_version(std::string_view op, std::string_view domain);
// Of operators that the loader itself writes into models of older opsets, in place of others (microsoft.cpp): the
// version that it means there. 0: no such operator.
int written_version(std::string_view op, std::string_view domain);
// The newest version of an operator that an opset of its domain has, or null. Where an older opset has none, the first
// version of those that models may have there, or that the loader itself writes in place of others.
inline const ::onnx::OpSchema* find_schema(const std::string& op, int opset, const std::string& domain) {
    return schemas().GetSchema(op, opset, domain);
}
// The schema of a node: Slice with its ranges as inputs, as DynamicSlice was in older opsets, is Slice of version 10.
const ::onnx::OpSchema* schema_of(const ::onnx::NodeProto& n, int opset);
// Of operators of com.microsoft; true for unknown ones.
bool has_microsoft_attribute(std::string_view op, std::string_view name);
// Whether a model of that opset may have the operator.
inline bool has_operator(const std::string& op, int opset, const std::string& domain) {
    const ::onnx::OpSchema* s = find_schema(op, opset, domain);
    return s && (s->SinceVersion() <= opset || first_version(op, domain));
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
