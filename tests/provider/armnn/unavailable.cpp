// Where there is no library: this file's tests run with one that does not exist.
#include "../../models.hpp"
#include <inlay/provider/armnn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over Arm NN says what is missing, and fallback::any does without") {
    const model m = model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    const auto refused = session<armnn, cpu>::try_make(m, session_options{}, armnn{}, cpu{});
    REQUIRE_FALSE(refused);
    CHECK(refused.why().code == error_code::provider_unavailable);
    CHECK(has_text(refused.why().text, "ArmNNExecutionProvider: Arm NN cannot be used: /no/such/library"));
    CHECK(has_text(refused.why().text, "INLAY_ARMNN_LIBRARY"));
    session_options o;
    o.fallback = fallback::any();
    o.log = [](severity, std::string_view) {};
    const inlay::session s{m, o, armnn{}, cpu{}};
    CHECK(floats(s.run({{"x", tensor({2}, {-1.f, 2.f})}})[0]) == std::vector{0.f, 2.f});
    CHECK(s.plan().count(armnn::name) == 0);
}
