// Trials in which one allocation fails: in a process of their own, so that one that ends the process is counted and the
// next goes on.
#pragma once
#include "failing_heap.hpp"
#include <functional>
#include <string>
#include <vector>

namespace inlay::testing {
// What one trial does with the allocation that fails, and what it saw.
class attempt {
    long failing_;
    bool later_too_;
    std::string problem_{};
    void arm() const;
    void disarm();
    void ended_by_exception(bool may_raise);

  public:
    long calls = 0;  // that the armed part made; of several parts, the most
    attempt(long failing, bool later_too) : failing_(failing), later_too_(later_too) {}
    const std::string& problem() const { return problem_; }
    void blame(const std::string& text) {
        if (problem_.empty()) problem_ = text;
    }
    // The part whose allocation fails, which may raise std::bad_alloc or inlay::error. True: it ended well.
    template <class F> bool armed(F part) { return tried(part, true); }
    // The same of a function that gives its failures back: it must raise nothing.
    template <class F> bool returned(F part) { return tried(part, false); }
    // What must work afterwards. `part` gives a text, which must be `expected`.
    template <class F> void afterwards(const std::string& expected, F part) {
        if (!problem_.empty()) return;
        try {
            if (const std::string result = part(); result != expected)
                blame("afterwards another result: " + result + ", not " + expected);
        } catch (...) {
            blame("does not work afterwards: " + exception_text());
        }
    }
    static std::string exception_text();  // of the exception that is being handled

  private:
    template <class F> bool tried(F& part, bool may_raise) {
        arm();
        try {
            part();
            disarm();
            return true;
        } catch (...) {
            disarm();
            ended_by_exception(may_raise);
            return false;
        }
    }
};

struct fault_trial {
    std::string model, stage;
    std::function<void(attempt&)> run;
};
struct trial_options {
    long every = 1, first = 1, limit = 1L << 40;  // which allocations fail
    bool later_too = false;                       // and all that come after
    bool show = false;                            // where the allocation was that failed
};
struct tally {
    long trials = 0, crashes = 0, leaks = 0, wrong = 0;
    long onnx = 0, protobuf = 0;  // of these, where code of onnx's inference, or of protobuf, requested the allocation
    long of_inlay() const { return crashes + leaks + wrong - onnx - protobuf; }
    tally& operator+=(const tally&);
};
// Fails each allocation of the trial in turn, and prints what went wrong.
tally fail_each(const fault_trial&, const trial_options&);
// The whole program: trials of the names given, a line for each, and a last one. The exit status is 1 if anything went
// wrong.
int run_trials(int count, char** words,
               const std::function<std::vector<fault_trial>(const std::string& folder)>& trials_of);
}  // namespace inlay::testing
