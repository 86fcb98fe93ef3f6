// The constants of an embedded model as one block of bytes: each at a multiple of 64, equal ones once.
#pragma once
#include <inlay/sdk/graph_data.hpp>

namespace inlay {
inline namespace v1 {
struct weights_file {
    std::vector<std::int64_t> offsets;               // of each constant
    std::vector<std::span<const std::byte>> pieces;  // the block in order, padding included
    std::int64_t bytes = 0;
    std::vector<tensor> tensors;  // whose memory the pieces are
};
weights_file lay_out(std::span<const graph_constant> constants);
}  // namespace v1
}  // namespace inlay
