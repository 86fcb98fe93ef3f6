#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/gather_nd.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor at(const shape& dims, const std::vector<std::int64_t>& v) { return tensor(dims, v); }
outcome gather(const tensor& x, const tensor& indices, std::int64_t batch = 0, int threads = 1) {
    return run_everywhere<op::gather_nd>(
        {.inputs = {x, indices}, .with = integer("batch_dims", batch), .threads = threads});
}
}  // namespace

TEST_CASE("GatherND looks up elements and slices") {
    const tensor x = numbers({2, 2}), cube = numbers({2, 2, 2});
    CHECK(same(gather(x, at({2, 2}, {0, 0, 1, 1}))[0], tensor(shape{2}, {0.f, 3.f})));
    CHECK(same(gather(x, at({2, 1}, {1, -2}))[0], tensor({2, 2}, {2.f, 3.f, 0.f, 1.f})));
    CHECK(same(gather(cube, at({2, 1, 2}, {0, 1, 1, 0}))[0], tensor({2, 1, 2}, {2.f, 3.f, 4.f, 5.f})));
    CHECK(same(gather(x, at({1}, {1}))[0], tensor(shape{2}, {2.f, 3.f})));
    CHECK(same(gather(x, at({2}, {1, 0}))[0], tensor(shape{}, {2.f})));
    CHECK(gather(x, tensor(element::i64, {0, 1}))[0].shape() == shape{0, 2});
    CHECK(gather(numbers({2, 0}), at({3, 1}, {0, 1, 1}))[0].shape() == shape{3, 0});
}
TEST_CASE("GatherND looks up batches one by one") {
    const tensor x = numbers({2, 2, 2});
    CHECK(same(gather(x, at({2, 1}, {1, 0}), 1)[0], tensor({2, 2}, {2.f, 3.f, 4.f, 5.f})));
    CHECK(same(gather(x, at({2, 2, 1}, {1, 0, 0, -1}), 2)[0], tensor({2, 2}, {1.f, 2.f, 4.f, 7.f})));
    CHECK(same(gather(x, at({2, 3, 2}, {0, 0, 1, 1, 0, 1, 1, 0, -1, -1, 0, 0}), 1)[0],
               tensor({2, 3}, {0.f, 3.f, 1.f, 6.f, 7.f, 4.f})));
}
TEST_CASE("GatherND refuses indices that do not fit") {
    const tensor x = numbers({2, 3});
    for (const std::int64_t index : {std::int64_t(2), std::int64_t(-3), std::numeric_limits<std::int64_t>::min()})
        CHECK(gather(x, at({1, 1}, {index})).detail == "an index is out of range");
    CHECK(gather(numbers({2, 0}), at({1, 1}, {2})).code == status::invalid_value);
    for (const device_runner& d : on_test_devices<op::gather_nd>())
        CHECK(d.run({{x, at({1, 1}, {2})}}).detail == "an index is out of range");
    CHECK(gather(x, at({1, 3}, {0, 0, 0})).answer.reason == "an index has more coordinates than the input has axes");
    CHECK(gather(x, at({2, 2}, {0, 0, 0, 0}), 1).answer.reason ==
          "an index has more coordinates than the input has axes");
    CHECK(gather(x, tensor(element::i64, {3, 0})).answer.reason == "an index has no coordinates");
    CHECK(gather(x, at({}, {0})).answer.reason == "the input or the indices have no dimensions");
    CHECK(gather(x, at({1, 1}, {0}), 2).answer.reason == "batch_dims is out of range");
    CHECK(gather(x, at({1, 1}, {0}), -1).answer.reason == "batch_dims is out of range");
    CHECK(gather(x, at({1, 1}, {0}), 1).answer.reason == "the input and the indices have different batches");
    CHECK(gather(x, numbers({1, 1})).answer.reason == "the indices are not int64");
    CHECK(gather(numbers({1, 1, 1, 1, 1, 1}), at({1, 1, 1, 1, 1}, {0})).answer.reason ==
          "the output has more than 8 dimensions");
}
TEST_CASE("GatherND moves every element type of its schema, large tensors in several parts") {
    for (const element e : tensor_types) {
        if (bits_of(e) < 8) continue;
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 2, 2}), y = gather(x, at({2, 2}, {2, 0, 0, 1}))[0];
        for (int i = 0; i < 4; ++i) CHECK(bits_at(y, i) == bits_at(x, i < 2 ? 8 + i : i));
    }
    const tensor x = noise(element::f32, {50, 60, 9});
    tensor indices(element::i64, {20000, 2});
    for (std::int64_t i = 0; i < 20000; ++i) {
        indices.as<std::int64_t>()[std::size_t(2 * i)] = i * 7919 % 50;
        indices.as<std::int64_t>()[std::size_t(2 * i + 1)] = -1 - i * 31 % 60;
    }
    const tensor y = gather(x, indices, 0, 3)[0];
    bool right = true;
    for (std::int64_t i = 0; i < 20000; ++i)
        right = right && bits_at(y, i * 9 + i % 9) == bits_at(x, (i * 7919 % 50 * 60 + 59 - i * 31 % 60) * 9 + i % 9);
    CHECK(right);
}
TEST_CASE("GatherND looks up slices of every length, in batches too") {
    for (std::int64_t n = 0; n <= 35; ++n)
        for (const element e : {element::u8, element::f16, element::f32, element::f64, element::c128}) {
            CAPTURE(n, name_of(e));
            const tensor x = noise(e, {3, 4, 5, n});
            CHECK(gather(x, at({3, 2, 2}, {0, 1, -1, -5, 2, 2, 3, 4, -4, 0, 1, 1}), 1).code == status::ok);
            CHECK(gather(x, at({2, 2, 2}, {0, 1, -1, -4, 2, 3, -3, 0})).code == status::ok);
        }
}
