// Mirrors kernels/inlay/onnx/where.hpp and kernels/inlay/cpu/onnx/where.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/where.hpp>
#include <on_test_devices/onnx/where.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

static call where_call(operand condition, operand a, operand b) {
    call c{.inputs = {condition, a, b}};
    c.outputs = {a.value.type()};
    return c;
}
static tensor random_truth(const shape& dims, unsigned seed) {
    return random_tensor<bool>(dims, seed, 0, 2).reshaped(dims);
}

TEMPLATE_TEST_CASE("Where chooses elements of every type", "", float, double, float16, bfloat16, bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    CHECK(same<T>(on_reference<op::where>(where_call(list<bool>({1, 0, 1}), list<T>({1, 1, 0}), list<T>({0, 0, 1}))),
                  list<T>({1, 0, 0})));
}
TEST_CASE("Where chooses strings and complex numbers") {
    const tensor a({2}, {std::string("one, long enough for the heap"), std::string("two")}),
        b({1}, {std::string("other")});
    const tensor y = on_reference<op::where>(where_call(list<bool>({1, 0}), a, b));
    CHECK(y.as<std::string>()[0] == "one, long enough for the heap");
    CHECK(y.as<std::string>()[1] == "other");
    using complex = std::complex<double>;
    const tensor p({2}, {complex(1, 2), complex(3, 4)}), q({2}, {complex(5, 6), complex(7, 8)});
    CHECK(elements<complex>(on_reference<op::where>(where_call(list<bool>({0, 1}), p, q)))[0] == complex(5, 6));
    CHECK(elements<complex>(on_reference<op::where>(where_call(list<bool>({0, 1}), p, q)))[1] == complex(3, 4));
}
TEST_CASE("Where broadcasts all three and takes every byte but 0 for true") {
    const tensor condition = list<bool>({1, 0}).reshaped({2, 1});
    CHECK(same<float>(on_reference<op::where>(where_call(condition, list<float>({1, 2, 3}), list<float>({quiet_nan}))),
                      list<float>({1, 2, 3, quiet_nan, quiet_nan, quiet_nan}).reshaped({2, 3})));
    tensor bytes(element::boolean, {200});
    std::memset(bytes.data(), 255, 200);
    agree<op::where>(where_call(bytes, random_tensor({200}, 1), list<float>({0})));
    CHECK(!run<op::where, device::reference>(where_call(list<bool>({1, 0}), list<float>({1, 2, 3}), list<float>({0})))
               .answer);
    CHECK(!run<op::where, device::reference>({{list<bool>({1, 0}), list<float>({1, 2})}}).answer);
    CHECK(on_reference<op::where>(where_call(tensor(element::boolean, {0}), list<float>({1}), list<float>({2})))
              .shape() == shape{0});
}
TEMPLATE_TEST_CASE("Where on the CPU agrees with the reference kernel at every tail length", "", float, std::int8_t,
                   float16, std::int64_t) {
    using T = TestType;
    std::vector<int> lengths{511, 512, 513, 1100};
    for (int n = 0; n <= 67; ++n) lengths.push_back(n);
    for (int n : lengths)
        for (int form = 0; form < 8; ++form) {
            CAPTURE(n, form);
            agree<op::where, T>(where_call(random_truth({form & 4 ? n : 1}, unsigned(n)),
                                           random_tensor<T>({form & 2 ? n : 1}, 1, -100, 100),
                                           random_tensor<T>({form & 1 ? n : 1}, 2, -100, 100)));
        }
}
TEST_CASE("Where on the CPU agrees with the reference kernel whatever broadcasts") {
    const std::vector<shape> short_rows{{2, 3, 4, 5}, {3, 1, 1}, {4, 5},         {1, 3, 1, 1},
                                        {2, 1, 4, 1}, {},        {6, 1, 1, 1, 1}},
        long_rows{{2, 20, 3, 24}, {20, 1, 1}, {3, 24}, {24}, {2, 1, 1, 1}};
    for (const auto& shapes : {short_rows, long_rows})
        for (const shape& a : shapes)
            for (const shape& b : shapes)
                for (const shape& c : shapes) {
                    CAPTURE(to_string(a), to_string(b), to_string(c));
                    agree<op::where>(
                        where_call(random_truth(a, 3), random_tensor(b, 1), operand::weight(random_tensor(c, 2))));
                }
    agree<op::where, std::int32_t>(where_call(random_truth({50001}, 3),
                                              random_tensor<std::int32_t>({50001}, 1, -1e9, 1e9),
                                              random_tensor<std::int32_t>({1}, 2, -1e9, 1e9)));
}
