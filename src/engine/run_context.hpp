// The memory of one run at a time, and where each value lies in it.
#pragma once
#include "compiled_plan.hpp"
#include "device_queues.hpp"
#include <inlay/sdk/engine.hpp>

namespace inlay {
inline namespace v1 {
struct timed_steps;

// Memory and pointers of one run at a time; kept between runs.
struct run_context {
    device_queues queues;  // they outlive the memory
    std::shared_ptr<const compiled_plan> plan;
    std::vector<tensor> arenas;
    tensor scratch;
    std::vector<std::unique_ptr<executable>> executables;  // of the plan's regions
    std::vector<buffer> buffers;                           // of each argument, in a plan with regions
    std::vector<const void*> pointers;                     // of each argument
    std::vector<any_value> values;                         // by value
    std::vector<layout> layouts;                           // likewise
    late_memory memory;                                    // of values of data-dependent size
    std::unique_ptr<live_graph> live;                      // only plans with data-dependent shapes
    std::map<int, tensor> device_values;  // values in a device's memory whose shapes their kernels reported
    struct {
        std::vector<any_value> inputs, outputs;
        std::vector<const any_value*> pointers;
        std::vector<layout> layouts;
    } late{};  // of one step with data-dependent shapes
    std::vector<const void*> outputs;
    std::int64_t most_bytes = 0, bytes_left = 0;  // that a run may use: in total, and remaining
    struct recording {
        int runs = 0;
        std::shared_ptr<void> work;
    };
    std::vector<std::int64_t> executed;  // by provider: nodes that the last run executed there
    std::vector<recording> recordings;   // by step, where options request them
    std::vector<timed_steps*> timed;     // by step, in a timed run: the time of bodies of control flow
    int failed_step = -1;
    int failed_queue = -1;  // where no step is known: whose device reported it, later
    failure_text failure;   // of the last run that was not ok

    void resolve_pointers();  // to the arenas, constants and values
    std::int64_t bytes();     // that it has for values and scratch
    void begin();             // before a run: the previous results are dropped
    void clear_failure() {
        failed_step = -1;
        failure = "";
    }
    void set_input(int input, const any_value&);
    any_value value_at(std::size_t argument) const;
    void take_bytes(std::int64_t);      // for the rest of the run; raises limit_exceeded
    void forget(int value);             // that no later step reads: its memory is free for later steps
    any_value fetch(int output) const;  // in memory that no later run writes to
    tensor output_view(int output) const;
};
[[noreturn]] void raise_run_bytes(std::int64_t bytes, std::int64_t left);  // limit_exceeded
}  // namespace v1
}  // namespace inlay
