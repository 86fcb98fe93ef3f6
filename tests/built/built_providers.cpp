// Mirrors include/inlay/built_providers.hpp.
#include "../models.hpp"
#include "providers.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A session of the build takes each of its providers by name, and other lists later", "[built_providers]") {
    const model m = model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    const tensor x({2}, {1.f, -2.f});
    REQUIRE(built_providers().size() == built_names().size());
    CHECK(built_providers()[0].name == "CPUExecutionProvider");
    CHECK(built_providers()[1].name == "ReferenceExecutionProvider");
    any_session session(m, {"reference", {"cpu", {{"threads", "1"}}}}, {}, built_providers());
    CHECK(session.providers() == std::vector<std::string>{"ReferenceExecutionProvider", "CPUExecutionProvider"});
    CHECK(floats(session.run({{"x", x}}).at("y")) == std::vector<float>{1.f, 0.f});
    session.set_providers({"CPUExecutionProvider"});
    CHECK(session.providers() == std::vector<std::string>{"CPUExecutionProvider"});
    CHECK(raised([&] { session.set_providers({"imaginary"}); }).code == error_code::unknown_provider);
    CHECK(session.providers() == std::vector<std::string>{"CPUExecutionProvider"});
    CHECK(floats(session.run({{"x", x}}).at("y")) == std::vector<float>{1.f, 0.f});
}

TEST_CASE("Memory of the build's providers has a name, and nothing else is one", "[built_providers]") {
    CHECK(built_memory("host") == &space_of<memory::host>);
    for (const char* name : {"", "host:0", "host:1", "hos", "hosts", "imaginary", "imaginary:1"})
        CHECK(built_memory(name) == nullptr);
}
