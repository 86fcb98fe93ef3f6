// The contract of Core ML beside what the provider writes.
#include "../contracts.hpp"
#include "temporary_folder.hpp"
#include <provider/coreml/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of Core ML takes every node that the provider writes, and has its options", "[coreml]") {
    const temporary_folder folder;
    check_contract_covers(coreml_contract, folder.provider(), {"ArgMax"});
}
