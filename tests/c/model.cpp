// Models, and what they tell of their inputs and outputs.
#include "owned.hpp"
#include <fstream>
#include <iterator>
using namespace inlay::testing;

TEST_CASE("A model in C tells names, types and shapes of its inputs and outputs", "[c]") {
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
}
TEST_CASE("A model in C comes from a file's bytes too, and what is none is a failure", "[c]") {
    std::ifstream in(file_of("two"), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    model m, none;
    good(inlay_model_parse(bytes.data(), std::int64_t(bytes.size()), nullptr, &m));
    std::fill(bytes.begin(), bytes.end(), '\xff');
    CHECK(std::string(inlay_port_name(inlay_model_input(m, 0))) == "x");
    bad(inlay_model_parse(bytes.data(), std::int64_t(bytes.size()), nullptr, &none), INLAY_FAILURE_INVALID_MODEL, "");
    bad(inlay_model_parse(bytes.data(), -1, nullptr, &none), INLAY_FAILURE_INVALID_ARGUMENT, "negative");
    bad(inlay_model_parse(nullptr, 0, nullptr, &none), INLAY_FAILURE_INVALID_MODEL, "");
    bad(inlay_model_load("/no/such/model.onnx", nullptr, &none), INLAY_FAILURE_NOT_FOUND, "/no/such/model.onnx");
    CHECK(none == nullptr);
}
