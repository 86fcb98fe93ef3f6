// Mirrors include/inlay/plan/placed_blocks.hpp.
#include "../catch.hpp"
#include <inlay/plan/placed_blocks.hpp>
#include <random>
using namespace inlay;

namespace {
// A look at all blocks, by offset and then as they came.
std::vector<int> found_by_looking(std::span<const placed_block> blocks, int first, int last_step) {
    std::vector<int> near;
    for (int b = 0; b < int(blocks.size()); ++b)
        if (blocks[std::size_t(b)].first_step <= last_step && blocks[std::size_t(b)].last_step >= first)
            near.push_back(b);
    std::ranges::stable_sort(near, {}, [&](int b) { return blocks[std::size_t(b)].offset; });
    return near;
}
// Where those that live then end, if they leave no byte free; else -1.
std::int64_t filled_by_looking(std::span<const placed_block> blocks, int first, int last_step) {
    std::int64_t end = 0;
    for (int b : found_by_looking(blocks, first, last_step)) {
        if (blocks[std::size_t(b)].offset > end) return -1;
        end = std::max(end, blocks[std::size_t(b)].offset + blocks[std::size_t(b)].size);
    }
    return end;
}
// The first gap that is wide enough.
std::int64_t place_for(std::span<const placed_block> blocks, std::int64_t size, int first, int last_step) {
    std::int64_t end = 0;
    for (int b : found_by_looking(blocks, first, last_step)) {
        if (blocks[std::size_t(b)].offset - end >= size) break;
        end = std::max(end, blocks[std::size_t(b)].offset + blocks[std::size_t(b)].size);
    }
    return end;
}
constexpr int found_in_the_compiler() {
    placed_blocks blocks(5);
    blocks.add({64, 8, 0, 1});
    blocks.add({0, 8, 1, 3});
    blocks.add({32, 8, 3, 4});
    int digits = 0;
    const auto living = blocks.living(1, 2);
    for (int b : *living) digits = 10 * digits + b + 1;
    return digits;
}
}  // namespace

TEST_CASE("Blocks that live at the same time are found, by offset, and no others") {
    STATIC_REQUIRE(found_in_the_compiler() == 21);
    std::mt19937 random(3);
    for (const int steps : {1, 2, 7, 64, 1000})
        for (const int longest : {1, 5, 1000}) {  // so that few, some, or nearly all live together
            CAPTURE(steps, longest);
            placed_blocks blocks(steps);
            std::vector<placed_block> list;
            bool same = true;
            for (int k = 0; k < 400; ++k) {
                const int first = int(random() % unsigned(steps)),
                          last_step = std::min(steps - 1, first + int(random() % unsigned(longest)));
                const auto living = blocks.living(first, last_step);
                same &= std::ranges::equal(living.value(), found_by_looking(list, first, last_step));
                list.push_back({std::int64_t(random() % 50), 8, first, last_step});
                blocks.add(list.back());
            }
            CHECK(same);
        }
}
TEST_CASE("A look for blocks visits no more than those that live then, and a few parts of the steps") {
    constexpr int steps = 1 << 16;
    placed_blocks blocks(steps);
    for (int t = 0; t + 1 < steps; ++t) blocks.add({0, 8, t, t + 1});
    const std::int64_t before = blocks.visits();
    for (int t = 0; t + 1 < steps; ++t) CHECK_FALSE(blocks.living(t, t + 1).value().size() > 3);
    CHECK(blocks.visits() - before < std::int64_t(steps) * 64);
}
TEST_CASE("A look for many of very many blocks is given up, and their end is returned") {
    constexpr int count = 40'000;
    std::mt19937 random(5);
    placed_blocks blocks(count);
    int given_up = 0;
    std::int64_t end = 0;
    for (int k = 0; k < count; ++k) {
        const int first = int(random() % count), last_step = first + int(random() % unsigned(count - first));
        given_up += !blocks.living(first, last_step);
        blocks.add({std::int64_t(16 * k), 8, first, last_step});
        end = std::max(end, std::int64_t(16 * k + 8));
    }
    CHECK(given_up > count / 2);
    CHECK(blocks.end(0, count - 1) == end);
    CHECK(blocks.visits() < std::int64_t(count) * 2048);
}
TEST_CASE("What blocks that fill a step to its end fill is returned without a look at them, and only then") {
    std::mt19937 random(4);
    for (const int steps : {1, 2, 7, 64})
        for (const int longest : {1, 5, 64}) {
            CAPTURE(steps, longest);
            placed_blocks blocks(steps);
            std::vector<placed_block> list;
            int known_ends = 0;
            bool right = true;
            for (int k = 0; k < 300; ++k) {
                const int first = int(random() % unsigned(steps)),
                          last_step = std::min(steps - 1, first + int(random() % unsigned(longest)));
                const std::int64_t size = 8 * std::int64_t(1 + random() % 4),
                                   end = blocks.filled_until(first, last_step);
                right &= end < 0 || end == filled_by_looking(list, first, last_step);
                bool one_step_is_full = false;
                for (int t = first; t <= last_step; ++t)
                    one_step_is_full |= filled_by_looking(list, t, t) == filled_by_looking(list, first, last_step);
                right &= (end >= 0) == (one_step_is_full && filled_by_looking(list, first, last_step) >= 0);
                known_ends += end >= 0;
                list.push_back({place_for(list, size, first, last_step), size, first, last_step});
                blocks.add(list.back());
            }
            CHECK(right);
            CHECK(known_ends > 5);
        }
}
TEST_CASE("Blocks that all live at once are placed without a look at each") {
    constexpr int steps = 20'000;
    placed_blocks blocks(steps);
    bool stacked = true;
    for (int t = 0; t < steps; ++t) {
        stacked &= blocks.filled_until(t, steps - 1) == 8 * t;
        blocks.add({8 * t, 8, t, steps - 1});
    }
    CHECK(stacked);
    CHECK(blocks.visits() == 0);
}
