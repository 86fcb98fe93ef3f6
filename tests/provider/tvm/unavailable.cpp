// Where there is no library: this file's tests run with a folder that does not exist.
#include "../../models.hpp"
#include <inlay/provider/tvm.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its libraries a session over TVM says what is missing, and fallback::any does without") {
    const model m = model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    const auto refused = session<inlay::tvm, cpu>::try_make(m, session_options{}, inlay::tvm{}, cpu{});
    REQUIRE_FALSE(refused);
    CHECK(refused.why().code == error_code::provider_unavailable);
    CHECK(has_text(refused.why().text, "TvmExecutionProvider: TVM cannot be used: /no/such/folder/libtvm_ffi.so"));
    CHECK(has_text(refused.why().text, "INLAY_TVM_LIBRARY"));
    session_options o;
    o.fallback = fallback::any();
    o.log = [](severity, std::string_view) {};
    const inlay::session s{m, o, inlay::tvm{}, cpu{}};
    CHECK(floats(s.run({{"x", tensor({2}, {-1.f, 2.f})}})[0]) == std::vector{0.f, 2.f});
    CHECK(s.plan().count(inlay::tvm::name) == 0);
}
