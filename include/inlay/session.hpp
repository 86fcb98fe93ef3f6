// inlay::session: a model, loaded from ONNX, over an ordered list of providers.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "kv_cache.hpp"
#include "memory_report.hpp"
#include "model.hpp"
#include "plan_report.hpp"
#include "profile.hpp"
#include "provider/cpu.hpp"
#include "run_options.hpp"
#include <inlay/sdk/provider_handle.hpp>

namespace inlay {
inline namespace v1 {
// What happens to a node that the first provider of the list refuses.
struct fallback {
    enum class kind : std::uint8_t { implicit_cpu, never, only, any };
    kind policy = kind::implicit_cpu;
    std::vector<std::string> operators{};  // only: those that may leave the first provider

    static fallback implicit_cpu() {
        return {};
    }  // along the list; the CPU is appended, and reported, when it is missing
    static fallback never() { return {kind::never, {}}; }  // every node on the first provider, else an error
    static fallback only(std::vector<std::string> operators) { return {kind::only, std::move(operators)}; }
    static fallback any() {
        return {kind::any, {}};
    }  // as implicit_cpu; and a provider that fails while it compiles, binds or runs is replaced, and reported
};
// How nodes are assigned to the providers that can run them.
enum class partition_by : std::uint8_t {
    order,  // each to the first provider of the list that can run it
    // By measured times: with the first input shapes of a session, each provider in turn gets first priority and is
    // timed on generated inputs; nodes go where the whole run is fastest. Later shapes are placed alike.
    cost
};
constexpr std::string_view name_of(partition_by p) {
    constexpr std::string_view names[] = {"order", "cost"};
    return names[int(p)];
}
// What a session does where the regions that a model's file has in compiled form (docs/how-to/contexts.md) do not fit
// it.
enum class context_policy : std::uint8_t {
    recompile,  // compiles the original graph, which the file has too; a warning and a note in the plan say what
                // differs
    refuse      // an error, which says what differs
};
// What a session's results do not depend on, besides the number of threads, the run and, for models that keep rows
// apart, the other rows of a batch; plan_report::determinism names the nodes that break it.
enum class determinism : std::uint8_t {
    machine,  // processors of the same instruction sets: the best of them is used
    // Every processor of x86-64 with AVX2 and FMA, or every one of Arm with Neon, for the same program over the same C
    // library: the session computes with these, whatever INLAY_ISA and the machine say. A processor without them is
    // no_such_level, another `isa` of a provider invalid_option.
    portable
};
constexpr std::string_view name_of(determinism d) {
    constexpr std::string_view names[] = {"machine", "portable"};
    return names[int(d)];
}
enum class severity : std::uint8_t { verbose, info, warning, error, fatal };
constexpr std::string_view name_of(severity s) {
    constexpr std::string_view names[] = {"verbose", "info", "warning", "error", "fatal"};
    return names[int(s)];
}

struct session_options {
    inlay::fallback fallback{};
    partition_by partition = partition_by::order;
    std::optional<int> intra_op_num_threads{};  // overrides the CPU provider's option
    executor_ref executor{};                    // the caller's own threads; it outlives the session
    int plans = 8;                              // kept, one per distinct set of input shapes
    // For plan() and memory(): a provider whose device cannot be opened is planned for nevertheless. The plan says so,
    // and runs and bindings of the session are provider_unavailable.
    bool plan_only = false;
    context_policy contexts = context_policy::recompile;
    inlay::determinism determinism = inlay::determinism::machine;
    // What is less severe is not logged. verbose: one line per node with its provider; info: each plan, and a CPU that
    // was appended; warning: how many nodes left the first provider of the list, once per session, and providers that
    // failed and were replaced, or are deprecated. What ends a call is raised,
    // not logged: error and fatal leave the log empty.
    int log_severity_level = int(severity::warning);
    std::function<void(severity, std::string_view)> log{};  // default: standard error
    progress_function progress{};  // receives the progress of partition, plan and pack: while the session is created,
                                   // and where later shapes need a plan of their own
};

struct feed {
    std::string_view name;
    any_value value;
};
struct provider_count {
    std::string provider;
    std::int64_t nodes = 0;
};
// The results of a run, in the requested order.
class fetched {
    std::vector<std::pair<std::string, any_value>> outputs_;
    std::shared_ptr<const std::vector<std::string>> providers_;
    std::vector<std::int64_t> executed_;

  public:
    fetched() = default;
    explicit fetched(std::vector<std::pair<std::string, any_value>> outputs,
                     std::shared_ptr<const std::vector<std::string>> providers = {},
                     std::vector<std::int64_t> executed = {})
        : outputs_(std::move(outputs)), providers_(std::move(providers)), executed_(std::move(executed)) {}
    // How many nodes each provider of the list ran, those of a body of control flow each time that it ran. Nodes that
    // were folded before the run count for no provider.
    std::vector<provider_count> executed() const;
    std::size_t size() const { return outputs_.size(); }
    auto begin() const { return outputs_.begin(); }
    auto end() const { return outputs_.end(); }
    const std::string& name(std::size_t k) const { return outputs_.at(k).first; }
    const any_value& value(std::size_t k) const { return outputs_.at(k).second; }
    const tensor& operator[](std::size_t k) const&;  // an error if there is none, or it is no tensor
    const tensor& at(std::string_view name) const&;
    tensor operator[](std::size_t k) && {
        return std::as_const(*this)[k];
    }  // of a temporary: a tensor that keeps its memory
    tensor at(std::string_view name) && { return std::as_const(*this).at(name); }
};

struct save_options {
    bool embed = true;          // what engines compiled is in the file; else in files next to it
    bool keep_original = true;  // the graph as it was too, so that it can be compiled again
    bool add = false;           // to a file that session_base::save() wrote of the same model: as one target more
};
struct saved_session {
    int regions = 0;                    // that the file has compiled
    std::int64_t bytes = 0;             // of these
    std::vector<std::string> left_out;  // regions that it has not, and why: they are compiled when it is loaded
};

class session_core;  // src/engine

// Inputs and outputs in memory of their own, for runs without heap calls, locks and lookups.
class binding {
  public:
    binding(binding&&) noexcept;
    binding& operator=(binding&&) noexcept;
    ~binding();
    tensor_view input(std::string_view name);  // fill it in place
    // Reads the caller's memory in each run; same type and shape. A tensor in the memory space of the provider that
    // reads it is not copied.
    void set_input(std::string_view name, const tensor&);
    tensor_view output(std::string_view name) const;  // valid until the next run
    // Each run writes the result to the caller's memory, of the same type and shape, in any memory space: where the
    // last step writes, if it can.
    void set_output(std::string_view name, const tensor&);
    void set_output(
        std::string_view name,
        const space&);  // leaves the result in that memory: not copied, if it is produced there. The host's: as before
    status run(const run_options& =
                   {}) noexcept;   // under fallback::any too, a provider that fails ends the run: then bind again
    std::string_view why() const;  // of the last status that was not ok
    std::vector<provider_count> executed() const;            // by the last run, as fetched::executed()
    run_profile profile(int runs, const run_options& = {});  // runs with a clock between the steps. Errors are raised
  private:
    friend class session_base;
    struct impl;
    std::unique_ptr<impl> impl_;
    explicit binding(std::unique_ptr<impl>);
    void bind_output(std::string_view name, const tensor& memory, const space* location);
};

// Everything about a session that does not depend on its providers' types. Runs may be concurrent; moving is not.
class session_base {
  public:
    std::span<const port> inputs() const;
    std::span<const port> outputs() const;
    const inlay::model& model() const;
    std::vector<std::string> providers() const;  // in priority order
    std::vector<std::pair<std::string, option_list>> provider_options()
        const;  // every option with its value, defaults included
    isa::level level() const;

    // Runs the model. `names`: the requested outputs, in that order; none means all. Errors are raised.
    fetched run(std::span<const feed> inputs, std::span<const std::string_view> names = {},
                const run_options& = {}) const;
    fetched run(std::initializer_list<feed> inputs, std::initializer_list<std::string_view> names = {},
                const run_options& o = {}) const {
        return run(std::span(inputs.begin(), inputs.size()), std::span(names.begin(), names.size()), o);
    }
    // A decoder's run: `cache` stands for the inputs that it holds, and has their new rows afterwards. Its outputs are
    // not fetched.
    fetched run(std::span<const feed> inputs, kv_cache& cache, std::span<const std::string_view> names = {},
                const run_options& = {}) const;
    fetched run(std::initializer_list<feed> inputs, kv_cache& cache, std::initializer_list<std::string_view> names = {},
                const run_options& o = {}) const {
        return run(std::span(inputs.begin(), inputs.size()), cache, std::span(names.begin(), names.size()), o);
    }
    // For every input that a Concat extends to an output: capacity in rows, allocated at the first run. Raises
    // limit_exceeded for more of them than limits::elements_per_tensor allows.
    kv_cache make_cache(std::int64_t rows) const;
    result<fetched> try_run(std::span<const feed> inputs, std::span<const std::string_view> names = {},
                            const run_options& = {}) const;

    // Runs on zeros, so that later runs find memory, library plans and recorded graphs ready. `shapes`: of inputs with
    // symbolic dimensions.
    void warm_up(int runs = 3, std::span<const std::pair<std::string_view, shape>> shapes = {}) const;

    // For models whose shapes are known once the inputs' are. `shapes`: of inputs with symbolic dimensions.
    binding bind(std::span<const std::pair<std::string_view, shape>> shapes = {}) const;
    binding bind(std::initializer_list<std::pair<std::string_view, shape>> shapes) const {
        return bind(std::span(shapes.begin(), shapes.size()));
    }

    // Which node runs where, and why not elsewhere: for the shapes of the last run, else the model's own.
    plan_report plan() const;
    plan_report plan(std::span<const std::pair<std::string_view, shape>> shapes) const;
    plan_report plan(std::initializer_list<std::pair<std::string_view, shape>> shapes) const {
        return plan(std::span(shapes.begin(), shapes.size()));
    }
    // Where each value lives and how long, for the same shapes.
    memory_report memory() const;
    memory_report memory(std::span<const std::pair<std::string_view, shape>> shapes) const;
    memory_report memory(std::initializer_list<std::pair<std::string_view, shape>> shapes) const {
        return memory(std::span(shapes.begin(), shapes.size()));
    }
    // Releases the memory that finished runs left for later ones: memory_report::held_bytes. The next run allocates its
    // own; plans, packed weights, bindings and caches stay. Other threads may run meanwhile.
    void release_memory() const;
    // The time of each step in runs on these inputs, after one run that is not timed: JSON for chrome://tracing and
    // Perfetto. Inputs as bind() has them.
    std::string trace(std::span<const feed> inputs, int runs = 1, const run_options& = {}) const;
    std::string trace(std::initializer_list<feed> inputs, int runs = 1, const run_options& o = {}) const {
        return trace(std::span(inputs.begin(), inputs.size()), runs, o);
    }

    // Writes the model with what engines compiled of it, as EPContext nodes: for the shapes of the last run, else the
    // model's own, or for these. A session over that file, with the same providers, compiles none of it.
    saved_session save(const std::filesystem::path&, const save_options& = {},
                       std::span<const std::pair<std::string_view, shape>> shapes = {}) const;

  private:
    fetched run_with(kv_cache*, std::span<const feed>, std::span<const std::string_view>, const run_options&) const;

  protected:
    session_base() = default;
    struct handle_source {  // creates the list of providers, within make(): that too may fail
        void* data;
        std::vector<provider_handle> (*call)(void* data);
    };
    static result<std::shared_ptr<session_core>> make(inlay::model m, const session_options& o, const handle_source&);
    struct parts;  // of a core: list of providers, graph
    static std::shared_ptr<session_core> make_core(const parts&, const session_options&);
    template <class F>
    static result<std::shared_ptr<session_core>> make(inlay::model m, const session_options& o, F list) {
        return make(std::move(m), o, handle_source{&list, [](void* f) { return (*static_cast<F*>(f))(); }});
    }
    std::shared_ptr<session_core> core_;
};

template <class... Ps> class session : public session_base {
    static_assert(require_provider_list<Ps...>());

  public:
    // The list's order is the priority. Any model source will do: a path, or an inlay::model that several sessions
    // share.
    explicit session(inlay::model m, Ps... ps) : session(std::move(m), session_options{}, std::move(ps)...) {}
    session(inlay::model m, const session_options& o, Ps... ps) {
        core_ =
            make(std::move(m), o, [&] { return std::vector<provider_handle>{make_handle(ps)...}; }).value_or_raise();
    }
    static result<session> try_make(inlay::model m, const session_options& o, Ps... ps) {
        auto core = make(std::move(m), o, [&] { return std::vector<provider_handle>{make_handle(ps)...}; });
        if (!core) return core.why();
        session s;
        s.core_ = std::move(*core);
        return s;
    }

  private:
    session() = default;
};
template <class... Ps> session(inlay::model, Ps...) -> session<Ps...>;
template <class... Ps> session(inlay::model, session_options, Ps...) -> session<Ps...>;

// A session over providers known only at run time, as bindings and plugins have them; make_handle() creates a handle.
class handle_session : public session_base {
  public:
    explicit handle_session(inlay::model m, std::vector<provider_handle> list, const session_options& o = {}) {
        core_ = make(std::move(m), o, [&] { return std::move(list); }).value_or_raise();
    }
};
}  // namespace v1
}  // namespace inlay
