#include "env.hpp"
#include "errors.hpp"
#include "library_api.hpp"
#include "provider_options.hpp"
#include "session_options.hpp"
#include <inlay/ort/api/config_keys.hpp>
#include <inlay/plugin.hpp>

namespace Ort {
CustomOpConfigs& CustomOpConfigs::AddConfig(const char* op, const char* key, const char* value) {
    entries_[std::string(detail::need_text(op, "an operator's name")) + "." + detail::need_text(key, "a key")] =
        detail::need_text(value, "a value");
    return *this;
}

namespace detail {
void OrtRelease(OrtSessionOptions* o) noexcept { delete o; }

template <class T> static T& options_behind(T* p) { return need(p, "SessionOptions"); }

template <class T> SessionOptions ConstSessionOptionsImpl<T>::Clone() const {
    return SessionOptions(new OrtSessionOptions(options_behind(this->p_)));
}
template <class T> bool ConstSessionOptionsImpl<T>::HasConfigEntry(const char* key) const {
    return options_behind(this->p_).find(need_text(key, "a key"));
}
template <class T> std::string ConstSessionOptionsImpl<T>::GetConfigEntry(const char* key) const {
    const std::string* text = options_behind(this->p_).find(need_text(key, "a key"));
    if (!text) raise(ORT_INVALID_ARGUMENT, std::string("Ort: these SessionOptions have no entry `") + key + "`");
    return *text;
}
template <class T>
std::string ConstSessionOptionsImpl<T>::GetConfigEntryOrDefault(const char* key, const std::string& otherwise) const {
    const std::string* text = options_behind(this->p_).find(need_text(key, "a key"));
    return text ? *text : otherwise;
}
template struct ConstSessionOptionsImpl<OrtSessionOptions>;
template struct ConstSessionOptionsImpl<Unowned<OrtSessionOptions>>;
template struct ConstSessionOptionsImpl<Unowned<const OrtSessionOptions>>;

// Threads and the graph ----------------------------------------------------------------------------------------------
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetIntraOpNumThreads(int threads) {
    if (threads < 0) raise(ORT_INVALID_ARGUMENT, "Ort: " + std::to_string(threads) + " is no number of threads");
    options_behind(this->p_).threads = threads;
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetInterOpNumThreads(int threads) {
    auto& notes = options_behind(this->p_).notes;
    notes.erase("SetInterOpNumThreads");
    if (threads > 1)
        notes["SetInterOpNumThreads"] = "SetInterOpNumThreads(" + std::to_string(threads) +
                                        ") means nothing here: nodes run one after another, each on all threads";
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetExecutionMode(ExecutionMode mode) {
    auto& notes = options_behind(this->p_).notes;
    notes.erase("SetExecutionMode");
    if (mode != ORT_SEQUENTIAL)
        notes["SetExecutionMode"] = "ORT_PARALLEL means nothing here: nodes run one after another, each on all threads";
    return *this;
}
template <class T>
SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetGraphOptimizationLevel(GraphOptimizationLevel level) {
    options_behind(this->p_).optimize = level != ORT_DISABLE_ALL;
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetDeterministicCompute(bool) { return *this; }
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::DisablePerSessionThreads() {
    options_behind(this->p_).shared_threads = true;
    return *this;
}
static void refuse_custom_threads() {
    raise(ORT_NOT_IMPLEMENTED,
          "Ort: Inlay makes its threads itself; a program with threads of its own hands them to "
          "inlay::session_options::executor");
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetCustomCreateThreadFn(OrtCustomCreateThreadFn) {
    return refuse_custom_threads(), *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetCustomThreadCreationOptions(void*) {
    return refuse_custom_threads(), *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetCustomJoinThreadFn(OrtCustomJoinThreadFn) {
    return refuse_custom_threads(), *this;
}

// Memory -------------------------------------------------------------------------------------------------------------
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::EnableCpuMemArena() {
    options_behind(this->p_).notes.erase("DisableCpuMemArena");
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::DisableCpuMemArena() {
    options_behind(this->p_).notes["DisableCpuMemArena"] =
        "DisableCpuMemArena means nothing here: the arena has the size that the plan needs, and is kept between runs";
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::EnableMemPattern() {
    options_behind(this->p_).notes.erase("DisableMemPattern");
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::DisableMemPattern() {
    options_behind(this->p_).notes["DisableMemPattern"] =
        "DisableMemPattern means nothing here: places of values are part of the plan";
    return *this;
}

// Files and logs -----------------------------------------------------------------------------------------------------
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetOptimizedModelFilePath(const ORTCHAR_T* file) {
    options_behind(this->p_).optimized_file = need_text(file, "the file of the optimised model");
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::EnableProfiling(const ORTCHAR_T* prefix) {
    const std::string text = need_text(prefix, "the prefix of profiles");
    if (text.empty()) raise(ORT_INVALID_ARGUMENT, "Ort: the prefix of profiles is empty");
    options_behind(this->p_).profile_prefix = text;
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::DisableProfiling() {
    options_behind(this->p_).profile_prefix.clear();
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetLogId(const char* logid) {
    options_behind(this->p_).log_id = need_text(logid, "a session's logid");
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::SetLogSeverityLevel(int level) {
    options_behind(this->p_).log_level = checked_level(level);
    return *this;
}

// Entries and initializers -------------------------------------------------------------------------------------------
static bool has_meaning(std::string_view key) {
    for (const char* supported_key :
         {kOrtSessionOptionsDisableCPUEPFallback, kOrtSessionOptionsConfigSetDenormalAsZero,
          kOrtSessionOptionsModelExternalInitializersFileFolderPath, kOrtSessionOptionEpContextEnable,
          kOrtSessionOptionEpContextFilePath, kOrtSessionOptionEpContextEmbedMode})
        if (key == supported_key) return true;
    return false;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddConfigEntry(const char* key, const char* value) {
    OrtSessionOptions& o = options_behind(this->p_);
    const std::string name = need_text(key, "a key"), text = need_text(value, "the value of an entry");
    if (name == kOrtSessionOptionsConfigLoadModelFormat && text != "ONNX" && text != "onnx")
        raise(ORT_NOT_IMPLEMENTED, "Ort: models of the format `" + text + "` are not read; ONNX is");
    const bool sleeps =
        name == kOrtSessionOptionsConfigAllowIntraOpSpinning || name == kOrtSessionOptionsConfigAllowInterOpSpinning;
    o.config[name] = text;
    o.notes.erase(name);
    if (!has_meaning(name) && name != kOrtSessionOptionsConfigLoadModelFormat && !(sleeps && text == "0"))
        o.notes[name] = "the entry `" + name + "` = `" + text + "` means nothing here";
    return *this;
}
template <class T>
SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddFreeDimensionOverrideByName(const char* name, std::int64_t size) {
    if (size < 0) raise(ORT_INVALID_ARGUMENT, "Ort: " + std::to_string(size) + " is no size of a dimension");
    options_behind(this->p_).free_dimensions[need_text(name, "the name of a dimension")] = size;
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddInitializer(const char* name, const OrtValue*) {
    raise(ORT_NOT_IMPLEMENTED, std::string("Ort: AddInitializer(`") + need_text(name, "an initializer's name") +
                                   "`): a model's weights are those of its files");
}
template <class T>
SessionOptionsImpl<T>& SessionOptionsImpl<T>::AddExternalInitializers(const std::vector<std::string>& names,
                                                                      const std::vector<Value>&) {
    if (names.empty()) return *this;
    return AddInitializer(names[0].c_str(), nullptr);
}

// Providers and operators --------------------------------------------------------------------------------------------
template <class T>
SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProvider(
    const std::string& name, const std::unordered_map<std::string, std::string>& options) {
    append_provider(this->p_, name, options);
    return *this;
}
template <class T>
SessionOptionsImpl<T>& SessionOptionsImpl<T>::AppendExecutionProviderLibrary(
    const ORTCHAR_T* file, const std::unordered_map<std::string, std::string>& options) {
    guarded(
        [&] {
            const inlay::plugin p(need_text(file, "the file of a provider"));
            append_choice(options_behind(this->p_), p, options);
        },
        ORT_NO_SUCHFILE);
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::EnableOrtCustomOps() {
    raise(ORT_NOT_IMPLEMENTED,
          "Ort: the operators of onnxruntime-extensions are not built in; "
          "RegisterCustomOpsLibrary() of its library brings them");
}
template <class T>
SessionOptionsImpl<T>& SessionOptionsImpl<T>::RegisterCustomOpsLibrary(const ORTCHAR_T* library,
                                                                       const CustomOpConfigs& configs) {
    OrtSessionOptions& o = options_behind(this->p_);
    for (const auto& [key, value] : configs.GetFlattenedConfigs()) o.config["custom_op." + key] = value;
    register_library(o, need_text(library, "the library of operators"));
    return *this;
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::RegisterCustomOpsUsingFunction(const char* function) {
    raise(ORT_NOT_IMPLEMENTED, std::string("Ort: `") + need_text(function, "the function of operators") +
                                   "` is not looked up; operators that are compiled into the program come by Add()");
}
template struct SessionOptionsImpl<OrtSessionOptions>;
template struct SessionOptionsImpl<Unowned<OrtSessionOptions>>;
}  // namespace detail

SessionOptions::SessionOptions() : SessionOptionsImpl(new OrtSessionOptions) {}
}  // namespace Ort
