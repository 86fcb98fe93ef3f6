// A session with the inputs of a run, for commands that time it.
#pragma once
#include "data.hpp"

namespace inlay::tool {
class stopwatch {
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
};
// Of this process: "VmHWM", the peak, or "VmRSS", now; 0 where the system has no value.
double memory_mib(std::string_view field);
void forget_peak();  // restarts VmHWM from VmRSS

// Runs with the inputs given: through a binding, unless an input is no tensor.
struct runner {
    any_session session;
    values inputs;
    std::vector<feed> feeds;
    std::vector<std::pair<std::string_view, shape>> shapes;  // of those that are tensors
    std::optional<binding> bound;
    std::vector<tensor> on_devices;  // inputs there
    runner(const session_arguments&, const model&, values);
    void operator()();
    // Places inputs and outputs in the memory of their readers and producers. Returns how many values each run still
    // copies between memories.
    std::size_t stay_on_devices();
};
}  // namespace inlay::tool
