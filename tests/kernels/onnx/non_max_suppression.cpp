// Mirrors kernels/inlay/onnx/non_max_suppression.hpp.
#include "../../catch.hpp"
#include "../moving.hpp"
#include <algorithm>
#include <cmath>
#include <on_test_devices/onnx/non_max_suppression.hpp>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
using picks = std::vector<std::int64_t>;
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> six = {
    0, 0,  1, 1,  0, 0.1f,  1, 1.1f,  0, -0.1f, 1, 0.9f,
    0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100,   1, 101};  // y1 x1 y2 x2: two clusters and one far away
const std::vector<float> six_scores = {0.9f, 0.75f, 0.6f, 0.95f, 0.5f, 0.3f};
tensor boxes(const std::vector<float>& b, std::int64_t batches = 1) {
    return tensor({batches, std::int64_t(b.size()) / 4 / batches, 4}, b);
}
tensor scores(const std::vector<float>& s, std::int64_t batches = 1, std::int64_t classes = 1) {
    return tensor({batches, classes, std::int64_t(s.size()) / batches / classes}, s);
}
operand limit(std::int64_t n) { return tensor({1}, {n}); }
operand number(float x) { return tensor({1}, {x}); }
outcome suppress(std::vector<operand> inputs, std::int64_t centred = 0, int threads = 1) {
    const call c{.inputs = std::move(inputs),
                 .with = [=](graph_data& g) { return std::vector{g.make("center_point_box", centred)}; },
                 .outputs = {element::i64},
                 .threads = threads};
    const outcome plain = run<op::non_max_suppression, device::reference>(c);
    for (const device_runner& d : on_test_devices<op::non_max_suppression>()) {
        INFO("on " << d.device);
        const outcome result = d.run(c);
        CHECK(bool(result.answer) == bool(plain.answer));
        CHECK(result.code == plain.code);
        REQUIRE(result.outputs.size() == plain.outputs.size());
        for (std::size_t k = 0; k < plain.outputs.size(); ++k) CHECK(same(result[k], plain[k]));
    }
    return plain;
}
picks chosen(std::vector<operand> inputs, std::int64_t centred = 0, int threads = 1) {
    const outcome o = suppress(std::move(inputs), centred, threads);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    CHECK(o[0].shape() == shape{o[0].shape()[0], 3});
    const auto y = o[0].as<std::int64_t>();
    return {y.begin(), y.end()};
}
}  // namespace

TEST_CASE("NonMaxSuppression drops boxes that overlap a better one") {
    CHECK(chosen({boxes(six), scores(six_scores), limit(3), number(0.5f), number(0)}) ==
          picks{0, 0, 3, 0, 0, 0, 0, 0, 5});
    CHECK(chosen({boxes(six), scores(six_scores), limit(3), number(0.5f), number(0.4f)}) == picks{0, 0, 3, 0, 0, 0});
    CHECK(chosen({boxes(six), scores(six_scores), limit(2), number(0.5f), number(0)}) == picks{0, 0, 3, 0, 0, 0});
    CHECK(chosen({boxes(six), scores(six_scores), limit(30), number(1), number(0)}) ==
          picks{0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 4, 0, 0, 5});
}
TEST_CASE("NonMaxSuppression takes corners in any order") {
    const std::vector<float> flipped = {1, 1,  0, 0,  0, 0.1f,  1, 1.1f,  0, 0.9f, 1, -0.1f,
                                        0, 10, 1, 11, 1, 10.1f, 0, 11.1f, 1, 101,  0, 100};
    CHECK(chosen({boxes(flipped), scores(six_scores), limit(3), number(0.5f), number(0)}) ==
          picks{0, 0, 3, 0, 0, 0, 0, 0, 5});
}
TEST_CASE("NonMaxSuppression reads boxes as centre and size if center_point_box is 1") {
    const std::vector<float> centred = {0.5f, 0.5f,  1, 1, 0.5f, 0.6f,  1, 1, 0.5f, 0.4f,   1, 1,
                                        0.5f, 10.5f, 1, 1, 0.5f, 10.6f, 1, 1, 0.5f, 100.5f, 1, 1};
    CHECK(chosen({boxes(centred), scores(six_scores), limit(3), number(0.5f), number(0)}, 1) ==
          picks{0, 0, 3, 0, 0, 0, 0, 0, 5});
    CHECK(!suppress({boxes(centred), scores(six_scores), limit(3)}, 2).answer);
}
TEST_CASE("NonMaxSuppression keeps a box whose overlap is the threshold itself") {
    const std::vector<float> halves = {0, 0, 1, 1, 0, 0, 1, 0.5f};  // intersection over union is one half
    CHECK(chosen({boxes(halves), scores({0.9f, 0.8f}), limit(9), number(0.5f)}) == picks{0, 0, 0, 0, 0, 1});
    CHECK(chosen({boxes(halves), scores({0.9f, 0.8f}), limit(9), number(std::nextafter(0.5f, 0.f))}) == picks{0, 0, 0});
}
TEST_CASE("NonMaxSuppression keeps a score that is above the threshold only") {
    const std::vector<float> apart = {0, 0, 1, 1, 2, 2, 3, 3};
    CHECK(chosen({boxes(apart), scores({0.5f, 0.4f}), limit(9), number(0.5f), number(0.4f)}) == picks{0, 0, 0});
}
TEST_CASE("NonMaxSuppression works on every batch and class by itself") {
    std::vector<float> twice = six, twice_scores = six_scores;
    twice.insert(twice.end(), six.begin(), six.end());
    twice_scores.insert(twice_scores.end(), six_scores.begin(), six_scores.end());
    CHECK(chosen({boxes(twice, 2), scores(twice_scores, 2), limit(2), number(0.5f), number(0)}) ==
          picks{0, 0, 3, 0, 0, 0, 1, 0, 3, 1, 0, 0});
    CHECK(chosen({boxes(six), scores(twice_scores, 1, 2), limit(2), number(0.5f), number(0)}) ==
          picks{0, 0, 3, 0, 0, 0, 0, 1, 3, 0, 1, 0});
}
TEST_CASE("NonMaxSuppression chooses nothing without a limit") {
    CHECK(chosen({boxes(six), scores(six_scores)}).empty());
    CHECK(chosen({boxes(six), scores(six_scores), {}, number(0.5f)}).empty());
    CHECK(chosen({boxes(six), scores(six_scores), limit(0)}).empty());
    CHECK(chosen({boxes(six), scores(six_scores), limit(-3)}).empty());
    CHECK(chosen({boxes(six), scores(six_scores), operand(tensor(element::i64, {0}))}).empty());
}
TEST_CASE("NonMaxSuppression without iou_threshold allows no overlap, without score_threshold any score") {
    CHECK(chosen({boxes(six), scores({-1, -2, -3, -4, -5, -6}), limit(9)}) == picks{0, 0, 0, 0, 0, 3, 0, 0, 5});
    CHECK(chosen({boxes(six), scores({-1, -2, -3, -4, -5, -6}), operand::weight(tensor(shape{}, {std::int64_t(2)})),
                  number(0), operand(tensor(element::f32, {0}))}) == picks{0, 0, 0, 0, 0, 3});
}
TEST_CASE("NonMaxSuppression orders equal scores by index, NaN last") {
    const std::vector<float> apart = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9};
    CHECK(chosen({boxes(apart), scores({0.5f, quiet_nan, 0.5f, 0.7f, 0.5f}), limit(9)}) ==
          picks{0, 0, 3, 0, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0, 1});
    CHECK(chosen({boxes(apart), scores({0.f, -0.f, 0.f, -1.f, -0.f}), limit(9)}) ==
          picks{0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 4, 0, 0, 3});
    CHECK(chosen({boxes(apart), scores({0.5f, quiet_nan, 0.5f, 0.1f, 0.5f}), limit(9), number(0), number(0.2f)}) ==
          picks{0, 0, 0, 0, 0, 2, 0, 0, 4});
    std::vector<float> same;
    for (int i = 0; i < 10; ++i) same.insert(same.end(), {0, 0, 1, 1});
    CHECK(chosen({boxes(same), scores(std::vector<float>(10, 0.9f)), limit(3), number(0.5f)}) == picks{0, 0, 0});
}
TEST_CASE("NonMaxSuppression never drops for boxes without area or with NaN") {
    const std::vector<float> odd = {0, 0, 1, 1, 0.5f, 0.5f, 0.5f, 0.9f, quiet_nan, 0, 1, 1, 0, 0, 1, 1};
    CHECK(chosen({boxes(odd), scores({0.9f, 0.8f, 0.7f, 0.6f}), limit(9), number(0)}) ==
          picks{0, 0, 0, 0, 0, 1, 0, 0, 2});
}
TEST_CASE("NonMaxSuppression of no boxes") {
    CHECK(chosen({tensor(element::f32, {1, 0, 4}), tensor(element::f32, {1, 3, 0}), limit(5)}).empty());
    CHECK(chosen({tensor(element::f32, {0, 6, 4}), tensor(element::f32, {0, 3, 6}), limit(5)}).empty());
    CHECK(chosen({boxes(six), tensor(element::f32, {1, 0, 6}), limit(5)}).empty());
}
TEST_CASE("NonMaxSuppression refuses inputs that do not fit together") {
    const auto is_refused = [](std::vector<operand> inputs) { return !suppress(std::move(inputs)).answer; };
    CHECK(is_refused({tensor(element::f32, {6, 4}), scores(six_scores), limit(3)}));
    CHECK(is_refused({tensor(element::f32, {1, 6, 5}), scores(six_scores), limit(3)}));
    CHECK(is_refused({boxes(six), tensor(element::f32, {1, 1, 5}), limit(3)}));
    CHECK(is_refused({boxes(six), tensor(element::f32, {2, 1, 6}), limit(3)}));
    CHECK(is_refused({boxes(six), scores(six_scores), operand(tensor({2}, {std::int64_t(1), std::int64_t(2)}))}));
    CHECK(is_refused({boxes(six), scores(six_scores), operand(tensor({1}, {3}))}));
}
TEST_CASE("NonMaxSuppression agrees with comparing all pairs, for any number of boxes and threads") {
    for (int n : {1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1500, 3000}) {
        std::mt19937 random(unsigned(n) + 5u);
        std::uniform_real_distribution<float> place(0, 60), size(1, 20), score(0, 1);
        const int classes = 3;
        std::vector<float> b, s;
        for (int i = 0; i < n; ++i) {
            const float y = place(random), x = place(random);
            b.insert(b.end(), {y, x, y + size(random), x + size(random)});
        }
        for (int i = 0; i < n * classes; ++i) s.push_back(std::round(score(random) * 50) / 50);
        for (std::int64_t most : {std::int64_t(7), std::int64_t(5000)}) {
            picks expected;
            for (int c = 0; c < classes; ++c) {
                std::vector<int> order, list;
                for (int i = 0; i < n; ++i)
                    if (s[std::size_t(c * n + i)] > 0.2f) order.push_back(i);
                std::stable_sort(order.begin(), order.end(),
                                 [&](int i, int j) { return s[std::size_t(c * n + i)] > s[std::size_t(c * n + j)]; });
                for (int i : order) {
                    bool keep = std::int64_t(list.size()) < most;
                    for (int j : list) {
                        const float *p = &b[std::size_t(4 * i)], *q = &b[std::size_t(4 * j)];
                        const float h = std::min(p[2], q[2]) - std::max(p[0], q[0]),
                                    w = std::min(p[3], q[3]) - std::max(p[1], q[1]);
                        const float common = w * h,
                                    either = (p[3] - p[1]) * (p[2] - p[0]) + (q[3] - q[1]) * (q[2] - q[0]) - common;
                        if (w > 0 && h > 0 && common / either > 0.3f) keep = false;
                    }
                    if (keep) {
                        list.push_back(i);
                        expected.insert(expected.end(), {0, c, i});
                    }
                }
            }
            CAPTURE(n, most);
            CHECK(chosen({boxes(b), scores(s, 1, classes), limit(most), number(0.3f), number(0.2f)}) == expected);
            CHECK(chosen({boxes(b), scores(s, 1, classes), operand::weight(tensor({1}, {most})), number(0.3f),
                          number(0.2f)},
                         0, 3) == expected);
        }
    }
}
