// The documents' kernels: a definition says which nodes one is for, a registry finds it, OpKernel runs it.
#pragma once
#include "graph.hpp"
#include <functional>
#include <limits>
#include <map>

namespace inlay {
inline namespace v1 {
namespace ort {
inline constexpr const char* kOnnxDomain = "";
inline constexpr const char* kOnnxDomainAlias = "ai.onnx";
inline constexpr const char* kMSDomain = "com.microsoft";
inline constexpr const char* kMLDomain = "ai.onnx.ml";
using ProviderType = const std::string&;

class KernelDef {
    friend class KernelDefBuilder;
    std::string op_, domain_, provider_;
    int since_ = 1, through_ = std::numeric_limits<int>::max();
    std::map<std::string, std::vector<MLDataType>> types_;

  public:
    const std::string& OpName() const { return op_; }
    const std::string& Domain() const { return domain_; }
    const std::string& Provider() const { return provider_; }
    std::pair<int, int> SinceVersion() const { return {since_, through_}; }
    const std::map<std::string, std::vector<MLDataType>>& TypeConstraints() const { return types_; }
};
class KernelDefBuilder {
    std::unique_ptr<KernelDef> def_ = std::make_unique<KernelDef>();

  public:
    static std::unique_ptr<KernelDefBuilder> Create() { return std::make_unique<KernelDefBuilder>(); }
    KernelDefBuilder& SetName(const std::string& op) {
        def_->op_ = op;
        return *this;
    }
    KernelDefBuilder& SetDomain(const std::string& domain) {
        def_->domain_ = domain == kOnnxDomainAlias ? kOnnxDomain : domain;
        return *this;
    }
    // Without an end: for this version only, since a later one may be another operator.
    KernelDefBuilder& SinceVersion(int since, int through = std::numeric_limits<int>::max()) {
        def_->since_ = since;
        def_->through_ = through;
        return *this;
    }
    KernelDefBuilder& Provider(const std::string& type) {
        def_->provider_ = type;
        return *this;
    }
    // The name of a type in the operator's schema, or of an input or output there.
    KernelDefBuilder& TypeConstraint(const std::string& name, std::vector<MLDataType> types) {
        def_->types_[name] = std::move(types);
        return *this;
    }
    KernelDefBuilder& TypeConstraint(const std::string& name, MLDataType type) {
        return TypeConstraint(name, std::vector{type});
    }
    KernelDefBuilder& MayInplace(int, int) { return *this; }  // it may: regions never do so here
    std::unique_ptr<KernelDef> Build() { return std::move(def_); }
};

class IExecutionProvider;
// What a kernel is created for: a node, its attributes and its constant inputs, which are in the provider's memory.
class OpKernelInfo {
    const Node* node_;
    const KernelDef* def_;
    const IExecutionProvider* provider_;
    std::shared_ptr<const std::vector<std::optional<Tensor>>> constants_;  // by input

    const AttributeProto* find(const std::string& name, AttributeProto_AttributeType type) const {
        const auto at = node_->GetAttributes().find(name);
        return at == node_->GetAttributes().end() || at->second.type() != type ? nullptr : &at->second;
    }
    template <class T> static constexpr AttributeProto_AttributeType kind() {
        if constexpr (std::is_same_v<T, float>)
            return AttributeProto_AttributeType_FLOAT;
        else if constexpr (std::is_same_v<T, std::string>)
            return AttributeProto_AttributeType_STRING;
        else
            return AttributeProto_AttributeType_INT;
    }
    template <class T> static constexpr AttributeProto_AttributeType list_kind() {
        return AttributeProto_AttributeType(int(kind<T>()) + 5);
    }
    template <class T> static decltype(auto) list_of(const AttributeProto& a) {
        if constexpr (std::is_same_v<T, float>)
            return a.floats();
        else if constexpr (std::is_same_v<T, std::string>)
            return a.strings();
        else
            return a.ints();
    }
    static Status missing(const std::string& name) {
        return Status(common::ONNXRUNTIME, common::FAIL, "no attribute `" + name + "` of the requested type");
    }

  public:
    OpKernelInfo(const Node& node, const KernelDef& def, const IExecutionProvider& provider,
                 std::shared_ptr<const std::vector<std::optional<Tensor>>> constants)
        : node_(&node), def_(&def), provider_(&provider), constants_(std::move(constants)) {}
    const Node& node() const { return *node_; }
    const KernelDef& GetKernelDef() const { return *def_; }
    const IExecutionProvider* GetExecutionProvider() const { return provider_; }
    size_t GetInputCount() const { return node_->InputDefs().size(); }
    size_t GetOutputCount() const { return node_->OutputDefs().size(); }
    bool TryGetConstantInput(int k, const Tensor** value) const {
        const bool is_constant = k >= 0 && size_t(k) < constants_->size() && (*constants_)[size_t(k)];
        if (is_constant) *value = &*(*constants_)[size_t(k)];
        return is_constant;
    }
    // T: std::int64_t, float or std::string.
    template <class T> Status GetAttr(const std::string& name, T* value) const {
        const AttributeProto* a = find(name, kind<T>());
        if (!a) return missing(name);
        *value = list_of<T>(*a)[0];
        return Status::OK();
    }
    template <class T> T GetAttrOrDefault(const std::string& name, const T& otherwise) const {
        T value;
        return GetAttr<T>(name, &value).IsOK() ? value : otherwise;
    }
    template <class T> Status GetAttrs(const std::string& name, std::vector<T>& values) const {
        const AttributeProto* a = find(name, list_kind<T>());
        if (!a) return missing(name);
        values = list_of<T>(*a);
        return Status::OK();
    }
    template <class T>
    std::vector<T> GetAttrsOrDefault(const std::string& name, const std::vector<T>& otherwise = {}) const {
        std::vector<T> values;
        return GetAttrs<T>(name, values).IsOK() ? values : otherwise;
    }
};

// The arguments of one call. Outputs have their memory already: their shapes follow from those of the inputs.
class OpKernelContext {
    std::vector<std::optional<Tensor>> inputs_, outputs_;

  public:
    OpKernelContext(std::vector<std::optional<Tensor>> inputs, std::vector<std::optional<Tensor>> outputs)
        : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
    int InputCount() const { return int(inputs_.size()); }
    int OutputCount() const { return int(outputs_.size()); }
    template <class T> const T* Input(int k) const {
        static_assert(std::is_same_v<T, Tensor>, "inlay::ort: the arguments of kernels are tensors");
        return k >= 0 && k < InputCount() && inputs_[size_t(k)] ? &*inputs_[size_t(k)] : nullptr;
    }
    template <class T> const T& RequiredInput(int k) const {
        if (const T* t = Input<T>(k)) return *t;
        ORT_THROW("input ", k, " is not there");
    }
    // Null: no consumer reads that output.
    Tensor* Output(int k, const TensorShape& shape) {
        if (k < 0 || k >= OutputCount() || !outputs_[size_t(k)]) return nullptr;
        Tensor& t = *outputs_[size_t(k)];
        if (t.Shape() != shape) ORT_THROW("output ", k, " has the shape ", t.Shape(), ", and ", shape, " is requested");
        return &t;
    }
    Tensor& RequiredOutput(int k, const TensorShape& shape) {
        if (Tensor* t = Output(k, shape)) return *t;
        ORT_THROW("output ", k, " is not there");
    }
    // For the caller of the kernel: where the arguments are in this run.
    void SetInput(size_t k, void* data) { inputs_[k]->data_ = data; }
    void SetOutput(size_t k, void* data) { outputs_[k]->data_ = data; }
};

class OpKernel {
    OpKernelInfo info_;

  public:
    explicit OpKernel(const OpKernelInfo& info) : info_(info) {}
    OpKernel(const OpKernel&) = delete;
    virtual ~OpKernel() = default;
    // Concurrent runs may call it concurrently.
    virtual Status Compute(OpKernelContext* context) const = 0;
    const OpKernelInfo& Info() const { return info_; }
    const ort::Node& Node() const { return info_.node(); }
    const ort::KernelDef& KernelDef() const { return info_.GetKernelDef(); }
};
class FuncManager {};
using KernelCreateFn = std::function<Status(FuncManager&, const OpKernelInfo&, std::unique_ptr<OpKernel>&)>;
struct KernelCreateInfo {
    std::unique_ptr<KernelDef> kernel_def;
    KernelCreateFn kernel_create_func;

    KernelCreateInfo() = default;
    KernelCreateInfo(std::unique_ptr<KernelDef> def, KernelCreateFn create)
        : kernel_def(std::move(def)), kernel_create_func(std::move(create)) {}
};
template <class T> KernelCreateInfo BuildKernelCreateInfo();
using BuildKernelCreateInfoFn = KernelCreateInfo (*)();

class KernelRegistry {
    std::multimap<std::string, KernelCreateInfo> kernels_;  // by the operator
    template <class F>
    Status find(const std::string& op, const std::string& domain, int version, ProviderType provider,
                const KernelCreateInfo** info, F types_differ) const;

  public:
    using TypeConstraintMap = std::unordered_map<std::string, MLDataType>;
    // Two kernels for one node are an error.
    Status Register(KernelCreateInfo&& info);
    Status Register(KernelDefBuilder& builder, const KernelCreateFn& create) {
        return Register(KernelCreateInfo(builder.Build(), create));
    }
    // By domain, operator, version and types; a failure reports which of these did not match.
    Status TryFindKernel(const Node& node, ProviderType provider, const KernelCreateInfo** info) const;
    Status TryFindKernel(ProviderType provider, std::string_view op, std::string_view domain, int version,
                         const TypeConstraintMap& types, const KernelCreateInfo** info) const;
    bool IsEmpty() const { return kernels_.empty(); }
};
}  // namespace ort
}  // namespace v1
}  // namespace inlay

// The documents' macros; they stand outside any namespace, or in inlay::ort.
#if defined(__clang__)  // warns where a macro that names inlay::ort stands in it
#define INLAY_ORT_ANYWHERE \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wextra-qualification\"")
#define INLAY_ORT_ANYWHERE_END _Pragma("clang diagnostic pop")
#else
#define INLAY_ORT_ANYWHERE
#define INLAY_ORT_ANYWHERE_END
#endif
#define INLAY_ORT_KERNEL(class_name, name, domain, versions, provider, builder, ...) \
    class class_name; \
    INLAY_ORT_ANYWHERE template <> \
    inline inlay::ort::KernelCreateInfo inlay::ort::BuildKernelCreateInfo<class_name>() { \
        return {(builder).SetName(#name).SetDomain(domain).SinceVersion versions.Provider(provider).Build(), \
                [](::inlay::ort::FuncManager&, const ::inlay::ort::OpKernelInfo& info, \
                   std::unique_ptr<::inlay::ort::OpKernel>& kernel) { \
                    kernel = std::make_unique<__VA_ARGS__>(info); \
                    return ::inlay::ort::Status::OK(); \
                }}; \
    } \
    INLAY_ORT_ANYWHERE_END
#define ONNX_OPERATOR_KERNEL_CLASS_NAME(provider, domain, version, name) provider##_##name##_##domain##_ver##version
#define ONNX_OPERATOR_VERSIONED_KERNEL_CLASS_NAME(provider, domain, since, through, name) \
    provider##_##name##_##domain##_ver##since##_##through
#define ONNX_OPERATOR_TYPED_KERNEL_CLASS_NAME(provider, domain, version, type, name) \
    provider##_##name##_##domain##_ver##version##_##type
#define ONNX_OPERATOR_VERSIONED_TYPED_KERNEL_CLASS_NAME(provider, domain, since, through, type, name) \
    provider##_##name##_##domain##_ver##since##_##through##_##type
#define ONNX_OPERATOR_KERNEL_EX(name, domain, version, provider, builder, ...) \
    INLAY_ORT_KERNEL(ONNX_OPERATOR_KERNEL_CLASS_NAME(provider, domain, version, name), name, domain, (version), \
                     provider, builder, __VA_ARGS__)
#define ONNX_OPERATOR_VERSIONED_KERNEL_EX(name, domain, since, through, provider, builder, ...) \
    INLAY_ORT_KERNEL(ONNX_OPERATOR_VERSIONED_KERNEL_CLASS_NAME(provider, domain, since, through, name), name, domain, \
                     (since, through), provider, builder, __VA_ARGS__)
#define ONNX_OPERATOR_TYPED_KERNEL_EX(name, domain, version, type, provider, builder, ...) \
    INLAY_ORT_KERNEL(ONNX_OPERATOR_TYPED_KERNEL_CLASS_NAME(provider, domain, version, type, name), name, domain, \
                     (version), provider, builder, __VA_ARGS__)
#define ONNX_OPERATOR_VERSIONED_TYPED_KERNEL_EX(name, domain, since, through, type, provider, builder, ...) \
    INLAY_ORT_KERNEL(ONNX_OPERATOR_VERSIONED_TYPED_KERNEL_CLASS_NAME(provider, domain, since, through, type, name), \
                     name, domain, (since, through), provider, builder, __VA_ARGS__)
