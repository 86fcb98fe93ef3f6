// Mirrors src/onnx/extract.cpp: parts of model files.
#include "models.hpp"
#include "onnx/extract.hpp"

using namespace inlay;
using namespace inlay::testing;

namespace {
using texts = std::vector<std::string>;
struct source {
    scratch_folder folder;
    onnx::ModelProto p = graph_of(
        "(float[2] x, float[2] z) => (float[2] y, float[2] u) <float[2] w = {1, 2}, float[2] v = {3, 4}>"
        " { a = Add(x, w) b = Relu(a) y = Mul(b, v) u = Neg(z) }");
    extracted part(const texts& from, const texts& to, const std::map<std::string, tensor>& known_values = {}) {
        return extract_model(folder.write("m.onnx", p.SerializeAsString()), from, to, folder.path, known_values);
    }
    error refused(const texts& from, const texts& to) {
        try {
            (void)part(from, to);
        } catch (const error& e) {
            return e;
        }
        return error(error_code::not_found, "it is extracted");
    }
};
onnx::ModelProto message(const extracted& part) {
    onnx::ModelProto p;
    REQUIRE(p.ParseFromString(part.file));
    return p;
}
template <class List> texts names_of(const List& list) {
    texts result;
    for (const auto& item : list) result.push_back(item.name());
    return result;
}
}  // namespace

TEST_CASE("A part of a model lies between two values, with the constants that it needs", "[extract]") {
    source s;
    const extracted part = s.part({"a"}, {"y"});
    CHECK(part.nodes == 2);
    CHECK(part.of == 4);
    const onnx::ModelProto p = message(part);
    CHECK(names_of(p.graph().input()) == texts{"a"});
    CHECK(names_of(p.graph().output()) == texts{"y"});
    CHECK(names_of(p.graph().initializer()) == texts{"v"});
    CHECK(p.graph().input(0).type().tensor_type().shape().dim(0).dim_value() == 2);
    CHECK(ops(loaded(p).view()) == "Relu Mul");
}
TEST_CASE("A part without ends has those of the model that it reaches", "[extract]") {
    source s;
    const onnx::ModelProto before = message(s.part({}, {"b"})), after = message(s.part({"a", "z"}, {}));
    CHECK(names_of(before.graph().input()) == texts{"x"});
    CHECK(names_of(before.graph().initializer()) == texts{"w"});
    CHECK(names_of(after.graph().input()) == texts{"a", "z"});
    CHECK(names_of(after.graph().output()) == texts{"y", "u"});
    CHECK(after.graph().node_size() == 3);
}
TEST_CASE("Values that are known become constants of a part", "[extract]") {
    source s;
    const onnx::ModelProto p = message(s.part({}, {"y"}, {{"a", tensor({2}, {5.f, -6.f})}}));
    CHECK(p.graph().input_size() == 0);
    CHECK(names_of(p.graph().initializer()) == texts{"v", "a"});
    CHECK(p.graph().node_size() == 2);
}
TEST_CASE("What a body of control flow reads outside comes with a part", "[extract]") {
    source s;
    s.p = graph_of(
        "(float[2] x, bool c) => (float[2] y) <float[2] w = {1, 2}, float[2] v = {3, 4}> { a = Neg(x)"
        " i = If(c) <then_branch = t () => (float[2] r) { r = Add(a, w) }, else_branch = e () => (float[2] q)"
        " { q = Identity(v) }> y = Relu(i) }");
    const onnx::ModelProto p = message(s.part({}, {"i"}));
    CHECK(names_of(p.graph().input()) == texts{"x", "c"});
    CHECK(names_of(p.graph().initializer()) == texts{"w", "v"});
    CHECK(p.graph().node_size() == 2);
}
TEST_CASE("Parts that cannot be are refused with what is missing", "[extract]") {
    source s;
    CHECK(contains(s.refused({}, {"nothing"}).text, "there is no value `nothing`"));
    CHECK(contains(s.refused({"z"}, {"y"}).text, "no output wanted depends on `z`"));
    const error e = s.refused({"b"}, {"y", "u"});
    CHECK(e.code == error_code::invalid_argument);
    CHECK(contains(e.text, "the outputs need input `z` too"));
    CHECK(e.hint == "add --from z");
    s.p.mutable_graph()->mutable_node(1)->set_domain("local");
    s.p.add_opset_import()->set_domain("local");
    s.p.mutable_opset_import(1)->set_version(1);
    CHECK(contains(s.refused({"b"}, {"y"}).text, "nothing determines the type of `b`"));
}
TEST_CASE("External data stays outside of a part in its folder, and comes into one elsewhere", "[extract]") {
    source s;
    auto& w = *s.p.mutable_graph()->mutable_initializer(0);
    const float data[] = {7, 8};
    s.folder.write("w.bin", std::string(reinterpret_cast<const char*>(data), sizeof data));
    w.clear_float_data();
    w.clear_raw_data();
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& place = *w.add_external_data();
    place.set_key("location");
    place.set_value("w.bin");
    const onnx::ModelProto extracted_here = message(s.part({}, {"a"}));
    CHECK(extracted_here.graph().initializer(0).data_location() == onnx::TensorProto::EXTERNAL);
    scratch_folder elsewhere;
    const texts to{"a"};
    const onnx::ModelProto extracted_there = message(extract_model(s.folder.path / "m.onnx", {}, to, elsewhere.path));
    const onnx::TensorProto& moved = extracted_there.graph().initializer(0);
    CHECK(moved.data_location() == onnx::TensorProto::DEFAULT);
    CHECK(moved.external_data_size() == 0);
    CHECK(moved.raw_data() == std::string(reinterpret_cast<const char*>(data), sizeof data));
}
