// How a session is created. Setters return the object; what has no meaning here is a warning in the session's log when
// it is created, or an error where results would differ from those requested.
#pragma once
#include "env.hpp"
#include "provider_options.hpp"
#include "value.hpp"

namespace Ort {
struct SessionOptions;
// Settings of custom operators from libraries.
struct CustomOpConfigs {
    CustomOpConfigs& AddConfig(const char* op, const char* key, const char* value);
    const std::unordered_map<std::string, std::string>& GetFlattenedConfigs() const { return entries_; }

  private:
    std::unordered_map<std::string, std::string> entries_;
};

namespace detail {
template <class T> struct ConstSessionOptionsImpl : Base<T> {
    using Base<T>::Base;
    SessionOptions Clone() const;
    std::string GetConfigEntry(const char* key) const;  // ORT_INVALID_ARGUMENT where there is none
    bool HasConfigEntry(const char* key) const;
    std::string GetConfigEntryOrDefault(const char* key, const std::string& otherwise) const;
};
template <class T> struct SessionOptionsImpl : ConstSessionOptionsImpl<T>, NamedProviders<SessionOptionsImpl<T>> {
    using ConstSessionOptionsImpl<T>::ConstSessionOptionsImpl;
    SessionOptionsImpl& SetIntraOpNumThreads(int threads);  // 0: one per core that the process may use
    SessionOptionsImpl& SetInterOpNumThreads(int threads);  // more than 1 is a warning: nodes run one after another
    SessionOptionsImpl& SetExecutionMode(ExecutionMode);    // ORT_PARALLEL is a warning, likewise
    // ORT_DISABLE_ALL leaves the graph as it is; any other level runs all passes, which keep results to rounding.
    SessionOptionsImpl& SetGraphOptimizationLevel(GraphOptimizationLevel);
    SessionOptionsImpl& SetDeterministicCompute(bool);  // always so here: accumulation has a fixed order
    SessionOptionsImpl& EnableCpuMemArena();            // one arena, laid out when the plan is computed
    SessionOptionsImpl& DisableCpuMemArena();           // a warning
    SessionOptionsImpl& EnableMemPattern();
    SessionOptionsImpl& DisableMemPattern();  // a warning
    // The graph after its passes, written when the session is created; its weights are in the file.
    SessionOptionsImpl& SetOptimizedModelFilePath(const ORTCHAR_T* file);
    // Runs are profiled until EndProfilingAllocated(), which writes PREFIX_DATE_TIME.json for chrome://tracing.
    SessionOptionsImpl& EnableProfiling(const ORTCHAR_T* prefix);
    SessionOptionsImpl& DisableProfiling();
    SessionOptionsImpl& EnableOrtCustomOps();  // ORT_NOT_IMPLEMENTED: those of onnxruntime-extensions are not included
    SessionOptionsImpl& SetLogId(const char* logid);
    SessionOptionsImpl& SetLogSeverityLevel(int level);  // an OrtLoggingLevel; else that of the environment
    SessionOptionsImpl& Add(OrtCustomOpDomain* domain);  // whose operators outlive the session
    SessionOptionsImpl& DisablePerSessionThreads();      // the environment's threads, which it must have
    // Keys with a meaning are listed in docs/how-to/ort.md; others are a warning.
    SessionOptionsImpl& AddConfigEntry(const char* key, const char* value);
    SessionOptionsImpl& AddFreeDimensionOverrideByName(const char* name, std::int64_t size);
    // By the denotation of a dimension: ORT_NOT_IMPLEMENTED, as are initializers from elsewhere than the model.
    SessionOptionsImpl& AddInitializer(const char* name, const OrtValue* value);
    SessionOptionsImpl& AddExternalInitializers(const std::vector<std::string>& names,
                                                const std::vector<Value>& values);
    // A provider by its name, "CPU" or "CPUExecutionProvider", after those already appended; the CPU is last
    // anyway. ORT_INVALID_ARGUMENT: it is not in this build (the text lists those that are), or has no such option.
    SessionOptionsImpl& AppendExecutionProvider(const std::string& name,
                                                const std::unordered_map<std::string, std::string>& options = {});
    // A provider from a shared library, as in docs/how-to/plugins.md.
    SessionOptionsImpl& AppendExecutionProviderLibrary(
        const ORTCHAR_T* file, const std::unordered_map<std::string, std::string>& options = {});
    // ORT_NOT_IMPLEMENTED: threads are the session's own, and operators come from this program.
    SessionOptionsImpl& SetCustomCreateThreadFn(OrtCustomCreateThreadFn);
    SessionOptionsImpl& SetCustomThreadCreationOptions(void*);
    SessionOptionsImpl& SetCustomJoinThreadFn(OrtCustomJoinThreadFn);
    SessionOptionsImpl& RegisterCustomOpsLibrary(const ORTCHAR_T* library, const CustomOpConfigs& configs = {});
    SessionOptionsImpl& RegisterCustomOpsUsingFunction(const char* function);
};
extern template struct ConstSessionOptionsImpl<OrtSessionOptions>;
extern template struct ConstSessionOptionsImpl<Unowned<OrtSessionOptions>>;
extern template struct ConstSessionOptionsImpl<Unowned<const OrtSessionOptions>>;
extern template struct SessionOptionsImpl<OrtSessionOptions>;
extern template struct SessionOptionsImpl<Unowned<OrtSessionOptions>>;
}  // namespace detail
using UnownedSessionOptions = detail::SessionOptionsImpl<detail::Unowned<OrtSessionOptions>>;
using ConstSessionOptions = detail::ConstSessionOptionsImpl<detail::Unowned<const OrtSessionOptions>>;

struct SessionOptions : detail::SessionOptionsImpl<OrtSessionOptions> {
    explicit SessionOptions(std::nullptr_t) {}
    SessionOptions();
    explicit SessionOptions(OrtSessionOptions* p) : SessionOptionsImpl(p) {}
    UnownedSessionOptions GetUnowned() const { return UnownedSessionOptions{p_}; }
    ConstSessionOptions GetConst() const { return ConstSessionOptions{p_}; }
};
}  // namespace Ort
