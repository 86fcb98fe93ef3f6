// Functions of JavaScript that threads of the library call: progress, which is answered, and the log, which is not.
#pragma once
#include "js.hpp"
#include <mutex>
#include <thread>

namespace inlay_node {
class listener {
    struct gate {  // of the threadsafe function, which is gone once it is closed
        std::mutex lock{};
        bool closed = false;
        napi_threadsafe_function function = nullptr;
    };
    std::shared_ptr<gate> gate_ = std::make_shared<gate>();
    std::thread::id javascript_ = std::this_thread::get_id();

    struct message;
    static void deliver(napi_env, napi_value function, void* context, void* data);
    bool send(std::unique_ptr<message>);

  public:
    listener(napi_env, napi_value function, const std::string& subject);
    listener(const listener&) = delete;
    ~listener();

    // false: the function returned false, or threw, which the thread's task keeps; or there is no JavaScript any more.
    bool progress(std::int32_t stage, std::int64_t count, std::int64_t total);
    void log(std::int32_t severity, const char* text);
};
}  // namespace inlay_node
