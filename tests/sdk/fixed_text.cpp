// Mirrors include/inlay/sdk/fixed_text.hpp.
#include "../catch.hpp"
#include <inlay/sdk/fixed_text.hpp>
#include <limits>
using namespace inlay;

namespace {
std::string digits(std::int64_t x) {
    text t;
    t += x;
    return t.str();
}
}  // namespace

TEST_CASE("A number in a text has all its digits and its sign") {
    for (int size = 1; size < 19; ++size) {
        const std::int64_t least = std::stoll("1" + std::string(std::size_t(size - 1), '0'));
        for (const std::int64_t x : {least, least + 1, 10 * (least - 1) + 9})
            for (const std::int64_t signed_x : {x, -x}) CHECK(digits(signed_x) == std::to_string(signed_x));
    }
    for (const std::int64_t x :
         {std::int64_t(0), std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()})
        CHECK(digits(x) == std::to_string(x));
}
TEST_CASE("A text joins characters, texts and numbers, in a constant expression too") {
    STATIC_REQUIRE((text("a ") + std::int64_t(-120) + " b" + text("c")).view() == "a -120 bc");
    STATIC_REQUIRE(text().size() == 0);
}
TEST_CASE("A fixed text has its characters in its type") {
    STATIC_REQUIRE(fixed_text("port").view() == "port");
    STATIC_REQUIRE(fixed_text<4>(std::string_view("port")).view() == "port");
    STATIC_REQUIRE(to_fixed_text([] { return text("rank ") + std::int64_t(12); }).view() == "rank 12");
}
