// Mirrors src/onnx/read.cpp: where a model comes from, and what is none.
#include "models.hpp"
#include <sstream>

using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A model comes from a file, from memory or from a stream, and outlives all three", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Add(x, w) }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    std::optional<model> m;
    {
        scratch_folder folder;
        std::string bytes = p.SerializeAsString();
        const auto file = folder.write("m.onnx", bytes);
        SECTION("file") { m = model(file); }
        SECTION("name of a file") { m = model(file.string()); }
        SECTION("memory") { m = model::from_memory(std::as_bytes(std::span(bytes))); }
        SECTION("stream") {
            std::istringstream in(bytes);
            m = model::from_stream(in);
        }
        std::fill(bytes.begin(), bytes.end(), 'x');
    }
    const model copy = *m;
    m.reset();
    CHECK(tensor_view(copy.graph().constants.at(0).get()).as<float>()[1] == 2);
    CHECK(!copy.pass_log().empty());
}

TEST_CASE("A missing file is an error that names it", "[loader]") {
    const auto r = model::try_load(std::filesystem::path("/nonexistent/m.onnx"));
    REQUIRE(!r);
    CHECK(r.why().code == error_code::not_found);
    CHECK(contains(r.why().text, "/nonexistent/m.onnx"));
    CHECK_THROWS_AS(model("/nonexistent/m.onnx"), error);
    CHECK(!model::try_load(std::filesystem::path("/")));
    CHECK(!model::try_load(std::filesystem::path("/dev/zero")));
}

TEST_CASE("An empty file is refused as empty memory is", "[loader]") {
    scratch_folder folder;
    const auto of_file = model::try_load(folder.write("m.onnx", "")),
               of_memory = model::try_load(std::span<std::byte>());
    REQUIRE(!of_file);
    REQUIRE(!of_memory);
    CHECK(of_file.why().code == of_memory.why().code);
    CHECK(of_file.why().code == error_code::invalid_model);
}

TEST_CASE("What is no model, or only part of one, is refused wherever it ends", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { a = Add(x, w) y = Relu(a) }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    const std::string bytes = p.SerializeAsString();
    int good = 0;
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        CAPTURE(n);
        const auto r = model::try_load(std::as_bytes(std::span(bytes.data(), n)), plain());
        if (!r) CHECK((r.why().code == error_code::invalid_model || r.why().code == error_code::unsupported_model));
        good += bool(r);
    }
    CHECK(good == 0);
    for (const std::string& text : {std::string("hello"), std::string(1000, '\0'), std::string(1000, '\xff')})
        CHECK(!model::try_load(std::as_bytes(std::span(text))));
}

TEST_CASE("A damaged byte never does harm", "[loader]") {
    auto p = proto_of(R"(<ir_version: 10, opset_import: ["" : 17, "local" : 1]>
        g (float[N,3,4,4] x, bool c) => (float[N,2,2,2] y) <float[2,3,3,3] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9}> {
            a = Conv<kernel_shape = [3, 3]>(x, w) b = local.f<slope = 0.5>(a)
            y = If(c) <then_branch = t () => (float[?,?,?,?] r) { r = Relu(b) }, else_branch = e () => (float[?,?,?,?] q) { q = Add(b, a) }> }
        <domain: "local", opset_import: ["" : 17]> f <slope> (x) => (y) { y = LeakyRelu<alpha : float = @slope>(x) })");
    const std::string bytes = p.SerializeAsString();
    REQUIRE(model::try_load(std::as_bytes(std::span(bytes))));
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::string damaged = bytes;
        for (int k = int(random() % 3); k >= 0; --k) damaged[random() % damaged.size()] = char(random());
        CAPTURE(round);
        (void)model::try_load(std::as_bytes(std::span(damaged)));
    }
}

TEST_CASE("Versions from the future are refused by both numbers", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }");
    SECTION("IR version") {
        p.set_ir_version(99);
        const error e = refused(p);
        CHECK(e.code == error_code::unsupported_model);
        CHECK(contains(e.text, "99"));
        CHECK(contains(e.text, std::to_string(int(onnx::Version::IR_VERSION))));
    }
    SECTION("opset") {
        p.mutable_opset_import(0)->set_version(999);
        const error e = refused(p);
        CHECK(e.code == error_code::unsupported_model);
        CHECK(contains(e.text, "999"));
    }
    SECTION("Inlay's own domain") {
        p.mutable_graph()->mutable_node(0)->set_domain("inlay");
        const error e = refused(p);
        CHECK(e.code == error_code::unsupported_model);
        CHECK(contains(e.text, "only Inlay's own passes make such nodes"));
    }
    SECTION("operator") {
        p.mutable_graph()->mutable_node(0)->set_op_type("Gelu");
        const error e = refused(p);
        CHECK(e.code == error_code::unsupported_model);
        CHECK(contains(e.text, "Gelu"));
        CHECK(contains(e.text, "20"));
    }
    SECTION("no IR version") {
        p.clear_ir_version();
        CHECK(refused(p).code == error_code::invalid_model);
    }
    SECTION("no opset") {
        p.clear_opset_import();
        CHECK(refused(p).code == error_code::invalid_model);
    }
    SECTION("a domain that is not imported") {
        p.mutable_graph()->mutable_node(0)->set_domain("acme");
        CHECK(refused(p).code == error_code::invalid_model);
    }
}
