// Device code of kernels/inlay/cuda/support/moving.hpp.
#include "moving.cuh"
#include "moving.hpp"

namespace inlay {
inline namespace v1 {
namespace {
// W elements of the last axis each, in the order of the output.
template <int W, class T> struct strided_body {
    int rank;
    divider sizes[max_rank];
    std::int64_t from[max_rank], to[max_rank];
    const T* x;
    T* y;
    bool repeats;  // the last axis has one element in the input
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t in = 0, out = 0;
        for (int a = max_rank - 1; a >= 0; --a)
            if (a < rank) {
                const std::int64_t at = a > 0 ? sizes[a].split(i) : i;
                in += at * from[a];
                out += at * to[a];
            }
        store_lanes(y + out, operand_lanes<W>(x + in, W == 1 || !repeats));
    }
};
template <int W, class T> status run_strided(const strided_copy& p, const T* x, T* y, context& c) noexcept {
    strided_body<W, T> body{p.sizes.rank, {}, {}, {}, x + p.source, y, p.from[p.last()] == 0};
    for (int a = 0; a < p.sizes.rank; ++a) {
        const int width = a == p.last() ? W : 1;
        body.sizes[a] = divider(p.sizes[a] / width);
        body.from[a] = p.from[a] * width;
        body.to[a] = p.to[a] * width;
    }
    return launch(c, p.count() / W, body);
}

// Tiles of 32 by 32 of the two axes that change places, by way of shared memory: both sides are read and written along
// memory.
template <class T> struct transpose_body {
    static constexpr int threads = 256, side = 32, rows = threads / side;
    struct shared {
        T at[side][side + 1];
    };
    struct local {};
    int rank, columns;        // axes: `columns` is contiguous in the input, the last one in the output
    divider sizes[max_rank];  // of the other axes; of these two: tiles
    std::int64_t from[max_rank], to[max_rank], n, m;  // n: of `columns`, m: of the last axis
    const T* x;
    T* y;
    INLAY_ON_DEVICE int phases(std::int64_t) const { return 2; }
    INLAY_ON_DEVICE void operator()(int phase, std::int64_t block, int thread, local&, shared& tile) const {
        const std::int64_t first_n = sizes[columns].split(block) * side, first_m = sizes[rank - 1].split(block) * side;
        std::int64_t in = 0, out = 0;
        for (int a = max_rank - 1; a >= 0; --a)
            if (a < rank - 1 && a != columns) {
                const std::int64_t at = sizes[a].split(block);
                in += at * from[a];
                out += at * to[a];
            }
        const int lane = thread % side;
        for (int r = thread / side; r < side; r += rows) {
            if (phase == 0 && first_m + r < m && first_n + lane < n)
                tile.at[r][lane] = x[in + (first_m + r) * from[rank - 1] + first_n + lane];
            if (phase == 1 && first_n + r < n && first_m + lane < m)
                y[out + (first_n + r) * to[columns] + first_m + lane] = tile.at[lane][r];
        }
    }
};
template <class T> status run_transpose(const strided_copy& p, const T* x, T* y, context& c) noexcept {
    transpose_body<T> body{p.sizes.rank, p.columns, {}, {}, {}, p.sizes[p.columns], p.sizes[p.last()], x + p.source, y};
    std::int64_t blocks = 1;
    for (int a = 0; a < p.sizes.rank; ++a) {
        const std::int64_t count =
            a == p.columns || a == p.last() ? (p.sizes[a] + body.side - 1) / body.side : p.sizes[a];
        body.sizes[a] = divider(count);
        body.from[a] = p.from[a];
        body.to[a] = p.to[a];
        blocks *= count;
    }
    return launch_blocks(c, blocks, body);
}

struct fill_body {
    std::uint64_t pattern;
    std::byte* y;
    std::int64_t bytes;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        if (i * 8 + 8 <= bytes)
            *reinterpret_cast<std::uint64_t*>(y + i * 8) = pattern;
        else
            for (std::int64_t at = i * 8; at < bytes; ++at) y[at] = std::byte(pattern >> at % 8 * 8);
    }
};
}  // namespace

template <int Bits> status copy_on_cuda(const strided_copy& p, const void* from, void* to, context& c) noexcept {
    using T = moved<Bits>;
    const T* x = static_cast<const T*>(from);
    T* y = static_cast<T*>(to);
    const int l = p.last();
    if (p.count() <= 0) return status::ok;
    if (p.columns >= 0 && p.sizes[l] >= 8 && p.sizes[p.columns] >= 8) return run_transpose<T>(p, x, y, c);
    constexpr int w = full_lanes<T>;
    bool wide = p.to[l] == 1 && (p.from[l] == 1 || p.from[l] == 0) && p.sizes[l] % w == 0 && is_aligned(y) &&
                (p.from[l] == 0 || is_aligned(x + p.source));
    for (int a = 0; a < l; ++a) wide = wide && p.to[a] % w == 0 && (p.from[l] == 0 || p.from[a] % w == 0);
    return wide ? run_strided<w, T>(p, x, y, c) : run_strided<1, T>(p, x, y, c);
}
template status copy_on_cuda<8>(const strided_copy&, const void*, void*, context&) noexcept;
template status copy_on_cuda<16>(const strided_copy&, const void*, void*, context&) noexcept;
template status copy_on_cuda<32>(const strided_copy&, const void*, void*, context&) noexcept;
template status copy_on_cuda<64>(const strided_copy&, const void*, void*, context&) noexcept;
template status copy_on_cuda<128>(const strided_copy&, const void*, void*, context&) noexcept;

status copy_bytes_on_cuda(const void* from, void* to, std::int64_t bytes, context& c) noexcept {
    if (from == to || bytes <= 0) return status::ok;
    strided_copy p;
    p.sizes[0] = bytes;
    p.from[0] = p.to[0] = 1;
    const std::int64_t whole = bytes / 16 * 16;
    if (whole > 0) {
        p.sizes[0] = whole;
        if (const status s = copy_on_cuda<8>(p, from, to, c); s != status::ok || whole == bytes) return s;
    }
    p.sizes[0] = bytes - whole;
    return copy_on_cuda<8>(p, static_cast<const std::byte*>(from) + whole, static_cast<std::byte*>(to) + whole, c);
}
status fill_on_cuda(void* to, std::uint64_t pattern, std::int64_t bytes, context& c) noexcept {
    return launch(c, (bytes + 7) / 8, fill_body{pattern, static_cast<std::byte*>(to), bytes});
}
}  // namespace v1
}  // namespace inlay
