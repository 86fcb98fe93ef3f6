// A library that has the functions and computes something else: this file's tests run with one that does nothing.
#include "../engines.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A library that does not compute what XNNPACK does is not used, and the reason says so") {
    const model m = model_of({2}, [](graph_maker& g, int x) { return g.node("Relu", {x}); });
    const auto result = session<xnnpack, cpu>::try_make(m, session_options{}, xnnpack{}, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_unavailable);
    CHECK(
        has_text(result.why().text, "XNNPACK cannot be used: its convolution gives 0.000000 where 24.375000 is right"));
}
