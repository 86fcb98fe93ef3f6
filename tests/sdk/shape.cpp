// Mirrors include/inlay/shape.hpp.
#include "../catch.hpp"
#include <inlay/shape.hpp>
#include <vector>
using namespace inlay;

namespace {
struct common {
    bool agree;
    shape dims;
};
constexpr common together(const shape& a, const shape& b) {
    shape y;
    const bool agree = broadcast(a, b, y);
    return {agree, y};
}
}  // namespace

TEST_CASE("A shape has the dimensions that it was made of") {
    constexpr shape s{2, 3, 4};
    STATIC_REQUIRE(s.rank == 3);
    STATIC_REQUIRE(s[1] == 3);
    STATIC_REQUIRE(s.known());
    CHECK(std::vector<std::int64_t>(s.begin(), s.end()) == std::vector<std::int64_t>{2, 3, 4});
    STATIC_REQUIRE(shape::of_rank(3, 7) == shape{7, 7, 7});
    STATIC_REQUIRE(shape::of_rank(0) == shape{});
    shape t{1};
    t.push_back(5);
    CHECK(t == shape{1, 5});
    t[0] = 9;
    CHECK(t == shape{9, 5});
}
TEST_CASE("Shapes are equal if rank and dimensions are") {
    CHECK(shape{1, 2} == shape{1, 2});
    CHECK(!(shape{1, 2} == shape{1, 2, 1}));
    CHECK(!(shape{1, 2} == shape{2, 1}));
    CHECK(!(shape{} == shape::unknown()));
    CHECK(shape::unknown() == shape::unknown());
    shape a{1, 2, 3}, b{1, 2, 4};
    a.rank = b.rank = 2;  // what follows the last dimension does not count
    CHECK(a == b);
}
TEST_CASE("A shape counts its elements, also of some dimensions") {
    STATIC_REQUIRE(shape{2, 3, 4}.elements() == 24);
    STATIC_REQUIRE(shape{}.elements() == 1);
    STATIC_REQUIRE(shape{5, 0, 3}.elements() == 0);
    STATIC_REQUIRE(shape{2, 3, 4}.elements(1) == 12);
    STATIC_REQUIRE(shape{2, 3, 4}.elements(0, 2) == 6);
    STATIC_REQUIRE(shape{2, 3, 4}.elements(1, 1) == 1);
    STATIC_REQUIRE(shape{2, 3, 4}.elements(3) == 1);
}
TEST_CASE("A shape with a negative dimension or no rank is not known") {
    CHECK(!shape::unknown().known());
    const shape unknown = shape::unknown();
    CHECK(unknown.begin() == unknown.end());
    CHECK(!shape{2, -1}.known());
    CHECK(!shape{-5, 2}.known());
    CHECK(shape{}.known());
    CHECK(shape{0}.known());
}
TEST_CASE("A shape is written as its dimensions") {
    CHECK(to_string(shape{1, 3, -1, 224}) == "[1,3,?,224]");
    CHECK(to_string(shape{}) == "[]");
    CHECK(to_string(shape{7}) == "[7]");
    CHECK(to_string(shape{-3, 2}) == "[?,2]");
    CHECK(to_string(shape::unknown()) == "[...]");
}
TEST_CASE("Shapes broadcast as ONNX has it") {
    STATIC_REQUIRE(together({2, 3, 4, 5}, {}).dims == shape{2, 3, 4, 5});
    STATIC_REQUIRE(together({}, {}).dims == shape{});
    CHECK(together({2, 3, 4, 5}, {5}).dims == shape{2, 3, 4, 5});
    CHECK(together({4, 5}, {2, 3, 4, 5}).dims == shape{2, 3, 4, 5});
    CHECK(together({1, 4, 5}, {2, 3, 1, 1}).dims == shape{2, 3, 4, 5});
    CHECK(together({3, 4, 5}, {2, 1, 1, 1}).dims == shape{2, 3, 4, 5});
    CHECK(together({3, 1}, {1, 4}).dims == shape{3, 4});
    CHECK(!together({2, 3}, {3, 2}).agree);
    CHECK(!together({4}, {2, 3}).agree);
}
TEST_CASE("Empty dimensions broadcast with one only") {
    CHECK(together({0, 3}, {1, 3}).dims == shape{0, 3});
    CHECK(together({1}, {0}).dims == shape{0});
    CHECK(together({0}, {0}).dims == shape{0});
    CHECK(!together({0}, {2}).agree);
}
TEST_CASE("Dimensions that are not known broadcast to what is certain") {
    CHECK(together(shape::unknown(), {2, 3}).dims == shape::unknown());
    CHECK(together({2, 3}, shape::unknown()).dims == shape::unknown());
    CHECK(together({-1, 3}, {4, 3}).dims == shape{4, 3});  // it is 1 or 4
    CHECK(together({4, 3}, {-1, 3}).dims == shape{4, 3});
    CHECK(together({-1, 3}, {1, 3}).dims == shape{-1, 3});
    CHECK(together({1, 3}, {-2, 3}).dims == shape{-2, 3});
    CHECK(together({-2, 3}, {-2, 3}).dims == shape{-2, 3});
    CHECK(together({-2, 3}, {-3, 3}).dims == shape{-1, 3});  // either may be 1
    CHECK(together({-2, 3}, {-1, 3}).dims == shape{-1, 3});
    CHECK(together({-2}, {0}).dims == shape{0});
}
