#include "env.hpp"
#include "errors.hpp"
#include <cstdio>

namespace Ort {
namespace detail {
void OrtRelease(OrtEnv* e) noexcept { delete e; }
void OrtRelease(OrtThreadingOptions* o) noexcept { delete o; }
void OrtRelease(OrtArenaCfg* a) noexcept { delete a; }

OrtLoggingLevel checked_level(int level) {
    if (level < ORT_LOGGING_LEVEL_VERBOSE || level > ORT_LOGGING_LEVEL_FATAL)
        raise(ORT_INVALID_ARGUMENT,
              "Ort: " + std::to_string(level) + " is no logging level: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal");
    return OrtLoggingLevel(level);
}
void environment::write(OrtLoggingLevel severity, const std::string& id, const std::string& text) const {
    if (function_) return function_(param_, severity, "onnxruntime", id.c_str(), "", text.c_str());
    const std::string line = std::string("[") + "VIWEF"[severity] + ":" + id + "] " + text + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);  // one call, so that threads do not mix their lines
}

static OrtEnv* make_env(const OrtThreadingOptions* threads, OrtLoggingLevel level, const char* id,
                        OrtLoggingFunction function, void* param) {
    return guarded([&] {
        auto e = std::make_shared<environment>(checked_level(level), need_text(id, "the environment's logid"), function,
                                               param);
        if (threads) {
            e->pool = std::make_unique<inlay::thread_pool>(threads->threads.value_or(0), threads->denormals_are_zero);
            e->denormals_are_zero = threads->denormals_are_zero;
            for (const std::string& note : threads->notes) e->warn(note);
        }
        return new OrtEnv{std::move(e)};
    });
}
}  // namespace detail

Env::Env(OrtLoggingLevel level, const char* logid) : Base(detail::make_env(nullptr, level, logid, nullptr, nullptr)) {}
Env::Env(OrtLoggingLevel level, const char* logid, OrtLoggingFunction function, void* param)
    : Base(detail::make_env(nullptr, level, logid, function, param)) {}
Env::Env(const OrtThreadingOptions* options, OrtLoggingLevel level, const char* logid)
    : Base(detail::make_env(options, level, logid, nullptr, nullptr)) {}
Env::Env(const OrtThreadingOptions* options, OrtLoggingFunction function, void* param, OrtLoggingLevel level,
         const char* logid)
    : Base(detail::make_env(options, level, logid, function, param)) {}
Env& Env::EnableTelemetryEvents() {
    detail::need(p_, "Env").shared->warn("Inlay has no telemetry: nothing is sent to anybody");
    return *this;
}
Env& Env::UpdateEnvWithCustomLogLevel(OrtLoggingLevel level) {
    detail::need(p_, "Env").shared->set_level(detail::checked_level(level));
    return *this;
}
Env& Env::CreateAndRegisterAllocator(const OrtMemoryInfo*, const OrtArenaCfg*) {
    detail::need(p_, "Env").shared->warn(
        "CreateAndRegisterAllocator means nothing here: a session lays its memory out before it runs");
    return *this;
}
Env& Env::CreateAndRegisterAllocatorV2(const std::string&, const OrtMemoryInfo* info,
                                       const std::unordered_map<std::string, std::string>&, const OrtArenaCfg* arena) {
    return CreateAndRegisterAllocator(info, arena);
}

ThreadingOptions::ThreadingOptions() : Base(new OrtThreadingOptions) {}
ThreadingOptions& ThreadingOptions::SetGlobalIntraOpNumThreads(int threads) {
    if (threads < 0)
        detail::raise(ORT_INVALID_ARGUMENT, "Ort: " + std::to_string(threads) + " is no number of threads");
    detail::need(p_, "ThreadingOptions").threads = threads;
    return *this;
}
ThreadingOptions& ThreadingOptions::SetGlobalInterOpNumThreads(int threads) {
    if (threads > 1)
        detail::need(p_, "ThreadingOptions")
            .notes.push_back("SetGlobalInterOpNumThreads(" + std::to_string(threads) +
                             ") means nothing here: nodes run one after another, each on all threads");
    return *this;
}
ThreadingOptions& ThreadingOptions::SetGlobalSpinControl(int allow_spinning) {
    if (allow_spinning)
        detail::need(p_, "ThreadingOptions")
            .notes.push_back("SetGlobalSpinControl(1) means nothing here: threads sleep between runs");
    return *this;
}
ThreadingOptions& ThreadingOptions::SetGlobalDenormalAsZero() {
    detail::need(p_, "ThreadingOptions").denormals_are_zero = true;
    return *this;
}
static void refuse_custom_threads() {
    detail::raise(ORT_NOT_IMPLEMENTED,
                  "Ort: Inlay makes its threads itself; a program with threads of its own hands "
                  "them to inlay::session_options::executor");
}
ThreadingOptions& ThreadingOptions::SetGlobalCustomCreateThreadFn(OrtCustomCreateThreadFn) {
    refuse_custom_threads();
    return *this;
}
ThreadingOptions& ThreadingOptions::SetGlobalCustomThreadCreationOptions(void*) {
    refuse_custom_threads();
    return *this;
}
ThreadingOptions& ThreadingOptions::SetGlobalCustomJoinThreadFn(OrtCustomJoinThreadFn) {
    refuse_custom_threads();
    return *this;
}
ArenaCfg::ArenaCfg(std::size_t, int, int, int) : Base(new OrtArenaCfg) {}
}  // namespace Ort
