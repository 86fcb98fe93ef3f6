// Types of inputs and outputs by an operator's schema: kernels rely on them, and no model may pass or declare
// other ones.
#include "proto.hpp"
#include <onnx/defs/schema.h>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace loading {
using ::onnx::TypeProto;

static element element_named(std::string_view name) {
    for (int e = 1; e < int(element::object); ++e)
        if (name_of(element(e)) == name) return element(e);
    return element::undefined;
}
// Removes `begin` and the last parenthesis, if the text has them.
static bool unwrap(std::string_view& text, std::string_view begin) {
    if (!text.starts_with(begin) || !text.ends_with(')')) return false;
    text = text.substr(begin.size(), text.size() - begin.size() - 1);
    return true;
}
value_type type_of_text(std::string_view text) {
    value_type t;
    for (; t.depth < value_type::max_depth; ++t.depth) {
        auto& c = t.containers[std::size_t(t.depth)];
        if (unwrap(text, "seq("))
            c.kind = value_kind::sequence;
        else if (unwrap(text, "optional("))
            c.kind = value_kind::optional;
        else if (const std::size_t comma = text.find(','); comma != text.npos && unwrap(text, "map(")) {
            c = {value_kind::map, element_named(text.substr(0, comma - 4))};
            text.remove_prefix(comma - 3);
        } else
            break;
    }
    const bool is_tensor = unwrap(text, "tensor(");
    t.type = is_tensor || t.depth > 0 ? element_named(text) : element::object;  // map(string,float): of scalars
    return t;
}

static void read_tensor(const TypeProto::Tensor& from, value_type& t, const std::function<std::string()>& subject,
                        const dim_numbers& number) {
    if (from.elem_type()) t.type = element_of_proto(from.elem_type(), subject());
    if (!number || !from.has_shape()) return;
    if (from.shape().dim_size() > max_rank) refuse_rank(subject(), from.shape().dim_size());
    t.shape = {};
    int64_t count = 64;  // bytes of an element are far fewer
    for (auto& d : from.shape().dim()) {
        if (d.has_dim_value()) {
            if (d.dim_value() < -1)
                refuse(error_code::invalid_model,
                       subject() + " has the negative dimension " + std::to_string(d.dim_value()));
            if (d.dim_value() > 0 && __builtin_mul_overflow(count, d.dim_value(), &count))
                refuse(error_code::limit_exceeded, subject() + " has more elements than can be counted");
        }
        t.shape.push_back(d.has_dim_value() ? d.dim_value() : d.dim_param().empty() ? -1 : number(d.dim_param()));
    }
}
value_type read_type(const TypeProto& from, const std::function<std::string()>& subject, const dim_numbers& number) {
    value_type t;
    const TypeProto* inner = &from;
    const auto enter = [&](value_type::container c, const TypeProto& next) {
        if (t.depth == value_type::max_depth)
            refuse(error_code::unsupported_model, subject() + " has more than " +
                                                      std::to_string(value_type::max_depth) +
                                                      " sequences, maps and optionals within each other");
        t.containers[std::size_t(t.depth++)] = c;
        inner = &next;
    };
    for (;;) switch (inner->value_case()) {
            case TypeProto::kSequenceType: enter({value_kind::sequence}, inner->sequence_type().elem_type()); break;
            case TypeProto::kOptionalType: enter({value_kind::optional}, inner->optional_type().elem_type()); break;
            case TypeProto::kMapType: {
                const auto& m = inner->map_type();
                enter({value_kind::map, element_of_proto(m.key_type(), "the keys of a map")}, m.value_type());
                break;
            }
            case TypeProto::kTensorType: read_tensor(inner->tensor_type(), t, subject, number); return t;
            case TypeProto::VALUE_NOT_SET: return t;
            case TypeProto::kSparseTensorType:
                refuse(error_code::unsupported_model, subject() + " is a sparse tensor, which is not supported");
            default: refuse(error_code::unsupported_model, subject() + " has a type that is not supported");
        }
}
void to_proto(const value_type& t, TypeProto& p, std::span<const std::string_view> symbols) {
    TypeProto* inner = &p;
    for (int i = 0; i < t.depth; ++i) {
        const auto [kind, key] = t.containers[std::size_t(i)];
        switch (kind) {
            case value_kind::sequence: inner = inner->mutable_sequence_type()->mutable_elem_type(); break;
            case value_kind::optional: inner = inner->mutable_optional_type()->mutable_elem_type(); break;
            default:
                inner->mutable_map_type()->set_key_type(int(key));
                inner = inner->mutable_map_type()->mutable_value_type();
        }
    }
    auto* tensor = inner->mutable_tensor_type();
    tensor->set_elem_type(int(t.type));
    if (t.shape.rank < 0) return;
    tensor->mutable_shape();
    for (int64_t d : t.shape) {
        auto* dim = tensor->mutable_shape()->add_dim();
        if (d >= 0)
            dim->set_dim_value(d);
        else if (d < -1 && std::size_t(-2 - d) < symbols.size())
            dim->set_dim_param(std::string(symbols[std::size_t(-2 - d)]));
    }
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

static bool agree(value_type a, const value_type& b) { return a.refine(b); }
static std::vector<value_type> allowed_types(const ::onnx::OpSchema::FormalParameter& p) {
    std::vector<value_type> types;
    for (const auto& t : p.GetTypes()) types.push_back(type_of_text(*t));
    return types;
}
static bool allows(const ::onnx::OpSchema::FormalParameter& p, const value_type& t) {
    const std::string text = to_string(t);
    return std::ranges::any_of(p.GetTypes(), [&](const auto& type) { return *type == text; }) ||
           std::ranges::any_of(allowed_types(p), [&](const value_type& type) { return agree(type, t); });
}

static std::string short_text(const value_type& t) {
    return t.is_tensor() ? std::string(name_of(t.type)) : t.depth == 0 ? "sequence, map or optional" : to_string(t);
}
std::string has_type_text(const value_type& t) {
    return (t.is_tensor() ? "has elements of type " : "is of type ") + short_text(t);
}
static std::string text_of(std::vector<value_type> list) {
    std::ranges::sort(list, {}, [](const value_type& t) {
        return std::tuple(t.depth, t.containers[0].kind, t.containers[0].key, t.type);
    });
    std::string text;
    for (const value_type& t : list) text += (text.empty() ? "" : ", ") + short_text(t);
    return text;
}

// ONNX's sequence operators name the sequence S and its tensors T, and do not declare the relation.
static value_type member_of(const value_type& s) {
    return s.depth == 1 && s.kind() == value_kind::sequence ? s.contents() : value_type{};
}
static value_type sequence_of(const value_type& t) {
    return t.is_tensor() && t.known() ? value_type{t.type}.within({value_kind::sequence}) : value_type{};
}

void check_input_types(const ::onnx::NodeProto& n, const ::onnx::OpSchema& schema, std::span<const value_type> inputs) {
    const auto input = [&](std::size_t k) {
        return "the input `" + one_line(n.input(int(k))) + "` (" + formal(schema.inputs(), k)->GetName() + ") of " +
               text_of(n) + " " + has_type_text(inputs[k]);
    };
    const std::string version = "version " + std::to_string(schema.SinceVersion()) + " of the operator";
    std::unordered_map<std::string, std::size_t> first;  // the input that determines a type variable
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const auto* p = formal(schema.inputs(), k);
        if (!p || !inputs[k].known()) continue;
        if (!allows(*p, inputs[k]))
            refuse(error_code::invalid_model, input(k) + "; " + version + " takes " + text_of(allowed_types(*p)));
        if (mixed(*p)) continue;
        const auto [it, isnew] = first.emplace(p->GetTypeStr(), k);
        if (!isnew && !agree(inputs[it->second], inputs[k]))
            refuse(error_code::invalid_model, input(k) + ", and `" + one_line(n.input(int(it->second))) + "` has " +
                                                  short_text(inputs[it->second]) + "; " + version +
                                                  " takes one type for both");
    }
    const auto s = first.find("S"), t = first.find("T");
    if (s == first.end() || t == first.end()) return;
    const value_type member = member_of(inputs[s->second]);
    if (member.known() && !agree(member, inputs[t->second]))
        refuse(error_code::invalid_model, input(t->second) + ", and `" + one_line(n.input(int(s->second))) +
                                              "` is of type " + short_text(inputs[s->second]) + "; " + version +
                                              " takes a sequence and a tensor of its elements");
}

// What all of the types have in common.
static value_type common_type(std::span<const value_type> list) {
    if (list.size() == 1) return list[0];
    value_type common;
    const bool no_tensors = std::ranges::none_of(list, &value_type::is_tensor);
    if (!no_tensors || list.empty()) return common;
    const auto container = list[0].containers[0];
    if (std::ranges::all_of(list, [&](const value_type& t) { return t.depth > 0 && t.containers[0] == container; }))
        return common.within(container);
    common.type = element::object;
    return common;
}
// Of the only output of an operator whose schema does not express how its containers follow from attributes and inputs.
static value_type container_type(const ::onnx::NodeProto& n, std::span<const value_type> inputs) {
    const auto attribute = [&](std::string_view name) {
        const auto it = std::ranges::find(n.attribute(), name, &::onnx::AttributeProto::name);
        return it == n.attribute().end() ? nullptr : &*it;
    };
    const value_type x = inputs.empty() ? value_type{} : inputs[0];
    const std::string& op = n.op_type();
    if (op == "ZipMap" && n.domain() == "ai.onnx.ml") {
        const auto* names = attribute("classlabels_strings");
        const element key = names && names->strings_size() ? element::string : element::i64;
        return value_type{element::f32}.within({value_kind::map, key}).within({value_kind::sequence});
    }
    if (!n.domain().empty()) return {};
    if (op == "SequenceEmpty") {
        const auto* type = attribute("dtype");
        const auto number = type ? std::clamp<int64_t>(type->i(), 0, 1000) : int64_t(element::f32);
        const element e = element_of_proto(int(number), "what " + text_of(n) + " makes");
        return value_type{e}.within({value_kind::sequence});
    }
    if (op == "Optional") {
        const auto* type = attribute("type");
        const value_type content =
            x.known() || !type ? x : read_type(type->tp(), [&] { return "`type` of " + text_of(n); });
        return content.known() && content.depth < value_type::max_depth ? content.within({value_kind::optional})
                                                                        : value_type{};
    }
    if (op == "OptionalGetElement") return x.kind() == value_kind::optional ? x.contents() : x;
    return {};
}
std::vector<value_type> output_types(const ::onnx::NodeProto& n, const ::onnx::OpSchema& schema,
                                     std::span<const value_type> inputs) {
    std::unordered_map<std::string, value_type> bound;  // type variables
    for (std::size_t k = 0; k < inputs.size(); ++k)
        if (const auto* p = formal(schema.inputs(), k); p && inputs[k].known() && !mixed(*p))
            bound.emplace(p->GetTypeStr(), inputs[k]);
    const auto related = [&](const std::string& variable) {
        const auto it = bound.find(variable == "S" ? "T" : "S");
        if (it == bound.end() || (variable != "S" && variable != "T")) return value_type{};
        return variable == "S" ? sequence_of(it->second) : member_of(it->second);
    };
    std::vector<value_type> types(std::size_t(n.output_size()));
    for (std::size_t k = 0; k < types.size(); ++k) {
        const auto* p = formal(schema.outputs(), k);
        if (!p || mixed(*p)) continue;
        if (const auto it = bound.find(p->GetTypeStr()); it != bound.end()) {
            types[k] = it->second;
            continue;
        }
        const value_type relation = related(p->GetTypeStr());
        types[k] = relation.known() && allows(*p, relation) ? relation : common_type(allowed_types(*p));
    }
    if (types.size() == 1)
        if (const value_type t = container_type(n, inputs); t.known() && types[0].refine(t)) types[0].shape = t.shape;
    return types;
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
