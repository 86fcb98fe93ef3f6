// Each operator on Arm NN, compared with the reference kernels.
#include "../operator_cases.hpp"
#include <inlay/provider/armnn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Arm NN takes the operator, and its numbers are those of the reference kernels", "[armnn]") {
    check_operators(armnn{.backend = "CpuRef"});
}
