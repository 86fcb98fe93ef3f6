// The contract of NNAPI beside the provider.
#include "../contracts.hpp"
#include <inlay/provider/nnapi.hpp>
#include <provider/nnapi/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of NNAPI takes every node that the provider takes, and has its options", "[nnapi]") {
    check_contract_covers(nnapi_contract, nnapi{}, {});
}
