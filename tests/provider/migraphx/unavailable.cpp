// Where there is no library: this file's tests run with one that does not exist.
#include "../engines.hpp"
#include <inlay/provider/migraphx.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over MIGraphX says what is missing, and fallback::any does without") {
    check_unavailable<migraphx>("MIGraphX", "/no/such/place", "INLAY_MIGRAPHX_LIBRARY");
    CHECK(has_text(migraphx::inventory().unusable, "AMD's ROCm has it, in its package migraphx"));
}
