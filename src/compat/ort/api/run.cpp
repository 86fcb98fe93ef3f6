// Runs of a session.
#include "errors.hpp"
#include "session.hpp"
#include <algorithm>
#include <thread>

using namespace Ort::detail;

OrtSession::~OrtSession() {
    std::unique_lock lock(mutex);
    idle_signal.wait(lock, [this] { return background == 0; });
}
void OrtSession::warn_once(const std::string& text) {
    const std::lock_guard lock(mutex);
    if (logged_warnings.insert(text).second) log->warn(text);
}

// A tensor's memory without its owner: for bindings that are cached, while the program's values live only for the run.
static inlay::tensor lent(const inlay::tensor& t) {
    return t ? inlay::tensor::borrow(t.type(), t.shape(), t.data(), t.where()) : inlay::tensor();
}
std::vector<inlay::any_value> OrtSession::run_bound(std::span<const named_value> inputs,
                                                    std::span<const wanted_output> outputs,
                                                    const inlay::run_options& options) {
    constexpr std::size_t most_idle = 4;
    std::vector<named_value> in;
    for (const named_value& i : inputs) {
        const inlay::tensor* t = i.value.as_tensor();
        in.push_back({i.name, t ? inlay::any_value(lent(*t)) : i.value});
    }
    std::vector<wanted_output> out;
    for (const wanted_output& o : outputs) out.push_back({o.name, lent(o.memory), o.space});
    std::shared_ptr<bound_runs> runs;
    {
        const std::lock_guard lock(mutex);
        const auto fitting = std::ranges::find_if(idle, [&](const auto& r) { return r->fits(in); });
        if (fitting != idle.end()) {
            runs = std::move(*fitting);
            idle.erase(fitting);
        }
    }
    if (!runs) runs = std::make_shared<bound_runs>(*session, in);
    runs->run(in, out, true, options);
    std::vector<inlay::any_value> results;
    for (std::size_t k = 0; k < out.size(); ++k) {
        const inlay::any_value result = runs->output(k, out[k]);
        const inlay::tensor* t = result.as_tensor();
        results.push_back(t && !out[k].memory ? inlay::any_value(t->clone()) : result);
    }
    runs->forget_outputs(out);
    const std::lock_guard lock(mutex);
    if (idle.size() == most_idle) idle.erase(idle.begin());
    idle.push_back(std::move(runs));
    return results;
}
std::vector<inlay::any_value> OrtSession::run(std::span<const named_value> inputs,
                                              std::span<const wanted_output> outputs, const OrtRunOptions* options) {
    const run_scope scope(options);
    const inlay::run_options run_options{.stop = options ? &options->stop : nullptr, .deadline = {}};
    if (options)
        for (const auto& [key, value] : options->config)
            warn_once("the entry `" + key + "` = `" + value + "` of RunOptions means nothing here");
    if (outputs.empty()) raise(ORT_INVALID_ARGUMENT, "Ort: a run of no outputs");
    if (recorder.on()) return run_recorded(inputs, outputs, run_options);
    const bool in_place = std::ranges::any_of(outputs, [](const wanted_output& o) { return bool(o.memory); });
    const bool on_device = std::ranges::any_of(inputs, [](const named_value& i) {
        const inlay::tensor* t = i.value.as_tensor();
        return t && !t->on_host();
    });
    return in_place || on_device ? run_bound(inputs, outputs, run_options) : run_fresh(inputs, outputs, run_options);
}
std::vector<inlay::any_value> OrtSession::run_fresh(std::span<const named_value> inputs,
                                                    std::span<const wanted_output> outputs,
                                                    const inlay::run_options& options) {
    std::vector<inlay::feed> feeds;
    for (const named_value& i : inputs) feeds.push_back({i.name, i.value});
    std::vector<std::string_view> names;
    for (const wanted_output& o : outputs) names.push_back(o.name);
    const inlay::fetched values = session->run(feeds, names, options);
    std::vector<inlay::any_value> results;
    for (std::size_t k = 0; k < names.size(); ++k) results.push_back(values.value(k));
    return results;
}
std::vector<inlay::any_value> OrtSession::run_recorded(std::span<const named_value> inputs,
                                                       std::span<const wanted_output> outputs,
                                                       const inlay::run_options& options) {
    bound_runs runs(*session, inputs);
    if (!runs.profile(inputs, options, recorder)) {
        warn_once("runs with values that are no tensors are not in the profile");
        return run_fresh(inputs, outputs, options);
    }
    std::vector<inlay::any_value> results;
    for (std::size_t k = 0; k < outputs.size(); ++k)
        results.push_back(runs.output(k, {outputs[k].name}).as_tensor()->clone());
    return results;
}

namespace Ort {
namespace detail {
void OrtRelease(OrtRunOptions* o) noexcept { delete o; }

namespace {
std::vector<named_value> inputs_of(const char* const* names, const Value* values, std::size_t count) {
    std::vector<named_value> inputs;
    for (std::size_t k = 0; k < count; ++k) {
        const OrtValue* v = values[k];
        const char* const name = need_text(names[k], "an input's name");
        if (!v) raise(ORT_INVALID_ARGUMENT, std::string("Ort: the value of the input `") + name + "` is empty");
        inputs.push_back({name, v->value});
    }
    return inputs;
}
// `values`: null, or those that are passed for the outputs, each of which may be empty.
std::vector<wanted_output> outputs_of(const char* const* names, const Value* values, std::size_t count) {
    std::vector<wanted_output> outputs;
    for (std::size_t k = 0; k < count; ++k) {
        const OrtValue* v = values ? static_cast<const OrtValue*>(values[k]) : nullptr;
        outputs.push_back({need_text(names[k], "an output's name"), v ? tensor_of(v) : inlay::tensor()});
    }
    return outputs;
}
void run_into(OrtSession& s, const OrtRunOptions* options, const char* const* input_names, const Value* inputs,
              std::size_t input_count, const char* const* output_names, Value* outputs, std::size_t output_count) {
    const auto requests = outputs_of(output_names, outputs, output_count);
    const auto results = s.run(inputs_of(input_names, inputs, input_count), requests, options);
    for (std::size_t k = 0; k < output_count; ++k) {
        if (!requests[k].memory)
            outputs[k] = value_of(results[k]);
        else if (const inlay::tensor* t = results[k].as_tensor(); t && t->data() != requests[k].memory.data())
            copy_into(requests[k].memory, *t, requests[k].name);
    }
}
}  // namespace

template <class T>
std::vector<Value> SessionImpl<T>::Run(const RunOptions& options, const char* const* input_names, const Value* inputs,
                                       std::size_t input_count, const char* const* output_names,
                                       std::size_t output_count) {
    return guarded([&] {
        std::vector<Value> results;
        for (inlay::any_value& v : need(this->p_, "Session")
                                       .run(inputs_of(input_names, inputs, input_count),
                                            outputs_of(output_names, nullptr, output_count), options))
            results.push_back(value_of(std::move(v)));
        return results;
    });
}
template <class T>
void SessionImpl<T>::Run(const RunOptions& options, const char* const* input_names, const Value* inputs,
                         std::size_t input_count, const char* const* output_names, Value* outputs,
                         std::size_t output_count) {
    guarded([&] {
        run_into(need(this->p_, "Session"), options, input_names, inputs, input_count, output_names, outputs,
                 output_count);
    });
}
template <class T> void SessionImpl<T>::Run(const RunOptions& options, const IoBinding& binding) {
    OrtIoBinding* const b = binding;
    guarded([&] {
        need(this->p_, "Session");
        if (&need(b, "IoBinding").session() != this->p_)
            raise(ORT_INVALID_ARGUMENT, "Ort: the binding is of another session");
        b->run(options);
    });
}
template <class T>
void SessionImpl<T>::RunAsync(const RunOptions& options, const char* const* input_names, const Value* inputs,
                              std::size_t input_count, const char* const* output_names, Value* outputs,
                              std::size_t output_count, RunAsyncCallbackFn callback, void* user_data) {
    guarded([&] {
        OrtSession& s = need(this->p_, "Session");
        if (!callback) raise(ORT_INVALID_ARGUMENT, "Ort: RunAsync() without a callback");
        static_assert(sizeof(Value) == sizeof(OrtValue*));  // an array of values is one of pointers
        const auto work = [&s, run_options = static_cast<const OrtRunOptions*>(options), input_names, inputs,
                           input_count, output_names, outputs, output_count, callback, user_data] {
            OrtStatus* const status = status_of([&] {
                run_into(s, run_options, input_names, inputs, input_count, output_names, outputs, output_count);
            });
            callback(user_data, reinterpret_cast<OrtValue**>(outputs), output_count, status);
            const std::lock_guard lock(s.mutex);
            --s.background;
            s.idle_signal.notify_all();  // within the lock: the session may be destroyed as soon as it is open
        };
        const std::lock_guard lock(s.mutex);
        std::thread(work).detach();
        ++s.background;
    });
}
template <class T> AllocatedStringPtr SessionImpl<T>::EndProfilingAllocated(OrtAllocator* allocator) {
    return guarded([&] { return text_in(allocator, need(this->p_, "Session").recorder.end()); });
}
template <class T>
void SessionImpl<T>::SetEpDynamicOptions(const char* const* keys, const char* const*, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        raise(ORT_NOT_IMPLEMENTED, std::string("Ort: the option `") + need_text(keys[k], "an option's name") +
                                       "` cannot be set while a session is in use");
}
template struct SessionImpl<OrtSession>;
template struct SessionImpl<Unowned<OrtSession>>;
}  // namespace detail

static OrtRunOptions& run_options_behind(OrtRunOptions* p) { return detail::need(p, "RunOptions"); }
RunOptions::RunOptions() : Base(new OrtRunOptions) {}
RunOptions& RunOptions::SetRunLogVerbosityLevel(int level) {
    run_options_behind(p_).log_verbosity = level;
    return *this;
}
int RunOptions::GetRunLogVerbosityLevel() const { return run_options_behind(p_).log_verbosity; }
RunOptions& RunOptions::SetRunLogSeverityLevel(int level) {
    run_options_behind(p_).log_severity = detail::checked_level(level);
    return *this;
}
int RunOptions::GetRunLogSeverityLevel() const { return run_options_behind(p_).log_severity; }
RunOptions& RunOptions::SetRunTag(const char* tag) {
    run_options_behind(p_).tag = detail::need_text(tag, "the tag of a run");
    return *this;
}
const char* RunOptions::GetRunTag() const { return run_options_behind(p_).tag.c_str(); }
RunOptions& RunOptions::AddConfigEntry(const char* key, const char* value) {
    run_options_behind(p_).config[detail::need_text(key, "a key")] = detail::need_text(value, "the value of an entry");
    return *this;
}
RunOptions& RunOptions::SetTerminate() {
    run_options_behind(p_).stop = true;
    return *this;
}
RunOptions& RunOptions::UnsetTerminate() {
    run_options_behind(p_).stop = false;
    return *this;
}
}  // namespace Ort
