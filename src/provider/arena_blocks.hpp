// Where values that live for some steps of a program lie in one memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace inlay {
inline namespace v1 {
struct arena_block {
    int first_step, last_step;
    std::int64_t bytes, offset = 0;
};
// Each block, in the order of their first steps, gets the lowest place at a multiple of 64 bytes that no other one has
// in its life. Returns the bytes of the whole.
inline std::int64_t place_blocks(std::span<arena_block> blocks) {
    constexpr std::int64_t line = 64;
    const auto end_of = [](const arena_block& b) { return b.offset + (b.bytes + line - 1) / line * line; };
    std::int64_t size = 0;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        arena_block& b = blocks[k];
        std::vector<const arena_block*> neighbours;
        for (const arena_block& candidate : blocks.first(k))
            if (candidate.last_step >= b.first_step) neighbours.push_back(&candidate);
        std::ranges::sort(neighbours, {}, &arena_block::offset);
        for (const arena_block* neighbour : neighbours) {
            if (end_of(b) <= neighbour->offset) break;
            b.offset = std::max(b.offset, end_of(*neighbour));
        }
        size = std::max(size, end_of(b));
    }
    return size;
}
}  // namespace v1
}  // namespace inlay
