// Where there is no library: this file's tests run with one that does not exist.
#include "graphs.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over ACL says what is missing, and fallback::any does without") {
    const model m = model_of({2}, [](graph_maker& g, int x) { return g.node("Relu", {x}); });
    const auto refused = session<acl, reference>::try_make(m, session_options{}, acl{}, reference{});
    REQUIRE_FALSE(refused);
    CHECK(refused.why().code == error_code::provider_unavailable);
    CHECK(has_text(refused.why().text, "AclExecutionProvider: the Arm Compute Library cannot be used: /no/such/place"));
    CHECK(has_text(refused.why().text, "INLAY_ACL_LIBRARY"));
    session_options o = quiet();
    o.fallback = fallback::any();
    const session s{m, o, acl{}, reference{}};
    CHECK(floats(s.run({{"x", tensor({2}, {-1.f, 2.f})}})[0]) == std::vector{0.f, 2.f});
    CHECK(s.plan().count(acl::name) == 0);
}
