// Mirrors kernels/inlay/cuda/support/sort.cuh: the merge sort of our own, which the host runs too.
#include "catch.hpp"
#include <inlay/cuda/support/sort.cuh>
#include <numeric>
#include <random>
#include <vector>
using namespace inlay;

TEST_CASE("Rows of any length are sorted, and equal keys stay as they were") {
    std::mt19937 random(1);
    for (const std::int64_t rows : {1, 3})
        for (const std::int64_t length : {1, 2, 3, 7, 64, 65, 1000}) {
            CAPTURE(rows, length);
            const auto count = std::size_t(rows * length);
            std::vector<std::uint32_t> of_keys[2]{std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count)};
            std::vector<std::int32_t> of_indices[2]{std::vector<std::int32_t>(count), std::vector<std::int32_t>(count)};
            for (auto& key : of_keys[0]) key = random() % 20;
            std::iota(of_indices[0].begin(), of_indices[0].end(), 0);
            const auto input_keys = of_keys[0];
            auto expected = of_indices[0];
            for (std::int64_t r = 0; r < rows; ++r)
                std::stable_sort(expected.begin() + r * length, expected.begin() + (r + 1) * length,
                                 [&](int a, int b) { return input_keys[std::size_t(a)] < input_keys[std::size_t(b)]; });
            std::uint32_t* keys[]{of_keys[0].data(), of_keys[1].data()};
            std::int32_t* indices[]{of_indices[0].data(), of_indices[1].data()};
            context c;
            REQUIRE(sort_rows(c, keys, indices, rows, length) == status::ok);
            CHECK(std::equal(expected.begin(), expected.end(), indices[0]));
            CHECK(std::equal(expected.begin(), expected.end(), keys[0],
                             [&](int from, std::uint32_t key) { return input_keys[std::size_t(from)] == key; }));
        }
}
