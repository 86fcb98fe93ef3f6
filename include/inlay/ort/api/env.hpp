// The environment: where lines are logged, and threads that sessions share.
#pragma once
#include "base.hpp"
#include <unordered_map>

namespace Ort {
// Threads for all sessions of an environment whose options say DisablePerSessionThreads().
struct ThreadingOptions : detail::Base<OrtThreadingOptions> {
    ThreadingOptions();
    explicit ThreadingOptions(OrtThreadingOptions* p) : Base(p) {}
    ThreadingOptions& SetGlobalIntraOpNumThreads(int threads);  // 0: one per core that the process may use
    // More than one is a warning: nodes run one after another.
    ThreadingOptions& SetGlobalInterOpNumThreads(int threads);
    ThreadingOptions& SetGlobalSpinControl(int allow_spinning);  // 1 is a warning: waiting threads sleep
    ThreadingOptions& SetGlobalDenormalAsZero();
    // ORT_NOT_IMPLEMENTED: the pool creates its threads itself.
    ThreadingOptions& SetGlobalCustomCreateThreadFn(OrtCustomCreateThreadFn);
    ThreadingOptions& SetGlobalCustomThreadCreationOptions(void*);
    ThreadingOptions& SetGlobalCustomJoinThreadFn(OrtCustomJoinThreadFn);
};
struct ArenaCfg : detail::Base<OrtArenaCfg> {
    explicit ArenaCfg(std::nullptr_t) {}
    ArenaCfg(std::size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
             int max_dead_bytes_per_chunk);
};

// In a program for ONNX Runtime it outlives what is created with it; here sessions keep what they need of it. Lines go
// to the function, or to standard error: "[W:LOGID] text". Threads may use it at once.
struct Env : detail::Base<OrtEnv> {
    explicit Env(std::nullptr_t) {}
    Env(OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING, const char* logid = "");
    Env(OrtLoggingLevel level, const char* logid, OrtLoggingFunction function, void* param);
    Env(const OrtThreadingOptions* options, OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING, const char* logid = "");
    Env(const OrtThreadingOptions* options, OrtLoggingFunction function, void* param,
        OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING, const char* logid = "");
    explicit Env(OrtEnv* p) : Base(p) {}

    Env& EnableTelemetryEvents();  // a warning: nothing is sent anywhere
    Env& DisableTelemetryEvents() { return *this; }
    // Of sessions that are there already, lines can only become fewer.
    Env& UpdateEnvWithCustomLogLevel(OrtLoggingLevel level);
    // Warnings: sessions lay their memory out before they run, and allocate it from the system.
    Env& CreateAndRegisterAllocator(const OrtMemoryInfo*, const OrtArenaCfg*);
    Env& CreateAndRegisterAllocatorV2(const std::string& provider_type, const OrtMemoryInfo*,
                                      const std::unordered_map<std::string, std::string>& options, const OrtArenaCfg*);
};
}  // namespace Ort
