// The files that a compiled model depends on.
#include "models.hpp"
#include "onnx/external_files.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A model depends on its own file and on every file of its external data", "[external_files]") {
    scratch_folder folder;
    onnx::ModelProto p = graph_of(
        "(bool c, float[2] x) => (float[2] y) { y = If (c) <then_branch = t () => (float[2] a) { a = Relu(x) }, "
        "else_branch = e () => (float[2] b) { b = Add(x, w) }> }");
    const auto add = [](onnx::TensorProto& t, const std::string& name, const std::string& location) {
        t.set_name(name);
        t.set_data_type(onnx::TensorProto::FLOAT);
        t.add_dims(2);
        t.set_data_location(onnx::TensorProto::EXTERNAL);
        auto& e = *t.add_external_data();
        e.set_key("location");
        e.set_value(location);
    };
    add(*p.mutable_graph()->add_initializer(), "w", "w.bin");
    add(*p.mutable_graph()->add_initializer(), "v", "w.bin");
    add(*p.mutable_graph()->mutable_node(0)->mutable_attribute(1)->mutable_g()->add_initializer(), "u", "deep/u.bin");
    std::filesystem::create_directory(folder.path / "deep");
    for (const char* name : {"w.bin", "deep/u.bin"}) folder.write(name, std::string(8, '\0'));
    const auto file = folder.write("m.onnx", p.SerializeAsString());
    CHECK(files_of_model(file) ==
          std::vector<std::filesystem::path>{file, folder.path / "deep/u.bin", folder.path / "w.bin"});
    CHECK(files_of_model(
              folder.write("n.onnx", graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }").SerializeAsString()))
              .size() == 1);
}
