// The contract of Core ML beside what the provider writes.
#include "../contracts.hpp"
#include <inlay/provider/coreml.hpp>
#include <filesystem>
#include <provider/coreml/contract.hpp>
#include <random>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of Core ML takes every node that the provider writes, and has its options", "[coreml]") {
    const auto folder =
        std::filesystem::temp_directory_path() / ("inlay-coreml-contract-" + std::to_string(std::random_device()()));
    check_contract_covers(coreml_contract, coreml{.ModelCacheDirectory = folder.string()}, {"ArgMax"});
    std::filesystem::remove_all(folder);
}
