// Mirrors kernels/inlay/microsoft/bifurcation_detector.hpp. Expected values: ONNX Runtime's.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/bifurcation_detector.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
using tokens = std::vector<std::int64_t>;
outcome detect(const tokens& source, const tokens& current, std::int64_t from, std::optional<tokens> predicted = {},
               std::int64_t least = 1, std::int64_t most = 3) {
    const auto list = [](const tokens& t) { return tensor({std::int64_t(t.size())}, t); };
    call c{.inputs = {list(source), list(current), tensor(shape{}, tokens{from})},
           .with = quantization::with({{"min_ngram_size", least}, {"max_ngram_size", most}}),
           .outputs = {element::i64, element::i64}};
    if (predicted) c.inputs.push_back(list(*predicted));
    return on_plain<op::bifurcation_detector>(c);
}
void check(const outcome& y, const tokens& expected, std::int64_t index) {
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    REQUIRE(y.answer);
    const auto result = y[0].as<std::int64_t>();
    CHECK(tokens(result.begin(), result.end()) == expected);
    CHECK(y[1].as<std::int64_t>()[0] == index);
}
}  // namespace

TEST_CASE("BifurcationDetector takes predicted tokens up to the first that the source has not") {
    check(detect({1, 2, 3, 4, 2, 5}, {9}, 1, tokens{2, 3, 7, 0, 0, 0}), {9, 2, 3, 7}, -1);
    check(detect({1, 2, 3, 4, 2, 5}, {9, 2}, 6, tokens{5}), {9, 2, 5}, 6);
    check(detect({1, 2}, {}, 0, tokens{1, 2, 3}), {1, 2, 3}, -1);
}
TEST_CASE("BifurcationDetector finds where the source goes on from the last tokens") {
    check(detect({1, 2, 3, 4, 2, 5}, {9, 3, 4, 2}, 1), {9, 3, 4, 2}, 5);
    check(detect({1, 2, 3, 4, 2, 5}, {9, 2}, 0), {9, 2}, -1);
    check(detect({1, 2, 3}, {7}, 0), {7}, -1);
    check(detect({1, 2, 1, 2}, {1, 2}, 0), {1, 2}, -1);
    check(detect({1, 2, 3, 2}, {1, 2}, 0, {}, 2, 2), {1, 2}, 2);
}
TEST_CASE("BifurcationDetector refuses what does not fit") {
    CHECK(detect({1, 2, 3}, {7}, 4, tokens{1}).detail == "prev_suffix_match_idx is not in src_tokens");
    CHECK(detect({1, 2, 3}, {7}, -1, tokens{1}).detail == "prev_suffix_match_idx is not in src_tokens");
    CHECK(detect({1, 2, 3}, {7}, 1, tokens{1}).detail ==
          "pred_tokens must have one token more than src_tokens has from prev_suffix_match_idx on");
    CHECK(detect({1}, {7}, 0, {}, 0, 1).answer.reason == "min_ngram_size must be positive, and at most max_ngram_size");
    CHECK(detect({1}, {7}, 0, {}, 3, 2).answer.reason == "min_ngram_size must be positive, and at most max_ngram_size");
}
