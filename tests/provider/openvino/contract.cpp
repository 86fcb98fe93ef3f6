// The capability table of OpenVINO compared with its library.
#include "../contracts.hpp"
#include <inlay/provider/openvino.hpp>
#include <provider/openvino/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of OpenVINO takes the nodes that its library takes, and has its options", "[openvino]") {
    check_contract(openvino_contract, openvino{.num_of_threads = 1});
}
