// A reduction of [outer, length, inner] over its middle axis, and how CUDA kernels cut it.
#pragma once
#include <algorithm>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct reduce_middle {
    std::int64_t outer = 1, length = 1, inner = 1;
    // Parts of the length, so that there are some hundred blocks of 32 outputs and each has work.
    constexpr std::int64_t parts() const {
        const std::int64_t blocks = outer * ((inner + 31) / 32);
        if (inner == 1 || blocks < 1) return 1;
        return std::clamp<std::int64_t>(std::min(256 / blocks, length / 64), 1, 64);
    }
    constexpr std::int64_t scratch(std::int64_t bytes) const {
        return parts() == 1 ? 0 : outer * parts() * inner * bytes;
    }  // bytes: of a part's result
};
}  // namespace v1
}  // namespace inlay
