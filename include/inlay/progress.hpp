// How far loading a model or creating a session has come, reported to the caller, who may end it.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace inlay {
inline namespace v1 {
// In this order: load and passes while a model is read; partition while a session is created; plan and pack (of
// weights) for each set of input shapes, and again where a provider failed while it compiled and others replace it.
enum class stage : std::uint8_t { load, passes, partition, plan, pack };
constexpr std::string_view name_of(stage s) {
    constexpr std::string_view names[] = {"load", "passes", "partition", "plan", "pack"};
    return names[int(s)];
}

// Called by the thread that waits, at the start of a stage with count 0, at its end with count == total, and between at
// most a hundred times. False ends the work with error_code::stopped; what the function throws reaches the caller.
// Either way nothing is kept.
using progress_function = std::function<bool(stage, std::int64_t count, std::int64_t total)>;
}  // namespace v1
}  // namespace inlay
