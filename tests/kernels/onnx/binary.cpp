// Mirrors kernels/inlay/onnx/binary.hpp, kernels/inlay/support/broadcast.hpp and kernels/inlay/cpu/onnx/binary.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/binary.hpp>
#include <on_test_devices/onnx/binary.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

TEMPLATE_TEST_CASE("Add, Sub, Mul and Div of every number type", "", float, double, float16, bfloat16, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    const tensor a = list<T>({6, 8, 100}), b = list<T>({3, 2, 20});
    CHECK(same<T>(on_reference<op::add>({{a, b}}), list<T>({9, 10, 120})));
    CHECK(same<T>(on_reference<op::sub>({{a, b}}), list<T>({3, 6, 80})));
    CHECK(same<T>(on_reference<op::mul>({{a, list<T>({2, 3, 1})}}), list<T>({12, 24, 100})));
    CHECK(same<T>(on_reference<op::div>({{a, b}}), list<T>({2, 4, 5})));
}
TEMPLATE_TEST_CASE("Integers wrap around", "", std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    using limits = std::numeric_limits<T>;
    const tensor low({1}, {limits::min()}), high({1}, {limits::max()}), unit({1}, {T(1)}), two({1}, {T(2)});
    const auto first = [](const tensor& t) { return t.as<T>()[0]; };
    CHECK(first(on_reference<op::add>({{high, unit}})) == limits::min());
    CHECK(first(on_reference<op::sub>({{low, unit}})) == limits::max());
    CHECK(first(on_reference<op::mul>({{high, two}})) == T(std::uint64_t(limits::max()) * 2));
    CHECK(first(on_reference<op::mul>({{high, high}})) == T(1));
}
TEMPLATE_TEST_CASE("Division of signed integers truncates, wraps at its one overflow and refuses zero", "", std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t) {
    using T = TestType;
    const T least = std::numeric_limits<T>::min();
    const tensor a({5}, {T(-7), T(7), T(-7), least, T(9)}), b({5}, {T(2), T(-2), T(-2), T(-1), T(-1)});
    const tensor y = on_reference<op::div>({{a, b}});
    const T expected[] = {T(-3), T(-3), T(3), least, T(-9)};
    for (std::size_t i = 0; i < 5; ++i) CHECK(y.as<T>()[i] == expected[i]);
    const outcome refusal = run<op::div, device::reference>({{a, list<T>({0})}});
    CHECK(refusal.code == status::invalid_value);
    CHECK(refusal.detail == "division of integers by zero");
    CHECK(run<op::div, device::reference>({{tensor(element_of<T>, {0}), list<T>({0})}}).code == status::ok);
}
TEST_CASE("Floats divide by zero") {
    CHECK(same<float>(on_reference<op::div>({{list<float>({1, -1, 0}), list<float>({0})}}),
                      list<float>({infinity, -infinity, quiet_nan})));
}
TEST_CASE("fp16 and bf16 are computed in float32 and rounded once") {
    CHECK(same<float16>(on_reference<op::mul>({{list<float16>({300, 2049}), list<float16>({300, 1})}}),
                        list<float16>({infinity, 2048})));
}

TEST_CASE("Operands broadcast in both directions") {
    const tensor column = list<float>({1, 2, 3}).reshaped({3, 1}), row = list<float>({10, 20});
    CHECK(same<float>(on_reference<op::add>({{column, row}}), list<float>({11, 21, 12, 22, 13, 23}).reshaped({3, 2})));
    CHECK(same<float>(on_reference<op::sub>({{row, column}}), list<float>({9, 19, 8, 18, 7, 17}).reshaped({3, 2})));
    CHECK(on_reference<op::add>({{tensor(element::f32, {2, 1, 3}), tensor(element::f32, {0, 1})}}).shape() ==
          shape{2, 0, 3});
    CHECK(on_reference<op::add>({{tensor(element::f32, {}), tensor(element::f32, {})}}).shape() == shape{});
    const outcome wrong = run<op::add, device::reference>({{tensor(element::f32, {2, 3}), tensor(element::f32, {2})}});
    CHECK(wrong.answer.reason == "the inputs' shapes do not broadcast");
    CHECK(!run<op::add, device::reference>({{tensor(element::f32, {2})}}).answer);
    CHECK(!run<op::add, device::reference>({{tensor(element::f32, {2}), operand{}}}).answer);
}
TEST_CASE("Before version 7 the second operand follows the first from an axis on") {
    const auto with = [](std::int64_t broadcast, std::optional<std::int64_t> axis) -> attributes {
        return [=](graph_data& g) {
            std::vector list{g.make("broadcast", broadcast)};
            if (axis) list.push_back(g.make("axis", *axis));
            return list;
        };
    };
    const tensor a = list<float>({0, 1, 2, 3, 4, 5}).reshaped({2, 3}), two = list<float>({10, 20}),
                 three = list<float>({10, 20, 30}), single = list<float>({10});
    for (int version : {1, 6}) {
        const tensor down = list<float>({10, 11, 12, 23, 24, 25}).reshaped({2, 3});
        CHECK(same<float>(on_reference<op::add>({.inputs = {a, two}, .with = with(1, 0), .version = version}), down));
        CHECK(same<float>(on_reference<op::add>({.inputs = {a, two}, .with = with(1, -2), .version = version}), down));
        CHECK(same<float>(on_reference<op::add>({.inputs = {a, three}, .with = with(1, {}), .version = version}),
                          list<float>({10, 21, 32, 13, 24, 35}).reshaped({2, 3})));
        CHECK(same<float>(
            on_reference<op::add>({.inputs = {a, single.reshaped({1, 1})}, .with = with(1, 1), .version = version}),
            list<float>({10, 11, 12, 13, 14, 15}).reshaped({2, 3})));
        CHECK(same<float>(on_reference<op::add>({.inputs = {a, a}, .with = with(0, {}), .version = version}),
                          list<float>({0, 2, 4, 6, 8, 10}).reshaped({2, 3})));
        CHECK(same<float>(on_reference<op::add>({.inputs = {a, a}, .with = with(0, 1), .version = version}),
                          list<float>({0, 2, 4, 6, 8, 10}).reshaped({2, 3})));  // `axis` says nothing
        CHECK(!run<op::add, device::reference>({.inputs = {a, three}, .with = with(0, {}), .version = version}).answer);
        CHECK(!run<op::add, device::reference>({.inputs = {a, two}, .with = with(1, {}), .version = version}).answer);
        CHECK(!run<op::add, device::reference>({.inputs = {a, two}, .with = with(1, 2), .version = version}).answer);
        CHECK(!run<op::add, device::reference>({.inputs = {two, a}, .with = with(1, {}), .version = version}).answer);
        agree<op::sub>({.inputs = {random_tensor({2, 3, 4, 5}, 1), random_tensor({3, 4}, 2)},
                        .with = with(1, 1),
                        .version = version});
        agree<op::mul>({.inputs = {random_tensor({2, 3, 4, 5}, 1), operand::weight(random_tensor({3}, 2))},
                        .with = with(1, 1),
                        .version = version});
    }
    const tensor truth = list<bool>({1, 0, 1, 1}).reshaped({2, 2});
    CHECK(same<bool>(
        on_reference<op::logical_and>({.inputs = {truth, list<bool>({1, 0})}, .with = with(1, 0), .version = 1}),
        list<bool>({1, 0, 0, 0}).reshaped({2, 2})));
}
TEST_CASE("And takes every byte but 0 for true") {
    CHECK(same<bool>(on_reference<op::logical_and>({{list<bool>({0, 0, 1, 1}), list<bool>({0, 1, 0, 1})}}),
                     list<bool>({0, 0, 0, 1})));
    tensor many(element::boolean, {200});
    std::memset(many.data(), 2, 200);
    const tensor y = on_reference<op::logical_and>({{many, list<bool>({1})}});
    for (bool b : y.as<bool>()) CHECK(b);
}
TEST_CASE("Or and Xor take every byte but 0 for true") {
    const tensor a = list<bool>({0, 0, 1, 1}), b = list<bool>({0, 1, 0, 1});
    CHECK(same<bool>(on_reference<op::logical_or>({{a, b}}), list<bool>({0, 1, 1, 1})));
    CHECK(same<bool>(on_reference<op::logical_xor>({{a, b}}), list<bool>({0, 1, 1, 0})));
    tensor two(element::boolean, {1});
    std::memset(two.data(), 2, 1);
    CHECK(same<bool>(on_reference<op::logical_or>({{two, list<bool>({0})}}), list<bool>({1})));
    CHECK(same<bool>(on_reference<op::logical_xor>({{two, list<bool>({1})}}), list<bool>({0})));
    for (const tensor& x : {a, two}) {
        agree<op::logical_and, bool>({{x, b}});
        agree<op::logical_or, bool>({{x, b}});
        agree<op::logical_xor, bool>({{x, b}});
    }
}
TEMPLATE_TEST_CASE("Mod of integers has the sign of the divisor, or with fmod that of the dividend", "", std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t) {
    using T = TestType;
    const attributes as_in_c = [](graph_data& g) { return std::vector{g.make("fmod", std::int64_t(1))}; };
    const T least = std::numeric_limits<T>::min();
    const tensor a({6}, {T(7), T(-7), T(7), T(-7), T(-6), least}), b({6}, {T(3), T(3), T(-3), T(-3), T(3), T(-1)});
    CHECK(same<T>(on_reference<op::mod>({{a, b}}), tensor({6}, {T(1), T(2), T(-2), T(-1), T(0), T(0)})));
    CHECK(same<T>(on_reference<op::mod>({.inputs = {a, b}, .with = as_in_c}),
                  tensor({6}, {T(1), T(-1), T(1), T(-1), T(0), T(0)})));
    const outcome refusal = run<op::mod, device::reference>({{a, list<T>({0})}});
    CHECK(refusal.code == status::invalid_value);
    CHECK(refusal.detail == "division of integers by zero");
    if constexpr (sizeof(T) >= 4) {
        agree<op::mod, T>({{a, b}});
        agree<op::mod, T>({.inputs = {a, b}, .with = as_in_c});
        for (const device_runner& d : on_test_devices<op::mod>())
            CHECK(d.run({{a, list<T>({0})}}).detail == "division of integers by zero");
    }
}
TEMPLATE_TEST_CASE("Mod of unsigned integers", "", std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    CHECK(same<TestType>(on_reference<op::mod>({{list<TestType>({7, 200, 6}), list<TestType>({3, 99, 3})}}),
                         list<TestType>({1, 2, 0})));
}
TEMPLATE_TEST_CASE("Mod of floats is fmod, and from version 28 on also the remainder with the sign of the divisor", "",
                   float, double, float16, bfloat16) {
    using T = TestType;
    const attributes as_in_c = [](graph_data& g) { return std::vector{g.make("fmod", std::int64_t(1))}; };
    const tensor a = list<T>({7.5, -7.5, 7.5, -7.5, -6, infinity, 1, quiet_nan, 2}),
                 b = list<T>({3, 3, -3, -3, 3, 2, 0, 1, infinity});
    CHECK(same<T>(on_reference<op::mod>({.inputs = {a, b}, .with = as_in_c, .version = 13}),
                  list<T>({1.5, -1.5, 1.5, -1.5, -0., quiet_nan, quiet_nan, quiet_nan, 2})));
    CHECK(same<T>(on_reference<op::mod>({{a, b}}),
                  list<T>({1.5, 1.5, -1.5, -1.5, 0, quiet_nan, quiet_nan, quiet_nan, 2})));
    CHECK(same<T>(on_reference<op::mod>({{list<T>({2, -2}), list<T>({-infinity, infinity})}}),
                  list<T>({-infinity, infinity})));
    CHECK(run<op::mod, device::reference>({.inputs = {a, b}, .version = 13}).answer.reason ==
          "floats need fmod = 1 before version 28");
    CHECK(run<op::mod, device::reference>(
              {.inputs = {a, b}, .with = [](graph_data& g) { return std::vector{g.make("fmod", std::int64_t(2))}; }})
              .answer.reason == "fmod is neither 0 nor 1");
    if constexpr (!std::is_same_v<T, double>) agree<op::mod, T>({.inputs = {a, b}, .with = as_in_c});
}
TEMPLATE_TEST_CASE("PRelu multiplies what is negative by its slope", "", float, double, float16, bfloat16, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    const tensor x = list<T>({-1, 2, 3, -4, -5, 6}).reshaped({2, 3}),
                 down = list<T>({-2, 2, 3, -12, -15, 6}).reshaped({2, 3});
    CHECK(same<T>(on_reference<op::prelu>({{x, list<T>({2})}}), list<T>({-2, 2, 3, -8, -10, 6}).reshaped({2, 3})));
    CHECK(same<T>(on_reference<op::prelu>({{x, list<T>({2, 3}).reshaped({2, 1})}}), down));
    if constexpr (floating<T>)
        CHECK(same<T>(on_reference<op::prelu>({{list<T>({quiet_nan, -0., -infinity}), list<T>({2})}}),
                      list<T>({quiet_nan, -0., -infinity})));
    CHECK(run<op::prelu, device::reference>({{x, tensor(element_of<T>, {2})}}).answer.reason ==
          "the slope does not broadcast to the input");
    CHECK(run<op::prelu, device::reference>({{list<T>({1}), list<T>({1, 2})}}).answer.reason ==
          "the slope does not broadcast to the input");
}
TEST_CASE("PRelu of unsigned integers is the input, and before version 7 the slopes are those of the channels") {
    CHECK(same<std::uint32_t>(on_reference<op::prelu>({{list<std::uint32_t>({0, 7}), list<std::uint32_t>({3})}}),
                              list<std::uint32_t>({0, 7})));
    const tensor x = list<float>({-1, -2, -3, -4}).reshaped({1, 2, 2});
    CHECK(same<float>(on_reference<op::prelu>({.inputs = {x, list<float>({10, 100})}, .version = 6}),
                      list<float>({-10, -20, -300, -400}).reshaped({1, 2, 2})));
    CHECK(same<float>(on_reference<op::prelu>({.inputs = {x, list<float>({10})}, .version = 1}),
                      list<float>({-10, -20, -30, -40}).reshaped({1, 2, 2})));
    CHECK(!run<op::prelu, device::reference>({.inputs = {x, list<float>({1, 2, 3})}, .version = 6}).answer);
    agree<op::prelu>(
        {.inputs = {random_tensor({2, 3, 4, 5}, 1), operand::weight(random_tensor({3}, 2))}, .version = 6});
    agree<op::prelu>({{random_tensor({2, 3, 4, 5}, 1), operand::weight(random_tensor({3, 1, 1}, 2))}});
}

TEST_CASE("Loops drop axes of length one and merge neighbours, in the order of the output's memory") {
    const auto loops = [](const shape& a, const shape& b, layout in, layout constant) {
        graph_data g;
        const int x = g.add_value("", element::f32, a), w = g.add_value("", element::f32, b);
        shape y;
        REQUIRE(broadcast(a, b, y));
        g.add_node("", "Add", 14, "", {}, std::vector{x, w}, std::vector{g.add_value("", element::f32, y)});
        const graph_view v = g.view();
        const layout layouts[] = {in, constant, in};
        return make_loops<2>(node_view{v, v.nodes[0], layouts}, 2);
    };
    const auto plain = layout::plain, channels_last = layout::channels_last;
    CHECK(loops({2, 3, 4, 5}, {2, 3, 4, 5}, plain, plain).rank == 1);
    CHECK(loops({2, 3, 4, 5}, {2, 3, 4, 5}, channels_last, channels_last).rank == 1);
    CHECK(loops({2, 3, 4, 5}, {}, channels_last, plain).rank == 1);
    CHECK(loops({1, 1}, {1}, plain, plain).rank == 1);
    CHECK(loops({2, 3, 4, 5}, {3, 1, 1}, plain, plain).rank == 3);
    const auto channels = loops({2, 3, 4, 5}, {3, 1, 1}, channels_last, plain);  // one row of channels for each pixel
    CHECK(channels.rank == 2);
    CHECK(channels.count[0] == 40);
    CHECK(channels.count[1] == 3);
    CHECK(channels.step[1][0] == 0);
    CHECK(channels.step[1][1] == 1);
    const auto mixed = loops({2, 3, 4, 5}, {2, 3, 4, 5}, channels_last, plain);
    CHECK(mixed.rank == 3);
    CHECK(mixed.step[1][2] == 20);
}

TEMPLATE_TEST_CASE("Arithmetic on the CPU agrees with the reference kernel at every tail length", "", op::add, op::sub,
                   op::mul, op::div, op::prelu) {
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor a = random_tensor({n}, unsigned(n)), b = random_tensor({n}, unsigned(n) + 100);
        for (int i = 0; i < n; i += 7) {
            a.as<float>()[std::size_t(i)] = i % 2 ? quiet_nan : -infinity;
            b.as<float>()[std::size_t(i)] = i % 3 ? 0.f : infinity;
        }
        const tensor single = random_tensor({1}, 7);
        agree<TestType>({{a, b}});
        agree<TestType>({{a, single}});
        if constexpr (!std::is_same_v<TestType, op::prelu>) {  // whose second operand alone broadcasts
            agree<TestType>({{single, b}});
            agree<TestType>({{a.reshaped({n, 1}), random_tensor({1, 3}, 5)}});
            agree<TestType>({{random_tensor({3, 1}, 5), b}});
        }
        agree<TestType>({{random_tensor({3, n}, 5), b}});
    }
}
TEMPLATE_TEST_CASE("Arithmetic on the CPU agrees with the reference kernel whatever broadcasts", "", op::add, op::sub) {
    const shape shapes[] = {{2, 3, 4, 5}, {3, 1, 1},       {1, 3, 1, 1},    {2, 1, 4, 5},    {4, 5},
                            {5},          {2, 3, 1, 1},    {1, 1, 4, 1},    {3, 4, 5},       {},
                            {1},          {1, 1, 1, 1, 1}, {2, 1, 1, 1, 1}, {2, 2, 3, 4, 5}, {1, 2, 1, 3, 1, 1}};
    for (const shape& a : shapes)
        for (const shape& b : shapes)
            for (bool constant : {false, true}) {
                CAPTURE(to_string(a), to_string(b), constant);
                const tensor p = random_tensor(a, 1), q = random_tensor(b, 2);
                agree<TestType>({{p, constant ? operand::weight(q) : operand(q)}});
                if (constant) agree<TestType>({{operand::weight(p), q}});
            }
}
TEST_CASE("Arithmetic on the CPU is split over threads where rows end or not") {
    agree<op::mul>({{random_tensor({70001}, 1), random_tensor({70001}, 2)}});
    agree<op::mul>({{random_tensor({7, 10007}, 1), random_tensor({7, 1}, 2)}});
    agree<op::mul>({{random_tensor({10007, 7}, 1), random_tensor({7}, 2)}});
    agree<op::mul>({{random_tensor({2, 33, 31, 29}, 1), operand::weight(random_tensor({2, 33, 31, 29}, 2))}});
    agree<op::mul>({{random_tensor({2, 33, 31, 29}, 1), random_tensor({2, 33, 1, 1}, 2)}});
}
TEST_CASE("Arithmetic on the CPU gathers short rows and operands in another order") {
    for (std::int64_t n : {2, 3, 7, 15})
        for (std::int64_t rows : {100, 1000, 20000}) {
            CAPTURE(n, rows);
            const tensor x = random_tensor({rows, n}, 1);
            agree<op::sub>({{x, random_tensor({n}, 2)}});
            agree<op::sub>({{random_tensor({n}, 2), x}});
            agree<op::sub>({{x, random_tensor({rows, 1}, 2)}});
            agree<op::sub>({{random_tensor({n}, 2), random_tensor({rows, 1}, 2)}});
        }
    agree<op::sub>({{random_tensor({1, 3, 40, 41}, 1), operand::weight(random_tensor({3, 1, 1}, 2))}});
    for (std::int64_t channels : {10, 300, 600}) {
        const tensor x = random_tensor({2, channels, 3, 3}, 1);
        agree<op::sub>({{x, operand::weight(random_tensor({channels, 3, 3}, 2))}});
        agree<op::sub>({{operand::weight(random_tensor({channels, 3, 3}, 2)), x}});
        agree<op::sub>({{operand::weight(random_tensor({2, channels, 3, 1}, 2)), x}});
    }
}
TEST_CASE("Arithmetic of the CPU works in place") {
    for (isa::level level : tested_levels())
        for (int n = 0; n <= 67; ++n) {
            CAPTURE(isa::name_of(level), n);
            tensor a = random_tensor({2, n}, 1), y(element::f32, {2, n});
            const tensor b = random_tensor({n}, 2);
            binary_f32(level).sub.vector_vector(a.as<float>().data(), n, b.as<float>().data(), 0, y.as<float>().data(),
                                                n, 2, n);
            tensor of_first = a.clone();
            binary_f32(level).sub.vector_vector(of_first.as<float>().data(), n, b.as<float>().data(), 0,
                                                of_first.as<float>().data(), n, 2, n);
            CHECK(same<float>(of_first, y));
            binary_f32(level).sub.vector_vector(b.as<float>().data(), 0, a.as<float>().data(), n, y.as<float>().data(),
                                                n, 2, n);
            binary_f32(level).sub.vector_vector(b.as<float>().data(), 0, a.as<float>().data(), n, a.as<float>().data(),
                                                n, 2, n);
            CHECK(same<float>(a, y));
        }
}
