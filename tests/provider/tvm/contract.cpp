// The capability table of TVM compared with its library.
#include "../contracts.hpp"
#include <inlay/provider/tvm.hpp>
#include <provider/tvm/rules.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of TVM takes the nodes that its library takes, and has its options", "[tvm]") {
    check_contract(tvm_contract, tvm{});
}
