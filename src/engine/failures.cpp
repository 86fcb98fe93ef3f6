#include "failures.hpp"
#include "session_log.hpp"

namespace inlay {
inline namespace v1 {
std::vector<char> failures::which() const {
    const std::lock_guard lock(lock_);
    return is_failed_;
}
std::vector<std::string> failures::notes() const {
    const std::lock_guard lock(lock_);
    return notes_;
}
void failures::add_note(std::string note) {
    {
        const std::lock_guard lock(lock_);
        notes_.push_back(note);
    }
    note_log(options_, severity::warning, note);
}
bool failures::replace(int provider, const std::string& reason) {
    if (options_.fallback.policy != fallback::kind::any || provider < 0 ||
        handles_[std::size_t(provider)].name == cpu::name)
        return false;
    const std::string_view name = handles_[std::size_t(provider)].name;
    const std::string note = (reason.starts_with(name) ? "" : std::string(name) + " failed: ") + reason +
                             "; the next providers of the list took over";
    {
        const std::lock_guard lock(lock_);
        if (std::exchange(is_failed_[std::size_t(provider)], 1)) return true;  // another run got here first
        notes_.push_back(note);
        ++count_;
    }
    note_log(options_, severity::warning, note);
    return true;
}
// Failures caused by the provider, not by the model or the caller.
bool failures::is_of(int provider, const error& e) const {
    switch (e.code) {
        case error_code::provider_failed:
        case error_code::provider_unavailable:
        case error_code::device_lost:
        case error_code::out_of_memory_limit: return true;
        case error_code::out_of_memory: return handles_[std::size_t(provider)].memory_space != &space_of<memory::host>;
        default: return false;
    }
}
void failures::raise(int provider, error e) const {
    if (provider < 0 || !is_of(provider, e)) inlay::raise(std::move(e));
    if (e.provider.empty()) e.provider = handles_[std::size_t(provider)].name;
    throw provider_failure{provider, std::move(e)};
}
}  // namespace v1
}  // namespace inlay
