// Each operator that is made in code on Arm NN, compared with the reference kernels.
#include "../../graph_cases.hpp"
#include "backend.hpp"
#include <inlay/provider/armnn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Arm NN takes convolutions, and their numbers are those of the reference kernels", "[armnn]") {
    check_graphs(armnn{.backend = tested_backend}, graph_cases::convolutions);
}
TEST_CASE("Arm NN takes products by constants, and their numbers are right", "[armnn]") {
    check_graphs(armnn{.backend = tested_backend}, graph_cases::products);
}
TEST_CASE("Arm NN takes pools, and their numbers are right", "[armnn]") {
    check_graphs(armnn{.backend = tested_backend}, graph_cases::pools);
}
TEST_CASE("Arm NN takes element-wise operators, and their numbers are right", "[armnn]") {
    check_graphs(armnn{.backend = tested_backend}, graph_cases::element_wise);
}
TEST_CASE("Arm NN takes what normalizes and moves, and its numbers are right", "[armnn]") {
    check_graphs(armnn{.backend = tested_backend}, graph_cases::others);
}
TEST_CASE("Arm NN takes rarer operators as its backend says, and their numbers are right", "[armnn]") {
    using list = std::vector<left_operator>;
    check_graphs(armnn{.backend = tested_backend}, graph_cases::rarer,
                 on_arm ? list{{"ConvTranspose", "CpuAcc: in validate"},
                               {"Sqrt", "CpuAcc: layer not supported"},
                               {"Floor", "on CpuAcc its layer goes by way of int32"},
                               {"Softmax", "Only axis 0 supported"},
                               {"Transpose", "PermutationVector not supported"},
                               {"Concat", "on CpuAcc its layer leaves out input 1, which Split makes"}}
                        : list{{"Gather", "CpuRef: Reference Gather: axis not supported"}});
}
TEST_CASE("Large numbers, infinities and NaN are on Arm NN as in the reference kernels", "[armnn]") {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const shape dims{3, 5};
    const tensor x(dims,
                   {-1000.f, -100.f, -88.f, 0.f, 88.f, 100.f, 1000.f, 3.f, -inf, inf, -1e30f, 1e30f, 4e9f, -4e9f, nan});
    for (const char* op : {"Relu", "Sigmoid", "Tanh", "Elu", "LeakyRelu", "HardSwish", "HardSigmoid", "Abs", "Exp",
                           "Neg", "Floor", "Clip"}) {
        graph_maker g;
        const model m = g.done({g.node(op, {g.input(dims)}, {}, std::string_view(op) == "HardSwish" ? 14 : 13)});
        const inlay::session s{m, quiet(), armnn{.backend = tested_backend}, reference{}};
        const inlay::session plain{m, quiet(), reference{}};
        const auto y = floats(s.run({{"x", x}})[0]), expected = floats(plain.run({{"x", x}})[0]);
        REQUIRE(y.size() == expected.size());
        const bool bounded = has_text("Relu HardSigmoid Clip", op);
        for (std::size_t k = 0; k < y.size(); ++k) {
            INFO(op << " of " << floats(x)[k] << ": " << y[k] << ", expected: " << expected[k]);
            const bool same = y[k] == expected[k] || (std::isnan(y[k]) && std::isnan(expected[k]));
            if (bounded && std::isnan(expected[k])) continue;  // Arm NN may give a bound
            CHECK((same || y[k] == Approx(expected[k]).epsilon(2e-5).margin(1e-5)));
        }
    }
}
