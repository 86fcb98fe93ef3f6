// A plan for one set of input shapes: produced by planner, then given bound kernels by binder.
#pragma once
#include "bound_states.hpp"
#include "specialise.hpp"
#include <inlay/plan/plan.hpp>
#include <inlay/plan_report.hpp>
#include <map>

namespace inlay {
inline namespace v1 {
struct exec_step {
    enum class kind : std::uint8_t {
        kernel,
        telling,
        transfer,
        region,
        late,
        control_flow
    } what = kind::kernel;  // telling: a kernel that reports the sizes of its outputs
    status (*run)(const void* params, const void* state, const arguments&, context&) noexcept = nullptr;
    const void* params = nullptr;
    const void* state = nullptr;
    int region = -1;              // in compiled_plan::regions
    int queue = -1;               // the provider whose device runs it; -1: the host
    int space = 0;                // where its scratch is
    int together = 0;             // steps from here on, this one included, that may be recorded; 0: counted before
    std::size_t in = 0, out = 0;  // in the context's pointers
    int step = 0;                 // in the plan
    range candidates{};           // of steps with data-dependent shapes
    range last_reads{};           // in compiled_plan::last_reads
};

// Where an argument's memory is.
struct place {
    enum class kind : std::uint8_t { absent, arena, constant, own } what = kind::absent;
    int index = 0;  // arena: the space; own: the value; constant: its index
    std::int64_t offset = 0;
    const void* pointer = nullptr;                                         // constant: null where bind() packed it
    int space = 0;                                                         // constant: where it is read
    bool on_host() const { return what == kind::constant && space == 0; }  // a constant that the host reads
};

// Known costs of a plan that was chosen by cost.
struct plan_costs : plan_report::cost {
    std::vector<double> steps_predicted{}, steps_measured{};  // seconds; -1: not known
};
struct placement;

struct compiled_plan : specialised {
    explicit compiled_plan(specialised s) : specialised(std::move(s)) {}
    std::vector<shape> key;       // the inputs' shapes
    std::int64_t room = 0;        // rows of a cache; 0: the run has none
    std::vector<growth> growths;  // of the view; none without a cache
    inlay::plan plan;
    std::shared_ptr<const void> engine_answers;  // owns the texts of the plan's verdicts
    std::shared_ptr<const placement> placed;     // likewise; null: placed by order
    std::optional<plan_costs> costs;
    std::vector<exec_step> steps;
    std::vector<place> places;  // of each argument
    std::vector<place> output_places;
    std::vector<std::vector<std::size_t>> input_arguments;  // the arguments that are each graph input's own bytes
    std::vector<std::vector<std::size_t>> input_outputs;    // the graph outputs that are
    std::vector<std::vector<std::max_align_t>> params;
    std::vector<std::shared_ptr<bound_state>> states;
    std::vector<std::shared_ptr<const compiled_region>> regions;
    std::vector<candidate> candidates;  // of steps with data-dependent shapes
    std::vector<tensor> uploaded;       // constants in other spaces
    // Constants that steps read, by index: created on demand, or copied to addresses aligned for their elements.
    std::map<int, tensor> own_constants;
    std::vector<int> own_values;         // values with memory of their own in each context, in ascending order
    std::vector<int> late_values;        // those whose size is data-dependent
    std::vector<int> last_reads;         // and of these, those that no step reads after this one
    std::vector<char> roaming;           // by value: only steps with data-dependent shapes read it: it keeps its layout
    std::vector<const space*> spaces;    // by the plan's numbers
    std::vector<char> queued;            // by provider: some step needs its device
    std::vector<std::int64_t> executed;  // by provider: nodes of every run, without those chosen at run time
    bool late = false;                   // some shapes are known only at run time
    int failures = 0;                    // of providers, that were known when it was created
    std::int64_t packed_bytes = 0, run_bytes = 0;  // run_bytes: host memory of a context, without data-dependent sizes

    const copied_value& copy(int id) const { return plan.copies[std::size_t(id) - graph.values.size()]; }
    int source(int id) const {
        while (id >= int(graph.values.size())) id = copy(id).source;
        return id;
    }  // the value that it is a copy of: itself, if none
    const value& record(int id) const { return graph.values[std::size_t(source(id))]; }
    const void* readable(int constant, bound_states&);  // where a constant lies that is read while the plan runs
};
}  // namespace v1
}  // namespace inlay
