// The contract of QNN beside the provider, over its simulator: that of a chip without floats of 16 bits.
#include "../contracts.hpp"
#include <inlay/provider/qnn.hpp>
#include <provider/qnn/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of QNN takes every node that the provider takes, and has its options", "[qnn]") {
    check_contract_covers(qnn_contract, qnn{}, {"BatchNormalization", "Elu", "MaxPool", "Pad", "Softmax"});
}
