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
    CHECK(refusal_of<xnnpack>(plan, "Concat") == (joins ? "taken" : "this version of XNNPACK has no Concat"));
}
TEST_CASE("Of a network like MobileNet XNNPACK has all but its normalization, with right numbers", "[xnnpack]") {
    const plan_report plan = check_network(xnnpack{}, graph_networks::mobilenet, {2, 3, 32, 32}, 23);
    CHECK(refusal_of<xnnpack>(plan, "BatchNormalization") == "this version of XNNPACK has no BatchNormalization");
}
