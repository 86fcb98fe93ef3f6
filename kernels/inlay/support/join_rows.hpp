// Keys or values of former calls and those of this one, of one head.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace inlay {
inline namespace v1 {
// `former` rows of `row` bytes, unless they are there already, then `rows` rows that lie `fresh_row` apart.
inline void join_rows(std::byte* to, const std::byte* past, std::int64_t former, const std::byte* fresh,
                      std::int64_t fresh_row, std::int64_t rows, std::int64_t row) noexcept {
    if (row <= 0) return;
    if (past && past != to && former > 0) std::memcpy(to, past, std::size_t(former * row));
    to += former * row;
    if (fresh_row == row) {
        if (rows > 0) std::memcpy(to, fresh, std::size_t(rows * row));
        return;
    }
    for (std::int64_t i = 0; i < rows; ++i) std::memcpy(to + i * row, fresh + i * fresh_row, std::size_t(row));
}
}  // namespace v1
}  // namespace inlay
