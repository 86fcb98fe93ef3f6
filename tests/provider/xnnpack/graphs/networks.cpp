// Convolution networks, whole, on XNNPACK.
#include "../../graph_networks.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE(
    "Of a network like SqueezeNet XNNPACK has all, an earlier version all but what joins images, with right numbers",
    "[xnnpack]") {
    constexpr bool joins = INLAY_XNNPACK_SHARES_WEIGHTS;  // a later version
    const plan_report plan = check_network(xnnpack{}, graph_networks::squeezenet, {1, 3, 35, 35}, joins ? 31 : 28);
    CHECK(refusal_of<xnnpack>(plan, "Concat") ==
          (joins ? "taken" : "XNNPACK has the operation from 2024-11-08 on, and this is 2022-02-16"));
}
TEST_CASE("A network like MobileNet is one region of XNNPACK, with right numbers", "[xnnpack]") {
    CHECK(check_network(xnnpack{}, graph_networks::mobilenet, {2, 3, 32, 32}, 24).steps == 1);
}
