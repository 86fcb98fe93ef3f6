// The capability table of RKNN compared with the provider's rules.
#include "../contracts.hpp"
#include <inlay/provider/rknpu.hpp>
#include <provider/rknpu/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of RKNN takes the nodes that the provider takes, and has its options", "[rknpu]") {
    check_contract(rknpu_contract, rknpu{});
}
