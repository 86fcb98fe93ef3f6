#include "models.hpp"
#include <sstream>

using namespace inlay;
using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
struct external {
    scratch_folder folder;
    onnx::ModelProto p = graph_of("(float[4000] x) => (float[4000] y) { y = Add(x, w) }");
    onnx::TensorProto& w = *p.mutable_graph()->add_initializer();
    external(int count = 4000) {
        w.set_name("w");
        w.set_data_type(onnx::TensorProto::FLOAT);
        w.add_dims(count);
        w.set_data_location(onnx::TensorProto::EXTERNAL);
        std::vector<float> data(std::size_t(count) + 64);
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = float(i);
        folder.write("weights.bin", std::string(reinterpret_cast<const char*>(data.data()), data.size() * 4));
        set("location", "weights.bin");
    }
    void set(const std::string& key, const std::string& value) {
        for (auto& e : *w.mutable_external_data())
            if (e.key() == key) {
                e.set_value(value);
                return;
            }
        auto& e = *w.add_external_data();
        e.set_key(key);
        e.set_value(value);
    }
    result<model> load(const model_options& o = {}) {
        return model::try_load(folder.write("m.onnx", p.SerializeAsString()), o);
    }
    error refused(const model_options& o = {}) {
        const auto r = load(o);
        REQUIRE(!r);
        CAPTURE(r.why().text);
        CHECK(contains(r.why().text, "`w`"));
        return r.why();
    }
    std::vector<float> values() {
        auto r = load();
        INFO((r ? "" : r.why().text));
        REQUIRE(bool(r));
        const tensor t = r->graph().constants.at(0).get();
        const auto v = t.as<float>();
        return {v.begin(), v.end()};
    }
};
}  // namespace

TEST_CASE("External data is read from the model's folder", "[external_data]") {
    external e;
    SECTION("the whole file but its end") { CHECK(e.values()[3999] == 3999); }
    SECTION("from an offset") {
        e.set("offset", "64");
        CHECK(e.values()[0] == 16);
    }
    SECTION("from an offset that is no multiple of the element") {
        e.set("offset", "66");
        CHECK(e.values().size() == 4000);
    }
    SECTION("with its length") {
        e.set("length", "16000");
        CHECK(e.values()[1] == 1);
    }
    SECTION("in a folder below") {
        fs::create_directories(e.folder.path / "a/b");
        fs::rename(e.folder.path / "weights.bin", e.folder.path / "a/b/w");
        e.set("location", "a/b/w");
        CHECK(e.values()[1] == 1);
    }
    SECTION("through a link that stays inside") {
        fs::create_symlink("weights.bin", e.folder.path / "link");
        e.set("location", "link");
        CHECK(e.values()[1] == 1);
    }
    SECTION("small ones too") {
        external small(4);
        CHECK(small.values() == std::vector<float>{0, 1, 2, 3});
    }
}

TEST_CASE("External data stays mapped while a tensor needs it", "[external_data]") {
    tensor w;
    {
        external e;
        w = e.load()->graph().constants.at(0).get();
    }
    CHECK(w.as<float>()[3999] == 3999);
}

TEST_CASE("External data outside the model's folder is refused", "[external_data]") {
    external e;
    scratch_folder elsewhere;
    elsewhere.write("secret", std::string(20000, 's'));
    error_code code = error_code::invalid_model;
    SECTION("an absolute path") { e.set("location", (elsewhere.path / "secret").string()); }
    SECTION("a path upwards") { e.set("location", "../" + elsewhere.path.filename().string() + "/secret"); }
    SECTION("a path upwards in the middle") {
        fs::create_directories(e.folder.path / "a");
        e.set("location", "a/../../" + elsewhere.path.filename().string() + "/secret");
    }
    SECTION("a link") {
        fs::create_symlink(elsewhere.path / "secret", e.folder.path / "link");
        e.set("location", "link");
    }
    SECTION("a link to a folder") {
        fs::create_directory_symlink(elsewhere.path, e.folder.path / "dir");
        e.set("location", "dir/secret");
    }
    SECTION("a folder whose name begins alike") {
        const fs::path twin = e.folder.path.string() + "-twin";
        fs::create_directories(twin);
        fs::copy_file(elsewhere.path / "secret", twin / "secret");
        fs::create_directory_symlink(twin, e.folder.path / "dir");
        e.set("location", "dir/secret");
        CHECK(e.refused().code == code);
        fs::remove_all(twin);
        return;
    }
    SECTION("no location") { e.set("location", ""); }
    SECTION("a location with a zero byte") { e.set("location", std::string("weights.bin\0x", 13)); }
    SECTION("no such file") {
        e.set("location", "nothing");
        code = error_code::not_found;
    }
    SECTION("a folder") {
        fs::create_directories(e.folder.path / "d");
        e.set("location", "d");
        code = error_code::not_found;
    }
    CHECK(e.refused().code == code);
}

TEST_CASE("External data that does not fit its file is refused", "[external_data]") {
    external e;
    error_code code = error_code::invalid_model;
    model_options o;
    SECTION("an offset beyond the end") { e.set("offset", "1000000"); }
    SECTION("an offset that overflows") { e.set("offset", "9223372036854775807"); }
    SECTION("an offset that is no number") { e.set("offset", "12x"); }
    SECTION("a negative offset") { e.set("offset", "-4"); }
    SECTION("an offset near the end") { e.set("offset", "260"); }
    SECTION("a length that is not the tensor's") { e.set("length", "15996"); }
    SECTION("a tensor larger than the file") { e.w.set_dims(0, 5000); }
    SECTION("strings") { e.w.set_data_type(onnx::TensorProto::STRING); }
    CHECK(e.refused(o).code == code);
}

TEST_CASE("Files of external data count towards the limits", "[external_data]") {
    external e;
    model_options o;
    SECTION("each") { o.limits.file_bytes = 10000; }
    SECTION("all together") { o.limits.total_bytes = 10000; }
    const auto r = e.load(o);
    REQUIRE(!r);
    CHECK(r.why().code == error_code::limit_exceeded);
}

TEST_CASE("A model from memory has external data only in a folder that is given", "[external_data]") {
    external e;
    const std::string bytes = e.p.SerializeAsString();
    const auto r = model::try_load(std::as_bytes(std::span(bytes)));
    REQUIRE(!r);
    CHECK(contains(r.why().hint, "model_options::folder"));
    model_options o;
    o.folder = e.folder.path;
    std::istringstream in(bytes);
    for (const model& m : {model::from_memory(std::as_bytes(std::span(bytes)), o), model::from_stream(in, o)})
        CHECK(tensor_view(m.graph().constants.at(0).get()).as<float>()[7] == 7);
}
