// The capability table of CANN compared with the provider.
#include "../contracts.hpp"
#include <inlay/provider/cann.hpp>
#include <provider/cann/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of CANN takes every node that the provider takes, and has its options", "[cann]") {
    check_contract_covers(cann_contract, cann{}, {});
}
