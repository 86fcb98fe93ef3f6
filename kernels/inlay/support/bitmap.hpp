// Image files that are uncompressed or run-length encoded: BMP and PNM (PBM, PGM, PPM, in binary and in
// digits). Files are untrusted: every byte is looked for within the file, and no size is believed that it cannot hold.
#pragma once
#include "image_codecs.hpp"
#include <algorithm>
#include <array>
#include <bit>

namespace inlay {
inline namespace v1 {
class bmp_file {
    image_file file_;
    std::int64_t width_ = 0, height_ = 0, first_ = 0, palette_ = 0, entry_ = 4, colours_ = 0;
    unsigned bits_ = 0, compression_ = 0;
    bool upwards_ = true;  // the last row of the image comes first
    std::array<std::uint32_t, 3> masks_{};
    enum : unsigned { none, runs_of_bytes, runs_of_halves, by_masks, by_masks_and_alpha = 6 };

    std::uint32_t number(std::int64_t at, int bytes) const {  // 0 beyond the file
        std::uint32_t x = 0;
        for (int i = 0; i < bytes && at >= 0 && at + i < std::int64_t(file_.size()); ++i)
            x |= std::uint32_t(file_[std::size_t(at + i)]) << 8 * i;
        return x;
    }
    std::int64_t row_bytes() const { return (width_ * bits_ + 31) / 32 * 4; }
    bool read_colours(std::int64_t header) {
        const bool runs = compression_ == runs_of_bytes || compression_ == runs_of_halves,
                   masks = compression_ == by_masks || compression_ == by_masks_and_alpha;
        if (compression_ != none && !runs && !masks) return false;
        if ((compression_ == runs_of_bytes && bits_ != 8) || (compression_ == runs_of_halves && bits_ != 4) ||
            (masks && bits_ != 16 && bits_ != 32) || (runs && !upwards_))
            return false;
        masks_ = bits_ == 16 ? std::array{0x7c00u, 0x3e0u, 0x1fu} : std::array{0xff0000u, 0xff00u, 0xffu};
        for (std::size_t i = 0; i < 3 && masks; ++i) masks_[i] = number(54 + 4 * std::int64_t(i), 4);
        palette_ = 14 + header;
        const std::int64_t colour_count = header == 12 ? 0 : number(46, 4),
                           most = bits_ <= 8 ? std::int64_t(1) << bits_ : 0;
        colours_ = colour_count > 0 ? std::min(colour_count, most) : most;
        return true;
    }
    void put_colour(std::uint8_t* rgb, std::uint32_t index) const {
        const bool is_known = index < std::uint32_t(colours_);
        for (int i = 0; i < 3; ++i)
            rgb[i] =
                is_known ? std::uint8_t(number(palette_ + std::int64_t(index) * entry_ + 2 - i, 1)) : std::uint8_t(0);
    }
    void put_masked(std::uint8_t* rgb, std::uint32_t pixel) const {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t mask = masks_[i];
            const int shift = mask ? std::countr_zero(mask) : 0;
            const std::uint64_t most = mask >> shift, x = (pixel & mask) >> shift;
            rgb[i] = std::uint8_t(most ? x * 255 / most : 0);
        }
    }
    void decode_rows(std::uint8_t* rgb) const {
        for (std::int64_t r = 0; r < height_; ++r) {
            const std::int64_t row = first_ + (upwards_ ? height_ - 1 - r : r) * row_bytes();
            for (std::int64_t x = 0; x < width_; ++x, rgb += 3)
                if (bits_ == 24)
                    for (int i = 0; i < 3; ++i) rgb[i] = file_[std::size_t(row + 3 * x + 2 - i)];
                else if (bits_ > 8)
                    put_masked(rgb, number(row + x * bits_ / 8, int(bits_ / 8)));
                else
                    put_colour(rgb, file_[std::size_t(row + x * bits_ / 8)] >> (8 - bits_ - x * bits_ % 8) &
                                        ((1u << bits_) - 1));
        }
    }
    // Pairs of a count and a colour; a count of 0 begins an escape: the end of a row or of all, a step, or so many
    // colours as they are. Pixels not reached have the first colour.
    bool decode_runs(std::uint8_t* rgb) const {
        for (std::int64_t i = 0; i < width_ * height_; ++i) put_colour(rgb + 3 * i, 0);
        const std::int64_t end = std::int64_t(file_.size());
        const bool halves = compression_ == runs_of_halves;
        std::int64_t x = 0, row = 0, at = first_;
        const auto put = [&](std::uint32_t colour) {
            if (x < width_ && row < height_) put_colour(rgb + 3 * ((height_ - 1 - row) * width_ + x), colour);
            ++x;
        };
        const auto part = [&](std::uint32_t code, std::int64_t i) {
            return halves ? code >> (i % 2 ? 0 : 4) & 15 : code;
        };
        while (at + 2 <= end && row < height_) {
            const std::uint32_t count = number(at, 1), code = number(at + 1, 1);
            at += 2;
            if (count > 0) {
                for (std::int64_t i = 0; i < std::int64_t(count) && x < width_; ++i) put(part(code, i));
            } else if (code == 0) {
                x = 0;
                ++row;
            } else if (code == 1) {
                return true;
            } else if (code == 2) {
                x += number(at, 1);
                row += number(at + 1, 1);
                at += 2;
            } else {
                const std::int64_t bytes = halves ? (code + 1) / 2 : code;
                if (at + bytes > end) return false;
                for (std::int64_t i = 0; i < std::int64_t(code); ++i)
                    put(part(number(at + (halves ? i / 2 : i), 1), i));
                at += (bytes + 1) / 2 * 2;
            }
        }
        return row >= height_;
    }

  public:
    explicit bmp_file(image_file f) : file_(f) {}
    bool measure(image_size& s) {
        const std::int64_t header = number(14, 4);
        if (file_.size() < 26 || (header != 12 && header < 40) || header > std::int64_t(file_.size())) return false;
        first_ = number(10, 4);
        if (header == 12) {
            width_ = number(18, 2);
            height_ = number(20, 2);
            bits_ = number(24, 2);
            entry_ = 3;
        } else {
            width_ = std::int32_t(number(18, 4));
            height_ = std::int32_t(number(22, 4));
            bits_ = number(28, 2);
            compression_ = number(30, 4);
        }
        upwards_ = height_ > 0;
        if (height_ < 0) height_ = -height_;
        constexpr unsigned depths[] = {1, 2, 4, 8, 16, 24, 32};
        if (width_ < 1 || height_ < 1 || std::ranges::find(depths, bits_) == std::end(depths)) return false;
        if (!read_colours(header)) return false;
        const bool runs = compression_ == runs_of_bytes || compression_ == runs_of_halves;
        const std::int64_t room = std::int64_t(file_.size()) - first_;
        if (room < 0 || (!runs && height_ > room / row_bytes())) return false;
        s = {height_, width_};
        return true;
    }
    bool decode(std::uint8_t* rgb) const {  // after measure()
        if (compression_ == runs_of_bytes || compression_ == runs_of_halves) return decode_runs(rgb);
        decode_rows(rgb);
        return true;
    }
};

class pnm_file {
    image_file file_;
    std::size_t at_ = 0;
    int kind_ = 0, samples_ = 1;  // 1 to 3: in digits, 4 to 6: binary
    std::int64_t width_ = 0, height_ = 0, most_ = 1;

    static bool is_space(std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    void skip() {  // spaces and comments
        while (at_ < file_.size() && (is_space(file_[at_]) || file_[at_] == '#'))
            if (file_[at_] != '#')
                ++at_;
            else
                while (at_ < file_.size() && file_[at_] != '\n') ++at_;
    }
    bool number(std::int64_t& x, std::int64_t largest) {
        skip();
        const std::size_t first = at_;
        for (x = 0; at_ < file_.size() && file_[at_] >= '0' && file_[at_] <= '9'; ++at_) {
            x = x * 10 + (file_[at_] - '0');
            if (x > largest) return false;
        }
        return at_ > first;
    }
    bool bit(std::int64_t& x) {  // in digits, which need no space between them
        skip();
        if (at_ >= file_.size() || (file_[at_] != '0' && file_[at_] != '1')) return false;
        x = file_[at_++] - '0';
        return true;
    }
    std::uint8_t scaled(std::int64_t x) const {
        x = std::min(x, most_);
        return std::uint8_t(most_ == 255 ? x : (x * 255 + most_ / 2) / most_);
    }
    static void put(std::uint8_t* rgb, std::uint8_t x) { rgb[0] = rgb[1] = rgb[2] = x; }
    std::int64_t row_bytes() const {  // of binary files
        return kind_ == 4 ? (width_ + 7) / 8 : width_ * samples_ * (most_ > 255 ? 2 : 1);
    }

  public:
    explicit pnm_file(image_file f) : file_(f) {}
    bool measure(image_size& s) {
        if (file_.size() < 3 || file_[0] != 'P' || file_[1] < '1' || file_[1] > '6') return false;
        constexpr std::int64_t longest = (std::int64_t(1) << 31) - 1;
        kind_ = file_[1] - '0';
        samples_ = kind_ % 3 == 0 ? 3 : 1;
        at_ = 2;
        if (!number(width_, longest) || !number(height_, longest)) return false;
        if (kind_ % 3 != 1 && !number(most_, 65535)) return false;
        if (width_ < 1 || height_ < 1 || most_ < 1) return false;
        if (kind_ > 3 && (at_ >= file_.size() || !is_space(file_[at_++]))) return false;
        const std::int64_t left = std::int64_t(file_.size() - at_),
                           row = kind_ > 3    ? row_bytes()
                                 : kind_ == 1 ? width_
                                              : 2 * width_ * samples_;  // at least: digits and spaces
        if (height_ > (left + (kind_ == 2 || kind_ == 3)) / row) return false;
        s = {height_, width_};
        return true;
    }
    bool decode(std::uint8_t* rgb) {  // after measure()
        const std::int64_t count = width_ * height_;
        std::int64_t x = 0;
        if (kind_ < 4) {
            for (std::int64_t i = 0; i < count * samples_; ++i) {
                if (!(kind_ == 1 ? bit(x) : number(x, 65535))) return false;
                const std::uint8_t y = kind_ > 1 ? scaled(x) : x ? std::uint8_t(0) : std::uint8_t(255);
                if (kind_ == 3)
                    rgb[i] = y;
                else
                    put(rgb + 3 * i, y);
            }
            return true;
        }
        for (std::int64_t r = 0; r < height_; ++r) {
            const std::uint8_t* row = file_.data() + at_ + std::size_t(r * row_bytes());
            for (std::int64_t q = 0; q < width_; ++q, rgb += 3) {
                const auto sample = [&](int k) {
                    const std::int64_t i = q * samples_ + k;
                    return scaled(most_ > 255 ? row[2 * i] << 8 | row[2 * i + 1] : row[i]);
                };
                if (kind_ == 4)
                    put(rgb, row[q / 8] >> (7 - q % 8) & 1 ? std::uint8_t(0) : std::uint8_t(255));
                else if (kind_ == 5)
                    put(rgb, sample(0));
                else
                    for (int k = 0; k < 3; ++k) rgb[k] = sample(k);
            }
        }
        return true;
    }
};
}  // namespace v1
}  // namespace inlay
