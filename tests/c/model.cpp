// Models, and what they report about their inputs and outputs.
#include "owned.hpp"
#include <filesystem>
#include <fstream>
#include <iterator>
using namespace inlay::testing;

TEST_CASE("A model in C returns names, types and shapes of its inputs and outputs", "[c]") {
    const model m = load("two");
    REQUIRE(inlay_model_input_count(m) == 2);
    REQUIRE(inlay_model_output_count(m) == 2);
    const inlay_port* const b = inlay_model_input(m, 1);
    CHECK(std::string(inlay_port_name(b)) == "b");
    CHECK(std::string(inlay_port_type_text(b)) == "tensor(float)");
    CHECK(inlay_port_kind(b) == INLAY_KIND_TENSOR);
    CHECK(inlay_port_type(b) == INLAY_TYPE_FLOAT);
    REQUIRE(inlay_port_rank(b) == 2);
    CHECK(inlay_port_dims(b)[0] == -1);
    CHECK(inlay_port_dims(b)[1] == 4);
    CHECK(std::string(inlay_port_dim_name(b, 0)) == "N");
    CHECK(std::string(inlay_port_dim_name(b, 1)).empty());
    CHECK(inlay_port_dim_name(b, 2) == nullptr);
    CHECK(inlay_port_dim_name(b, -1) == nullptr);
    CHECK(std::string(inlay_port_name(inlay_model_output(m, 1))) == "z");
    CHECK(inlay_model_input(m, 2) == nullptr);
    CHECK(inlay_model_input(m, -1) == nullptr);
    CHECK(inlay_model_output(m, 2) == nullptr);
}
TEST_CASE("A port in C that is no tensor has its kind and its type as text", "[c]") {
    const model m = load("maps"), o = load("optionals");
    CHECK(inlay_port_kind(inlay_model_input(m, 1)) == INLAY_KIND_MAP);
    CHECK(inlay_port_type(inlay_model_input(m, 1)) == INLAY_TYPE_UNDEFINED);
    CHECK(std::string(inlay_port_type_text(inlay_model_output(m, 0))) == "seq(map(int64,tensor(float)))");
    CHECK(inlay_port_kind(inlay_model_output(m, 0)) == INLAY_KIND_SEQUENCE);
    CHECK(inlay_port_kind(inlay_model_input(o, 0)) == INLAY_KIND_OPTIONAL);
}
TEST_CASE("A model's metadata is read by key in C", "[c]") {
    const model m = load("two");
    CHECK(std::string(inlay_model_metadata(m, "author")) == "a test");
    CHECK(std::string(inlay_model_metadata(m, "empty")).empty());
    CHECK(inlay_model_metadata(m, "Author") == nullptr);
    CHECK(inlay_model_metadata(m, nullptr) == nullptr);
    REQUIRE(inlay_model_metadata_count(m) == 2);
    CHECK(std::string(inlay_model_metadata_key(m, 0)) == "author");
    CHECK(std::string(inlay_model_metadata_key(m, 1)) == "empty");
    CHECK(inlay_model_metadata_key(m, 2) == nullptr);
    CHECK(inlay_model_metadata_key(m, -1) == nullptr);
}
TEST_CASE("A model in C says which program wrote it, and what it is", "[c]") {
    const model m = load("two"), silent = load("fixed");
    CHECK(std::string(inlay_model_producer_name(m)) == "a writer");
    CHECK(std::string(inlay_model_domain(m)) == "org.example");
    CHECK(std::string(inlay_model_graph_name(m)) == "two");
    CHECK(std::string(inlay_model_description(m)) == "adds and negates");
    CHECK(inlay_model_version(m) == 7);
    CHECK(std::string(inlay_model_producer_name(silent)).empty());
    CHECK(inlay_model_version(silent) == 0);
    CHECK(inlay_model_metadata_count(silent) == 0);
    const inlay_model* const no_model = nullptr;
    for (const auto text_of :
         {inlay_model_producer_name, inlay_model_domain, inlay_model_graph_name, inlay_model_description})
        CHECK(text_of(no_model) == nullptr);
    CHECK(inlay_model_version(no_model) == -1);
    CHECK(inlay_model_metadata_count(no_model) == -1);
    CHECK(inlay_model_metadata_key(no_model, 0) == nullptr);
}
TEST_CASE("A model in C comes from a file's bytes too, and what is none is a failure", "[c]") {
    std::ifstream in(file_of("two"), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    model m, absent;
    good(inlay_model_parse(bytes.data(), std::int64_t(bytes.size()), nullptr, &m));
    options few;
    good(inlay_model_options_new(&few));
    good(inlay_options_set(few, "limits.nodes", "1"));
    bad(inlay_model_parse(bytes.data(), std::int64_t(bytes.size()), few, &absent), INLAY_FAILURE_LIMIT_EXCEEDED,
        "nodes");
    std::fill(bytes.begin(), bytes.end(), '\xff');
    CHECK(std::string(inlay_port_name(inlay_model_input(m, 0))) == "x");
    bad(inlay_model_parse(bytes.data(), std::int64_t(bytes.size()), nullptr, &absent), INLAY_FAILURE_INVALID_MODEL, "");
    bad(inlay_model_parse(bytes.data(), -1, nullptr, &absent), INLAY_FAILURE_INVALID_ARGUMENT, "negative");
    bad(inlay_model_parse(nullptr, 0, nullptr, &absent), INLAY_FAILURE_INVALID_MODEL, "");
    bad(inlay_model_load("/no/such/model.onnx", nullptr, &absent), INLAY_FAILURE_NOT_FOUND, "/no/such/model.onnx");
    CHECK(absent == nullptr);
}
TEST_CASE("A model in C that comes from bytes reads its external data from the option folder", "[c]") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(MODELS) / "weights";
    fs::create_directories(folder);
    const float weights[] = {1.5f, 2.5f};
    std::ofstream(folder / "model.onnx_data", std::ios::binary)
        .write(reinterpret_cast<const char*>(weights), sizeof(weights));
    std::ifstream in(file_of("external"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    options o;
    good(inlay_model_options_new(&o));
    model m;
    bad(inlay_model_parse(bytes.data(), std::int64_t(bytes.size()), o, &m), INLAY_FAILURE_NOT_FOUND,
        "not read from a folder");
    good(inlay_options_set(o, "folder", folder.c_str()));
    good(inlay_model_parse(bytes.data(), std::int64_t(bytes.size()), o, &m));
    CHECK(inlay_model_input_count(m) == 1);
}
TEST_CASE("A model in C of the Hugging Face cache finds its external data, where both are links", "[c]") {
    namespace fs = std::filesystem;
    const fs::path repository = fs::path(MODELS) / "hub/models--org--name", snapshot = repository / "snapshots/1";
    fs::remove_all(repository);
    for (const fs::path& folder : {repository / "blobs", repository / "refs", snapshot}) fs::create_directories(folder);
    std::ofstream(repository / "refs/main") << "1";
    fs::copy_file(file_of("external"), repository / "blobs/11aa");
    const float weights[] = {1.5f, 2.5f};
    std::ofstream(repository / "blobs/22bb", std::ios::binary)
        .write(reinterpret_cast<const char*>(weights), sizeof(weights));
    fs::create_symlink("../../blobs/11aa", snapshot / "model.onnx");
    fs::create_symlink("../../blobs/22bb", snapshot / "model.onnx_data");
    model m;
    good(inlay_model_load((snapshot / "model.onnx").c_str(), nullptr, &m));
    session s;
    good(inlay_session_new(m, nullptr, nullptr, &s));
    std::vector<float> data{1, 2};
    const value x = tensor_of(INLAY_TYPE_FLOAT, {2}, data);
    const char* const name = "x";
    inlay_any_value* const in = x;
    inlay_any_value* out = nullptr;
    good(inlay_session_run(s, &name, &in, 1, nullptr, &out, 1, nullptr, nullptr));
    CHECK(elements<float>(out) == std::vector<float>{2.5f, 4.5f});
    inlay_value_free(out);

    std::ofstream(fs::path(MODELS) / "hub/secret") << "12345678";
    fs::remove(snapshot / "model.onnx_data");
    fs::create_symlink("../../../secret", snapshot / "model.onnx_data");
    bad(inlay_model_load((snapshot / "model.onnx").c_str(), nullptr, &m), INLAY_FAILURE_INVALID_MODEL,
        "leads out of the model's folder");
}
