// How scans of CUDA are cut: rows in pieces, whose sums are kept in scratch, with the row's total after them.
#pragma once
#include <cstdint>

namespace inlay {
inline namespace v1 {
inline constexpr std::int64_t scan_piece = 2048;  // elements of a block
constexpr std::int64_t scan_pieces(std::int64_t length, std::int64_t piece = scan_piece) {
    return (length + piece - 1) / piece;
}
constexpr std::int64_t scan_scratch(std::int64_t rows, std::int64_t pieces) {
    return rows * (pieces + 1) * 8;
}  // bytes
}  // namespace v1
}  // namespace inlay
