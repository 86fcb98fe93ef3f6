// What engines compiled, from a model's file into an embedded model: carried whole, or refused.
#include "../models.hpp"
#include "../session/test_providers.hpp"
#include "compile/coverage.hpp"
#include "compile/freeze.hpp"
#include "compile/model_header.hpp"
#include <fstream>
#include <onnx/onnx_pb.h>
using namespace inlay;
using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
// A file that a session saved, as a message that can be changed.
::onnx::ModelProto saved() {
    const fs::path folder = fs::temp_directory_path() / ("inlay-carry-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const fs::path file = folder / "saved.onnx";
    const model m = model_of(
        "g (float[4] x) => (float[4] y) <float[4] w = {2, 2, 2, 3}> { a = Add(x, w) b = Relu(a) c = Sub(b, x) y = "
        "Mul(c, w) }");
    session_options quiet;
    quiet.log = [](severity, std::string_view) {};
    inlay::session{m, quiet, loom{}, cpu{}}.save(file);
    ::onnx::ModelProto message;
    std::ifstream in(file, std::ios::binary);
    REQUIRE(message.ParseFromIstream(&in));
    fs::remove_all(folder);
    return message;
}
model loaded(const ::onnx::ModelProto& message) {
    const std::string bytes = message.SerializeAsString();
    return model::from_memory(std::as_bytes(std::span(bytes)));
}
std::string& text(::onnx::ModelProto& m, std::string_view name) {
    for (auto& a : *m.mutable_graph()->mutable_node(0)->mutable_attribute())
        if (a.name() == name) return *a.mutable_s();
    FAIL("there is no attribute " + std::string(name));
    return *m.mutable_doc_string();
}
std::string why_not(const ::onnx::ModelProto& message) {
    const model m = loaded(message);
    const error e = raised([&] { (void)freeze(m, {}); });
    CHECK(e.code == error_code::unsupported_model);
    return e.text;
}
void change(std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != text.npos);
    text.replace(at, from.size(), to);
}
}  // namespace

TEST_CASE("A region that an engine compiled is a node with its bytes as input 0, and the key as texts", "[contexts]") {
    ::onnx::ModelProto message = saved();
    const std::string bytes = text(message, "ep_cache_context");
    const frozen_model f = freeze(loaded(message), {});
    const graph_view g = f.graph.view();
    REQUIRE(g.nodes.size() == 3);
    const node_view n{g, g.nodes[0]};
    CHECK(n.record.op == "EPContext");
    REQUIRE(n.input_count() == 2);
    REQUIRE(n.is_constant(0));
    const tensor content = f.graph.constants[std::size_t(n.input(0).constant)].get();
    CHECK(std::string_view(static_cast<const char*>(content.data()), std::size_t(content.bytes())) == bytes);
    CHECK(n.input(1).name == "x");
    CHECK(n.record.attributes.count == 3);
    CHECK(n.text("source", "") == loom::name);
    CHECK(n.text("partition_name", "") == "EngineExecutionProvider_0");
    const auto key = n.texts("key");
    CHECK(key.size() % 2 == 0);
    const auto yarn = std::ranges::find(key, "option threads_of_yarn");
    REQUIRE(yarn != key.end());
    CHECK(yarn[1] == "2");
    for (const std::string_view s : g.texts) CHECK(s.find("m.onnx") == s.npos);  // no names of files
}

TEST_CASE("The header of such a model includes what runs the regions, and names the operator", "[contexts]") {
    const frozen_model f = freeze(loaded(saved()), {});
    const std::string header = model_header(f, lay_out(f.graph.constants), {.name = "woven"});
    CHECK(has_text(header, "#include <inlay/embedded_context.hpp>\n"));
    CHECK(has_text(header, "using operators = inlay::pack<inlay::op::sub, inlay::op::ep_context>;"));
}

TEST_CASE("Coverage requires the provider whose engine compiled a region in the list", "[contexts]") {
    const frozen_model f = freeze(loaded(saved()), {});
    require_coverage(f, {make_handle(loom{}), make_handle(cpu{})});
    const error e = raised([&] { require_coverage(f, {make_handle(cpu{})}); });
    CHECK(e.code == error_code::no_provider);
    CHECK(has_text(e.text, "EPContext"));
}

TEST_CASE("What is damaged, or contradicts the file, is refused with the field that shows it", "[contexts]") {
    const auto with = [](std::string_view attribute, std::string_view from, std::string_view to) {
        ::onnx::ModelProto m = saved();
        change(text(m, attribute), from, to);
        return why_not(m);
    };
    CHECK(has_text(with("ep_cache_context", "loom", "look"), "`checksum`"));
    CHECK(has_text(with("ep_cache_context", "loom", "loo"), "`size`"));
    CHECK(has_text(with("notes", "inputs: tensor(float)[4]", "inputs: tensor(float)[5]"),
                   "`inputs` is `tensor(float)[5]` in the file and `tensor(float)[4]` here"));
    CHECK(has_text(with("notes", "reads: x", "reads: y"), "`reads`"));
    CHECK(has_text(with("notes", "\ngraph: ", "\ngraph: 0"), "`graph`"));
    CHECK(has_text(with("notes", "checksum: ", "sum: "), "`checksum` is not in `notes`"));
    CHECK(has_text(with("partition_name", "_0", "_1"), "`partition_name`"));
}
