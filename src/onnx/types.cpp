// Element types of inputs and outputs by an operator's schema: what kernels rely on, and what no model may give or
// declare otherwise.
#include "proto.hpp"
#include <onnx/defs/schema.h>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace loading {
static element from_text(std::string_view text) {  // tensor(float), seq(tensor(float)), ...
    if (!text.starts_with("tensor(")) return element::object;
    const std::string_view name = text.substr(7, text.size() - 8);
    for (int e = 1; e < int(element::object); ++e)
        if (name_of(element(e)) == name) return element(e);
    return element::undefined;
}

// The formal parameter of argument k; the last one may be variadic.
static const ::onnx::OpSchema::FormalParameter* formal(const std::vector<::onnx::OpSchema::FormalParameter>& list,
                                                       std::size_t k) {
    if (k < list.size()) return &list[k];
    return !list.empty() && list.back().GetOption() == ::onnx::OpSchema::Variadic ? &list.back() : nullptr;
}

static bool mixed(const ::onnx::OpSchema::FormalParameter& p) {
    return p.GetOption() == ::onnx::OpSchema::Variadic && !p.GetIsHomogeneous();
}

static std::string text_of(element e) {
    return e == element::object ? "sequence, map or optional" : std::string(name_of(e));
}
static std::string text_of(element_set s) {
    std::string list;
    for (int e = 1; e < element_count; ++e)
        if (s.has(element(e))) list += (list.empty() ? "" : ", ") + text_of(element(e));
    return list;
}

void check_input_types(const ::onnx::NodeProto& n, const ::onnx::OpSchema& schema, std::span<const element> inputs) {
    const auto input = [&](std::size_t k, const auto& p) {
        return "the input `" + one_line(n.input(int(k))) + "` (" + p.GetName() + ") of " + text_of(n);
    };
    const std::string version = "version " + std::to_string(schema.SinceVersion()) + " of the operator";
    std::unordered_map<std::string, std::size_t> first;  // the input that gives a type variable its type
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const auto* p = formal(schema.inputs(), k);
        if (!p || inputs[k] == element::undefined) continue;
        element_set allowed;
        for (const auto& t : p->GetTypes()) allowed.bits |= 1u << int(from_text(*t));
        if (!allowed.has(inputs[k]))
            refuse(error_code::invalid_model, input(k, *p) + " has elements of type " + text_of(inputs[k]) + "; " +
                                                  version + " takes " + text_of(allowed));
        if (mixed(*p)) continue;
        const auto [it, isnew] = first.emplace(p->GetTypeStr(), k);
        if (!isnew && inputs[it->second] != inputs[k])
            refuse(error_code::invalid_model, input(k, *p) + " has elements of type " + text_of(inputs[k]) + ", and `" +
                                                  one_line(n.input(int(it->second))) + "` has " +
                                                  text_of(inputs[it->second]) + "; " + version +
                                                  " takes one type for both");
    }
}

std::vector<element> output_types(const ::onnx::NodeProto& n, const ::onnx::OpSchema& schema,
                                  std::span<const element> inputs) {
    std::unordered_map<std::string, element> bound;  // type variables
    for (std::size_t k = 0; k < inputs.size(); ++k)
        if (const auto* p = formal(schema.inputs(), k); p && inputs[k] != element::undefined && !mixed(*p))
            bound.emplace(p->GetTypeStr(), inputs[k]);
    std::vector<element> types(std::size_t(n.output_size()), element::undefined);
    for (std::size_t k = 0; k < types.size(); ++k) {
        const auto* p = formal(schema.outputs(), k);
        if (!p || mixed(*p)) continue;
        if (const auto it = bound.find(p->GetTypeStr()); it != bound.end())
            types[k] = it->second;
        else if (p->GetTypes().size() == 1)
            types[k] = from_text(**p->GetTypes().begin());
        else {  // all sequences, maps or optionals
            types[k] = element::object;
            for (const auto& t : p->GetTypes())
                if (from_text(*t) != element::object) types[k] = element::undefined;
        }
    }
    return types;
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
