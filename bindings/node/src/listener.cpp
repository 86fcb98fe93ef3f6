#include "listener.hpp"
#include "task.hpp"
#include <future>
#include <iterator>

namespace inlay_node {
struct listener::message {
    bool is_log = true;
    task* origin = nullptr;  // which waits for the answer
    std::promise<bool> answer{};
    std::int32_t number = 0;  // the stage, or the severity
    std::int64_t count = 0, total = 0;
    std::string text{};
};

namespace {
std::string name_of_stage(std::int32_t stage) {
    constexpr const char* names[] = {"load", "passes", "partition", "plan", "pack"};
    const bool is_known = stage >= 0 && std::size_t(stage) < std::size(names);
    return is_known ? names[stage] : std::to_string(stage);
}
napi_value called(napi_env env, napi_value function, const std::vector<napi_value>& arguments) {
    napi_value result = nullptr;
    check(env, napi_call_function(env, undefined(env), function, arguments.size(), arguments.data(), &result));
    return result;
}
}  // namespace

listener::listener(napi_env env, napi_value function, const std::string& subject) {
    if (type_of(env, function) != napi_function) throw_type_error(env, "inlay: " + subject + " must be a function");
    auto owner = std::make_unique<std::shared_ptr<gate>>(gate_);
    const auto finalize = [](napi_env, void* data, void*) {
        const std::unique_ptr<std::shared_ptr<gate>> closed(static_cast<std::shared_ptr<gate>*>(data));
        const std::lock_guard hold((*closed)->lock);
        (*closed)->closed = true;
    };
    check(env, napi_create_threadsafe_function(env, function, nullptr, text_value(env, "inlay"), 0, 1, owner.get(),
                                               finalize, nullptr, deliver, &gate_->function));
    owner.release();
    check(env, napi_unref_threadsafe_function(env, gate_->function));  // the process may end meanwhile
}
listener::~listener() {
    const std::lock_guard hold(gate_->lock);
    if (!gate_->closed && gate_->function) napi_release_threadsafe_function(gate_->function, napi_tsfn_release);
}

bool listener::send(std::unique_ptr<message> m) {
    const std::lock_guard hold(gate_->lock);
    if (gate_->closed) return false;
    if (napi_call_threadsafe_function(gate_->function, m.get(), napi_tsfn_nonblocking) != napi_ok) return false;
    m.release();
    return true;
}
bool listener::progress(std::int32_t stage, std::int64_t count, std::int64_t total) {
    if (std::this_thread::get_id() == javascript_) return true;  // it would wait for itself
    auto m = std::make_unique<message>();
    m->is_log = false;
    m->origin = task::of_this_thread();
    m->number = stage;
    m->count = count;
    m->total = total;
    std::future<bool> answer = m->answer.get_future();
    return send(std::move(m)) && answer.get();
}
void listener::log(std::int32_t severity, const char* text) {
    auto m = std::make_unique<message>();
    m->number = severity;
    m->text = text;
    send(std::move(m));
}
void listener::deliver(napi_env env, napi_value function, void*, void* data) {
    const std::unique_ptr<message> m(static_cast<message*>(data));
    bool goes_on = false;
    try {
        if (env && !m->is_log) {
            const napi_value result =
                called(env, function,
                       {text_value(env, name_of_stage(m->number)), number_value(env, double(m->count)),
                        number_value(env, double(m->total))});
            goes_on = true;
            if (type_of(env, result) == napi_boolean) check(env, napi_get_value_bool(env, result, &goes_on));
        } else if (env) {
            called(env, function, {number_value(env, m->number), text_value(env, m->text)});
        }
    } catch (const exception_pending&) {
        goes_on = false;
        const napi_value exception = inlay_node::exception_taken(env);
        if (exception && m->origin) {
            m->origin->keep_exception(env, exception);
        } else if (exception) {
            napi_fatal_exception(env, exception);  // no promise has it: an uncaught exception
        }
    }
    m->answer.set_value(goes_on);
}
}  // namespace inlay_node
