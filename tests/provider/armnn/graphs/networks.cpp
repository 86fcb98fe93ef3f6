// Convolution networks, whole, on Arm NN.
#include "../../graph_networks.hpp"
#include "backend.hpp"
#include <inlay/provider/armnn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A network like SqueezeNet is one region of Arm NN, with right numbers", "[armnn]") {
    CHECK(check_network(armnn{.backend = tested_backend}, graph_networks::squeezenet, {1, 3, 35, 35}, 31).steps == 1);
}
TEST_CASE("A network like MobileNet is one region of Arm NN, with right numbers", "[armnn]") {
    CHECK(check_network(armnn{.backend = tested_backend}, graph_networks::mobilenet, {2, 3, 32, 32}, 24).steps == 1);
}
