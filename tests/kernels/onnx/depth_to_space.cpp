#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/depth_to_space.hpp>
#include <on_test_devices/onnx/depth_to_space.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
call blocks(const tensor& x, std::int64_t size, std::string_view mode = "DCR") {
    return {{x}, [=](graph_data& g) { return std::vector{g.make("blocksize", size), g.make("mode", mode)}; }};
}
template <class Op> outcome moved(const tensor& x, std::int64_t size, std::string_view mode = "DCR") {
    return run<Op, device::reference>(blocks(x, size, mode));
}
outcome spread(const tensor& x, std::int64_t size, std::string_view mode = "DCR") {
    return moved<op::depth_to_space>(x, size, mode);
}
outcome stack(const tensor& x, std::int64_t size, std::string_view mode = "DCR") {
    return moved<op::space_to_depth>(x, size, mode);
}
}  // namespace

TEST_CASE("DepthToSpace makes blocks of pixels of channels, in either order") {
    const tensor x = numbers({1, 8, 1, 2});  // channel c: 2c, 2c + 1
    CHECK(same(spread(x, 2)[0], tensor({1, 2, 2, 4}, {0.f, 4.f, 1.f, 5.f, 8.f, 12.f, 9.f, 13.f, 2.f, 6.f, 3.f, 7.f,
                                                      10.f, 14.f, 11.f, 15.f})));
    CHECK(same(spread(x, 2, "CRD")[0], tensor({1, 2, 2, 4}, {0.f, 2.f, 1.f, 3.f, 4.f, 6.f, 5.f, 7.f, 8.f, 10.f, 9.f,
                                                             11.f, 12.f, 14.f, 13.f, 15.f})));
    CHECK(same(spread(x, 1)[0], x));
    CHECK(spread(numbers({0, 4, 2, 2}), 2)[0].shape() == shape{0, 1, 4, 4});
}
TEST_CASE("SpaceToDepth undoes DepthToSpace") {
    CHECK(same(stack(numbers({1, 1, 2, 4}), 2)[0], tensor({1, 4, 1, 2}, {0.f, 2.f, 1.f, 3.f, 4.f, 6.f, 5.f, 7.f})));
    for (const std::string_view mode : {"DCR", "CRD"})
        for (const std::int64_t size : {1, 2, 3}) {
            const tensor x = noise(element::f32, {2, 2 * size * size, 3, 4});
            CHECK(same(stack(spread(x, size, mode)[0], size, mode)[0], x));
        }
}
TEST_CASE("Blocks must divide channels and pixels") {
    CHECK(spread(numbers({1, 6, 2, 2}), 2).answer.reason == "the channels do not divide into blocks");
    CHECK(stack(numbers({1, 1, 2, 3}), 2).answer.reason == "the pixels do not divide into blocks");
    CHECK(spread(numbers({4, 2, 2}), 2).answer.reason == "the input does not have 4 dimensions");
    CHECK(spread(numbers({1, 4, 2, 2}), 2, "RCD").answer.reason == "mode is neither DCR nor CRD");
    for (const std::int64_t size : {std::int64_t(0), std::int64_t(-2), std::numeric_limits<std::int64_t>::max()})
        CHECK(stack(numbers({1, 4, 2, 2}), size).answer.reason == "blocksize is missing, not positive or too large");
    CHECK(run<op::depth_to_space, device::reference>({{numbers({1, 4, 2, 2})}}).answer.reason ==
          "blocksize is missing, not positive or too large");
    CHECK(spread(numbers({0, 0, 1 << 15, 1 << 15}), 1 << 20).answer.reason == "the output is too large");
}
TEST_CASE("Blocks of every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {1, 4, 1, 3});
        const outcome y = spread(x, 2);
        REQUIRE(y.answer);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 6; ++j) CHECK(bits_at(y[0], i * 6 + j) == bits_at(x, (i * 2 + j % 2) * 3 + j / 2));
        CHECK(same(stack(y[0], 2)[0], x));
        if (bits_of(e) >= 8 && e != element::string)
            CHECK((cpu_agrees<op::depth_to_space>(blocks(x, 2)) && cpu_agrees<op::space_to_depth>(blocks(y[0], 2))));
    }
}
TEST_CASE("Blocks on the CPU agree with the reference kernel, in every layout") {
    for (const std::string_view mode : {"DCR", "CRD"})
        for (const std::int64_t size : {1, 2, 3, 4})
            for (std::int64_t n = 0; n <= 19; ++n) {
                CAPTURE(mode, size, n);
                CHECK(cpu_agrees<op::depth_to_space>(
                    blocks(noise(element::f32, {2, 3 * size * size, 3, n}), size, mode)));
                CHECK(cpu_agrees<op::depth_to_space>(
                    blocks(noise(element::f32, {1, n * size * size, n, 2}), size, mode)));
                CHECK(cpu_agrees<op::space_to_depth>(
                    blocks(noise(element::f32, {2, 3, 3 * size, n * size}), size, mode)));
                CHECK(
                    cpu_agrees<op::space_to_depth>(blocks(noise(element::u8, {1, n, n * size, 2 * size}), size, mode)));
            }
    CHECK(cpu_agrees<op::depth_to_space>(blocks(noise(element::f32, {1, 64, 40, 41}), 4)));
    CHECK(cpu_agrees<op::space_to_depth>(blocks(noise(element::f32, {1, 8, 80, 82}), 2)));
}
