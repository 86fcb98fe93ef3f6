// The engine of a session: plans per set of input shapes, contexts per concurrent run.
#pragma once
#include "bound_states.hpp"
#include "compiled_plan.hpp"
#include "saved_regions.hpp"
#include "stage_progress.hpp"
#include <inlay/profile.hpp>
#include <inlay/thread_pool.hpp>
#include <future>
#include <list>
#include <map>
#include <thread>

namespace inlay {
inline namespace v1 {
[[noreturn]] void raise_unowned(const graph_view&, const assignment&,
                                const std::vector<provider_handle>&);  // no_provider, with every reason
std::string refusal_text(const verdict&, const graph_view&, const node&, const provider_handle&);

constexpr std::string_view layout_name(layout l) { return l == layout::channels_last ? "channels_last" : "plain"; }

// Providers that failed under fallback::any: no new plan has them. Bodies share it with the graph around them.
struct failed_providers {
    std::mutex lock;
    std::vector<char> which;  // by position in the list
    std::vector<std::string> notes;
    std::atomic<int> count{0};
    barred_kernels barred;
    std::atomic<bool> departures_logged{false};
};
std::vector<provider_count> counts_of(const std::vector<std::string>& names, std::span<const std::int64_t> nodes);
error current_error();  // of the exception that is being handled, whoever threw it
status status_of(error_code);

// What a cache may hold: an input that the model gives back as an output.
struct kept_pair : growth {
    enum class form : std::uint8_t {
        rows,    // the past is the rows held, and the present has the new ones behind them
        buffer,  // both are all of the cache's memory: the operator is told which of its rows are there
        state    // the present takes the past's place
    } how = form::rows;
    int node = -1;  // that reads the past
    int tokens = -1,
        tokens_axis = -1;  // its input with one row for each that a run adds; with `rows`, the present tells
    int total = -1;        // its input that tells how many rows there are afterwards, if it has one
};
std::vector<kept_pair> find_kept_pairs(const graph_view&);  // states last
// Inputs whose rows are only summed, or tell GroupQueryAttention of these pairs how long they are: zeros behind them
// change nothing but the shape, and with the cache's room in every run there is one plan for all tokens.
std::vector<int> find_counting_masks(const graph_view&, std::span<const kept_pair>);

class copy_room;
struct lying_value;
struct grown_values;
struct bound_memory;
[[noreturn]] void raise_run_bytes(std::int64_t bytes, std::int64_t left);  // limit_exceeded

// While it lives, the thread works on these queues, on one at a time; at its end they have done all that they were
// given.
class queues_entered {
    device_queues& queues_;
    std::size_t entered_ = 0;
    int selected_ = -1, failed_ = -1;
    status status_ = status::ok;
    failure_text why_;
    status finish(std::size_t queue) noexcept;

  public:
    explicit queues_entered(device_queues&);
    queues_entered(const queues_entered&) = delete;
    queues_entered& operator=(const queues_entered&) = delete;
    ~queues_entered();
    status entered() const noexcept { return status_; }
    std::string_view why() const noexcept { return why_; }  // of a status that was not ok
    int failed() const noexcept { return failed_; }         // and whose it was
    void select(int queue) noexcept {
        if (queue != selected_) queues_[std::size_t(selected_ = queue)]->select();
    }
    void given_work() noexcept { queues_[std::size_t(selected_)]->working_ = true; }
    status follow() noexcept;  // the selected one begins after what the others were given
    status settle() noexcept;  // waits for those that were given work
    status settle_all() noexcept;
};

// What the steps of a body of control flow took, over all times that it ran.
struct timed_steps {
    struct entry;
    std::vector<entry> all;
    std::map<std::tuple<const graph_data*, int, int>, std::size_t>
        places;  // by body, unit and source: its plans may differ from shape to shape
    std::vector<step_profile> since(std::chrono::steady_clock::time_point) const;
};
struct timed_steps::entry {
    step_profile what;  // its times since the clock's own beginning
    timed_steps inside;
};

using plan_result = result<std::shared_ptr<const compiled_plan>>;
// A plan that one thread makes: others who want the same wait for it.
struct pending_plan {
    std::vector<shape> key;
    std::int64_t room;
    std::thread::id maker;
    std::promise<plan_result> promise{};
    std::shared_future<plan_result> plan = promise.get_future().share();
};

class session_core {
    friend class control_flow_run;
    friend class graph_pieces;
    friend class subgraph_run;
    friend class watched_step;

  public:
    // `keep` owns `g`. Bodies of control flow are cores too, over the same options and providers.
    session_core(std::shared_ptr<const void> keep, const graph_data& g, const graph_view& v,
                 std::shared_ptr<bound_states> bound, session_options o, std::vector<provider_handle> list,
                 const session_core* parent = nullptr);

    std::shared_ptr<const compiled_plan> plan_for(std::span<const shape> inputs,
                                                  std::int64_t room = 0);  // room: of a cache, in rows
    // A plan and a context for it. Raises limit_exceeded where the plan alone takes more.
    std::unique_ptr<run_context> context_for(std::span<const shape> inputs, std::int64_t room, std::int64_t most_bytes);
    void give_back(std::unique_ptr<run_context>);
    // Inputs in the graph's order; outputs by position. Raises errors.
    void run(std::span<const any_value* const> inputs, std::span<const int> positions, std::span<any_value> outputs,
             const run_options& o) {
        run(inputs, positions, outputs, o, run_bytes);
    }
    void run(std::span<const any_value* const> inputs, std::span<const int> positions, std::span<any_value> outputs,
             const run_options&, std::int64_t most_bytes, timed_steps* = nullptr, grown_values* = nullptr,
             std::vector<std::int64_t>* executed = nullptr);          // executed: is added to
    status execute(run_context&, const run_options&);                 // the inputs' pointers are set
    run_profile profile(run_context&, int runs, const run_options&);  // likewise; raises errors
    void set_input(run_context&, int input, const any_value&) const;
    // Tells before and after each step which one it is. False: the run ends there, without results. `begin` is told of
    // the context first. Raises errors.
    struct step_marks {
        std::function<void(run_context&)> begin;
        std::function<bool(run_context&, const exec_step&, bool after)> mark;
    };
    void watch(std::span<const any_value* const> inputs, const run_options&, const step_marks&);
    lying_value lying(const run_context&, const exec_step&, std::size_t argument) const;  // what a step reads or wrote
    any_value fetch(const run_context&, int output) const;  // in memory that no later run writes to
    tensor output_view(const run_context&, int output) const;
    void bind_memory(run_context&, bound_memory&) const;  // from then on the context reads and writes what that says
    [[noreturn]] void raise_status(const run_context&, status) const;
    bool replace_failed(int provider, const std::string& why);  // true: the others take over
    int failed_provider(
        const run_context&) const;  // whose step it was, or whose memory a transfer was for; -1: nobody's
    plan_report report(const compiled_plan*) const;
    memory_report memory(const compiled_plan&) const;
    std::int64_t held_bytes() const;  // by contexts that no run has, those of bodies too
    void release_memory();            // of these contexts
    std::shared_ptr<const compiled_plan> newest_plan() const;
    std::shared_ptr<const compiled_plan> plan_for_report(
        std::string* why = nullptr);  // null: none can be made where symbolic dimensions are 1
    void check_coverage();            // raises no_provider where a node is nobody's, whatever the shapes
    void check_bodies();              // that of all bodies of control flow
    void check_cached(int past, const shape& dims) const;  // raises limit_exceeded: a cache cannot hold so much
    void report_node(int i, const graph_view&, const assignment&, plan_report&) const;
    std::vector<std::string> precision_notes() const;  // what the options ask for and nobody honours
    const std::shared_ptr<const std::vector<std::string>>& provider_names() const { return names_; }
    const graph_view& view() const { return view_; }
    bool logs(severity s) const { return int(s) >= options.log_severity_level; }
    void note_log(severity, std::string_view) const;

    const graph_data& graph;
    session_options options;
    std::vector<provider_handle> handles;
    bool implicit_cpu = false;
    struct obstacle {
        std::string provider, why;
    };
    std::optional<obstacle> plan_only;  // the first provider of the list that cannot run: then nothing is bound
    isa::level level;
    std::int64_t run_bytes = limits{}.run_bytes;  // limits::run_bytes of the model
    std::optional<inlay::model> source;
    std::vector<kept_pair> kept_pairs;
    std::vector<int> counting_masks;                  // positions of inputs
    std::shared_ptr<const restored_target> restored;  // where the graph has nodes that stand for saved regions
    std::vector<std::string> notes;                   // for reports

    // The regions of a plan that their engines can save; `left_out` tells why the others are none.
    std::vector<region_to_save> save_regions(const compiled_plan&, std::vector<std::string>& left_out) const;

  private:
    std::shared_ptr<const constant_source> own_constants() const;
    struct ranged_region {
        bool asked = false;                                                     // for one set of input shapes at least
        std::shared_ptr<const constant_source> lent{};                          // to what is compiled
        std::shared_future<std::shared_ptr<const compiled_region>> compiled{};  // for a second set; null: there is none
    };
    std::shared_ptr<const compiled_region> compile_ranged(const region&, int provider, ranged_region&);
    std::shared_ptr<const void> keep_;
    std::shared_ptr<const std::vector<std::string>> names_;  // of the providers: results may outlive the session
    std::unique_ptr<thread_pool> own_pool_;
    executor_ref executor_;
    std::vector<std::shared_ptr<device_session>>
        devices_;                         // by provider; null where it needs none, or could not be opened
    std::vector<opened_engine> engines_;  // by provider
    bool flush_denormals_ = false;
    const twin_side* twin_ = nullptr;  // of the first provider that is one
    std::shared_ptr<failed_providers> failed_;
    std::vector<value> values_;  // of view_
    graph_view view_;
    mutable std::mutex mutex_;
    std::list<std::shared_ptr<const compiled_plan>> plans_;  // the newest first
    std::list<pending_plan> pending_;
    std::vector<std::unique_ptr<run_context>> contexts_;
    std::mutex ranged_lock_;
    std::map<std::pair<int, std::vector<int>>, ranged_region> ranged_;  // by provider and nodes
    std::shared_ptr<const placement> placed_;  // by the costs of the first shapes; null: not yet, or not at all
    std::shared_ptr<bound_states> states_;     // the model's: shared by its sessions
    std::map<bound_states::key, std::shared_ptr<bound_state>> kept_;       // what this session uses of them
    std::map<std::pair<int, int>, std::unique_ptr<session_core>> bodies_;  // by node and subgraph

    std::unique_ptr<run_context> take_context(std::shared_ptr<const compiled_plan>);
    void make_executables(run_context&, const compiled_plan&) const;
    void open_devices();  // and engines
    int provider_in(const compiled_plan&, int space) const;
    int transferring_provider(const compiled_plan&, int transfer) const;
    bool is_failure_of(int provider, const error&) const;
    [[noreturn]] void raise_failure(int provider, error) const;  // throws provider_failure, if it is one
    void log_departures(const compiled_plan&) const;
    struct kernel_packing;
    kernel_packing packing_of(compiled_plan&, exec_step&, const step&);
    void pack(const compiled_plan&, kernel_packing&, copy_room&);
    void add_packed(compiled_plan&, const kernel_packing&);
    void pack_all(compiled_plan&, std::vector<kernel_packing>&, stage_progress&);
    void bind_step(compiled_plan&, exec_step&, const step&, const erased_providers&, std::vector<kernel_packing>&);
    void bind_late(compiled_plan&, exec_step&, const step&, const erased_providers&);
    void add_queues(device_queues&, std::span<const char> providers) const;
    device_queues all_queues() const;  // of the providers that have not failed
    status do_step(run_context&, const exec_step&, context&, const run_options&);
    status run_together(run_context&, std::size_t first, context&, const run_options&);
    std::shared_ptr<const compiled_plan> kept_plan(std::span<const shape> inputs, std::int64_t room);
    std::shared_ptr<const compiled_plan> compile_pending(std::list<pending_plan>::iterator);
    std::shared_ptr<compiled_plan> compile(std::span<const shape> inputs, std::int64_t room);
    std::shared_ptr<compiled_plan> compile_placed(std::span<const shape> inputs, std::int64_t room,
                                                  std::shared_ptr<const placement>);
    class cost_trials;
    std::shared_ptr<compiled_plan> compile_by_cost(std::span<const shape> inputs);
    // Says where each argument is. Constants that a provider needs in its own memory are copied there, but for a plan
    // only.
    void place_arguments(compiled_plan&, const erased_providers&) const;
    void bind_steps(compiled_plan&, const erased_providers&, queues_entered&, stage_progress&);
    int device_of_step(const inlay::plan&, const step&, const erased_providers&) const;
    std::shared_ptr<const compiled_region> region_for_any_shapes(const region&, int provider);
    std::shared_ptr<const compiled_region> compile_region(compiled_plan&, const step&);
    std::shared_ptr<const compiled_region> restore_region(const region&, int saved, int provider) const;
    const void* readable(compiled_plan&, int constant);
    std::shared_ptr<bound_state> bind_shared(const compiled_plan&, int unit, int provider, const node&,
                                             const kernel_functions&,
                                             const std::function<std::shared_ptr<bound_state>()>& bind);
    const kernel_table& kernels_at(int provider) const { return *handles[std::size_t(provider)].kernels; }
    const entry* rule_for(const node&) const;
    void apply_shape_rules();
    isa::level level_of(std::optional<isa::level> request) const;
    void start_threads(std::optional<int> threads);  // a pool of its own, of so many; none: one per core
    void run_late(run_context&, const exec_step&, const context&);
    void begin_late(run_context&) const;
    void forget(run_context&, int value) const;
    std::shared_ptr<bound_state> bind_late_kernel(run_context&, const step&, int provider, int kernel,
                                                  const void* params, std::int64_t bytes, constants);
    void store_outputs(run_context&, const exec_step&, const step&, std::span<any_value> outputs);
    void store_planned(run_context&, const exec_step&, const step&, int output, const any_value& result);
    using moment = std::chrono::steady_clock::time_point;
    template <bool Timed, class Mark> status run_steps(run_context&, const run_options&, Mark);
    status execute_timed(run_context&, const run_options&, moment* marks);  // marks: a start and an end of each step
    status execute_beside(run_context&, const run_options&);                // each step is computed by another side too
    void report_schedule(const compiled_plan*, const assignment&, plan_report&) const;  // its values and steps
    status execute_timed(run_context&, const run_options&, timed_steps&);
    step_profile describe_step(const run_context&, const exec_step&) const;
    status run_telling(run_context&, const exec_step&, context&) const;
    status transfer_value(run_context&, const exec_step&, context&) const;
    void run_control_flow(run_context&, const exec_step&, const run_options&);
    any_value value_at(const run_context&, std::size_t argument) const;
    session_core& body(int node, int subgraph);
    void take_bytes(run_context&, std::int64_t) const;  // for the rest of the run; raises limit_exceeded
    void drop_large_contexts();
    context make_base(const run_options&) const;
    erased_providers provider_list(const constant_source* = nullptr) const;
    void log_plan(const compiled_plan&, std::chrono::steady_clock::duration) const;
};
}  // namespace v1
}  // namespace inlay
