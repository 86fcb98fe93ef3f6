// Which of Arm NN's backends the tests are over: that of the processor, or the one that is there to be compared with.
#pragma once

namespace inlay::testing {
#ifdef __aarch64__
inline constexpr bool on_arm = true;
#else
inline constexpr bool on_arm = false;
#endif
inline constexpr const char* tested_backend = on_arm ? "CpuAcc" : "CpuRef";
}  // namespace inlay::testing
