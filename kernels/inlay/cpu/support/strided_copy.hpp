// The one loop behind Transpose, Slice, Expand and layout conversion on the CPU.
#pragma once
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
// A position in the axes of a copy before the last one, `skipped` left out too: where it is in the input and in the
// output.
class copy_position {
    const strided_copy& c;
    int skipped;
    shape at;

  public:
    std::int64_t x, y = 0;
    copy_position(const strided_copy& copy, int skip, std::int64_t index)
        : c(copy), skipped(skip), at(shape::of_rank(copy.sizes.rank, 0)), x(copy.source) {
        for (int a = c.last() - 1; a >= 0 && index; --a) {
            if (a == skipped) continue;
            at[a] = index % c.sizes[a];
            index /= c.sizes[a];
            x += at[a] * c.from[a];
            y += at[a] * c.to[a];
        }
    }
    void next() {
        for (int a = c.last() - 1; a >= 0; --a) {
            if (a == skipped) continue;
            x += c.from[a];
            y += c.to[a];
            if (++at[a] < c.sizes[a]) return;
            x -= c.from[a] * c.sizes[a];
            y -= c.to[a] * c.sizes[a];
            at[a] = 0;
        }
    }
};

// The rows of most models are of a few elements or of some hundred: the short ones are not worth a call.
inline void copy_row(std::byte* y, const std::byte* x, std::int64_t bytes) {
    const auto ends =
        [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {  // two halves, which may overlap
            std::byte first[Size], second[Size];
            std::memcpy(first, x, Size);
            std::memcpy(second, x + bytes - Size, Size);
            std::memcpy(y, first, Size);
            std::memcpy(y + bytes - Size, second, Size);
        };
    if (bytes > 32)
        std::memcpy(y, x, std::size_t(bytes));
    else if (bytes >= 16)
        ends(std::integral_constant<std::size_t, 16>{});
    else if (bytes >= 8)
        ends(std::integral_constant<std::size_t, 8>{});
    else if (bytes >= 4)
        ends(std::integral_constant<std::size_t, 4>{});
    else
        for (std::int64_t i = 0; i < bytes; ++i) y[i] = x[i];
}

template <int Bits> void fill_row(std::byte* y, const std::byte* x, std::int64_t count) {
    constexpr std::int64_t size = Bits / 8, bytes = 16;
    std::byte some[bytes];
    for (std::int64_t i = 0; i < bytes; i += size) std::memcpy(some + i, x, size);
    for (count *= size; count >= bytes; count -= bytes, y += bytes) std::memcpy(y, some, bytes);
    for (std::int64_t i = 0; i < count; ++i) y[i] = some[i];
}

using quad [[gnu::vector_size(16)]] =
    std::uint32_t;  // of the baseline; wider ones gain nothing over it: the loop waits for memory
inline quad load_quad(const std::byte* p) {
    quad q;
    std::memcpy(&q, p, 16);
    return q;
}
// Four rows of four from x to y, `s` and `t` bytes apart.
inline void transpose_quads(std::byte* y, const std::byte* x, std::int64_t s, std::int64_t t, int rows_in = 4,
                            int rows_out = 4) {
    const auto row = [&](int r) { return r < rows_in ? load_quad(x + r * s) : quad{}; };
    const quad a = row(0), b = row(1), c = row(2), d = row(3);
    const quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const quad AB = __builtin_shufflevector(a, b, 2, 6, 3, 7), CD = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const quad r[4] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                       __builtin_shufflevector(AB, CD, 0, 1, 4, 5), __builtin_shufflevector(AB, CD, 2, 3, 6, 7)};
    std::memcpy(y, &r[0], 16);
    if (rows_out > 1) std::memcpy(y + t, &r[1], 16);
    if (rows_out > 2) std::memcpy(y + 2 * t, &r[2], 16);
    if (rows_out > 3) std::memcpy(y + 3 * t, &r[3], 16);
}
// y[j * t + i] = x[i * s + j], i < m, j < n.
template <int Bits>
void transpose_block(std::byte* y, const std::byte* x, std::int64_t m, std::int64_t n, std::int64_t s, std::int64_t t) {
    constexpr std::int64_t size = Bits / 8, wide = 64 / size;  // wide: a cache line of the input
    const auto single = [&](std::int64_t i, std::int64_t j) {
        std::memcpy(y + (j * t + i) * size, x + (i * s + j) * size, size);
    };
    std::int64_t done = 0;
    if constexpr (Bits == 32) {
        const auto four = [&](std::int64_t i, std::int64_t j, int rows_in = 4, int rows_out = 4) {
            transpose_quads(y + (j * t + i) * 4, x + (i * s + j) * 4, s * 4, t * 4, rows_in, rows_out);
        };
        if (m >= 4 && n >= 4) {
            // Tiles of a line by a line. Lines that are 2 KiB apart fall on few places of the cache: then only four of
            // the output are open at once, else four of the input. The last four again where they do not divide.
            const bool narrow = t * size % 2048 == 0 && s * size % 2048 != 0;
            for (std::int64_t first = 0; first < n; first += wide) {
                const std::int64_t end = std::min(n, first + wide);
                for (std::int64_t row = 0; row < m; row += narrow ? wide : 4) {
                    const std::int64_t i = std::min(row, m - 4);
                    if (narrow) {
                        for (std::int64_t j = first; j < end; j += 4)
                            for (std::int64_t k = row; k < std::min(m, row + wide); k += 4)
                                four(std::min(k, m - 4), std::min(j, n - 4));
                    } else if (end - first == wide) {
                        four(i, first);
                        four(i, first + 4);
                        four(i, first + 8);
                        four(i, first + 12);
                    } else
                        for (std::int64_t j = first; j < end; j += 4) four(i, std::min(j, n - 4));
                }
            }
            return;
        }
        if (m == 3 && t == 3) {  // what a store writes too much, the next row's overwrites
            for (; done + 4 < n; done += 4) four(0, done, 3);
        } else if (n == 3 && s >= 3) {  // what a load reads too much is there: of the next row
            for (; done + 4 < m; done += 4) four(done, 0, 4, 3);
            for (; done < m; ++done)
                for (std::int64_t j = 0; j < n; ++j) single(done, j);
            return;
        }
    }
    for (std::int64_t first = done; first < n; first += wide)
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = first, end = std::min(n, first + wide); j < end; ++j) single(i, j);
}

template <int Bits> void run_copy(const strided_copy& p, const void* from, void* to, context& c) noexcept {
    constexpr std::int64_t size = Bits / 8, grain = 16384 / size;
    const auto* x = static_cast<const std::byte*>(from);
    auto* y = static_cast<std::byte*>(to);
    const int l = p.last();
    const std::int64_t length = p.sizes[l], step = p.from[l], apart = p.to[l], total = p.count();
    if (total == 0) return;
    if (p.columns >= 0) {
        const std::int64_t n = p.sizes[p.columns], t = p.to[p.columns], along = p.down ? length : n;
        const std::int64_t block = p.down ? 64 : 64 / size, blocks = (along + block - 1) / block;
        const std::int64_t planes = total / (n * length), each = block * (p.down ? n : length);
        c.split(planes * blocks, grain / each + 1, [&](std::int64_t first, std::int64_t end, int) {
            copy_position at(p, p.columns, first / blocks);
            for (std::int64_t b = first % blocks; first < end; at.next(), b = 0) {
                const std::int64_t some = std::min(blocks - b, end - first), begin = b * block,
                                   count = std::min(along, begin + some * block) - begin;
                if (p.down)
                    transpose_block<Bits>(y + (at.y + begin) * size, x + (at.x + begin * step) * size, count, n, step,
                                          t);
                else
                    transpose_block<Bits>(y + (at.y + begin * t) * size, x + (at.x + begin) * size, length, count, step,
                                          t);
                first += some;
            }
        });
        return;
    }
    c.split(total, grain, [&](std::int64_t first, std::int64_t end, int) {
        copy_position at(p, -1, first / length);
        for (std::int64_t skip = first % length; first < end; at.next(), skip = 0) {
            std::int64_t count = std::min(length - skip, end - first);
            const std::byte* in = x + (at.x + skip * step) * size;
            std::byte* out = y + (at.y + skip * apart) * size;
            first += count;
            if (apart == 1 && step == 1)
                copy_row(out, in, count * size);
            else if (apart == 1 && step == 0)
                fill_row<Bits>(out, in, count);
            else
                for (const std::int64_t s = step * size, t = apart * size; count > 0; --count, in += s, out += t)
                    std::memcpy(out, in, size);
        }
    });
}

struct strided_kernel : simple_kernel {
    using params = strided_copy;
};
template <int Bits> struct strided_kernel_of : strided_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        run_copy<Bits>(p, a.inputs[0], a.outputs[0], c);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
