#include "session.hpp"

namespace Ort::detail {
static thread_local const OrtRunOptions* running = nullptr;

run_scope::run_scope(const OrtRunOptions* options) : before_(std::exchange(running, options)) {}
run_scope::~run_scope() { running = before_; }

void session_log::write(OrtLoggingLevel severity, std::string_view text) const {
    if (severity < level() || (running && int(severity) < running->log_severity)) return;
    const std::string line = running && !running->tag.empty() ? running->tag + ": " : "";
    env_->write(severity, id_, line + std::string(text));
}
}  // namespace Ort::detail
