// Scans of rows: the sums of their pieces, the prefix of each piece, and then the elements added to their prefix.
// Addition has the same order in every run, unlike a library's single-pass scan. Lines: sum, a number; length; row(o)
// -> at(k) -> sum, the element; put(k, before) -> sum, which is `before` with the element.
#pragma once
#include "read_back.cuh"
#include "scan.hpp"

namespace inlay {
inline namespace v1 {
// A block per piece, eight neighbours per thread. `puts`: sums are what comes before the pieces; else the pieces' own,
// which are found.
template <class Lines> struct scan_block {
    using sum = typename Lines::sum;
    static constexpr int threads = 256, thread_elements = 8, group = 16, groups = threads / group;
    static_assert(threads * thread_elements == scan_piece);
    struct shared {
        sum of[threads], before[groups];
    };
    struct local {};
    Lines lines;
    divider pieces;
    sum* sums;
    bool puts;
    INLAY_ON_DEVICE int phases(std::int64_t) const { return puts ? 4 : 3; }
    INLAY_ON_DEVICE void operator()(int phase, std::int64_t block, int thread, local&, shared& room) const {
        std::int64_t o = block;
        const std::int64_t piece = pieces.split(o), at = o * (std::int64_t(pieces.by) + 1) + piece,
                           first = piece * scan_piece + thread * thread_elements;
        const std::int64_t end = first + thread_elements < lines.length ? first + thread_elements : lines.length;
        const auto line = lines.row(o);
        if (phase == 0) {
            sum accumulator = 0;
            for (std::int64_t k = first; k < end; ++k) accumulator += line.at(k);
            room.of[thread] = accumulator;
        } else if (phase == 1 && thread < groups) {
            sum accumulator = 0;
            for (int t = thread * group; t < (thread + 1) * group; ++t) accumulator += room.of[t];
            room.before[thread] = accumulator;
        } else if (phase == 2 && thread == 0) {
            sum accumulator = puts ? sums[at] : sum(0);
            for (int g = 0; g < groups; ++g) {
                const sum part = room.before[g];
                room.before[g] = accumulator;
                accumulator += part;
            }
            if (!puts) sums[at] = accumulator;
        } else if (phase == 3) {
            sum accumulator = room.before[thread / group];
            for (int t = thread / group * group; t < thread; ++t) accumulator += room.of[t];
            for (std::int64_t k = first; k < end; ++k) accumulator = line.put(k, accumulator);
        }
    }
};
template <class A> struct scan_sums_before {  // a thread per row, over the sums of its pieces, `inner` apart
    divider inner;
    std::int64_t pieces;
    A* sums;
    INLAY_ON_DEVICE void operator()(std::int64_t row) const {
        std::int64_t o = row;
        const std::int64_t i = inner.split(o), step = std::int64_t(inner.by);
        A* at = sums + o * (pieces + 1) * step + i;
        A accumulator = 0;
        for (std::int64_t k = 0; k < pieces; ++k, at += step) {
            const A part = *at;
            *at = accumulator;
            accumulator += part;
        }
        *at = accumulator;
    }
};
template <class Lines>
status scan_sums(context& c, const Lines& lines, std::int64_t rows, typename Lines::sum* sums) noexcept {
    const std::int64_t pieces = scan_pieces(lines.length);
    if (const status s = launch_blocks(c, rows * pieces, scan_block<Lines>{lines, divider(pieces), sums, false});
        s != status::ok)
        return s;
    return launch(c, rows, scan_sums_before<typename Lines::sum>{divider(1), pieces, sums});
}
template <class Lines>
status scan_puts(context& c, const Lines& lines, std::int64_t rows, typename Lines::sum* sums) noexcept {
    const std::int64_t pieces = scan_pieces(lines.length);
    return launch_blocks(c, rows * pieces, scan_block<Lines>{lines, divider(pieces), sums, true});
}
}  // namespace v1
}  // namespace inlay
