// Sessions, their runs and their bindings.
#pragma once
#include "session_options.hpp"

namespace Ort {
// Of one or several runs. Empty, as RunOptions{nullptr}: the defaults. Threads may share one: SetTerminate() ends the
// runs that use it between two nodes, with ORT_FAIL, and those that begin before UnsetTerminate().
struct RunOptions : detail::Base<OrtRunOptions> {
    explicit RunOptions(std::nullptr_t) {}
    RunOptions();
    RunOptions& SetRunLogVerbosityLevel(int);  // ONNX Runtime's VLOG: kept, and nothing here logs by it
    int GetRunLogVerbosityLevel() const;
    RunOptions& SetRunLogSeverityLevel(int level);  // less severe lines of these runs are not logged
    int GetRunLogSeverityLevel() const;
    RunOptions& SetRunTag(const char* tag);  // appears in the log lines of these runs
    const char* GetRunTag() const;
    RunOptions& AddConfigEntry(const char* key, const char* value);  // a warning of the session when it runs
    RunOptions& SetTerminate();
    RunOptions& UnsetTerminate();
};

struct ModelMetadata : detail::Base<OrtModelMetadata> {
    explicit ModelMetadata(std::nullptr_t) {}
    explicit ModelMetadata(OrtModelMetadata* p) : Base(p) {}
    AllocatedStringPtr GetProducerNameAllocated(OrtAllocator*) const;
    AllocatedStringPtr GetGraphNameAllocated(OrtAllocator*) const;
    AllocatedStringPtr GetDomainAllocated(OrtAllocator*) const;
    AllocatedStringPtr GetDescriptionAllocated(OrtAllocator*) const;
    // ORT_NOT_IMPLEMENTED: a graph's own description is not kept.
    AllocatedStringPtr GetGraphDescriptionAllocated(OrtAllocator*) const;
    std::vector<AllocatedStringPtr> GetCustomMetadataMapKeysAllocated(OrtAllocator*) const;
    // Null where the model has no such key.
    AllocatedStringPtr LookupCustomMetadataMapAllocated(const char* key, OrtAllocator*) const;
    std::int64_t GetVersion() const;
};

struct IoBinding;
namespace detail {
template <class T> struct ConstSessionImpl : Base<T> {
    using Base<T>::Base;
    std::size_t GetInputCount() const;
    std::size_t GetOutputCount() const;
    std::size_t GetOverridableInitializerCount() const;  // 0: initializers are constants
    // An index that is out of range is ORT_INVALID_ARGUMENT, here and below.
    AllocatedStringPtr GetInputNameAllocated(std::size_t index, OrtAllocator*) const;
    AllocatedStringPtr GetOutputNameAllocated(std::size_t index, OrtAllocator*) const;
    AllocatedStringPtr GetOverridableInitializerNameAllocated(std::size_t index, OrtAllocator*) const;
    // As before version 13 of the interface: the caller frees the text by the allocator.
    char* GetInputName(std::size_t index, OrtAllocator* a) const { return GetInputNameAllocated(index, a).release(); }
    char* GetOutputName(std::size_t index, OrtAllocator* a) const { return GetOutputNameAllocated(index, a).release(); }
    std::vector<std::string> GetInputNames() const;
    std::vector<std::string> GetOutputNames() const;
    std::vector<std::string> GetOverridableInitializerNames() const { return {}; }
    std::uint64_t GetProfilingStartTimeNs() const;  // of the steady clock; 0: runs are not profiled
    ModelMetadata GetModelMetadata() const;
    TypeInfo GetInputTypeInfo(std::size_t index) const;
    TypeInfo GetOutputTypeInfo(std::size_t index) const;
    TypeInfo GetOverridableInitializerTypeInfo(std::size_t index) const;
};

// Runs may be concurrent. Inputs are read where they are. An output's value that is given, and not empty, has the
// shape and type of the result, whose memory it is; empty ones are created. Names and values that do not fit the model
// are ORT_INVALID_ARGUMENT.
template <class T> struct SessionImpl : ConstSessionImpl<T> {
    using ConstSessionImpl<T>::ConstSessionImpl;
    std::vector<Value> Run(const RunOptions& options, const char* const* input_names, const Value* inputs,
                           std::size_t input_count, const char* const* output_names, std::size_t output_count);
    void Run(const RunOptions& options, const char* const* input_names, const Value* inputs, std::size_t input_count,
             const char* const* output_names, Value* outputs, std::size_t output_count);
    void Run(const RunOptions& options, const IoBinding& binding);
    // In a thread of its own, which calls back at the end. Names, values and options live until then; the session
    // waits for it in its destructor.
    void RunAsync(const RunOptions& options, const char* const* input_names, const Value* inputs,
                  std::size_t input_count, const char* const* output_names, Value* outputs, std::size_t output_count,
                  RunAsyncCallbackFn callback, void* user_data);
    // Writes the profile, and returns the file's name; later runs are not profiled.
    AllocatedStringPtr EndProfilingAllocated(OrtAllocator*);
    void SetEpDynamicOptions(const char* const* keys, const char* const* values, std::size_t count);  // not implemented
};
extern template struct ConstSessionImpl<OrtSession>;
extern template struct ConstSessionImpl<Unowned<OrtSession>>;
extern template struct ConstSessionImpl<Unowned<const OrtSession>>;
extern template struct SessionImpl<OrtSession>;
extern template struct SessionImpl<Unowned<OrtSession>>;
}  // namespace detail
using ConstSession = detail::ConstSessionImpl<detail::Unowned<const OrtSession>>;
using UnownedSession = detail::SessionImpl<detail::Unowned<OrtSession>>;

// A model over the providers that the options name. The file stays mapped: do not change it; bytes in memory are
// copied. Errors: ORT_NO_SUCHFILE, ORT_INVALID_PROTOBUF (it is no valid model), ORT_NOT_IMPLEMENTED (no provider runs a
// node; the text has each provider's reason), ORT_INVALID_ARGUMENT.
struct Session : detail::SessionImpl<OrtSession> {
    explicit Session(std::nullptr_t) {}
    explicit Session(OrtSession* p) : SessionImpl(p) {}
    Session(const Env& env, const char* file, const SessionOptions& options);
    Session(const Env& env, const wchar_t* file, const SessionOptions& options);
    Session(const Env& env, const void* bytes, std::size_t count, const SessionOptions& options);
    // Weights that are packed for one session are shared by those of the same loaded model only: a container is a
    // warning.
    Session(const Env& env, const char* file, const SessionOptions& options, OrtPrepackedWeightsContainer*);
    Session(const Env& env, const void* bytes, std::size_t count, const SessionOptions& options,
            OrtPrepackedWeightsContainer*);
    ConstSession GetConst() const { return ConstSession{p_}; }
    UnownedSession GetUnowned() const { return UnownedSession{p_}; }
};

namespace detail {
template <class T> struct ConstIoBindingImpl : Base<T> {
    using Base<T>::Base;
    std::vector<std::string> GetOutputNames() const;  // in the order in which they were bound
    std::vector<std::string> GetOutputNames(OrtAllocator*) const { return GetOutputNames(); }
    // After a run: the results, which live on with these values. The next run of the binding overwrites them.
    std::vector<Value> GetOutputValues() const;
    std::vector<Value> GetOutputValues(OrtAllocator*) const { return GetOutputValues(); }
};
template <class T> struct IoBindingImpl : ConstIoBindingImpl<T> {
    using ConstIoBindingImpl<T>::ConstIoBindingImpl;
    // The name is the model's. A second value for it replaces the first.
    void BindInput(const char* name, const Value& value);
    void BindOutput(const char* name, const Value& value);
    void BindOutput(const char* name, const OrtMemoryInfo* info);
    void ClearBoundInputs();
    void ClearBoundOutputs();
    void SynchronizeInputs() const {}  // a run ends when its results are there: there is nothing to wait for
    void SynchronizeOutputs() const {}
};
extern template struct ConstIoBindingImpl<OrtIoBinding>;
extern template struct ConstIoBindingImpl<Unowned<OrtIoBinding>>;
extern template struct ConstIoBindingImpl<Unowned<const OrtIoBinding>>;
extern template struct IoBindingImpl<OrtIoBinding>;
extern template struct IoBindingImpl<Unowned<OrtIoBinding>>;
}  // namespace detail
using ConstIoBinding = detail::ConstIoBindingImpl<detail::Unowned<const OrtIoBinding>>;
using UnownedIoBinding = detail::IoBindingImpl<detail::Unowned<OrtIoBinding>>;

// Values for the inputs and memory for the outputs of a session, for runs that repeat: while the inputs' shapes stay
// the same such a run plans nothing and allocates nothing, where inputs and outputs are tensors whose sizes do not
// depend on data. One thread at a time uses it. The session outlives it.
struct IoBinding : detail::IoBindingImpl<OrtIoBinding> {
    explicit IoBinding(std::nullptr_t) {}
    explicit IoBinding(Session& session);
    ConstIoBinding GetConst() const { return ConstIoBinding{p_}; }
    UnownedIoBinding GetUnowned() const { return UnownedIoBinding{p_}; }
};
}  // namespace Ort
