// Whether TensorRT RTX is there: tests of it are skipped where it is not.
#pragma once
#include "../../skip.hpp"
#include "../engines.hpp"
#include <inlay/provider/tensorrt.hpp>
#include <provider/tensorrt/driver.hpp>
#include <provider/tensorrt/library.hpp>

namespace inlay::testing {
constexpr nv_tensorrt_rtx nowhere{.device_id = -1};  // engines are built without a GPU

inline void need_library() {
    const std::string reason = tensorrt_rtx_library().problem;
    if (!reason.empty()) SKIP("TensorRT RTX cannot be used: " + reason);
}
inline void need_device() {
    need_library();
    const std::string reason = driver().problem;
    if (!reason.empty()) SKIP("TensorRT RTX cannot be used: " + reason);
}
}  // namespace inlay::testing
