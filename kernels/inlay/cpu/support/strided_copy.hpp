// The common loop of Transpose, Slice, Expand and layout conversion on the CPU.
#pragma once
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
// A position in the axes of a copy before the last one, without `skipped`: where it is in the input and in the
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
    std::byte pattern[bytes];
    for (std::int64_t i = 0; i < bytes; i += size) std::memcpy(pattern + i, x, size);
    for (count *= size; count >= bytes; count -= bytes, y += bytes) std::memcpy(y, pattern, bytes);
    for (std::int64_t i = 0; i < count; ++i) y[i] = pattern[i];
}

// Sixteen bytes of elements of Size bytes: of the baseline; wider vectors gain nothing, because the loop waits
// for memory.
template <int Size> struct lanes_of;
template <> struct lanes_of<1> { using type [[gnu::vector_size(16)]] = std::uint8_t; };
template <> struct lanes_of<2> { using type [[gnu::vector_size(16)]] = std::uint16_t; };
template <> struct lanes_of<4> { using type [[gnu::vector_size(16)]] = std::uint32_t; };
template <> struct lanes_of<8> { using type [[gnu::vector_size(16)]] = std::uint64_t; };
// Interleaves the elements of a's and b's lower (0) or upper (1) halves.
template <int Half, class V, std::size_t... I> V interleave(V a, V b, std::index_sequence<I...>) {
    constexpr int count = sizeof...(I);
    return __builtin_shufflevector(a, b, (int(I) / 2 + int(I) % 2 * count + Half * count / 2)...);
}
// A square of as many rows as a vector has elements, from x to y, whose rows are `s` and `t` bytes apart; only the
// first In rows are read, and only the first Out written.
template <int Size, int In = 16 / Size, int Out = 16 / Size>
[[gnu::always_inline]] inline void transpose_square(std::byte* y, const std::byte* x, std::int64_t s, std::int64_t t) {
    using lanes = typename lanes_of<Size>::type;
    constexpr int count = 16 / Size;
    constexpr auto places = std::make_index_sequence<count>();
    lanes rows[count], mixed[count];
#pragma GCC unroll 16
    for (int r = 0; r < count; ++r) {
        rows[r] = lanes{};
        if (r < In) std::memcpy(&rows[r], x + r * s, 16);
    }
#pragma GCC unroll 16
    for (int step = 1; step < count; step *= 2) {
#pragma GCC unroll 16
        for (int r = 0; r < count / 2; ++r) {
            mixed[2 * r] = interleave<0>(rows[r], rows[r + count / 2], places);
            mixed[2 * r + 1] = interleave<1>(rows[r], rows[r + count / 2], places);
        }
#pragma GCC unroll 16
        for (int r = 0; r < count; ++r) rows[r] = mixed[r];
    }
#pragma GCC unroll 16
    for (int r = 0; r < count; ++r)
        if (r < Out) std::memcpy(y + r * t, &rows[r], 16);
}
// y[j * t + i] = x[i * s + j], i < m, j < n.
template <int Bits>
void transpose_block(std::byte* y, const std::byte* x, std::int64_t m, std::int64_t n, std::int64_t s, std::int64_t t) {
    constexpr std::int64_t size = Bits / 8, wide = 64 / size;  // wide: a cache line of the input
    const auto single = [&](std::int64_t i, std::int64_t j) {
        std::memcpy(y + (j * t + i) * size, x + (i * s + j) * size, size);
    };
    std::int64_t index = 0;
    if constexpr (Bits <= 64) {
        constexpr int side = 16 / size;  // of a square
        const auto square = [&](std::int64_t i, std::int64_t j) {
            transpose_square<size>(y + (j * t + i) * size, x + (i * s + j) * size, s * size, t * size);
        };
        if (m >= side && n >= side) {
            // Tiles of a line by a line. Lines that are 2 KiB apart fall on few places of the cache: then only the
            // lines of one square of the output are open at once, else those of the input. The last square again where
            // they do not divide.
            const bool narrow = t * size % 2048 == 0 && s * size % 2048 != 0;
            for (std::int64_t first = 0; first < n; first += wide) {
                const std::int64_t end = std::min(n, first + wide);
                for (std::int64_t row = 0; row < m; row += narrow ? wide : side) {
                    const std::int64_t i = std::min(row, m - side);
                    if (narrow) {
                        for (std::int64_t j = first; j < end; j += side)
                            for (std::int64_t k = row; k < std::min(m, row + wide); k += side)
                                square(std::min(k, m - side), std::min(j, n - side));
                    } else if (end - first == wide) {
                        square(i, first);
                        square(i, first + side);
                        square(i, first + 2 * side);
                        square(i, first + 3 * side);
                    } else
                        for (std::int64_t j = first; j < end; j += side) square(i, std::min(j, n - side));
                }
            }
            return;
        }
        if constexpr (Bits == 32) {
            if (m == 3 && t == 3) {  // extra bytes of a store are overwritten by the next row
                for (; index + 4 < n; index += 4)
                    transpose_square<4, 3>(y + index * t * 4, x + index * 4, s * 4, t * 4);
            } else if (n == 3 && s >= 3) {  // extra bytes of a load exist: those of the next row
                for (; index + 4 < m; index += 4)
                    transpose_square<4, 4, 3>(y + index * 4, x + index * s * 4, s * 4, t * 4);
                for (; index < m; ++index)
                    for (std::int64_t j = 0; j < n; ++j) single(index, j);
                return;
            }
        }
    }
    for (std::int64_t first = index; first < n; first += wide)
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
        const std::int64_t planes = total / (n * length), block_size = block * (p.down ? n : length);
        c.split(planes * blocks, grain / block_size + 1, [&](std::int64_t first, std::int64_t end, int) {
            copy_position at(p, p.columns, first / blocks);
            for (std::int64_t b = first % blocks; first < end; at.next(), b = 0) {
                const std::int64_t block_count = std::min(blocks - b, end - first), begin = b * block,
                                   count = std::min(along, begin + block_count * block) - begin;
                if (p.down)
                    transpose_block<Bits>(y + (at.y + begin) * size, x + (at.x + begin * step) * size, count, n, step,
                                          t);
                else
                    transpose_block<Bits>(y + (at.y + begin * t) * size, x + (at.x + begin) * size, length, count, step,
                                          t);
                first += block_count;
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
