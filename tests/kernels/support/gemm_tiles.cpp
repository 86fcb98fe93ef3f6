// Mirrors kernels/inlay/cpu/isa/gemm_tiles.hpp: the loops over an emulation of AMX's tiles, on any machine; and AMX
// against the emulation where there is AMX.
#define INLAY_LEVEL \
    sse2  // vectors of four float32, so that tiles of B and accumulators are narrower than AMX's; all else is the same
#include "../../skip.hpp"
#include "../dense.hpp"
#include <inlay/cpu/isa/gemm_bf16.hpp>
#include <inlay/cpu/isa/gemm_tiles.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

namespace {
constexpr std::int64_t side = sse2::float_tiles::tile_side, lane_count = sse2::lane_count;
std::uint16_t rounded_bits(float x) { return std::bit_cast<std::uint16_t>(bfloat16(x)); }

// TDPBF16PS as Intel's manual has it: even and odd elements are summed apart by fused multiply-adds, then their sum is
// added; to nearest even, denormals are zero.
struct emulated {
    static inline std::int64_t rows = 0, words = 0;  // of A's tiles while one stands
    static inline float sums[4][side][lane_count];
    static inline std::uint16_t a[2][side][2 * side], b[2][side][2 * lane_count];
    emulated(std::int64_t of_rows, std::int64_t of_words) { rows = of_rows, words = of_words; }
    ~emulated() { rows = words = 0; }
    emulated(const emulated&) = delete;
    static float flushed(float x) {
        return std::abs(x) < std::numeric_limits<float>::min() ? std::copysign(0.f, x) : x;
    }
    static float number(std::uint16_t bits) { return flushed(std::bit_cast<float>(std::uint32_t(bits) << 16)); }
    static void need(bool good) {
        if (!good) throw std::logic_error("a tile is used where there is none");
    }
    template <int T> static void load(const void* from, std::int64_t row_bytes) {
        need(rows > 0 && T < 8);
        for (std::int64_t r = 0; r < (T < 6 ? rows : words); ++r) {
            const char* const row = static_cast<const char*>(from) + r * row_bytes;
            if constexpr (T < 4)
                std::memcpy(sums[T][r], row, sizeof sums[T][r]);
            else if constexpr (T < 6)
                std::memcpy(a[T - 4][r], row, std::size_t(words) * 4);
            else
                std::memcpy(b[T - 6][r], row, sizeof b[0][0]);
        }
    }
    template <int T> static void store(float* to, std::int64_t row_bytes) {
        need(rows > 0);
        for (std::int64_t r = 0; r < rows; ++r)
            std::memcpy(reinterpret_cast<char*>(to) + r * row_bytes, sums[T][r], sizeof sums[T][r]);
    }
    template <int T> static void multiply_add() {
        need(rows > 0);
        for (std::int64_t m = 0; m < rows; ++m)
            for (std::int64_t n = 0; n < lane_count; ++n) {
                float apart[2] = {};
                for (std::int64_t k = 0; k < words; ++k)
                    for (int e = 0; e < 2; ++e)
                        apart[e] =
                            flushed(std::fma(number(a[T / 2][m][2 * k + e]), number(b[T % 2][k][2 * n + e]), apart[e]));
                sums[T][m][n] = flushed(flushed(sums[T][m][n]) + flushed(apart[0] + apart[1]));
            }
    }
};
struct format {
    using element = std::uint16_t;
    using tiles = emulated;
    static constexpr std::int64_t group = 2;
    static constexpr std::int64_t least_words = 0;
    static void multiply_panels(const sse2::gemm::slab<format>& t, sse2::gemm::slab_call& s, std::int64_t panel) {
        sse2::float_tiles::slab_product<format>(t, s).run(panel);
    }
    static sse2::lanes widened(const float* from, std::int64_t vector, std::int64_t n) {
        const auto* const x = reinterpret_cast<const std::uint16_t*>(from) + vector * lane_count;
        alignas(16) float values[lane_count] = {};
        for (std::int64_t i = 0; i < n; ++i) values[i] = std::bit_cast<float>(std::uint32_t(x[i]) << 16);
        return sse2::lanes::load_aligned(values);
    }
    template <int Vectors> static void store_pairs(const sse2::lanes (&x)[Vectors], element* to) {
        alignas(16) float values[lane_count];
        for (const sse2::lanes& v : x) {
            v.store_aligned(values);
            round_row(values, lane_count, to);
            to += lane_count;
        }
    }
    static void round_row(const float* from, std::int64_t n, element* to) {
        for (std::int64_t i = 0; i < n; ++i) to[i] = rounded_bits(from[i]);
    }
    static void finish(const epilogue& e, float* y, std::int64_t rows, std::int64_t columns, std::int64_t row) {
        sse2::activate(e, y, rows, columns, row);
    }
    static void pack_row(const float* from, std::int64_t step, std::int64_t left, std::int64_t columns, float scale,
                         element* to) {
        for (std::int64_t j = 0; j < sse2::gemm::padded(columns); ++j)
            for (int e = 0; e < 2; ++e)
                to[2 * j + e] = j < columns && e < left ? rounded_bits(from[e * step + j] * scale) : 0;
    }
    static void pack_column(const float* from, std::int64_t step, std::int64_t n, float scale, element* to,
                            std::int64_t to_step) {
        for (std::int64_t e = 0; e < n; ++e) to[e / 2 * to_step + e % 2] = rounded_bits(from[e * step] * scale);
        if (n % 2) to[n / 2 * to_step + 1] = 0;
    }
    static void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row, std::int64_t rows,
                          std::int64_t columns) {
        for (std::int64_t r = 0; r < rows; ++r)
            pack_column(from + r * from_row, 1, columns, 1, reinterpret_cast<element*>(to + r * to_row), 2);
    }
};
struct product {  // A [rows][depth], B [depth][n]; `first` rows as a part of their own
    gemm_f32_depth depth{};
    std::int64_t rows = 1, n = 1;
    const float *a = nullptr, *b = nullptr, *bias = nullptr, *add = nullptr;
    epilogue post_op{};
    std::int64_t first = 0;
    bool pairs = false;  // A, addend and Y are kept as bfloat16
};
std::vector<std::uint16_t> rounded(const float* from, std::int64_t n) {
    std::vector<std::uint16_t> values;
    for (std::int64_t i = 0; from && i < n; ++i) values.push_back(rounded_bits(from[i]));
    return values;
}
const float* as_floats(const std::vector<std::uint16_t>& x) { return reinterpret_cast<const float*>(x.data()); }

std::vector<float> computed(isa::level l, const gemm_f32_table& table, const product& p) {
    std::vector<float> panels(std::size_t(gemm_f32_padded(l, p.n) * p.depth.in_groups(2).total())),
        y(std::size_t(p.rows * p.n));
    std::vector<float> copy(std::size_t(gemm_f32_copy(l, p.depth.in_groups(2), p.rows)));
    table.pack({p.b, p.n, 1, p.depth.length * p.n, p.n}, p.depth, 0, gemm_f32_panels(l, p.n), panels.data());
    gemm_f32_call call{p.a,   0,   p.depth.total(), p.rows, p.depth,   0,           0,   {panels.data()}, p.n, p.bias,
                       p.add, p.n, y.data(),        p.n,    p.post_op, copy.data(), true};
    std::vector<std::uint16_t> runs;  // for taps: as a convolution has them, with gaps between them
    if (const auto& d = p.depth; d.taps_y * d.taps_x > 1) {
        const std::int64_t row_length = (d.length + 1) / 2 * 2;
        call.step_x = row_length + 2, call.step_y = d.taps_x * call.step_x + 4, call.a_row = d.taps_y * call.step_y + 6,
        call.copy = nullptr;
        runs.assign(std::size_t(p.rows * call.a_row), rounded_bits(quiet_nan));
        for (std::int64_t r = 0; r < p.rows; ++r)
            for (std::int64_t y = 0; y < d.taps_y; ++y)
                for (std::int64_t x = 0; x < d.taps_x; ++x)
                    for (std::int64_t i = 0; i < row_length; ++i)
                        runs[std::size_t(r * call.a_row + y * call.step_y + x * call.step_x + i)] =
                            i < d.length ? rounded_bits(p.a[r * d.total() + (y * d.taps_x + x) * d.length + i]) : 0;
        call.a = reinterpret_cast<const float*>(runs.data());
    }
    const auto a = rounded(p.a, p.rows * p.depth.total()), add = rounded(p.add, p.rows * p.n);
    if (p.pairs) {
        call.a = as_floats(a), call.add = p.add ? as_floats(add) : nullptr, call.copy = nullptr, call.rounds = false;
        call.a_pairs = call.add_pairs = call.y_pairs = true;
        call.add_row = call.y_row = p.n / 2;
    }
    table.run(call, {0, 1, 0, p.first, 0, gemm_f32_panels(l, p.n)});
    table.run(call, {0, 1, p.first, p.rows, 0, gemm_f32_panels(l, p.n)});
    if (p.pairs) {
        const auto* const bits = reinterpret_cast<const std::uint16_t*>(y.data());
        for (std::size_t i = y.size(); i-- > 0;) y[i] = std::bit_cast<float>(std::uint32_t(bits[i]) << 16);
    }
    return y;
}
std::vector<float> in_emulated_tiles(const product& p) {
    return computed(isa::level::sse2, {sse2::gemm::pack<format>, nullptr, sse2::gemm::run<format>}, p);
}
std::vector<float> by_plain_loops(const product& p) {
    std::vector<float> y(std::size_t(p.rows * p.n));
    for (std::int64_t i = 0; i < p.rows; ++i)
        for (std::int64_t j = 0; j < p.n; ++j) {
            double sum = (p.bias ? p.bias[j] : 0) + (p.add ? p.add[i * p.n + j] : 0);
            for (std::int64_t k = 0; k < p.depth.total(); ++k)
                sum += double(p.a[i * p.depth.total() + k]) * double(p.b[k * p.n + j]);
            y[std::size_t(i * p.n + j)] = std::clamp(float(sum), p.post_op.low, p.post_op.high);
        }
    return y;
}
void agree(const gemm_f32_depth& d, std::int64_t rows, std::int64_t n, bool extras = false) {
    CAPTURE(d.taps_y, d.taps_x, d.length, rows, n);
    const tensor a = whole({rows, d.total()}, 1), b = whole({d.total(), n}, 2), bias = whole({n}, 3),
                 add = whole({rows, n}, 4);
    product p{d, rows, n, a.as<float>().data(), b.as<float>().data()};
    if (extras)
        p.bias = bias.as<float>().data(), p.add = add.as<float>().data(), p.post_op.low = -7, p.post_op.high = 9;
    CHECK(in_emulated_tiles(p) == by_plain_loops(p));
}
}  // namespace

TEST_CASE("Products in tiles are exact for small whole numbers, at every tail") {
    for (std::int64_t k = 0; k <= 67; ++k) agree({1, 1, k}, 35, 9);
    for (std::int64_t rows = 1; rows <= 67; ++rows) agree({1, 1, 35}, rows, 9);
    for (std::int64_t n = 1; n <= 25; ++n) agree({1, 1, 35}, 33, n);
    for (std::int64_t rows : {1, 5, 16, 17, 40})
        for (std::int64_t n : {3, 8, 13}) agree({1, 1, 50}, rows, n, true);
    for (std::int64_t k : {1535, 1537, 3073}) agree({1, 1, k}, 20, 9, true);  // slabs
}
TEST_CASE("Products in tiles read the taps of a window where they lie") {
    for (std::int64_t length : {1, 2, 7, 31, 32, 33, 64, 70})
        for (std::int64_t rows : {1, 6, 16, 19, 32, 41}) agree({2, 3, length}, rows, 11, true);
    agree({3, 3, 600}, 20, 9);  // slabs
}
TEST_CASE("Products in tiles read and write what is kept as bfloat16") {
    for (std::int64_t rows : {1, 4, 17, 40})
        for (std::int64_t n : {4, 8, 14, 22})
            for (const activation kind : {activation::clip, activation::hard_swish}) {
                CAPTURE(rows, n, int(kind));
                const tensor a = whole({rows, 34}, 1), b = whole({34, n}, 2), bias = whole({n}, 3),
                             add = whole({rows, n}, 4);
                product p{{1, 1, 34},
                          rows,
                          n,
                          a.as<float>().data(),
                          b.as<float>().data(),
                          bias.as<float>().data(),
                          add.as<float>().data()};
                p.post_op.kind = kind;
                auto expected = in_emulated_tiles(p);
                for (float& x : expected) x = float(bfloat16(x));
                p.pairs = true;
                CHECK(in_emulated_tiles(p) == expected);
                if (isa::available(isa::level::amx))
                    CHECK(computed(isa::level::amx, gemm_bf16(isa::level::amx), p) == expected);
            }
}
TEST_CASE("Products in tiles do not depend on how rows are shared out") {
    const tensor a = fractions({40, 101}, 1), b = fractions({101, 19}, 2);
    product p{{1, 1, 101}, 40, 19, a.as<float>().data(), b.as<float>().data()};
    const auto y = in_emulated_tiles(p);
    for (p.first = 1; p.first < p.rows; ++p.first) CHECK(in_emulated_tiles(p) == y);
}
TEST_CASE("Products in tiles keep NaN and infinity to their rows and columns") {
    tensor a = whole({37, 21}, 1), b = whole({21, 11}, 2);
    a.as<float>()[20] = quiet_nan;
    a.as<float>()[21 * 17 + 3] = infinity;
    b.as<float>()[11 * 20 + 10] = -infinity;
    const product p{{1, 1, 21}, 37, 11, a.as<float>().data(), b.as<float>().data()};
    const auto y = in_emulated_tiles(p), expected = by_plain_loops(p);
    for (std::size_t i = 0; i < y.size(); ++i)
        CHECK((y[i] == expected[i] || (std::isnan(y[i]) && std::isnan(expected[i]))));
}
TEST_CASE("The emulation sums even and odd elements apart, and takes denormal numbers as zero") {
    const emulated tiles(side, side);
    std::uint16_t a[side][2 * side] = {}, b[side][2 * lane_count] = {};
    for (auto& row : b)
        for (auto& x : row) x = rounded_bits(1);
    a[0][0] = rounded_bits(0x1p24f);
    for (int k : {1, 2, 3})
        a[0][k] = rounded_bits(1);  // the even one is lost: 2^24 + 1 is no float; the odd ones are 2
    a[1][0] = 0x0040;               // 2^-127
    b[0][1] = rounded_bits(1);
    const float zeros[lane_count] = {};
    emulated::load<0>(zeros, 0);
    emulated::load<4>(a, sizeof a[0]);
    emulated::load<6>(b, sizeof b[0]);
    emulated::multiply_add<0>();
    CHECK(emulated::sums[0][0][0] == 0x1p24f + 2);
    CHECK(emulated::sums[0][1][0] == 0);
}
TEST_CASE("AMX computes what its emulation computes, to the bit") {
    if (!isa::available(isa::level::amx)) SKIP("this machine lacks amx");
    for (const gemm_f32_depth& d : {gemm_f32_depth{1, 1, 101}, {1, 1, 64}, {2, 3, 33}})
        for (std::int64_t rows : {1, 5, 16, 32, 45})
            for (std::int64_t n : {16, 37, 64}) {
                CAPTURE(d.taps_y, d.length, rows, n);
                const tensor a = fractions({rows, d.total()}, 1), b = fractions({d.total(), n}, 2),
                             bias = fractions({n}, 3);
                const product p{d, rows, n, a.as<float>().data(), b.as<float>().data(), bias.as<float>().data()};
                CHECK(computed(isa::level::amx, gemm_bf16(isa::level::amx), p) == in_emulated_tiles(p));
            }
}
