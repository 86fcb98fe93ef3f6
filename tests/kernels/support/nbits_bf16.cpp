// Mirrors kernels/inlay/cpu/isa/nbits_bf16.hpp. Of level amx it needs dot products of bf16, and no tiles.
#include "../../catch.hpp"
#include "../../skip.hpp"
#include <inlay/cpu/support/nbits.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <vector>
using namespace inlay;

namespace {
constexpr isa::level level = isa::level::amx;
constexpr std::int64_t columns = 37, depth = 100, block = 32, strip_columns = 16;

std::int64_t code_of(int bits, std::int64_t column, std::int64_t i) {
    return (37 * column + 29 * i + 11) % (std::int64_t(1) << bits);
}
// Few bits, so that a weight is exact before it is rounded.
float scale_of(std::int64_t column, std::int64_t b) { return float(1 + (column + 3 * b) % 7) / 16; }
double zero_of(int bits, nbits_zeros zeros, std::int64_t column, std::int64_t b) {
    const std::int64_t code = code_of(bits, b, column);
    return zeros == nbits_zeros::none    ? double(1 << (bits - 1))
           : zeros == nbits_zeros::bytes ? double(code)
                                         : double(code) / 4;
}
std::uint16_t expected(int bits, nbits_zeros zeros, std::int64_t column, std::int64_t i) {
    const double x = double(code_of(bits, column, i)) - zero_of(bits, zeros, column, i / block);
    return std::bit_cast<std::uint16_t>(static_cast<bfloat16>(float(x * scale_of(column, i / block))));
}
std::vector<float> packed(const nbits_product& p) {
    std::vector<float> strips(std::size_t(p.packed(level)));
    const auto code = [&](std::int64_t column, std::int64_t i) { return code_of(p.bits, column, i); };
    const auto zero = [&](std::int64_t column, std::int64_t b) { return zero_of(p.bits, p.zeros, column, b); };
    p.pack({level, 1, nullptr}, strips.data(), p.words_of(code), scale_of, zero);
    return strips;
}
struct part {
    std::int64_t strip, count, block, block_end;
};
// How many weights of these strips and blocks are not where gemm_bf16 reads them: two of K next to each other.
int wrong_weights(const nbits_product& p, const std::vector<float>& strips, const part& of) {
    constexpr std::uint16_t untouched = 0x7fff;
    const std::int64_t row = of.count * 2 * strip_columns, rows = (of.block_end - of.block) * block / 2;
    std::vector<std::uint16_t> panel(std::size_t(rows * row + row), untouched);
    nbits_bf16(level).of(p.bits)(p.weights(strips.data()), of.strip, of.count, of.block, of.block_end, panel.data());
    int wrong = int(std::count_if(panel.end() - row, panel.end(), [](std::uint16_t x) { return x != untouched; }));
    for (std::int64_t j = of.strip * strip_columns; j < std::min(columns, (of.strip + of.count) * strip_columns); ++j)
        for (std::int64_t i = of.block * block; i < std::min(depth, of.block_end * block); ++i) {
            const std::int64_t at = (i - of.block * block) / 2 * row + 2 * (j - of.strip * strip_columns) + i % 2;
            wrong += panel[std::size_t(at)] != expected(p.bits, p.zeros, j, i);
        }
    return wrong;
}
}  // namespace

TEST_CASE("Panels of dequantized weights have each weight rounded to bf16, of every range of blocks") {
    if (!isa::available(isa::level::avx512bf16)) SKIP("this machine lacks avx512bf16");
    for (int bits : {2, 4, 8}) {
        if (!nbits_bf16(level).of(bits)) SKIP("this build has no level amx");
        for (nbits_zeros zeros : {nbits_zeros::none, nbits_zeros::bytes, nbits_zeros::numbers}) {
            const nbits_product p{.n = columns, .k = depth, .block = block, .bits = bits, .zeros = zeros};
            const std::vector<float> strips = packed(p);
            const std::int64_t blocks = p.weights().blocks;
            for (const auto& [strip, count] : {std::array<std::int64_t, 2>{0, 2}, {1, 1}, {2, 1}})
                for (std::int64_t first = 0; first < blocks; ++first)
                    for (std::int64_t end = first + 1; end <= blocks; ++end) {
                        CAPTURE(bits, int(zeros), strip, count, first, end);
                        CHECK(wrong_weights(p, strips, {strip, count, first, end}) == 0);
                    }
        }
    }
}
