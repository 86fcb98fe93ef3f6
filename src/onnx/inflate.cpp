#include "inflate.hpp"
#include <array>
#include <cstdint>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
struct damaged {};

// Canonical Huffman codes of up to 15 bits: how many there are of each length, and their symbols in the order of codes.
class code_table {
    std::array<std::uint16_t, 16> counts_{};
    std::array<std::uint16_t, 288> symbols_{};

  public:
    explicit code_table(std::span<const std::uint8_t> lengths) {
        for (std::uint8_t n : lengths) ++counts_[n];
        counts_[0] = 0;
        int left = 1;
        for (std::size_t n = 1; n < counts_.size(); ++n)
            if ((left = 2 * left - counts_[n]) < 0) throw damaged{};  // more codes than bits can distinguish
        std::array<std::uint16_t, 16> next{};
        for (std::size_t n = 1; n + 1 < next.size(); ++n) next[n + 1] = std::uint16_t(next[n] + counts_[n]);
        for (std::size_t s = 0; s < lengths.size(); ++s)
            if (lengths[s]) symbols_[next[lengths[s]]++] = std::uint16_t(s);
    }
    template <class Bits> int read(Bits& in) const {
        int code = 0, first = 0, index = 0;
        for (std::size_t n = 1; n < counts_.size(); ++n) {
            code |= in.bits(1);
            const int count = counts_[n];
            if (code - count < first) return symbols_[std::size_t(index + code - first)];
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        throw damaged{};
    }
};

class inflater {
    std::span<const std::byte> from_;
    std::span<std::byte> to_;
    std::size_t at_ = 0, end_ = 0;
    std::uint32_t word_ = 0;
    int bit_count_ = 0;

    void put(std::byte b) {
        if (end_ == to_.size()) throw damaged{};
        to_[end_++] = b;
    }
    void stored() {
        bit_count_ = 0;  // the rest of the byte is skipped
        word_ = 0;
        const int size = bits(16), complement = bits(16);
        if ((size ^ complement) != 0xffff) throw damaged{};
        for (int k = 0; k < size; ++k) put(std::byte(bits(8)));
    }
    void block(const code_table& literals, const code_table& distances) {
        static constexpr std::array<std::uint16_t, 29> lengths{3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                               15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                               67, 83, 99, 115, 131, 163, 195, 227, 258};
        static constexpr std::array<std::uint16_t, 30> steps{
            1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
            193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
        for (;;) {
            const int symbol = literals.read(*this);
            if (symbol == 256) return;
            if (symbol < 256) {
                put(std::byte(symbol));
                continue;
            }
            const auto l = std::size_t(symbol - 257);
            if (l >= lengths.size()) throw damaged{};
            const int length = lengths[l] + bits(l < 8 || l == 28 ? 0 : int(l - 4) / 4);
            const auto d = std::size_t(distances.read(*this));  // of at most 30 symbols
            const auto back = std::size_t(steps[d] + bits(d < 4 ? 0 : int(d - 2) / 2));
            if (back > end_) throw damaged{};
            for (int k = 0; k < length; ++k) put(to_[end_ - back]);
        }
    }
    void fixed() {
        std::array<std::uint8_t, 288> lengths{};
        for (std::size_t s = 0; s < lengths.size(); ++s) lengths[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
        std::array<std::uint8_t, 30> distances{};
        distances.fill(5);
        block(code_table(lengths), code_table(distances));
    }
    void dynamic() {
        static constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                            11, 4,  12, 3, 13, 2, 14, 1, 15};
        const auto literals = std::size_t(bits(5) + 257), distances = std::size_t(bits(5) + 1);
        const int codes = bits(4) + 4;
        if (literals > 286 || distances > 30) throw damaged{};
        std::array<std::uint8_t, 19> of_lengths{};
        for (int k = 0; k < codes; ++k) of_lengths[order[std::size_t(k)]] = std::uint8_t(bits(3));
        const code_table table(of_lengths);
        std::array<std::uint8_t, 320> lengths{};
        for (std::size_t n = 0; n < literals + distances;) {
            const int symbol = table.read(*this);
            if (symbol < 16) {
                lengths[n++] = std::uint8_t(symbol);
                continue;
            }
            if (symbol == 16 && n == 0) throw damaged{};
            const std::uint8_t again = symbol == 16 ? lengths[n - 1] : std::uint8_t(0);
            int times = symbol == 16 ? 3 + bits(2) : symbol == 17 ? 3 + bits(3) : 11 + bits(7);
            for (; times > 0; --times) {
                if (n == literals + distances) throw damaged{};
                lengths[n++] = again;
            }
        }
        block(code_table(std::span(lengths).first(literals)),
              code_table(std::span(lengths).subspan(literals, distances)));
    }

  public:
    inflater(std::span<const std::byte> from, std::span<std::byte> to) : from_(from), to_(to) {}
    int bits(int count) {
        while (bit_count_ < count) {
            if (at_ == from_.size()) throw damaged{};
            word_ |= std::uint32_t(from_[at_++]) << bit_count_;
            bit_count_ += 8;
        }
        const auto b = int(word_ & ((1u << count) - 1));
        word_ >>= count;
        bit_count_ -= count;
        return b;
    }
    bool run() {
        for (bool is_final = false; !is_final;) {
            is_final = bits(1);
            switch (bits(2)) {
                case 0: stored(); break;
                case 1: fixed(); break;
                case 2: dynamic(); break;
                default: return false;
            }
        }
        return end_ == to_.size();
    }
};
}  // namespace

bool inflate(std::span<const std::byte> from, std::span<std::byte> to) {
    try {
        return inflater(from, to).run();
    } catch (const damaged&) {
        return false;
    }
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
