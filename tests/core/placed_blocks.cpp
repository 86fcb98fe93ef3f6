// Mirrors include/inlay/core/placed_blocks.hpp.
#include "../catch.hpp"
#include <inlay/core/placed_blocks.hpp>
#include <random>
using namespace inlay;

namespace {
// A look at all blocks, by offset and then as they came.
std::vector<int> found_by_looking(std::span<const placed_block> all, int first, int last) {
    std::vector<int> near;
    for (int b = 0; b < int(all.size()); ++b)
        if (all[std::size_t(b)].first <= last && all[std::size_t(b)].last >= first) near.push_back(b);
    std::ranges::stable_sort(near, {}, [&](int b) { return all[std::size_t(b)].offset; });
    return near;
}
constexpr int found_in_the_compiler() {
    placed_blocks blocks(5);
    blocks.add({64, 8, 0, 1});
    blocks.add({0, 8, 1, 3});
    blocks.add({32, 8, 3, 4});
    int digits = 0;
    for (int b : blocks.living(1, 2)) digits = 10 * digits + b + 1;
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
            std::vector<placed_block> all;
            bool same = true;
            for (int k = 0; k < 400; ++k) {
                const int first = int(random() % unsigned(steps)),
                          last = std::min(steps - 1, first + int(random() % unsigned(longest)));
                const auto found = blocks.living(first, last);
                same &= std::ranges::equal(found, found_by_looking(all, first, last));
                all.push_back({std::int64_t(random() % 50), 8, first, last});
                blocks.add(all.back());
            }
            CHECK(same);
        }
}
TEST_CASE("A look for blocks visits no more than those that live then, and a few parts of the steps") {
    constexpr int steps = 1 << 16;
    placed_blocks blocks(steps);
    for (int t = 0; t + 1 < steps; ++t) blocks.add({0, 8, t, t + 1});
    const std::int64_t before = blocks.visits();
    for (int t = 0; t + 1 < steps; ++t) CHECK_FALSE(blocks.living(t, t + 1).size() > 3);
    CHECK(blocks.visits() - before < std::int64_t(steps) * 64);
}
