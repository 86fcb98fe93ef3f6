// The rules of Core ML compared with what the provider writes.
#include "../contracts.hpp"
#include "temporary_folder.hpp"
#include <provider/coreml/rules.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of Core ML is what the provider writes, and has its options", "[coreml]") {
    const temporary_folder folder;
    check_options_covered(coreml_contract, folder.provider());
    check_same_nodes(coreml_contract, folder.provider());
}
