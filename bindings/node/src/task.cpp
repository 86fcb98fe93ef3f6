#include "task.hpp"

namespace inlay_node {
namespace {
thread_local task* executed = nullptr;
}

std::shared_ptr<cancellation> cancellation_of(napi_env env, napi_value value) {
    if (type_of(env, value) == napi_undefined) return std::make_shared<cancellation>();
    return object_of<cancellation>(env, value);
}

void task::pin(napi_env env, napi_value array) { check(env, napi_create_reference(env, array, 1, &pins_)); }
void task::pin_one(napi_env env, napi_value object) {
    const napi_value pins = array_value(env);
    append(env, pins, object);
    pin(env, pins);
}
std::vector<napi_value> task::pinned(napi_env env) const {
    if (!pins_) return {};
    napi_value array = nullptr;
    check(env, napi_get_reference_value(env, pins_, &array));
    return elements_of(env, array, "what the task has");
}
task* task::of_this_thread() { return executed; }
void task::keep_exception(napi_env env, napi_value exception) {
    if (exception_) return;
    napi_value list = nullptr;  // references are to objects alone, and anything can be thrown
    napi_create_array_with_length(env, 1, &list);
    napi_set_element(env, list, 0, exception);
    napi_create_reference(env, list, 1, &exception_);
}
void task::execute_guarded() noexcept {
    executed = this;
    try {
        execute();
    } catch (failed& e) {
        failure_ = std::move(e.failure);
    } catch (...) {  // nothing but the heap throws anything else
        out_of_memory_ = true;
    }
    executed = nullptr;
}
napi_value task::outcome(napi_env env, bool& succeeded) {
    if (exception_) {
        napi_value list = nullptr;
        check(env, napi_get_reference_value(env, exception_, &list));
        return elements_of(env, list, "what was thrown").at(0);
    }
    try {
        if (failure_) return error_of(env, failure_.get());
        if (out_of_memory_) return error_of(env, "out_of_memory", "inlay: there is no memory for the result");
        const napi_value value = result(env);
        succeeded = true;
        return value;
    } catch (const failed& e) {
        return error_of(env, e.failure.get());
    }
}
void task::settle(napi_env env) {
    bool succeeded = false;
    napi_value value = nullptr;
    try {
        value = outcome(env, succeeded);
    } catch (const exception_pending&) {
        succeeded = false;
        value = exception_taken(env);
    } catch (const std::bad_alloc&) {
        succeeded = false;
        napi_get_undefined(env, &value);
    }
    if (succeeded) {
        napi_resolve_deferred(env, deferred_, value);
    } else {
        napi_reject_deferred(env, deferred_, value);
    }
    for (const napi_ref reference : {pins_, exception_})
        if (reference) napi_delete_reference(env, reference);
    napi_delete_async_work(env, work_);
    if (auto& running = environment_of(env).running; cancel) running.erase(running.find(cancel.get()));
}

napi_value start(napi_env env, std::unique_ptr<task> work) {
    napi_value promise = nullptr;
    const auto execute = [](napi_env, void* data) { static_cast<task*>(data)->execute_guarded(); };
    const auto complete = [](napi_env e, napi_status, void* data) {
        const std::unique_ptr<task> owner(static_cast<task*>(data));
        owner->settle(e);
    };
    check(env, napi_create_promise(env, &work->deferred_, &promise));
    check(env,
          napi_create_async_work(env, nullptr, text_value(env, "inlay"), execute, complete, work.get(), &work->work_));
    check(env, napi_queue_async_work(env, work->work_));
    if (work->cancel) environment_of(env).running.insert(work->cancel.get());
    work.release();
    return promise;
}
}  // namespace inlay_node
