// The capability table of XNNPACK compared with its library.
#include "../contracts.hpp"
#include <inlay/provider/xnnpack.hpp>
#include <provider/xnnpack/rules.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of XNNPACK takes the nodes that its library takes, and has its options", "[xnnpack]") {
    const std::string version = INLAY_XNNPACK_SHARES_WEIGHTS ? "2024-11-08" : "2022-02-16";
    check_contract(xnnpack_contract, xnnpack{.intra_op_num_threads = 1}, {{"sdk_version", version}});
}
