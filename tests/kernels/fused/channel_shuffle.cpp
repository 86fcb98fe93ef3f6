#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/fused/channel_shuffle.hpp>
#include <inlay/onnx/transpose.hpp>
#include <on_test_devices/fused/channel_shuffle.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome shuffle(const tensor& x, std::int64_t group) {
    return run<op::channel_shuffle, device::reference>({{x}, integer("group", group)});
}
}  // namespace

TEST_CASE("ChannelShuffle takes channels from each group in turn") {
    CHECK(same(shuffle(numbers({1, 6}), 2)[0], tensor({1, 6}, {0.f, 3.f, 1.f, 4.f, 2.f, 5.f})));
    CHECK(same(shuffle(numbers({2, 4, 1, 1}), 2)[0], tensor({2, 4, 1, 1}, {0.f, 2.f, 1.f, 3.f, 4.f, 6.f, 5.f, 7.f})));
    CHECK(same(shuffle(numbers({1, 3, 2}), 1)[0], numbers({1, 3, 2})));
    CHECK(shuffle(numbers({2, 0, 3}), 4)[0].shape() == shape{2, 0, 3});
}
TEST_CASE("ChannelShuffle is Reshape, Transpose and Reshape") {
    for (const std::int64_t group : {1, 2, 3, 4, 8})
        for (const std::int64_t group_size : {1, 3, 17, 34}) {
            CAPTURE(group, group_size);
            const tensor x = noise(element::f32, {2, group * group_size, 3, 5});
            const tensor y = run<op::transpose, device::reference>(
                {{x.reshaped({2, group, group_size, 15})}, integers("perm", {0, 2, 1, 3})})[0];
            CHECK(same(shuffle(x, group)[0], y.reshaped(x.shape())));
        }
}
TEST_CASE("ChannelShuffle refuses groups that do not divide the channels") {
    CHECK(shuffle(numbers({1, 6}), 4).answer.reason == "the groups do not divide the channels");
    CHECK(shuffle(numbers({1, 6}), 0).answer.reason == "the groups do not divide the channels");
    CHECK(shuffle(numbers({6}), 2).answer.reason == "X needs channels, and room for one more axis");
}
TEST_CASE("ChannelShuffle on the CPU and on other devices agrees with the reference kernel in both layouts") {
    for (const element e : {element::u8, element::f16, element::f32, element::f64, element::c128})
        for (const std::int64_t group : {1, 2, 3, 4, 8})
            for (const std::int64_t group_size : {1, 3, 4, 17, 34, 70}) {
                CAPTURE(name_of(e), group, group_size);
                CHECK(cpu_agrees<op::channel_shuffle>(
                    {{noise(e, {2, group * group_size, 5, 7})}, integer("group", group)}));
            }
    CHECK(cpu_agrees<op::channel_shuffle>({{noise(element::f32, {1, 112, 56, 56})}, integer("group", 4)}));
    CHECK(cpu_agrees<op::channel_shuffle>({{noise(element::f32, {2, 12, 7})}, integer("group", 3)}));
}
