// The capability table of oneDNN compared with its library.
#include "../contracts.hpp"
#include <inlay/provider/onednn.hpp>
#include <provider/onednn/rules.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of oneDNN takes the nodes that its library takes, and has its options", "[onednn]") {
    check_contract(onednn_contract, onednn{.num_of_threads = 1}, {}, "oneDNN has only reference kernels for it");
}
