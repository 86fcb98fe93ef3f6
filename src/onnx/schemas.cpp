// Makes schemas and keeps them as long as the program runs.
#include "schemas.hpp"
#include <array>
#include <map>
#include <mutex>
#include <ranges>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::InferenceContext;
using ::onnx::OpSchema;
using ::onnx::TypeProto;

// What the library's inference rules see: an input that is there but has no known type is of a type that says nothing,
// since many of them look into an input's type without asking whether there is one.
class typed_context final : public InferenceContext {
    InferenceContext& c_;

  public:
    explicit typed_context(InferenceContext& c) : c_(c) {}
    bool lacks_types() const {
        for (std::size_t k = 0; k < c_.getNumInputs(); ++k)
            if (c_.hasInput(k) && !c_.getInputType(k)) return true;
        return false;
    }
    const TypeProto* getInputType(std::size_t k) const override {
        const TypeProto* type = c_.getInputType(k);
        return type || !c_.hasInput(k) ? type : &TypeProto::default_instance();
    }
    const AttributeProto* getAttribute(const std::string& name) const override { return c_.getAttribute(name); }
    std::size_t getNumInputs() const override { return c_.getNumInputs(); }
    bool hasInput(std::size_t k) const override { return c_.hasInput(k); }
    const ::onnx::TensorProto* getInputData(std::size_t k) const override { return c_.getInputData(k); }
    std::size_t getNumOutputs() const override { return c_.getNumOutputs(); }
    TypeProto* getOutputType(std::size_t k) override { return c_.getOutputType(k); }
    bool hasOutput(std::size_t k) override { return c_.hasOutput(k); }
    ::onnx::GraphInferencer* getGraphAttributeInferencer(const std::string& name) override {
        return c_.getGraphAttributeInferencer(name);
    }
    const ::onnx::SparseTensorProto* getInputSparseData(std::size_t k) const override {
        return c_.getInputSparseData(k);
    }
    const ::onnx::TensorShapeProto* getSymbolicInput(std::size_t k) const override { return c_.getSymbolicInput(k); }
    std::string getDisplayName() const override { return c_.getDisplayName(); }
};

// The argument's position in a list of formal ones, of which the last may stand for many; -1: there is none.
int formal_position(const std::vector<OpSchema::FormalParameter>& list, std::size_t k) {
    if (k < list.size()) return int(k);
    return !list.empty() && list.back().GetOption() == OpSchema::Variadic ? int(list.size()) - 1 : -1;
}
// For schemas without a rule: an output has the element type of the first input that shares its type variable.
void propagate_types(const OpSchema& s, InferenceContext& c) {
    for (std::size_t y = 0; y < c.getNumOutputs(); ++y) {
        const int out = formal_position(s.outputs(), y);
        for (std::size_t x = 0; out >= 0 && x < c.getNumInputs(); ++x) {
            const int in = formal_position(s.inputs(), x);
            const TypeProto* type = in >= 0 ? c.getInputType(x) : nullptr;
            if (!type || !type->tensor_type().elem_type() ||
                s.inputs()[std::size_t(in)].GetTypeStr() != s.outputs()[std::size_t(out)].GetTypeStr())
                continue;
            c.getOutputType(y)->mutable_tensor_type()->set_elem_type(type->tensor_type().elem_type());
            break;
        }
    }
}
// Where a rule gives up for want of an input's type, the element types that it told before that stay: those of
// attributes.
void infer_guarded(const ::onnx::InferenceFunction& rule, InferenceContext& c) {
    typed_context typed(c);
    try {
        rule(typed);
    } catch (const ::onnx::InferenceError&) {
        if (!typed.lacks_types()) throw;
        for (std::size_t k = 0; k < c.getNumOutputs(); ++k)
            if (TypeProto& type = *c.getOutputType(k); type.has_tensor_type())
                type.mutable_tensor_type()->clear_shape();
    }
}
// The rule gives Y the type of X; the schema, that of scale.
void infer_rms_normalization(const ::onnx::InferenceFunction& rule, InferenceContext& c) {
    infer_guarded(rule, c);
    const TypeProto* scale = c.getNumInputs() > 1 ? c.getInputType(1) : nullptr;
    if (scale && c.getNumOutputs() > 0)
        c.getOutputType(0)->mutable_tensor_type()->set_elem_type(scale->tensor_type().elem_type());
}
void guard_inference(OpSchema& s) {
    if (s.Name() == "RMSNormalization")
        s.TypeAndShapeInferenceFunction(
            [rule = s.GetTypeAndShapeInferenceFunction()](InferenceContext& c) { infer_rms_normalization(rule, c); });
    else if (s.has_type_and_shape_inference_function())
        s.TypeAndShapeInferenceFunction(
            [rule = s.GetTypeAndShapeInferenceFunction()](InferenceContext& c) { infer_guarded(rule, c); });
    else if (!s.HasFunction())  // schemas stay where they are: in the registry's map
        s.TypeAndShapeInferenceFunction([&s](InferenceContext& c) { propagate_types(s, c); });
}

class registry final : public ::onnx::ISchemaRegistry {
    mutable std::mutex mutex_;
    mutable std::map<const schema_maker*, OpSchema> schemas_;

    const OpSchema& schema_of(const schema_maker& m) const {
        const std::lock_guard lock(mutex_);
        if (const auto it = schemas_.find(&m); it != schemas_.end()) return it->second;
        const auto made = schemas_.emplace(&m, m.make()).first;
        try {
            made->second.Finalize();
            guard_inference(made->second);
        } catch (...) {  // of the heap: half a schema would be wrong for as long as the program runs
            schemas_.erase(made);
            throw;
        }
        return made->second;
    }

  public:
    const OpSchema* GetSchema(const std::string& op, int newest, const std::string& domain) const override {
        const auto all = std::ranges::equal_range(domain == "com.microsoft" ? own_schema_makers : schema_makers,
                                                  std::string_view(op), {}, &schema_maker::name);
        for (const schema_maker& m : std::views::reverse(all))
            if (m.version <= newest)
                if (const auto& s = schema_of(m); s.domain() == domain) return &s;
        for (const int first : {first_version(op, domain), written_version(op, domain)})
            if (first > newest) return GetSchema(op, first, domain);
        return nullptr;
    }
};

// Schemas by which nodes are checked: not the one of GroupNormalization that says no more than that it is deprecated.
class checked_registry final : public ::onnx::ISchemaRegistry {
  public:
    const OpSchema* GetSchema(const std::string& op, int newest, const std::string& domain) const override {
        const OpSchema* s = find_schema(op, newest, domain);
        return s && s->Deprecated() && op == "GroupNormalization" ? find_schema(op, INT_MAX, domain) : s;
    }
};
}  // namespace

int first_version(std::string_view op, std::string_view domain) {
    if (!domain.empty()) return 0;
    return op == "LayerNormalization" ? 17 : op == "RMSNormalization" ? 23 : 0;
}
int written_version(std::string_view op, std::string_view domain) {
    constexpr std::pair<std::string_view, int> all[] = {
        {"CastLike", 15}, {"Celu", 12},  {"GatherND", 11},        {"HardSwish", 14},
        {"Range", 11},    {"Trilu", 14}, {"ThresholdedRelu", 10}, {"Unique", 11},
    };
    const auto* found = std::ranges::find(all, op, &std::pair<std::string_view, int>::first);
    return domain.empty() && found != std::end(all) ? found->second : 0;
}
const ::onnx::ISchemaRegistry& schemas() {
    static const registry all;
    return all;
}
const ::onnx::ISchemaRegistry& checked_schemas() {
    static const checked_registry all;
    return all;
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
