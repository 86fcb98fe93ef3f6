// Operands of broadcasts for loops over dense elements: those that repeat, or lie in another order of axes, are copied
// piece by piece into memory that stays in the first-level cache.
#pragma once
#include <inlay/support/broadcast.hpp>

namespace inlay {
inline namespace v1 {
constexpr std::int64_t piece_length = 512;
constexpr std::int64_t short_row = 16;  // rows below it use the reference kernel: a call would cost more

// n <= piece_length elements of x, `along` apart, as they lie or in `room`, which has piece_length. `again`: x repeats
// as it did in the piece before, which was no shorter.
template <class T> const T* dense_piece(const T* x, std::int64_t along, std::int64_t n, T* room, bool again) noexcept {
    if (along == 1) return x;
    if (along != 0) {
        for (std::int64_t i = 0; i < n; ++i) room[i] = x[i * along];
        return room;
    }
    constexpr std::int64_t block = 16;  // of constant count, so that g++ vectorizes it at -O2
    static_assert(piece_length % block == 0);
    const T value = *x;
    for (std::int64_t i = 0; i < n && !again; i += block)
        for (std::int64_t j = 0; j < block; ++j) room[i + j] = value;
    return room;
}
}  // namespace v1
}  // namespace inlay
