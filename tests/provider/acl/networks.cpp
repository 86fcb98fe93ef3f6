// Convolution networks, whole, on the Arm Compute Library.
#include "../graph_networks.hpp"
#include <inlay/provider/acl.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A network like SqueezeNet is one region of ACL, with right numbers", "[acl]") {
    CHECK(check_network(acl{}, graph_networks::squeezenet, {1, 3, 35, 35}, 31).steps == 1);
}
TEST_CASE("A network like MobileNet is one region of ACL, with right numbers", "[acl]") {
    CHECK(check_network(acl{}, graph_networks::mobilenet, {2, 3, 32, 32}, 24).steps == 1);
}
