// Mirrors kernels/inlay/cpu/isa/gemm_u8s8_tiles.hpp: the loops over an emulation of AMX's tiles, on any machine; and
// AMX against simple loops where there is AMX.
#define INLAY_LEVEL \
    sse2  // vectors of four words, so that tiles of B and accumulators are narrower than AMX's; all else is the same
#include "../../catch.hpp"
#include <inlay/cpu/isa/gemm_u8s8.hpp>
#include <inlay/cpu/isa/gemm_u8s8_tiles.hpp>
#include <inlay/cpu/isa/sum_codes.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>
using namespace inlay;

namespace {
constexpr std::int64_t side = sse2::integer_tiles::tile_side, lane_count = sse2::lane_count;
using word = std::uint32_t;

// Of words of four numbers, unsigned by signed ones: what each byte of the one gives with that of the other.
word dot(word a, word b) {
    word sum = 0;
    for (int i = 0; i < 32; i += 8) sum += word(int(a >> i & 255) * int(std::int8_t(b >> i & 255)));
    return sum;
}
struct emulated {
    static inline std::int64_t rows = 0, words = 0;  // 0: no tiles stand
    static inline word sums[4][side][lane_count], a[2][side][side], b[2][side][lane_count];
    emulated(std::int64_t rows_of_a, std::int64_t words_of_a) {
        need(rows == 0 && rows_of_a > 0 && rows_of_a <= side && words_of_a > 0 && words_of_a <= side);
        rows = rows_of_a;
        words = words_of_a;
    }
    ~emulated() { rows = words = 0; }
    static void need(bool good) {
        if (!good) throw std::logic_error("a tile is used where there is none, or has no such shape");
    }
    template <int T> static void load(const void* from, std::int64_t row_bytes) {
        need(rows > 0);
        const auto row = [&](std::int64_t r) { return static_cast<const char*>(from) + r * row_bytes; };
        for (std::int64_t r = 0; r < (T < 6 ? rows : words); ++r)
            if constexpr (T < 4)
                std::memcpy(sums[T][r], row(r), sizeof sums[0][0]);
            else if constexpr (T < 6)
                std::memcpy(a[T - 4][r], row(r), std::size_t(words) * sizeof(word));
            else
                std::memcpy(b[T - 6][r], row(r), sizeof b[0][0]);
    }
    template <int T> static void store(void* to, std::int64_t row_bytes) {
        need(rows > 0);
        for (std::int64_t r = 0; r < rows; ++r)
            std::memcpy(static_cast<char*>(to) + r * row_bytes, sums[T][r], sizeof sums[0][0]);
    }
    template <int T> static void multiply_add() {
        need(rows > 0);
        for (std::int64_t m = 0; m < rows; ++m)
            for (std::int64_t n = 0; n < lane_count; ++n)
                for (std::int64_t k = 0; k < words; ++k) sums[T][m][n] += dot(a[T / 2][m][k], b[T % 2][k][n]);
    }
};
struct format {
    using element = word;
    using matrix_unit = emulated;
    static constexpr std::int64_t least_words = 1;
    static constexpr std::int64_t group = 1;
    static sse2::lanes plus(sse2::lanes a, sse2::lanes b) {
        return xsimd::bitwise_cast<sse2::lanes>(xsimd::bitwise_cast<sse2::int_lanes>(a) +
                                                xsimd::bitwise_cast<sse2::int_lanes>(b));
    }
    static void multiply_panels(const sse2::gemm::slab<format>& t, sse2::gemm::slab_call& s, std::int64_t panel) {
        sse2::integer_tiles::slab_product<format>(t, s).run(panel);
    }
    static void store_codes(const sse2::gemm::slab_call& s, const float* scales, const float* from,
                            std::int64_t from_row, std::int64_t rows, std::int64_t columns, std::uint8_t* y) {
        const sse2::sum_codes::scaling scaled(*s.codes);
        for (std::int64_t r = 0; r < rows; ++r)
            sse2::along(columns, [&](std::int64_t j, std::int64_t n) {
                const auto sums = sse2::lanes::load_unaligned(from + r * from_row + j);
                scaled.store(y + r * s.codes->y_row + j, n, xsimd::bitwise_cast<sse2::int_lanes>(sums),
                             sse2::load_some(scales + j, n));
            });
    }
    // What the loops for vector registers require, which this format does not reach.
    template <int Rows, int Lanes>
    static void store_tile(const sse2::gemm::slab_call&, const sse2::lanes (&)[Rows][Lanes], std::uint8_t*) {}
    static sse2::lanes load(const element*) { return sse2::lanes(0.f); }
    static sse2::lanes multiply_add(sse2::lanes, sse2::lanes, sse2::lanes sum) { return sum; }
    static sse2::lanes clip(sse2::lanes x, sse2::lanes, sse2::lanes) { return x; }
    static void finish(const epilogue&, float*, std::int64_t, std::int64_t, std::int64_t) {}
    static void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row, std::int64_t rows,
                          std::int64_t columns) {
        sse2::gemm::copy_rows(to, to_row, from, from_row, rows, columns);
    }
    static void pack_row(const float* from, std::int64_t, std::int64_t, std::int64_t columns, float, element* to) {
        for (std::int64_t j = 0; j < sse2::gemm::padded(columns); ++j)
            to[j] = j < columns ? std::bit_cast<word>(from[j]) : 0;
    }
    static void pack_column(const float*, std::int64_t, std::int64_t, float, element*, std::int64_t) {}
};

// Lines of rows of words, as a convolution has them: each with gaps between its runs. B: [words][n].
struct product {
    gemm_f32_depth depth{};  // in words
    std::int64_t lines = 1, rows = 1, n = 1, jump_x = 0, jump_y = 0;
    bool adds = false, codes = false;
    std::int64_t step_x() const { return depth.length + jump_x; }
    std::int64_t step_y() const { return depth.taps_x * step_x() + jump_y; }
    std::int64_t row() const { return depth.taps_y * step_y() + 1; }
    std::vector<word> random(std::int64_t count, unsigned seed) const {
        std::mt19937 next(seed);
        std::vector<word> x(static_cast<std::size_t>(count));
        for (word& w : x) w = word(next());
        return x;
    }
};
struct results {
    std::vector<word> sums;
    std::vector<std::uint8_t> codes;
    bool operator==(const results&) const = default;
};
// Where each column's scale and that of the quantized values come from.
constexpr float scale_of(std::int64_t j) { return (1 + float(j % 7)) * 3e-4f; }
std::uint8_t code(word sum, std::int64_t j) {
    const float x = std::nearbyint(float(std::int32_t(sum)) * scale_of(j));
    return std::uint8_t(std::clamp(x + 120, 0.f, 255.f));
}

results by_plain_loops(const product& p) {
    const auto& d = p.depth;
    const auto a = p.random(p.lines * p.rows * p.row(), 1), b = p.random(d.total() * p.n, 2), bias = p.random(p.n, 3),
               add = p.random(p.lines * p.rows * p.n, 4);
    results y{std::vector<word>(add.size()), std::vector<std::uint8_t>(add.size())};
    for (std::int64_t i = 0; i < p.lines * p.rows; ++i)
        for (std::int64_t j = 0; j < p.n; ++j) {
            word sum = bias[std::size_t(j)] / 65536 + (p.adds ? add[std::size_t(i * p.n + j)] / 65536 : 0);
            for (std::int64_t t = 0; t < d.total(); ++t) {
                const std::int64_t tap = t / d.length;
                sum += dot(a[std::size_t(i * p.row() + tap / d.taps_x * p.step_y() + tap % d.taps_x * p.step_x() +
                                         t % d.length)],
                           b[std::size_t(t * p.n + j)]);
            }
            y.sums[std::size_t(i * p.n + j)] = sum;
            y.codes[std::size_t(i * p.n + j)] = code(sum, j);
        }
    return y;
}
float* floats(std::vector<word>& words) { return reinterpret_cast<float*>(words.data()); }
results in_emulated_tiles(const product& p) {
    constexpr auto l = isa::level::sse2;
    auto a = p.random(p.lines * p.rows * p.row(), 1), b = p.random(p.depth.total() * p.n, 2), bias = p.random(p.n, 3),
         y = p.random(p.lines * p.rows * p.n, 4);
    for (auto* starts : {&bias, &y})
        for (word& w : *starts) w /= 65536;
    std::vector<word> panels(std::size_t(gemm_f32_padded(l, p.n) * p.depth.total()));
    std::vector<float> scales;
    for (std::int64_t j = 0; j < p.n; ++j) scales.push_back(scale_of(j));
    std::vector<std::uint8_t> quantized_y(y.size());
    const gemm_codes codes{quantized_y.data(), p.n, scales.data(), 120, 0, 255};
    sse2::gemm::pack<format>({floats(b), p.n, 1, p.depth.length * p.n, p.n}, p.depth, 0, gemm_f32_panels(l, p.n),
                             floats(panels));
    gemm_f32_call call{};
    call.a = floats(a);
    call.a_outer = p.rows * p.row(), call.a_row = p.row(), call.inner = p.rows;
    call.depth = p.depth;
    call.step_y = p.step_y(), call.step_x = p.step_x();
    call.b = {floats(panels)};
    call.n = p.n;
    call.bias = floats(bias);
    call.y = floats(y), call.y_row = p.n;
    if (p.adds) call.add = call.y, call.add_row = p.n;
    if (p.codes) call.codes = &codes;
    sse2::gemm::run<format>(call, {0, p.lines, 0, p.rows, 0, gemm_f32_panels(l, p.n)});
    return {y, quantized_y};
}
void agree(product p) {
    CAPTURE(p.depth.taps_y, p.depth.taps_x, p.depth.length, p.lines, p.rows, p.n, p.adds);
    const results expected = by_plain_loops(p);
    CHECK(in_emulated_tiles(p).sums == expected.sums);
    p.codes = true;
    CHECK(in_emulated_tiles(p).codes == expected.codes);
}
}  // namespace

TEST_CASE("Integer GEMM in tiles is exact, at every tail") {
    for (std::int64_t k = 1; k <= 70; ++k) agree({{1, 1, k}, 1, 35, 9});
    for (std::int64_t rows = 5; rows <= 67; ++rows) agree({{1, 1, 23}, 1, rows, 13});
    for (std::int64_t n = 1; n <= 25; ++n) agree({{1, 1, 19}, 1, 33, n});
    agree({{1, 1, 1600}, 1, 20, 9});  // slabs
}
TEST_CASE("Integer GEMM in tiles reads lines and taps where they lie") {
    for (std::int64_t length : {1, 3, 16, 17, 37})
        for (std::int64_t rows : {1, 6, 7, 16, 19, 33})
            for (std::int64_t lines : {1, 2, 5}) agree({{2, 3, length}, lines, rows, 11, 2, 5});
    agree({{3, 3, 8}, 3, 14, 16, 0, 7});  // a row of taps is one run
}
TEST_CASE("Integer GEMM in tiles adds to what there is, once") {
    for (std::int64_t rows : {5, 17, 31, 40})
        for (std::int64_t n : {3, 8, 13}) agree({{1, 2, 20}, 3, rows, n, 1, 0, true});
}
TEST_CASE("A run of words is cut into tiles that it fills, or into whole ones and a rest") {
    for (std::int64_t length = 0; length < 400; ++length) {
        const auto k = sse2::tile_products::cut_run(length);
        CAPTURE(length);
        CHECK(k.tiles * k.words + k.rest == length);
        CHECK((k.words <= side && k.tiles <= length / side + 3));
    }
}
