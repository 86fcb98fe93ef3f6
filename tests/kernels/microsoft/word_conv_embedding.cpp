// Mirrors kernels/inlay/microsoft/word_conv_embedding.hpp. Expected values: ONNX Runtime's.
#include "../../catch.hpp"
#include "../../run_on.hpp"
#include <cmath>
#include <on_test_devices/microsoft/word_conv_embedding.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor counted(const shape& dims, float scale, float first) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < dims.elements(); ++i) x.push_back(float(i) * scale + first);
    return tensor(dims, x);
}
const tensor w = counted({2, 1, 2, 3}, .1f, -.5f), b({2}, {.1f, -.2f}), embeddings = counted({5, 3}, .1f, 0);
outcome embedded(const tensor& words, const tensor& weights = w,
                 std::vector<std::pair<std::string, std::int64_t>> sizes = {}) {
    return run<op::word_conv_embedding, device::reference>({{words, weights, b, embeddings},
                                                            [=](graph_data& g) {
                                                                std::vector<attribute> list;
                                                                for (auto& [name, size] : sizes)
                                                                    list.push_back(g.make(name, size));
                                                                return list;
                                                            },
                                                            0,
                                                            {element::f32}});
}
tensor words(const shape& dims, const std::vector<std::int32_t>& x) { return tensor(dims, x); }
void check(const outcome& y, const std::vector<float>& expected) {
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    REQUIRE(y[0].shape() == shape{std::int64_t(expected.size()) / 2, 2});
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(y[0].as<float>()[i] == Approx(expected[i]).epsilon(1e-5));
}
}  // namespace

TEST_CASE("WordConvEmbedding takes the largest of a word's windows") {
    const tensor three = words({3, 4}, {1, 2, 3, 0, 4, 0, 0, 0, 2, 2, 2, 2});
    const std::vector<float> expected{-.5005202f, .942503f, -.8956928f, .64692944f, -.7211322f, .8642754f};
    check(embedded(three), expected);
    check(embedded(three, w, {{"conv_window_size", 2}, {"embedding_size", 2}, {"char_embedding_size", 3}}), expected);
}
TEST_CASE("A word of WordConvEmbedding ends before the first character that is not positive") {
    check(embedded(words({4, 4}, {1, 0, 3, 0, 0, 2, 3, 0, 1, 2, 0, 4, 1, 0, 0, 0})),
          {-.35399172f, .22602832f, 0, 0, -.5005202f, .8110193f, -.35399166f, .22602837f});
    CHECK(embedded(words({0, 4}, {}))[0].shape() == shape{0, 2});
}
TEST_CASE("WordConvEmbedding refuses characters out of range and what does not fit") {
    CHECK(embedded(words({1, 4}, {1, 5, 0, 0})).detail == "a character is out of range");
    CHECK(embedded(words({1, 4}, {1, -1, 0, 0})).detail == "a character is out of range");
    CHECK(embedded(words({1, 1}, {1})).answer.reason == "the window is longer than the words");
    const tensor x = words({1, 4}, {1, 2, 0, 0});
    CHECK(embedded(x, w, {{"conv_window_size", 3}}).answer.reason == "an attribute contradicts W");
    CHECK(embedded(x, counted({3, 1, 2, 3}, 1, 0)).answer.reason == "W, B and C do not fit each other");
    CHECK(embedded(x, counted({2, 1, 2, 2}, 1, 0)).answer.reason == "W, B and C do not fit each other");
    CHECK(embedded(x, counted({2, 6}, 1, 0)).answer.reason == "an input has another number of axes than it must have");
}
