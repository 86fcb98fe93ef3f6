// Options of one run, and how a run ends early: by RunOptions.terminate, a deadline, or Ctrl-C.
#pragma once
#include "python.hpp"
#include <inlay/error.hpp>
#include <inlay/run_options.hpp>

namespace inlay::python {
class run_settings {  // RunOptions
    std::atomic<bool> terminate_{false};

  public:
    std::optional<double> seconds{};  // maximum duration of a run

    bool terminate() const { return terminate_; }
    void set_terminate(bool);
    const std::atomic<bool>& flag() const { return terminate_; }
};

// A run that Ctrl-C ends, if the main thread starts it: Python's handlers of signals run there alone, and not while C++
// runs. So a handler of our own precedes Python's, for the life of the process, and sets a flag of the run.
class interruptible_run {
    const run_settings* settings_;
    const run_settings* outer_ = nullptr;  // of a run that waits for this one
    bool main_ = false;
    run_options options_{};

  public:
    explicit interruptible_run(const run_settings* settings);  // may be null
    ~interruptible_run();
    interruptible_run(const interruptible_run&) = delete;
    interruptible_run& operator=(const interruptible_run&) = delete;
    const run_options& options() const { return options_; }
    // After a run that was stopped, with the GIL: true if it was by a signal whose handler raised nothing, so that the
    // run is repeated. An exception of the handler is thrown.
    bool again();
};

// The result of `run` for the options, called without the GIL. Errors are raised.
template <class F> auto run_without_gil(const run_settings* settings, F run) {
    interruptible_run call(settings);
    for (;;) {
        try {
            nb::gil_scoped_release released;
            return run(call.options());
        } catch (const error& e) {
            if (e.code != error_code::stopped) throw;
            if (!call.again()) throw;
        }
    }
}
// For work before a run, which a throwing function ends: until work that was begun with the first is done, the
// second throws the exception of Python's handler of a signal. Neither needs the GIL.
void watch_for_interrupts();
void raise_if_interrupted();

void add_run_options(nb::module_&);
}  // namespace inlay::python
