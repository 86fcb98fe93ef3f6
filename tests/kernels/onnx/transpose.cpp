#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/transpose.hpp>
#include <numeric>
#include <on_test_devices/onnx/transpose.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome transpose(const tensor& x, std::vector<std::int64_t> perm) {
    return run<op::transpose, device::reference>({{x}, integers("perm", perm)});
}
bool agrees(const tensor& x, std::vector<std::int64_t> perm) {
    return cpu_agrees<op::transpose>({{x}, integers("perm", perm)});
}
}  // namespace

TEST_CASE("Transpose permutes axes, and reverses them without perm") {
    const tensor x = numbers({2, 3});
    CHECK(same(transpose(x, {1, 0})[0], tensor({3, 2}, {0.f, 3.f, 1.f, 4.f, 2.f, 5.f})));
    CHECK(same(run<op::transpose, device::reference>({{x}})[0], transpose(x, {1, 0})[0]));
    CHECK(same(transpose(numbers({2, 1, 2, 2}), {3, 0, 1, 2})[0],
               tensor({2, 2, 1, 2}, {0.f, 2.f, 4.f, 6.f, 1.f, 3.f, 5.f, 7.f})));
    CHECK(same(run<op::transpose, device::reference>({{numbers({})}})[0], numbers({})));
    CHECK(transpose(numbers({2, 0, 3}), {2, 0, 1})[0].shape() == shape{3, 2, 0});
}
TEST_CASE("Transpose moves every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 5, 3});
        const outcome y = transpose(x, {2, 0, 1});
        REQUIRE(y.answer);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 5; ++k)
                    CHECK(bits_at(y[0], (i * 3 + j) * 5 + k) == bits_at(x, (j * 5 + k) * 3 + i));
        if (bits_of(e) >= 8 && e != element::string) CHECK(agrees(x, {2, 0, 1}));
    }
}
TEST_CASE("Transpose refuses what is no permutation") {
    CHECK(transpose(numbers({2, 3}), {0}).answer.reason == "perm has another length than the input's rank");
    for (const auto& perm : std::vector<std::vector<std::int64_t>>{{0, 0}, {0, 2}, {-1, 0}})
        CHECK(transpose(numbers({2, 3}), perm).answer.reason == "perm is not a permutation of the axes");
}
TEST_CASE("Transpose on the CPU agrees with the reference kernel for every size of a block") {
    for (std::int64_t m = 0; m <= 67; ++m) {
        CAPTURE(m);
        for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 64, 66, 130})
            for (const element e : {element::u8, element::f16, element::f32, element::f64, element::c128})
                CHECK(agrees(noise(e, {m, n}), {1, 0}));
        CHECK(agrees(noise(element::f32, {2, m, 3}), {0, 2, 1}));
    }
}
TEST_CASE("Transpose on the CPU agrees with the reference kernel for every permutation") {
    for (const shape& dims : {shape{2, 3, 5, 7}, shape{1, 6, 1, 20}, shape{3, 1, 70, 2}, shape{2, 3, 4, 5, 6}}) {
        std::vector<std::int64_t> perm(std::size_t(dims.rank));
        std::iota(perm.begin(), perm.end(), 0);
        do CHECK(agrees(noise(element::f32, dims), perm));
        while (std::next_permutation(perm.begin(), perm.end()));
    }
}
TEST_CASE("Transpose on the CPU shares large tensors among threads") {
    CHECK(agrees(noise(element::f32, {3, 200, 211}), {0, 2, 1}));
    CHECK(agrees(noise(element::f32, {30011, 3}), {1, 0}));
    CHECK(agrees(noise(element::f32, {3, 30011}), {1, 0}));
    CHECK(agrees(noise(element::f32, {2, 50, 12, 64}), {0, 2, 1, 3}));
    CHECK(agrees(noise(element::f32, {1, 80, 40, 41}), {0, 3, 1, 2}));
    CHECK(agrees(noise(element::u8, {2, 2048, 130}), {0, 2, 1}));  // lines of the output that are 2 KiB apart
    CHECK(agrees(noise(element::f16, {1031, 67}), {1, 0}));
}
