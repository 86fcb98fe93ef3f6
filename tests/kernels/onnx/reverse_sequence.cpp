#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/reverse_sequence.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome reversed(const tensor& x, const tensor& lengths, std::int64_t batch, std::int64_t time, int threads = 1) {
    return run_everywhere<op::reverse_sequence>(
        {.inputs = {x, lengths},
         .with =
             [=](graph_data& g) {
                 return std::vector{g.make("batch_axis", batch), g.make("time_axis", time)};
             },
         .threads = threads});
}
}  // namespace

TEST_CASE("ReverseSequence reverses as much of each sequence as its length says") {
    const tensor x = numbers({4, 4});
    CHECK(same(reversed(x, list({1, 2, 3, 4}), 0, 1)[0],
               tensor({4, 4}, {0.f, 1.f, 2.f, 3.f, 5.f, 4.f, 6.f, 7.f, 10.f, 9.f, 8.f, 11.f, 15.f, 14.f, 13.f, 12.f})));
    const tensor by_time({4, 4},
                         {12.f, 9.f, 6.f, 3.f, 8.f, 5.f, 2.f, 7.f, 4.f, 1.f, 10.f, 11.f, 0.f, 13.f, 14.f, 15.f});
    CHECK(same(reversed(x, list({4, 3, 2, 1}), 1, 0)[0], by_time));
    for (const int version : {10, 28})
        CHECK(same(run_everywhere<op::reverse_sequence>({.inputs = {x, list({4, 3, 2, 1})}, .version = version})[0],
                   by_time));
    CHECK(same(reversed(numbers({1, 2, 2}), list({2}), 0, 1)[0], tensor({1, 2, 2}, {2.f, 3.f, 0.f, 1.f})));
    CHECK(same(reversed(x, list({0, 0, 0, 0}), 0, 1)[0], x));
    CHECK(reversed(numbers({2, 3, 0}), list({3, 1}), 0, 1)[0].shape() == shape{2, 3, 0});
    CHECK(reversed(numbers({0, 3}), tensor(element::i64, {0}), 0, 1)[0].shape() == shape{0, 3});
}
TEST_CASE("ReverseSequence refuses lengths and axes that do not fit") {
    const tensor x = numbers({2, 3});
    for (const std::int64_t length : {std::int64_t(4), std::int64_t(-1), std::numeric_limits<std::int64_t>::max()})
        CHECK(reversed(x, list({1, length}), 0, 1).detail == "a length is negative, or more than there is");
    CHECK(reversed(numbers({2, 3, 0}), list({3, 4}), 0, 1).code == status::invalid_value);
    CHECK(reversed(numbers({0, 2}), list({0, 1}), 1, 0).code == status::invalid_value);
    for (const device_runner& d : on_test_devices<op::reverse_sequence>())
        CHECK(d.run({{numbers({3, 2}), list({1, 4})}}).detail ==
              "sequence_lens: a length is negative or larger than the sequence");
    CHECK(reversed(x, list({1, 1, 3}), 1, 0).detail == "a length is negative, or more than there is");
    CHECK(reversed(x, list({1, 1, 1}), 0, 1).answer.reason == "there is not one length for each sequence");
    CHECK(reversed(x, tensor({1, 2}, {std::int64_t(1), std::int64_t(1)}), 0, 1).answer.reason ==
          "there is not one length for each sequence");
    CHECK(reversed(x, tensor({2}, {1, 1}), 0, 1).answer.reason == "the lengths are not int64");
    CHECK(reversed(numbers({2}), list({1, 1}), 0, 1).answer.reason == "the input has fewer than 2 dimensions");
    for (const auto& [batch, time] : {std::pair{0, 0}, {1, 1}, {2, -1}, {0, 2}})
        CHECK(reversed(x, list({1, 1}), batch, time).answer.reason == "batch_axis and time_axis are not 0 and 1");
}
TEST_CASE("ReverseSequence of every element type of its schema, in several parts") {
    for (const element e : tensor_types) {
        if (bits_of(e) < 8) continue;
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 50, 200}), y = reversed(x, list({50, 7, 0}), 0, 1, 3)[0];
        bool right = true;
        for (int i = 0; i < x.elements(); i += 7) {
            const int b = i / 10000, t = i / 200 % 50, length = b == 0 ? 50 : b == 1 ? 7 : 0;
            right = right && bits_at(y, i) == bits_at(x, (b * 50 + (t < length ? length - 1 - t : t)) * 200 + i % 200);
        }
        CHECK(right);
    }
}
TEST_CASE("ReverseSequence of elements of every length, by batch and by time") {
    for (std::int64_t n = 0; n <= 35; ++n)
        for (const element e : {element::u8, element::f16, element::f32, element::f64, element::c128}) {
            CAPTURE(n, name_of(e));
            CHECK(reversed(noise(e, {3, 4, n}), list({4, 0, 3}), 0, 1).code == status::ok);
            CHECK(reversed(noise(e, {3, 4, n}), list({3, 0, 1, 2}), 1, 0).code == status::ok);
        }
}
