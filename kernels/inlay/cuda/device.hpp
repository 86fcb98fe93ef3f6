// The tag of CUDA's kernels.
#pragma once
#include <string_view>

namespace inlay {
inline namespace v1 {
namespace device {
struct cuda {
    static constexpr std::string_view name = "cuda";
};
}  // namespace device
}  // namespace v1
}  // namespace inlay
