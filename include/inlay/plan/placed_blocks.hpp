// Blocks of an arena, found by lifetime: a plan of many values compares each only with those alive at the same time.
#pragma once
#include <inlay/checked_size.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace inlay {
inline namespace v1 {
struct placed_block {
    std::int64_t offset, size;
    int first_step, last_step;  // the steps between which it lives
};

// A tree over the steps: each block is in the lists of the few parts that make up its life, and at its first step.
class placed_blocks {
    struct height {
        std::int64_t end = 0, filled = 0;  // the last byte in use, and how many are in use
        constexpr void rise(const height& h) {
            end = std::max(end, h.end);
            filled = std::max(filled, h.filled);
        }
        constexpr void lie_under(const height& h) {  // of blocks that live all through it
            end = std::max(end, h.end);
            filled = checked_sum(filled, h.filled);
        }
    };
    struct link {
        int block, next;  // next: in links_, or -1
    };
    std::vector<placed_block> blocks_;
    std::vector<link> links_;
    int leaves_;
    std::vector<int> lives_, starts_;  // of each part: the first link of those that live all through it, or start in it
    std::vector<char> has_starts_;     // of each part: some block starts within
    std::vector<height> through_;      // of each part: of the blocks that live all through it
    std::vector<height> heights_;      // of each part: the most at any of its steps, of blocks within alone
    std::vector<int> by_offset_, near_;
    std::int64_t visits_ = 0;

    constexpr bool before(int a, int b) const {
        return std::pair(blocks_[a].offset, a) < std::pair(blocks_[b].offset, b);
    }
    constexpr void sort(std::vector<int>& list) const {
        std::sort(list.begin(), list.end(), [&](int a, int b) { return before(a, b); });
    }
    constexpr void add_link(int& first, int block) {
        links_.push_back({block, first});
        first = int(links_.size()) - 1;
    }
    // Those of the list, until there are more than `most`.
    constexpr bool note(int first, std::size_t most) {
        ++visits_;
        for (; first >= 0 && near_.size() <= most; first = links_[first].next) near_.push_back(links_[first].block);
        return near_.size() <= most;
    }
    constexpr bool note_starts(int part, std::size_t most) {
        if (!has_starts_[part]) return true;
        if (part >= leaves_) return note(starts_[part], most);
        return note_starts(2 * part, most) && note_starts(2 * part + 1, most);
    }
    // f(part) for the parts that make up the steps [first, end), while it is true.
    template <class F> constexpr bool each_part(int first, int end, F f) const {
        for (first += leaves_, end += leaves_; first < end; first /= 2, end /= 2) {
            if (first % 2 && !f(first++)) return false;
            if (end % 2 && !f(--end)) return false;
        }
        return true;
    }
    constexpr bool note_living(int first, int last_step, std::size_t most) {
        for (int part = first + leaves_; part > 0; part /= 2)
            if (!note(lives_[part], most)) return false;
        return each_part(first + 1, last_step + 1, [&](int part) { return note_starts(part, most); });
    }
    constexpr void raise_parts(int part) {  // those that `part` is in
        while (part /= 2) {
            heights_[part] = heights_[2 * part];
            heights_[part].rise(heights_[2 * part + 1]);
            heights_[part].lie_under(through_[part]);
        }
    }
    // The most at any step from `first` to `last_step` of the part, whose steps are `low` to `high`.
    constexpr height highest(int part, int low, int high, int first, int last_step) const {
        if (first <= low && high <= last_step) return heights_[part];
        const int middle = low + (high - low) / 2;
        height h{};
        if (first <= middle) h.rise(highest(2 * part, low, middle, first, last_step));
        if (last_step > middle) h.rise(highest(2 * part + 1, middle + 1, high, first, last_step));
        h.lie_under(through_[part]);
        return h;
    }
    constexpr void sort_all() {
        std::vector<int> fresh, merged;
        for (std::size_t b = by_offset_.size(); b < blocks_.size(); ++b) fresh.push_back(int(b));
        sort(fresh);
        std::ranges::merge(by_offset_, fresh, std::back_inserter(merged), [&](int a, int b) { return before(a, b); });
        by_offset_ = std::move(merged);
    }

  public:
    static constexpr std::size_t most_scanned = 8192;
    constexpr explicit placed_blocks(int steps)  // of lives: 0 to steps - 1
        : leaves_(int(std::bit_ceil(unsigned(std::max(steps, 1))))),
          lives_(std::size_t(2 * leaves_), -1),
          starts_(lives_),
          has_starts_(lives_.size(), 0),
          through_(lives_.size()),
          heights_(lives_.size()) {}
    constexpr void add(const placed_block& b) {
        const int block = int(blocks_.size());
        blocks_.push_back(b);
        each_part(b.first_step, b.last_step + 1, [&](int part) {
            add_link(lives_[part], block);
            const height h{b.offset + b.size, b.size};
            through_[part].lie_under(h);
            heights_[part].lie_under(h);
            return true;
        });
        raise_parts(b.first_step + leaves_);
        raise_parts(b.last_step + leaves_);
        add_link(starts_[b.first_step + leaves_], block);
        for (int part = b.first_step + leaves_; part > 0 && !has_starts_[part]; part /= 2) has_starts_[part] = 1;
    }
    // The end of those that live at some step from `first` to `last_step`, if they leave no byte free before it; else
    // -1. Blocks that live at one step do not overlap: where they fill one step to the end, they do so in all of the
    // steps.
    constexpr std::int64_t filled_until(int first, int last_step) const {
        const height h = highest(1, 0, leaves_ - 1, first, last_step);
        return h.end == h.filled ? h.end : -1;
    }
    // The last byte in use at any step from `first` to `last_step`.
    constexpr std::int64_t end(int first, int last_step) const {
        return highest(1, 0, leaves_ - 1, first, last_step).end;
    }
    // Those that live at some step from `first` to `last_step`, by offset; nothing where they are many of more than
    // most_scanned blocks, so that no plan takes quadratic time. Good until the next call.
    constexpr std::optional<std::span<const int>> living(int first, int last_step) {
        near_.clear();
        const bool few = note_living(first, last_step, 64 + std::min(blocks_.size(), most_scanned) / 32);
        visits_ += std::int64_t(near_.size());
        if (few) {
            sort(near_);
            return near_;
        }
        if (blocks_.size() > most_scanned) return std::nullopt;
        visits_ += std::int64_t(blocks_.size());
        sort_all();  // so many that visiting all of them is faster than sorting these
        near_.clear();
        for (int b : by_offset_)
            if (blocks_[b].first_step <= last_step && blocks_[b].last_step >= first) near_.push_back(b);
        return near_;
    }
    constexpr const placed_block& operator[](int block) const { return blocks_[block]; }
    // How many blocks and lists living() has visited so far: tests bound it.
    constexpr std::int64_t visits() const { return visits_; }
};
}  // namespace v1
}  // namespace inlay
