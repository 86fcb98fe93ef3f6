// The session inside Ort::Session: Inlay's, with the log, the profile and the bindings that its runs share.
#pragma once
#include "env.hpp"
#include "session_options.hpp"
#include "type_info.hpp"
#include "value.hpp"
#include <inlay/ort/api/session.hpp>
#include <condition_variable>
#include <mutex>
#include <set>

struct OrtRunOptions {
    std::atomic<bool> stop{false};
    int log_verbosity = 0, log_severity = -1;  // -1: the session's
    std::string tag{};
    std::map<std::string, std::string> config{};
};
struct OrtModelMetadata {
    inlay::model model;
};

namespace Ort::detail {
// Where a session's lines go. Lines of a run carry its tag, and are dropped where its severity level says so.
class session_log {
    std::shared_ptr<const environment> env_;
    std::string id_;
    std::optional<OrtLoggingLevel> level_;  // empty: the environment's

  public:
    session_log(std::shared_ptr<const environment> env, std::string id, std::optional<OrtLoggingLevel> level)
        : env_(std::move(env)), id_(std::move(id)), level_(level) {}
    OrtLoggingLevel level() const { return level_ ? *level_ : env_->level(); }
    void write(OrtLoggingLevel severity, std::string_view text) const;
    void warn(std::string_view text) const { write(ORT_LOGGING_LEVEL_WARNING, text); }
};
// The run that the thread executes, for the log; null options are none.
class run_scope {
    const OrtRunOptions* before_;

  public:
    explicit run_scope(const OrtRunOptions* options);
    ~run_scope();
    run_scope(const run_scope&) = delete;
};

struct named_value {
    std::string_view name;
    inlay::any_value value;
};
// A requested output: in this memory, or in this space, or wherever it is produced.
struct wanted_output {
    std::string_view name;
    inlay::tensor memory{};
    const inlay::space* space = nullptr;
};

// The steps of all runs until the profile ends.
class run_recorder {
    std::mutex mutex_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::filesystem::path prefix_;
    inlay::run_profile profile_{};
    std::atomic<bool> on_{false};

  public:
    void begin(std::filesystem::path prefix);
    bool on() const { return on_.load(std::memory_order_relaxed); }
    std::uint64_t start() const;
    void add(inlay::run_profile profile, std::chrono::steady_clock::time_point began);
    std::string end();  // the file that it wrote; raises where no profiling was enabled
};

// Into memory of the same type and shape; raises where it has another.
void copy_into(const inlay::tensor& memory, const inlay::any_value& result, std::string_view name);

// Runs of a session for inputs of one set of shapes, by a binding of Inlay's where that is possible: then results are
// written directly to the memory that is passed for them.
class bound_runs {
    const inlay::session_base& session_;
    std::vector<std::pair<std::string, inlay::shape>> shapes_;
    std::optional<inlay::binding> binding_;  // empty: a value is no tensor, and runs are plain
    bool copies_ = false;                    // an output's size is data-dependent: not bound
    inlay::fetched fetched_;                 // of the last plain run
    bool plain_ = false;                     // the last run was one

    void run_plain(std::span<const named_value> inputs, std::span<const wanted_output> outputs,
                   const inlay::run_options&);
    bool bind_outputs(std::span<const wanted_output>);

  public:
    bound_runs(const inlay::session_base& session, std::span<const named_value> inputs);
    bool fits(std::span<const named_value> inputs) const;
    // `fresh`: inputs or outputs are others than in the last run.
    void run(std::span<const named_value> inputs, std::span<const wanted_output> outputs, bool fresh,
             const inlay::run_options&);
    // The same with time stamps between the steps; false, and no run, where values are no tensors. Outputs are not in
    // the requested memory.
    bool profile(std::span<const named_value> inputs, const inlay::run_options&, run_recorder&);
    // Output k of the last run; in memory of this object where no other was requested.
    inlay::any_value output(std::size_t k, const wanted_output& requested) const;
    void forget_outputs(std::span<const wanted_output>);  // whose memory may be freed now
};
}  // namespace Ort::detail

struct OrtSession {
    std::shared_ptr<Ort::detail::environment> env;
    std::shared_ptr<const Ort::detail::session_log> log;
    std::unique_ptr<inlay::any_session> session;
    std::vector<std::shared_ptr<const Ort::detail::type_parts>> input_types, output_types;
    Ort::detail::run_recorder recorder;
    std::mutex mutex;                                              // of what follows
    std::vector<std::shared_ptr<Ort::detail::bound_runs>> idle{};  // for outputs in the program's memory
    std::set<std::string> logged_warnings{};                       // warnings of runs, each of which is logged once
    int background = 0;                                            // runs in threads of their own
    std::condition_variable idle_signal{};

    ~OrtSession();
    void warn_once(const std::string& text);
    // Results, in the order of `outputs`; in their memory where that is given.
    std::vector<inlay::any_value> run(std::span<const Ort::detail::named_value> inputs,
                                      std::span<const Ort::detail::wanted_output> outputs, const OrtRunOptions*);

  private:
    using names_and_values = std::span<const Ort::detail::named_value>;
    using names_and_memory = std::span<const Ort::detail::wanted_output>;
    std::vector<inlay::any_value> run_fresh(names_and_values, names_and_memory, const inlay::run_options&);
    std::vector<inlay::any_value> run_bound(names_and_values, names_and_memory, const inlay::run_options&);
    std::vector<inlay::any_value> run_recorded(names_and_values, names_and_memory, const inlay::run_options&);
};

struct OrtIoBinding {
    struct output {
        std::string name;
        inlay::tensor memory{};     // that was bound, or empty
        const inlay::space* space;  // else
    };
    explicit OrtIoBinding(OrtSession& session) : session_(session) {}
    const OrtSession& session() const { return session_; }
    const std::vector<output>& outputs() const { return outputs_; }
    void bind_input(const char* name, const inlay::any_value&);
    void bind_output(output);
    void clear_inputs();
    void clear_outputs();
    void run(const OrtRunOptions*);
    std::vector<inlay::any_value> results() const;

  private:
    OrtSession& session_;
    std::vector<std::pair<std::string, inlay::any_value>> inputs_{};
    std::vector<output> outputs_{};
    std::shared_ptr<Ort::detail::bound_runs> runs_{};
    std::vector<Ort::detail::named_value> named_{};  // as the last run had them
    std::vector<Ort::detail::wanted_output> requests_{};
    bool fresh_ = true;  // something was bound since
    bool ran_ = false;
    void prepare();
    void forget_outputs();
};
