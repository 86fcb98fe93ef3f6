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
    check_graphs(armnn{.backend = tested_backend}, graph_cases::layers_and_movement);
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
    check_extremes(armnn{.backend = tested_backend});
}
