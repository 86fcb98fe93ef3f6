// Whether TensorRT RTX is there: tests of it say aloud that they are skipped where it is not.
#pragma once
#include "../engines.hpp"
#include <inlay/provider/tensorrt.hpp>
#include <provider/tensorrt/driver.hpp>
#include <provider/tensorrt/library.hpp>

namespace inlay::testing {
constexpr nv_tensorrt_rtx nowhere{.device_id = -1};  // engines are built without a GPU

inline bool no_library() {
    const std::string why = tensorrt_rtx_library().problem;
    if (!why.empty()) WARN("skipped: TensorRT RTX cannot be used: " + why);
    return !why.empty();
}
inline bool no_device() {
    if (no_library()) return true;
    const std::string why = driver().problem;
    if (!why.empty()) WARN("skipped: TensorRT RTX cannot be used: " + why);
    return !why.empty();
}
}  // namespace inlay::testing
