// Work that a thread of node's pool does while JavaScript goes on, and the promise of its result.
#pragma once
#include "js.hpp"
#include <atomic>
#include <optional>

namespace inlay_node {
// Ends runs and loading, by any thread.
class cancellation {
    options_handle options_ = make<options_handle>(inlay_run_options_new);
    std::atomic<bool> requested_{false};

  public:
    static constexpr napi_type_tag tag{0x8f4c1f0a6d2b4e11, 0x9a3e5c7718d20b01};
    static constexpr const char* kind = "cancellation";
    void request() {
        requested_ = true;
        inlay_failure_free(inlay_options_set_cancelled(options_.get(), 1));
    }
    bool requested() const { return requested_; }
    void set_deadline(std::int64_t nanoseconds) { check(inlay_options_set_deadline(options_.get(), nanoseconds)); }
    const inlay_options* options() const { return options_.get(); }
};
// That of JavaScript's argument, or a new one where it is undefined.
std::shared_ptr<cancellation> cancellation_of(napi_env, napi_value);

class task {
    napi_deferred deferred_ = nullptr;
    napi_async_work work_ = nullptr;
    napi_ref pins_ = nullptr;
    failure_handle failure_{};
    bool out_of_memory_ = false;
    napi_ref exception_ = nullptr;

    void execute_guarded() noexcept;
    napi_value outcome(napi_env, bool& succeeded);
    void settle(napi_env);
    friend napi_value start(napi_env, std::unique_ptr<task>);

  protected:
    std::vector<napi_value> pinned(napi_env) const;

  public:
    std::shared_ptr<cancellation> cancel{};

    task() = default;
    task(const task&) = delete;
    virtual ~task() = default;
    virtual void execute() = 0;                   // by a thread of the pool: calls nothing of Node-API
    virtual napi_value result(napi_env env) = 0;  // by JavaScript's thread
    void pin(napi_env, napi_value array);         // its elements live as long as the task
    void pin_one(napi_env, napi_value object);
    static task* of_this_thread();              // null: none is executed by it
    void keep_exception(napi_env, napi_value);  // the outcome, if it is the first; by JavaScript's thread
};
napi_value start(napi_env, std::unique_ptr<task>);  // its promise

template <class Work, class Result> class simple_task : public task {
    Work work_;
    Result result_;
    std::optional<decltype(std::declval<Work&>()())> value_{};

  public:
    simple_task(Work work, Result result) : work_(std::move(work)), result_(std::move(result)) {}
    void execute() override { value_.emplace(work_()); }
    napi_value result(napi_env env) override { return result_(env, std::move(*value_)); }
};
// The promise of result(env, work()).
template <class Work, class Result> napi_value start(napi_env env, Work work, Result result) {
    return start(env, std::make_unique<simple_task<Work, Result>>(std::move(work), std::move(result)));
}
template <class Work> napi_value start_text(napi_env env, Work work) {
    return start(env, std::move(work), [](napi_env e, std::string text) { return text_value(e, text); });
}
// Destroys what JavaScript held; what uses it yet goes on.
template <class T> napi_value release(napi_env env, napi_value handle) {
    std::shared_ptr<T> object = std::move(slot_of<T>(env, handle));
    return start(
        env, [object = std::move(object)]() mutable { return object.reset(), true; },
        [](napi_env e, bool) { return undefined(e); });
}
}  // namespace inlay_node
