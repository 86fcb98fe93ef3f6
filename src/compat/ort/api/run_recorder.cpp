#include "errors.hpp"
#include "session.hpp"
#include <inlay/profile.hpp>
#include <ctime>

namespace Ort::detail {
using std::chrono::steady_clock;

void run_recorder::begin(std::filesystem::path prefix) {
    prefix_ = std::move(prefix);
    began_ = steady_clock::now();
    on_ = true;
}
std::uint64_t run_recorder::start() const {
    return on() ? std::uint64_t(std::chrono::nanoseconds(began_.time_since_epoch()).count()) : 0;
}
static void shift(inlay::step_profile& step, double by) {
    for (inlay::time_span& run : step.runs) run.start += by;
    for (inlay::step_profile& inside : step.body) shift(inside, by);
}
// Runs of other shapes have separate steps in the file; chrome://tracing shows events, not steps.
void run_recorder::add(inlay::run_profile profile, steady_clock::time_point began) {
    const std::lock_guard lock(mutex_);
    const double by = std::chrono::duration<double>(began - began_).count();
    if (profile_.runs.empty()) {
        profile_.model = profile.model;
        profile_.level = profile.level;
        profile_.threads = profile.threads;
    }
    for (inlay::time_span run : profile.runs) profile_.runs.push_back({run.start + by, run.seconds});
    for (inlay::step_profile& step : profile.steps) {
        shift(step, by);
        profile_.steps.push_back(std::move(step));
    }
}
std::string run_recorder::end() {
    const std::lock_guard lock(mutex_);
    if (!on_.exchange(false))
        raise(ORT_INVALID_ARGUMENT, "Ort: this session's runs are not profiled; SessionOptions::EnableProfiling()");
    char date[32] = "";
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::strftime(date, sizeof date, "_%Y-%m-%d_%H-%M-%S", localtime_r(&now, &parts));
    const std::string file = prefix_.string() + date + ".json";
    write_file(file, inlay::trace_of(profile_));
    return file;
}
}  // namespace Ort::detail
