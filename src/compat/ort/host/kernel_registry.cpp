// Which kernel of a registry is for a node. The names of types are those of onnx's schemas.
#include "onnx/schemas.hpp"
#include <inlay/ort_provider.hpp>

namespace inlay {
inline namespace v1 {
namespace ort {
namespace {
using formal_parameters = std::vector<::onnx::OpSchema::FormalParameter>;

const formal_parameters::value_type* formal_at(const formal_parameters& parameters, std::size_t k) {
    if (k < parameters.size()) return &parameters[k];
    const bool repeats = !parameters.empty() && parameters.back().GetOption() == ::onnx::OpSchema::Variadic;
    return repeats ? &parameters.back() : nullptr;
}
// The first argument that is present and has this type, or this name, in the schema.
const NodeArg* argument_named(const formal_parameters& formal, const std::vector<const NodeArg*>& arguments,
                              const std::string& name) {
    for (std::size_t k = 0; k < arguments.size(); ++k)
        if (const auto* f = formal_at(formal, k); f && arguments[k]->Exists())
            if (f->GetTypeStr() == name || f->GetName() == name) return arguments[k];
    return nullptr;
}
bool contains(const std::vector<MLDataType>& types, element e) {
    for (MLDataType t : types)
        if (t->Type() == e) return true;
    return false;
}
// Why the node's types are none of the kernel's; empty: they are.
std::string type_mismatch(const Node& node, const KernelDef& def) {
    if (def.TypeConstraints().empty()) return {};
    const auto* schema = loading::find_schema(node.OpType(), node.SinceVersion(), node.Domain());
    if (!schema) return "it has no schema, which would name its types";
    for (const auto& [name, types] : def.TypeConstraints()) {
        const NodeArg* a = argument_named(schema->inputs(), node.InputDefs(), name);
        if (!a) a = argument_named(schema->outputs(), node.OutputDefs(), name);
        if (a && !contains(types, a->Element())) return name + " is " + *a->Type();
        if (!a && !schema->typeConstraintMap().contains(name)) return "its schema has no type `" + name + "`";
    }
    return {};
}
bool overlap(const KernelDef& a, const KernelDef& b) {
    const auto [a_since, a_through] = a.SinceVersion();
    const auto [b_since, b_through] = b.SinceVersion();
    if (a.Domain() != b.Domain() || a.Provider() != b.Provider()) return false;
    if (a_since > b_through || b_since > a_through) return false;
    for (const auto& [name, types] : a.TypeConstraints()) {
        const auto entry = b.TypeConstraints().find(name);
        if (entry == b.TypeConstraints().end()) continue;
        bool common = false;
        for (MLDataType t : types) common = common || contains(entry->second, t->Type());
        if (!common) return false;
    }
    return true;
}
std::string versions_of(const KernelDef& def) {
    const auto [since, through] = def.SinceVersion();
    const bool open = through == std::numeric_limits<int>::max();
    return std::to_string(since) + (open || since == through ? "" : " to " + std::to_string(through));
}
bool has_version(const KernelDef& def, int version) {
    const auto [since, through] = def.SinceVersion();
    if (through == std::numeric_limits<int>::max()) return version == since;
    return since <= version && version <= through;
}
}  // namespace

Status KernelRegistry::Register(KernelCreateInfo&& info) {
    if (!info.kernel_def) return Status(common::ONNXRUNTIME, common::INVALID_ARGUMENT, "a kernel has no definition");
    const std::string op = info.kernel_def->OpName();
    const auto [first, end] = kernels_.equal_range(op);
    for (auto at = first; at != end; ++at)
        if (overlap(*at->second.kernel_def, *info.kernel_def))
            return Status(common::ONNXRUNTIME, common::FAIL,
                          "two kernels of " + op + " for the same nodes: versions " +
                              versions_of(*at->second.kernel_def) + " and " + versions_of(*info.kernel_def));
    kernels_.emplace(op, std::move(info));
    return Status::OK();
}
template <class F>
Status KernelRegistry::find(const std::string& op, const std::string& domain, int version, ProviderType provider,
                            const KernelCreateInfo** kernel, F types_differ) const {
    if (kernel) *kernel = nullptr;
    std::string versions, types;
    const auto [first, end] = kernels_.equal_range(op);
    for (auto at = first; at != end; ++at) {
        const KernelDef& def = *at->second.kernel_def;
        if (def.Domain() != domain || def.Provider() != provider) continue;
        versions += (versions.empty() ? "" : ", ") + versions_of(def);
        if (!has_version(def, version)) continue;
        std::string mismatch = types_differ(def);
        if (mismatch.empty()) {
            if (kernel) *kernel = &at->second;
            return Status::OK();
        }
        types += (types.empty() ? "" : ", ") + mismatch;
    }
    std::string message = "its registry has no kernel of " + op;
    if (!types.empty())
        message = "its kernels of " + op + " do not take the types: " + types;
    else if (!versions.empty())
        message = "its kernels of " + op + " are for versions " + versions + ", not " + std::to_string(version);
    return Status(common::ONNXRUNTIME, common::FAIL, message);
}
Status KernelRegistry::TryFindKernel(const Node& node, ProviderType provider, const KernelCreateInfo** kernel) const {
    return find(node.OpType(), node.Domain(), node.SinceVersion(), provider, kernel,
                [&](const KernelDef& def) { return type_mismatch(node, def); });
}
Status KernelRegistry::TryFindKernel(ProviderType provider, std::string_view op, std::string_view domain, int version,
                                     const TypeConstraintMap& types, const KernelCreateInfo** kernel) const {
    return find(std::string(op), std::string(domain), version, provider, kernel, [&](const KernelDef& def) {
        for (const auto& [name, type] : types) {
            const auto constraint = def.TypeConstraints().find(name);
            if (constraint == def.TypeConstraints().end()) return "they have no type `" + name + "`";
            if (!contains(constraint->second, type->Type())) return name + " is " + std::string(name_of(type->Type()));
        }
        return std::string();
    });
}
}  // namespace ort
}  // namespace v1
}  // namespace inlay
