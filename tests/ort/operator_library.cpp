// Operators of a library that is compiled for ONNX Runtime's C interface, tests/ort/plugin/operators.cpp.
#include "programs.hpp"
using namespace inlay::testing;

namespace {
constexpr const char* head = "<ir_version: 10, opset_import: [\"\" : 21, \"test.library\" : 1]> ";
const Ort::Env& environment() {
    static const Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "test");
    return env;
}
Ort::SessionOptions with_library() {
    Ort::SessionOptions options;
    options.RegisterCustomOpsLibrary(OPERATORS);
    return options;
}
Ort::Value run(Ort::Session& session, const Ort::Value& x) {
    const char *from = "x", *into = "y";
    return std::move(session.Run({}, &from, &x, 1, &into, 1)[0]);
}
}  // namespace

TEST_CASE("An operator of a library computes with its attributes", "[ort]") {
    Ort::Session session = session_of(environment(),
                                      head + std::string("g (float[N] x) => (float[N] y) { y = test.library.Scale "
                                                         "<times: int = 3, shifts: floats = [0.5, 1.0]> (x) }"),
                                      with_library());
    std::vector<float> x = {1, -2};
    CHECK(floats_of(run(session, over(x, {2}))) == std::vector<float>{4.5f, -4.5f});
}

TEST_CASE("The result of a library's operator needs no type in the file where another node reads it", "[ort]") {
    Ort::Session session = session_of(
        environment(),
        head + std::string("g (string[N] x) => (string[N] y) { a = test.library.Repeat <times: int = 2, word: string = "
                           "\"-\"> (x) b = Identity(a) y = test.library.Repeat <times: int = 1> (b) }"),
        with_library());
    std::vector<std::int64_t> dims = {2};
    Ort::Value x = Ort::Value::CreateTensor(Ort::AllocatorWithDefaultOptions(), dims.data(), 1,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    const char* const words[] = {"ab", ""};
    x.FillStringTensor(words, 2);
    const Ort::Value y = run(session, x);
    CHECK(y.GetStringTensorElement(0) == "ab-ab");
    CHECK(y.GetStringTensorElement(1) == "-");
}

TEST_CASE("A function of the C interface that is not here is an error that names its place", "[ort]") {
    Ort::Session session = session_of(
        environment(), head + std::string("g (float[N] x) => (float[N] y) { y = test.library.AskTooMuch(x) }"),
        with_library());
    std::vector<float> x = {1};
    const auto refusal = thrown_by([&] { run(session, over(x, {1})); });
    CHECK(has_text(refusal.text, "no function 399"));
    CHECK(has_text(refusal.text, "AskTooMuch"));
}

TEST_CASE("Many sessions have a library's operators, each those that its model names", "[ort]") {
    std::vector<Ort::Session> sessions;
    for (int k = 0; k < 50; ++k)
        sessions.push_back(session_of(
            environment(), head + std::string("g (float[N] x) => (float[N] y) { y = test.library.Scale(x) }"),
            with_library()));
    std::vector<float> x = {7};
    CHECK(floats_of(run(sessions.back(), over(x, {1}))) == std::vector<float>{7});
}

TEST_CASE("A file that is no library of operators is refused with the reason", "[ort]") {
    Ort::SessionOptions options;
    const auto absent = thrown_by([&] { options.RegisterCustomOpsLibrary("/nowhere/operators.so"); });
    CHECK(absent.code == ORT_NO_SUCHFILE);
    CHECK(has_text(absent.text, "/nowhere/operators.so"));
    const auto refusal = thrown_by([&] { options.RegisterCustomOpsLibrary("libm.so.6"); });
    CHECK(refusal.code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(refusal.text, "RegisterCustomOps"));
    CHECK(thrown_by([&] { options.RegisterCustomOpsLibrary(nullptr); }).code == ORT_INVALID_ARGUMENT);
}
