// The capability table of Arm NN compared with its library.
#include "../contracts.hpp"
#include <inlay/provider/armnn.hpp>
#include <provider/armnn/rules.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of Arm NN takes the nodes that its library takes, and has its options", "[armnn]") {
    check_contract(armnn_contract, armnn{.backend = "CpuRef"});
}
