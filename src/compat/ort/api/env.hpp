// Shared by an environment's sessions: a log and threads.
#pragma once
#include <inlay/ort/api/env.hpp>
#include <inlay/thread_pool.hpp>
#include <atomic>
#include <optional>

namespace Ort::detail {
class environment {
    std::atomic<OrtLoggingLevel> level_;
    std::string id_;
    OrtLoggingFunction function_;
    void* param_;

  public:
    std::unique_ptr<inlay::thread_pool> pool{};  // null: each session has its own
    bool denormals_are_zero = false;

    environment(OrtLoggingLevel level, std::string id, OrtLoggingFunction function, void* param)
        : level_(level), id_(std::move(id)), function_(function), param_(param) {}
    OrtLoggingLevel level() const { return level_.load(std::memory_order_relaxed); }
    void set_level(OrtLoggingLevel level) { level_.store(level, std::memory_order_relaxed); }
    const std::string& id() const { return id_; }
    // Whatever its severity; `id`: of the session, or its own.
    void write(OrtLoggingLevel severity, const std::string& id, const std::string& text) const;
    void warn(const std::string& text) const {
        if (level() <= ORT_LOGGING_LEVEL_WARNING) write(ORT_LOGGING_LEVEL_WARNING, id_, text);
    }
};
OrtLoggingLevel checked_level(int level);  // raises ORT_INVALID_ARGUMENT
}  // namespace Ort::detail

struct OrtEnv {
    std::shared_ptr<Ort::detail::environment> shared;
};
struct OrtThreadingOptions {
    std::optional<int> threads{};
    bool denormals_are_zero = false;
    std::vector<std::string> notes{};  // warnings of the environment that is created with it
};
struct OrtArenaCfg {};
