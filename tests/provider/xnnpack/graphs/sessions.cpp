// Sessions over XNNPACK: sizes, threads, bindings, options, and the conformance tests of providers.
#include "../../../provider_conformance/checked.hpp"
#include "../../engines.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A convolution network is one region, for each size of its inputs", "[xnnpack]") {
    check_sizes(xnnpack{}, {1, 3, 1});
}
TEST_CASE("Runs of several threads have runtimes of their own", "[xnnpack][threads]") {
    for (const int threads : {1, 2}) check_threads(xnnpack{.intra_op_num_threads = threads});
}
TEST_CASE("A binding over XNNPACK writes into memory of the caller, and follows when that changes", "[xnnpack]") {
    check_binding(xnnpack{});
}
TEST_CASE("XNNPACK's options are read from text, and checked", "[xnnpack]") {
    xnnpack p;
    CHECK(options_of(p) == option_list{{"intra_op_num_threads", "0"}});
    CHECK(set_option(p, "intra_op_num_threads", "2"));
    CHECK_FALSE(set_option(p, "intra_op_threads", "2"));
    const auto result = session<xnnpack, cpu>::try_make(network_of(1), quiet(), xnnpack{-1}, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::invalid_option);
}
TEST_CASE("A run over XNNPACK that is stopped ends, and the next one runs", "[xnnpack]") { check_stop(xnnpack{}); }
TEST_CASE("XNNPACK passes the conformance tests of providers", "[xnnpack][threads]") {
    check_passes_less_often(factory_of<xnnpack>());
}
