// The capability table of DirectML compared with the provider.
#include "../contracts.hpp"
#include <inlay/provider/dml.hpp>
#include <provider/dml/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of DirectML takes the nodes that the provider takes, and has its options", "[dml]") {
    check_contract(dml_contract, dml{});
}
