// Convolution networks, whole, on NNAPI, and how their images lie there.
#include "../graph_networks.hpp"
#include "host_counts.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A network like SqueezeNet is one region of NNAPI, with right numbers", "[nnapi]") {
    for (const bool first : {false, true})
        CHECK(check_network(nnapi{.use_nchw = first}, graph_networks::squeezenet, {1, 3, 35, 35}, 31).steps == 1);
}
TEST_CASE("A network like MobileNet is one region of NNAPI, with right numbers", "[nnapi]") {
    for (const bool first : {false, true})
        CHECK(check_network(nnapi{.use_nchw = first}, graph_networks::mobilenet, {2, 3, 32, 32}, 24).steps == 1);
}
TEST_CASE("Images are turned where a network begins and ends, and not at all with channels first", "[nnapi]") {
    const auto turned = [](bool first) {
        forget_operations();
        check_network(nnapi{.use_nchw = first}, graph_networks::mobilenet, {2, 3, 32, 32}, 24);
        CHECK(operations_of(nnapi_interface::DEPTHWISE_CONV_2D) > 1);
        return operations_of(nnapi_interface::TRANSPOSE);
    };
    CHECK(turned(false) == 1);  // its end is one pixel
    CHECK(turned(true) == 0);
}
