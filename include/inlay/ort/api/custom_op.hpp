// Operators that a program defines: a class over Ort::CustomOpBase describes inputs and outputs, a kernel computes it.
// They run on the CPU, after the providers of the session. docs/how-to/ort.md has an example and the limits.
#pragma once
#include "functions.hpp"

namespace Ort {
struct CustomOpDomain : detail::Base<OrtCustomOpDomain> {
    explicit CustomOpDomain(std::nullptr_t) {}
    explicit CustomOpDomain(OrtCustomOpDomain* p) : Base(p) {}
    explicit CustomOpDomain(const char* domain);
    void Add(const OrtCustomOp* op);  // not copied: it outlives the sessions that use the domain
};

// The session's log, for a kernel.
struct Logger {
    Logger() = default;
    explicit Logger(std::nullptr_t) {}
    explicit Logger(const OrtLogger* logger) : logger_(logger) {}
    OrtLoggingLevel GetLoggingSeverityLevel() const noexcept;
    Status LogMessage(OrtLoggingLevel severity, const ORTCHAR_T* file, int line, const char* function,
                      const char* message) const noexcept;

  private:
    const OrtLogger* logger_ = nullptr;
};

// The arguments of one call of a kernel.
struct KernelContext {
    explicit KernelContext(OrtKernelContext* context) : context_(context) {}
    std::size_t GetInputCount() const;
    std::size_t GetOutputCount() const;
    ConstValue GetInput(std::size_t index) const;  // empty where an optional one is absent
    // Sets the shape of an output and returns its memory; empty where the node has no such output.
    UnownedValue GetOutput(std::size_t index, const std::int64_t* dims, std::size_t rank) const;
    UnownedValue GetOutput(std::size_t index, const std::vector<std::int64_t>& dims) const {
        return GetOutput(index, dims.data(), dims.size());
    }
    void* GetGPUComputeStream() const { return nullptr; }  // kernels run on the CPU
    Logger GetLogger() const;
    // f(data, i) for each i below `total`, on the session's threads; `batches` is how many parts that may be, 0 any.
    void ParallelFor(void (*f)(void* data, std::size_t i), std::size_t total, std::size_t batches, void* data) const;
    OrtKernelContext* GetOrtKernelContext() const { return context_; }

  private:
    OrtKernelContext* context_;
};

struct KernelInfo;
namespace detail {
// The node that a kernel is created for, whatever the shapes: types have none. An attribute that is missing, or of
// another type, is ORT_INVALID_ARGUMENT.
template <class T> struct KernelInfoImpl : Base<T> {
    using Base<T>::Base;
    KernelInfo Copy() const;
    template <class R> R GetAttribute(const char* name) const {
        R value;
        get(name, value);
        return value;
    }
    template <class R> std::vector<R> GetAttributes(const char* name) const {
        std::vector<R> values;
        get(name, values);
        return values;
    }
    Value GetTensorAttribute(const char* name, OrtAllocator*) const;
    std::size_t GetInputCount() const;
    std::size_t GetOutputCount() const;
    std::string GetInputName(std::size_t index) const;
    std::string GetOutputName(std::size_t index) const;
    TypeInfo GetInputTypeInfo(std::size_t index) const;
    TypeInfo GetOutputTypeInfo(std::size_t index) const;
    // *is_constant: whether the model has the input's elements; else the value is empty.
    ConstValue GetTensorConstantInput(std::size_t index, int* is_constant) const;
    std::string GetNodeName() const;
    Logger GetLogger() const;

  private:
    void get(const char* name, float& value) const;
    void get(const char* name, std::int64_t& value) const;
    void get(const char* name, std::string& value) const;
    void get(const char* name, std::vector<float>& values) const;
    void get(const char* name, std::vector<std::int64_t>& values) const;
    void get(const char* name, std::vector<std::string>& values) const;
};
extern template struct KernelInfoImpl<OrtKernelInfo>;
extern template struct KernelInfoImpl<Unowned<const OrtKernelInfo>>;
}  // namespace detail
using ConstKernelInfo = detail::KernelInfoImpl<detail::Unowned<const OrtKernelInfo>>;
struct KernelInfo : detail::KernelInfoImpl<OrtKernelInfo> {
    explicit KernelInfo(std::nullptr_t) {}
    explicit KernelInfo(OrtKernelInfo* info) : KernelInfoImpl(info) {}
    ConstKernelInfo GetConst() const { return ConstKernelInfo{p_}; }
};

// Op: the class that derives from this; Kernel: what its CreateKernel() returns. WithStatus: they have CreateKernelV2()
// and ComputeV2() instead, which return a status. Op's InferOutputShape() is not called: the kernel sets shapes.
template <class Op, class Kernel, bool WithStatus = false> struct CustomOpBase : OrtCustomOp {
    CustomOpBase() : OrtCustomOp{} {
        version = ORT_API_VERSION;
        OrtCustomOp::GetName = [](const OrtCustomOp* op) { return of(op).GetName(); };
        OrtCustomOp::GetExecutionProviderType = [](const OrtCustomOp* op) { return of(op).GetExecutionProviderType(); };
        OrtCustomOp::GetInputTypeCount = [](const OrtCustomOp* op) { return of(op).GetInputTypeCount(); };
        OrtCustomOp::GetInputType = [](const OrtCustomOp* op, std::size_t k) { return of(op).GetInputType(k); };
        OrtCustomOp::GetInputMemoryType = [](const OrtCustomOp* op, std::size_t k) {
            return of(op).GetInputMemoryType(k);
        };
        OrtCustomOp::GetOutputTypeCount = [](const OrtCustomOp* op) { return of(op).GetOutputTypeCount(); };
        OrtCustomOp::GetOutputType = [](const OrtCustomOp* op, std::size_t k) { return of(op).GetOutputType(k); };
        OrtCustomOp::GetInputCharacteristic = [](const OrtCustomOp* op, std::size_t k) {
            return of(op).GetInputCharacteristic(k);
        };
        OrtCustomOp::GetOutputCharacteristic = [](const OrtCustomOp* op, std::size_t k) {
            return of(op).GetOutputCharacteristic(k);
        };
        OrtCustomOp::GetVariadicInputMinArity = [](const OrtCustomOp* op) { return of(op).GetVariadicInputMinArity(); };
        OrtCustomOp::GetVariadicOutputMinArity = [](const OrtCustomOp* op) {
            return of(op).GetVariadicOutputMinArity();
        };
        OrtCustomOp::GetVariadicInputHomogeneity = [](const OrtCustomOp* op) {
            return int(of(op).GetVariadicInputHomogeneity());
        };
        OrtCustomOp::GetVariadicOutputHomogeneity = [](const OrtCustomOp* op) {
            return int(of(op).GetVariadicOutputHomogeneity());
        };
        GetStartVersion = [](const OrtCustomOp* op) { return of(op).start_ver_; };
        GetEndVersion = [](const OrtCustomOp* op) { return of(op).end_ver_; };
        KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
        set_kernel();
    }

    const char* GetExecutionProviderType() const { return nullptr; }  // the CPU
    OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(std::size_t) const { return INPUT_OUTPUT_REQUIRED; }
    OrtCustomOpInputOutputCharacteristic GetOutputCharacteristic(std::size_t) const { return INPUT_OUTPUT_REQUIRED; }
    OrtMemType GetInputMemoryType(std::size_t) const { return OrtMemTypeDefault; }
    int GetVariadicInputMinArity() const { return 1; }
    bool GetVariadicInputHomogeneity() const { return true; }
    int GetVariadicOutputMinArity() const { return 1; }
    bool GetVariadicOutputHomogeneity() const { return true; }
    std::vector<std::string> GetSessionConfigKeys() const { return {}; }

  protected:
    int start_ver_ = 1;
    int end_ver_ = 0x7fffffff;

  private:
    static const Op& of(const OrtCustomOp* op) { return *static_cast<const Op*>(op); }
    void set_kernel() {
        if constexpr (WithStatus) {
            OrtCustomOp::CreateKernelV2 = [](const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info,
                                             void** kernel) { return of(op).CreateKernelV2(*api, info, kernel); };
            OrtCustomOp::KernelComputeV2 = [](void* kernel, OrtKernelContext* context) {
                return static_cast<Kernel*>(kernel)->ComputeV2(context);
            };
        } else {
            OrtCustomOp::CreateKernel = [](const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info) {
                return static_cast<void*>(of(op).CreateKernel(*api, info));
            };
            OrtCustomOp::KernelCompute = [](void* kernel, OrtKernelContext* context) {
                static_cast<Kernel*>(kernel)->Compute(context);
            };
        }
    }
};
}  // namespace Ort
