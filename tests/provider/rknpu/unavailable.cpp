// Where there is no library and no toolkit: this file's tests run with ones that do not exist.
#include "../engines.hpp"
#include <inlay/provider/rknpu.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over RKNN says what is missing, and fallback::any does without") {
    check_unavailable<rknpu>("RKNN", "/no/such/place", "INLAY_RKNPU_LIBRARY");
    CHECK(has_text(rknpu::inventory().unusable, "scripts/setup --provider rknpu"));
}
TEST_CASE("Without the toolkit a session over the simulator says what is missing") {
    const auto result = session<rknpu, cpu>::try_make(network_of(1), quiet(), rknpu{.simulator = true}, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_unavailable);
    CHECK(has_text(result.why().text, "rknn-toolkit2 cannot be used: "));
    CHECK(has_text(result.why().text, "INLAY_RKNPU_PYTHON may name the Python interpreter that has it"));
}
