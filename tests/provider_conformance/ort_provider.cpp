// A provider written as ONNX Runtime's documents have it passes the conformance tests.
#include "../session/custom_execution_provider.hpp"
#include "checked.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A provider of the documents passes the conformance tests", "[provider_conformance][threads]") {
    auto counts = check_passes(factory_of<custom_ep::custom>());
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::passed] > 15);
}
