// What one thread at a time may use, for while it runs without the GIL others could come.
#pragma once
#include <inlay/error.hpp>
#include <atomic>
#include <string>

namespace inlay::python {
class in_use {
    std::atomic<bool>& flag_;

  public:
    in_use(std::atomic<bool>& flag, const char* what) : flag_(flag) {  // raises invalid_argument
        if (flag_.exchange(true))
            raise({error_code::invalid_argument,
                   std::string("inlay: this ") + what + " is in a run of another thread; each thread needs its own"});
    }
    ~in_use() { flag_ = false; }
    in_use(const in_use&) = delete;
    in_use& operator=(const in_use&) = delete;
};
}  // namespace inlay::python
