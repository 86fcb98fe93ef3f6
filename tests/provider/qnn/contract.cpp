// The rules of QNN compared with its library, over its simulator: that of a chip without fp16.
#include "../contracts.hpp"
#include <inlay/provider/qnn.hpp>
#include <provider/qnn/rules.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Plans without QNN's library take the nodes that the provider takes, and have its options", "[qnn]") {
    check_contract(qnn_contract, qnn{}, {}, "processors with fp16");
}
