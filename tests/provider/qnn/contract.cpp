// The contract of QNN beside what the provider has with the simulator, which is that of a chip without floats of 16
// bits.
#include "../contracts.hpp"
#include <inlay/provider/qnn.hpp>
#include <provider/qnn/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of QNN takes every node that the provider has on QNN, and has its options", "[qnn]") {
    check_contract_covers(
        qnn_contract, qnn{},
        {"ArgMax", "ArgMin", "Elu", "Gather", "HardSigmoid", "LRN", "Pad", "Resize", "Sum", "Upsample"});
}
