// The constants of an embedded model as one block of bytes: each at a multiple of 64, equal ones once.
#pragma once
#include <inlay/sdk/graph_data.hpp>

namespace inlay {
inline namespace v1 {
struct weights_file {
    std::vector<std::int64_t> offsets;               // of each constant
    std::vector<std::span<const std::byte>> pieces;  // the block in order, padding included
    std::int64_t bytes = 0;
};
weights_file lay_out(std::span<const tensor> constants);  // borrows their memory
}  // namespace v1
}  // namespace inlay
