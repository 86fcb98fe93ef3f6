// Convolution networks, whole, on DirectML.
#include "../graph_networks.hpp"
#include "host_counts.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A network like SqueezeNet is one region of DirectML, with right numbers", "[dml]") {
    CHECK(check_network(dml{}, graph_networks::squeezenet, {1, 3, 35, 35}, 31).steps == 1);
}
TEST_CASE("A network like MobileNet is one region of DirectML, with right numbers", "[dml]") {
    CHECK(check_network(dml{}, graph_networks::mobilenet, {2, 3, 32, 32}, 24).steps == 1);
}
TEST_CASE("What gives the same elements other dimensions is no operator", "[dml]") {
    forget_operators();
    check_taken(dml{},
                "g (float[2,6] x) => (float[3,4] y) <int64[2] a = {2, 2}, int64[3] b = {1, 3, 4}> "
                "{ r = Relu (x) f = Flatten (r) s = Reshape (f, b) t = Squeeze (s) y = Abs (t) }",
                {2, 6});
    CHECK(forget_operators() == 2);
}
