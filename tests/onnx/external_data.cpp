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
    error refused(const model_options& o = {}) { return refused(load(o)); }
    static error refused(const result<model>& r) {
        REQUIRE(!r);
        CAPTURE(r.why().text);
        CHECK(contains(r.why().text, "`w`"));
        return r.why();
    }
    std::vector<float> values() { return values(load()); }
    static std::vector<float> values(result<model> r) {
        INFO((r ? "" : r.why().text));
        REQUIRE(bool(r));
        const tensor t = r->graph().constants.at(0).get();
        const auto v = t.as<float>();
        return {v.begin(), v.end()};
    }
};

// The cache of Hugging Face's hub, as the package huggingface_hub lays it out: blobs/ has the files under the names of
// their hashes, snapshots/REVISION links to them.
struct hub_cache {
    external e;
    fs::path repository = e.folder.path / "models--org--name", blobs = repository / "blobs",
             snapshot = repository / "snapshots/1";
    hub_cache() {
        e.folder.write("models--org--name/refs/main", "1");
        e.set("location", "model.onnx_data");
        fs::create_directories(blobs);
        fs::rename(e.folder.path / "weights.bin", blobs / "22bb");
    }
    // NAME of the snapshot, a link to a blob.
    fs::path link(const fs::path& name, const std::string& blob) {
        const fs::path at = snapshot / name;
        fs::create_directories(at.parent_path());
        fs::create_symlink(fs::relative(blobs / blob, at.parent_path()), at);
        return at;
    }
    fs::path model_file(const fs::path& name = "model.onnx") {
        e.folder.write("models--org--name/blobs/11aa", e.p.SerializeAsString());
        return link(name, "11aa");
    }
};
}  // namespace

TEST_CASE("A model of the Hugging Face cache finds its external data, where both are links", "[external_data]") {
    hub_cache hub;
    SECTION("in the snapshot") {
        hub.link("model.onnx_data", "22bb");
        CHECK(external::values(model::try_load(hub.model_file()))[3999] == 3999);
    }
    SECTION("in a folder of the snapshot") {
        hub.link("onnx/model.onnx_data", "22bb");
        CHECK(external::values(model::try_load(hub.model_file("onnx/model.onnx")))[3999] == 3999);
    }
    SECTION("from the current folder") {
        hub.link("model.onnx_data", "22bb");
        hub.model_file();
        const fs::path before = fs::current_path();
        fs::current_path(hub.snapshot);
        const auto r = model::try_load("model.onnx");
        fs::current_path(before);
        CHECK(external::values(r)[1] == 1);
    }
    SECTION("read from bytes whose origin is named") {
        hub.link("model.onnx_data", "22bb");
        model_options o;
        o.origin = hub.model_file();
        const std::string bytes = hub.e.p.SerializeAsString();
        CHECK(external::values(model::try_load(std::as_bytes(std::span(bytes)), o))[1] == 1);
    }
    SECTION("next to the file that the model leads to") {
        fs::copy_file(hub.blobs / "22bb", hub.blobs / "model.onnx_data");
        CHECK(external::values(model::try_load(hub.model_file()))[1] == 1);
    }
}

TEST_CASE("External data of a model that is a link is refused outside both of its folders", "[external_data]") {
    hub_cache hub;
    error_code code = error_code::invalid_model;
    hub.e.folder.write("secret", std::string(20000, 's'));
    SECTION("a link out of them") {
        fs::create_directories(hub.snapshot);
        fs::create_symlink("../../../secret", hub.snapshot / "model.onnx_data");
    }
    SECTION("a link out of them next to the blob") {
        fs::create_symlink("../../secret", hub.blobs / "model.onnx_data");
    }
    SECTION("a link into another folder of the cache") {
        fs::create_directories(hub.snapshot);
        fs::create_symlink("../../refs/main", hub.snapshot / "model.onnx_data");
    }
    SECTION("a path upwards to the blob") { hub.e.set("location", "../../blobs/22bb"); }
    SECTION("an absolute path to the blob") { hub.e.set("location", (hub.blobs / "22bb").string()); }
    SECTION("a model that is no link has one folder alone") {
        hub.link("model.onnx_data", "22bb");
        hub.e.folder.write("models--org--name/snapshots/1/model.onnx", hub.e.p.SerializeAsString());
        CHECK(external::refused(model::try_load(hub.snapshot / "model.onnx")).code == code);
        return;
    }
    SECTION("a link to nothing") {
        hub.link("model.onnx_data", "33cc");
        code = error_code::not_found;
    }
    CHECK(external::refused(model::try_load(hub.model_file())).code == code);
}

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
        const fs::path sibling = e.folder.path.string() + "-sibling";
        fs::create_directories(sibling);
        fs::copy_file(elsewhere.path / "secret", sibling / "secret");
        fs::create_directory_symlink(sibling, e.folder.path / "dir");
        e.set("location", "dir/secret");
        CHECK(e.refused().code == code);
        fs::remove_all(sibling);
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
