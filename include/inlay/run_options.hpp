// A caller's options for one run: how it ends early. Both are polled between nodes and inside long kernels.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <atomic>
#include <chrono>
#include <optional>

namespace inlay {
inline namespace v1 {
struct run_options {
    const std::atomic<bool>* stop = nullptr;
    std::optional<std::chrono::steady_clock::time_point> deadline{};
};
}  // namespace v1
}  // namespace inlay
