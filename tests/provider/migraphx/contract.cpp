// The capability table of MIGraphX compared with the provider.
#include "../contracts.hpp"
#include <inlay/provider/migraphx.hpp>
#include <provider/migraphx/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of MIGraphX takes every node that the provider takes, and has its options", "[migraphx]") {
    check_contract_covers(migraphx_contract, migraphx{}, {});
}
