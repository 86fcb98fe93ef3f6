// Each operator on the Arm Compute Library, compared with the reference kernels.
#include "../graph_cases.hpp"
#include <inlay/provider/acl.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("ACL takes convolutions, and their numbers are those of the plain loops", "[acl]") {
    check_graphs(acl{}, graph_cases::convolutions);
}
TEST_CASE("ACL takes products by constants, and their numbers are right", "[acl]") {
    check_graphs(acl{}, graph_cases::products);
}
TEST_CASE("ACL takes pools, and their numbers are right", "[acl]") { check_graphs(acl{}, graph_cases::pools); }
TEST_CASE("ACL takes element-wise operators, and their numbers are right", "[acl]") {
    check_graphs(acl{}, graph_cases::element_wise);
}
TEST_CASE("ACL takes what normalizes and moves, and its numbers are right", "[acl]") {
    check_graphs(acl{}, graph_cases::others);
}
