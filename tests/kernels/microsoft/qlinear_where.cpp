// Mirrors kernels/inlay/microsoft/qlinear_where.hpp and kernels/inlay/cpu/microsoft/qlinear_where.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/qlinear_where.hpp>
#include <on_test_devices/microsoft/qlinear_where.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
constexpr element f32 = element::f32;
call chosen(element e) {
    tensor condition(element::boolean, {2, 2});
    const std::uint8_t holds[] = {1, 0, 0, 255};  // any byte but 0 is true
    std::memcpy(condition.data(), holds, 4);
    return {.inputs = {condition, numbers(e, {2, 2}, {169, 2, 172, 90}), scalar(f32, .5), scalar(e, 3),
                       numbers(e, {2}, {35, 232}), scalar(f32, .25), scalar(e, 9), scalar(f32, 1), scalar(e, 50)},
            .outputs = {e}};
}
}  // namespace

TEST_CASE("QLinearWhere takes numbers of one scale or another, and gives them a third") {
    call c = chosen(element::u8);
    for (c.threads = 1; c.threads <= 3; ++c.threads)
        CHECK(numbers(on_reference<op::qlinear_where>(c)) == real_numbers{133, 106, 56, 94});
    c = chosen(element::i8);
    c.inputs[1] = numbers(element::i8, {1}, {-5});
    c.inputs[4] = numbers(element::i8, {2, 1}, {-3, 21});
    CHECK(numbers(on_reference<op::qlinear_where>(c)) == real_numbers{46, 47, 53, 46});
    c.inputs[1] = tensor(element::i8, {0, 1});
    c.inputs[0] = tensor(element::boolean, {1});
    c.inputs[4] = tensor(element::i8, {1, 1});
    CHECK(on_reference<op::qlinear_where>(c).shape() == shape{0, 1});
}
TEST_CASE("QLinearWhere refuses what does not fit") {
    const auto reason = [](const call& c) { return run<op::qlinear_where, device::reference>(c).answer.reason; };
    call c = chosen(element::u8);
    c.inputs[4] = tensor(element::u8, {3});
    CHECK(reason(c) == "the inputs' shapes do not broadcast");
    c.inputs[4] = tensor(element::i8, {2});
    CHECK(reason(c) == "X and Y must have one type");
    c = chosen(element::u8);
    c.inputs[8] = scalar(element::i8, 1);
    CHECK(reason(c) == "a zero point has another type than what it belongs to");
    c.inputs.resize(8);
    CHECK(reason(c) == "QLinearWhere has nine inputs");
}
TEST_CASE("QLinearWhere on the CPU agrees with the reference kernel at every tail and every broadcast") {
    for (element e : {element::u8, element::i8})
        for (bool constant : {false, true}) {
            const auto choose = [&](const shape& condition, const shape& x, const shape& y) {
                CAPTURE(int(e), constant, to_string(condition), to_string(x), to_string(y));
                tensor condition_values(element::boolean, condition);
                std::mt19937 g(7);
                for (std::int64_t i = 0; i < condition_values.elements(); ++i)
                    static_cast<std::uint8_t*>(condition_values.data())[i] = g() % 2 ? std::uint8_t(g() % 255 + 1) : 0;
                call c{.inputs = {condition_values, random_codes(e, x, 1), single(.5f), scalar(e, 3),
                                  random_codes(e, y, 2), single(.3f), scalar(e, 100), single(.4f), scalar(e, 50)},
                       .outputs = {e}};
                for (std::size_t k : {2u, 3u, 5u, 6u, 7u, 8u}) c.inputs[k].constant = constant;
                agree_in_codes<op::qlinear_where>(c);
            };
            for (int n = 0; n <= 131; ++n) choose({n}, {n}, {n});
            for (int n : {0, 1, 3, 17, 600}) {
                choose({}, {5, n}, {n});
                choose({5, 1}, {5, n}, {1});
                choose({5, n}, {1}, {5, 1});
                choose({2, 1, 3, 5}, {n, 1, 1}, {2, n, 3, 5});
                choose({2, n, 3, 5}, {2, n, 3, 5}, {5});
            }
            choose({40000}, {40000}, {40000});
        }
}
