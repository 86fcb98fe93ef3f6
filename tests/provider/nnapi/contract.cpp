// The rules of NNAPI compared with the provider that is checked by them.
#include "../contracts.hpp"
#include <inlay/provider/nnapi.hpp>
#include <provider/nnapi/rules.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Plans without NNAPI's library take the nodes that the provider takes, and have its options", "[nnapi]") {
    check_contract(nnapi_contract, nnapi{});
}
