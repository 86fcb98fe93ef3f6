// Where there is no library: this file's tests run with one that does not exist.
#include "../../models.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over XNNPACK says what is missing, and fallback::any does without") {
    const model m = model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    const auto refused = session<xnnpack, cpu>::try_make(m, session_options{}, xnnpack{}, cpu{});
    REQUIRE_FALSE(refused);
    CHECK(refused.why().code == error_code::provider_unavailable);
    CHECK(has_text(refused.why().text, "XnnpackExecutionProvider: XNNPACK cannot be used: /no/such/library"));
    CHECK(has_text(refused.why().text, "INLAY_XNNPACK_LIBRARY"));
    session_options o;
    o.fallback = fallback::any();
    o.log = [](severity, std::string_view) {};
    const inlay::session s{m, o, xnnpack{}, cpu{}};
    CHECK(floats(s.run({{"x", tensor({2}, {-1.f, 2.f})}})[0]) == std::vector{0.f, 2.f});
    CHECK(s.plan().count(xnnpack::name) == 0);
}
