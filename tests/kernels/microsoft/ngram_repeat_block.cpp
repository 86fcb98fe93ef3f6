// Mirrors kernels/inlay/microsoft/ngram_repeat_block.hpp. Expected values: ONNX Runtime's.
#include "../../catch.hpp"
#include "../../run_on.hpp"
#include <cmath>
#include <on_test_devices/microsoft/ngram_repeat_block.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome blocked(const tensor& ids, const tensor& scores, std::int64_t size) {
    call c{{ids, scores}, [=](graph_data& g) { return std::vector{g.make("ngram_size", size)}; }, 0, {scores.type()}};
    return run<op::ngram_repeat_block, device::reference>(c);
}
const tensor ids({2, 5}, std::vector<std::int64_t>{1, 2, 3, 1, 2, 4, 4, 4, 4, 0});
tensor scores() {
    std::vector<float> x;
    for (int i = 0; i < 12; ++i) x.push_back(float(i));
    return tensor({2, 6}, x);
}
std::vector<int> places(const outcome& y) {  // of what is -infinity
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    std::vector<int> tokens;
    for (std::size_t i = 0; i < 12; ++i) {
        const float x = y[0].as<float>()[i];
        if (x == -INFINITY)
            tokens.push_back(int(i));
        else
            CHECK(x == float(i));
    }
    return tokens;
}
}  // namespace

TEST_CASE("NGramRepeatBlock takes away what would end an n-gram again") {
    CHECK(places(blocked(ids, scores(), 1)) == std::vector{1, 2, 3, 6, 10});
    CHECK(places(blocked(ids, scores(), 2)) == std::vector{3});
    CHECK(places(blocked(ids, scores(), 3)) == std::vector{3});
    CHECK(places(blocked(ids, scores(), 5)).empty());
    CHECK(places(blocked(ids, scores(), 6)).empty());
    CHECK(places(blocked(ids, scores(), std::numeric_limits<std::int64_t>::max())).empty());
}
TEST_CASE("NGramRepeatBlock takes halves, and no texts and no tokens") {
    const tensor halves({1, 3}, std::vector<float16>{float16(1.f), float16(2.f), float16(3.f)});
    const auto y = blocked(tensor({1, 2}, std::vector<std::int64_t>{2, 2}), halves, 2);
    CHECK(float(y[0].as<float16>()[1]) == 2.f);
    CHECK(float(y[0].as<float16>()[2]) == -INFINITY);
    CHECK(blocked(tensor(element::i64, {0, 3}), tensor(element::f32, {0, 6}), 1)[0].shape() == shape{0, 6});
    CHECK(blocked(tensor(element::i64, {2, 0}), scores(), 1).code == status::ok);
}
TEST_CASE("NGramRepeatBlock refuses tokens out of its vocabulary, and what does not fit") {
    for (const std::int64_t token : {-1, 6})
        CHECK(blocked(tensor({2, 1}, std::vector<std::int64_t>{0, token}), scores(), 1).code == status::invalid_value);
    CHECK(blocked(ids, scores(), 0).answer.reason == "ngram_size must be positive");
    CHECK(blocked(tensor(element::i64, {3, 5}), scores(), 1).answer.reason ==
          "there must be as many rows of input_ids as of scores");
    CHECK(blocked(tensor(element::i64, {5}), scores(), 1).answer.reason == "input_ids and scores must have two axes");
    CHECK(blocked(tensor(element::i32, {2, 5}), scores(), 1).answer.reason == "input_ids must be of 64-bit integers");
}
