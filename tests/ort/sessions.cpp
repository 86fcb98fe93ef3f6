// Sessions of Ort::: what they report about a model, and every way to run one.
#include "programs.hpp"
#include <filesystem>
#include <fstream>
using namespace inlay::testing;

namespace {
constexpr const char* sums =
    "g (float[N,3] x, float[3] y) => (float[N,3] sum, float[N,3] product) {"
    " sum = Add(x, y)  product = Mul(x, y) }";
struct inputs_of_sums {
    std::vector<float> x = {1, 2, 3}, y = {10, 20, 30};
    std::vector<Ort::Value> values;
    std::vector<const char*> names = {"x", "y"};
    inputs_of_sums() {
        values.push_back(over(x, {1, 3}));
        values.push_back(over(y, {3}));
    }
};
struct folder {  // of this test, and gone after it
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("inlay_ort_" + std::to_string(getpid()));
    folder() { std::filesystem::create_directories(path); }
    ~folder() { std::filesystem::remove_all(path); }
};
}  // namespace

TEST_CASE("A session reports names, types and shapes of its inputs and outputs", "[ort]") {
    const Ort::Session session = session_of(sums);
    Ort::AllocatorWithDefaultOptions allocator;
    CHECK(session.GetInputCount() == 2);
    CHECK(session.GetOutputCount() == 2);
    CHECK(session.GetInputNameAllocated(1, allocator).get() == std::string("y"));
    CHECK(session.GetOutputNameAllocated(0, allocator).get() == std::string("sum"));
    CHECK(session.GetInputNames() == std::vector<std::string>{"x", "y"});
    CHECK(session.GetOutputNames() == std::vector<std::string>{"sum", "product"});
    char* const old = session.GetInputName(0, allocator);
    CHECK(old == std::string("x"));
    allocator.Free(old);
    const auto info = session.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo();  // of a TypeInfo that is gone
    CHECK(info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    CHECK(info.GetShape() == std::vector<std::int64_t>{-1, 3});
    CHECK(info.GetSymbolicDimensions()[0] == std::string("N"));
    CHECK(info.GetSymbolicDimensions()[1] == std::string());
    CHECK(has_text(thrown_by([&] { (void)info.GetElementCount(); }).text, "not all fixed"));
    CHECK(session.GetConst().GetOutputCount() == 2);
    CHECK(session.GetOverridableInitializerCount() == 0);
    CHECK(session.GetProfilingStartTimeNs() == 0);
    const auto refusal = thrown_by([&] { (void)session.GetInputTypeInfo(2); });
    CHECK(refusal.code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(refusal.text, "no input 2; there are 2"));
    CHECK(thrown_by([&] { (void)session.GetOutputNameAllocated(9, allocator); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { (void)session.GetOverridableInitializerTypeInfo(0); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { (void)session.GetInputNameAllocated(0, nullptr); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([] { (void)Ort::Session(nullptr).GetInputCount(); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("Types that are no tensors are reported level by level, and views of another kind are empty", "[ort]") {
    const Ort::Session session = session_of(
        "g (seq(float[2]) s, optional(float[3]) o) => (int64[] n, bool b) { n = SequenceLength(s) b = "
        "OptionalHasElement(o) }");
    const Ort::TypeInfo sequence = session.GetInputTypeInfo(0), optional = session.GetInputTypeInfo(1);
    CHECK(sequence.GetONNXType() == ONNX_TYPE_SEQUENCE);
    const Ort::TypeInfo element = sequence.GetSequenceTypeInfo().GetSequenceElementType();
    CHECK(element.GetTensorTypeAndShapeInfo().GetShape() == std::vector<std::int64_t>{2});
    CHECK(optional.GetONNXType() == ONNX_TYPE_OPTIONAL);
    CHECK(optional.GetOptionalTypeInfo().GetOptionalElementType().GetONNXType() == ONNX_TYPE_TENSOR);
    CHECK_FALSE(sequence.GetTensorTypeAndShapeInfo());
    CHECK_FALSE(sequence.GetMapTypeInfo());
    CHECK(thrown_by([&] { (void)sequence.GetTensorTypeAndShapeInfo().GetShape(); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("The metadata of a model is returned in allocated texts", "[ort]") {
    const Ort::Session session = session_of(
        "<ir_version: 9, opset_import: [\"\" : 18], producer_name: \"a producer\", model_version: 7, domain: \"d.e\", "
        "doc_string: \"what it is\", metadata_props: [\"a\": \"1\", \"b\": \"2\"]> named (float[1] x) => (float[1] y) "
        "{ "
        "y = Neg(x) }");
    Ort::AllocatorWithDefaultOptions a;
    const Ort::ModelMetadata m = session.GetModelMetadata();
    CHECK(m.GetProducerNameAllocated(a).get() == std::string("a producer"));
    CHECK(m.GetGraphNameAllocated(a).get() == std::string("named"));
    CHECK(m.GetDomainAllocated(a).get() == std::string("d.e"));
    CHECK(m.GetDescriptionAllocated(a).get() == std::string("what it is"));
    CHECK(m.GetVersion() == 7);
    const auto keys = m.GetCustomMetadataMapKeysAllocated(a);
    REQUIRE(keys.size() == 2);
    CHECK(keys[1].get() == std::string("b"));
    CHECK(m.LookupCustomMetadataMapAllocated("a", a).get() == std::string("1"));
    CHECK(m.LookupCustomMetadataMapAllocated("c", a) == nullptr);
    CHECK(thrown_by([&] { m.GetGraphDescriptionAllocated(a); }).code == ORT_NOT_IMPLEMENTED);
}

TEST_CASE("A run returns the requested outputs, in that order, and they outlive the session", "[ort]") {
    inputs_of_sums in;
    std::vector<Ort::Value> results;
    {
        Ort::Session session = session_of(sums);
        const char* names[] = {"product", "sum"};
        results = session.Run({}, in.names.data(), in.values.data(), 2, names, 2);
        CHECK(session.Run(Ort::RunOptions{nullptr}, in.names.data(), in.values.data(), 2, names + 1, 1).size() == 1);
        CHECK(session.GetUnowned().Run({}, in.names.data(), in.values.data(), 2, names, 2).size() == 2);
    }
    CHECK(floats_of(results[0]) == std::vector<float>{10, 40, 90});
    CHECK(floats_of(results[1]) == std::vector<float>{11, 22, 33});
}

TEST_CASE("A run writes into the values that are given for outputs, and makes those that are empty", "[ort]") {
    inputs_of_sums in;
    Ort::Session session = session_of(sums);
    const char* names[] = {"sum", "product"};
    std::vector<float> buffer(3);
    for (int run = 1; run < 4; ++run) {
        in.x[0] = float(run);
        std::vector<Ort::Value> out;
        out.push_back(over(buffer, {1, 3}));
        out.emplace_back(nullptr);
        session.Run({}, in.names.data(), in.values.data(), 2, names, out.data(), 2);
        CHECK(buffer == std::vector<float>{10 + float(run), 22, 33});
        CHECK(out[0].GetTensorData<float>() == buffer.data());
        CHECK(floats_of(out[1]) == std::vector<float>{10 * float(run), 40, 90});
    }
    std::vector<float> small(6);
    Ort::Value wrong = over(small, {2, 3});
    const auto refusal = thrown_by([&] { session.Run({}, in.names.data(), in.values.data(), 2, names, &wrong, 1); });
    CHECK(refusal.code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(refusal.text, "[1,3]"));
    CHECK(small == std::vector<float>(6));
}

TEST_CASE("An output whose size only the run shows is copied into the value that is given for it", "[ort]") {
    Ort::Session session = session_of("g (float[4] x) => (int64[R,C] y) { y = NonZero(x) }");
    std::vector<float> x = {0, 1, 0, 2};
    std::vector<std::int64_t> buffer(2);
    const Ort::Value in = over(x, {4});
    const char *from = "x", *to = "y";
    for (int run = 0; run < 3; ++run) {
        Ort::Value out = over(buffer, {1, 2});
        session.Run({}, &from, &in, 1, &to, &out, 1);
        CHECK(buffer == std::vector<std::int64_t>{1, 3});
        buffer = {0, 0};
    }
    x[0] = 1;
    Ort::Value out = over(buffer, {1, 2});
    CHECK(thrown_by([&] { session.Run({}, &from, &in, 1, &to, &out, 1); }).code == ORT_INVALID_ARGUMENT);
    CHECK(buffer == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("What does not fit the model is refused by name", "[ort]") {
    inputs_of_sums in;
    Ort::Session session = session_of(sums);
    const char* sum = "sum";
    const auto run = [&](std::vector<const char*> names, const Ort::Value* values, std::size_t count, const char* out) {
        return thrown_by([&] { session.Run({}, names.data(), values, count, &out, 1); });
    };
    CHECK(has_text(run({"x", "z"}, in.values.data(), 2, sum).text, "no input named `z`"));
    CHECK(run({"x", "z"}, in.values.data(), 2, sum).code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(run({"x", "y"}, in.values.data(), 2, "total").text, "no output named `total`"));
    CHECK(has_text(run({"x"}, in.values.data(), 1, sum).text, "`y`"));
    CHECK(run({"x", "x"}, in.values.data(), 2, sum).code == ORT_INVALID_ARGUMENT);
    std::vector<float> four(4);
    in.values[1] = over(four, {4});
    CHECK(run({"x", "y"}, in.values.data(), 2, sum).code == ORT_INVALID_ARGUMENT);
    std::vector<double> doubles(3);
    in.values[1] = over(doubles, {3});
    CHECK(has_text(run({"x", "y"}, in.values.data(), 2, sum).text, "double"));
    in.values[1] = Ort::Value(nullptr);
    CHECK(has_text(run({"x", "y"}, in.values.data(), 2, sum).text, "`y` is empty"));
    CHECK(has_text(run({"x", nullptr}, in.values.data(), 2, sum).text, "null pointer"));
    CHECK(thrown_by([&] { session.Run({}, in.names.data(), in.values.data(), 1, &sum, 0); }).code ==
          ORT_INVALID_ARGUMENT);
}

TEST_CASE("Sequences, maps and optionals go in and come out", "[ort]") {
    Ort::AllocatorWithDefaultOptions allocator;
    Ort::Session session = session_of(
        "g (seq(float[M]) s, float[2] x) => (seq(float[M]) longer, optional(float[2]) full) { longer = "
        "SequenceInsert(s, x)  full = Optional(x) }");
    std::vector<float> a = {1}, x = {2, 3};
    std::vector<Ort::Value> members, in;
    members.push_back(over(a, {1}));
    in.push_back(Ort::Value::CreateSequence(members));
    in.push_back(over(x, {2}));
    const char *names[] = {"s", "x"}, *outputs[] = {"longer", "full"};
    auto out = session.Run({}, names, in.data(), 2, outputs, 2);
    CHECK(out[0].GetTypeInfo().GetONNXType() == ONNX_TYPE_SEQUENCE);
    REQUIRE(out[0].GetCount() == 2);
    CHECK(floats_of(out[0].GetValue(1, allocator)) == x);
    CHECK(out[1].IsTensor());  // an optional that is full is its contents
    CHECK(floats_of(out[1]) == x);
    CHECK(thrown_by([&] { out[0].GetValue(2, allocator); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("Models come from narrow and wide paths and from memory, and errors say which file and why", "[ort]") {
    Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "test");
    const Ort::SessionOptions options;
    CHECK(Ort::Session(env, DIGITS, options).GetInputCount() == 1);
    const std::string narrow = DIGITS;
    CHECK(Ort::Session(env, std::wstring(narrow.begin(), narrow.end()).c_str(), options).GetInputCount() == 1);
    CHECK(Ort::Session(env, DIGITS, Ort::SessionOptions{nullptr}).GetInputCount() == 1);
    const auto missing = thrown_by([&] { Ort::Session(env, "/no/such.onnx", options); });
    CHECK(missing.code == ORT_NO_SUCHFILE);
    CHECK(has_text(missing.text, "/no/such.onnx"));
    CHECK(thrown_by([&] { Ort::Session(env, "not a model", 11, options); }).code == ORT_INVALID_PROTOBUF);
    CHECK(thrown_by([&] { Ort::Session(env, static_cast<const void*>(nullptr), 0, options); }).code ==
          ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { Ort::Session(env, static_cast<const char*>(nullptr), options); }).code ==
          ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { Ort::Session(Ort::Env(nullptr), DIGITS, options); }).code == ORT_INVALID_ARGUMENT);
    const auto nobody = thrown_by([&] {
        session_of(
            "<ir_version: 10, opset_import: [\"\" : 21, \"mine\" : 1]> g (float[1] x) => (float[1] y) { y = "
            "mine.Unknown(x) }");
    });
    CHECK(nobody.code == ORT_NOT_IMPLEMENTED);
    CHECK(has_text(nobody.text, "mine.Unknown"));
}

TEST_CASE("Profiles have every run until they end, and the file is where the session says", "[ort]") {
    const folder scratch;
    Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "test");
    Ort::SessionOptions options;
    options.EnableProfiling((scratch.path / "prefix").c_str());
    Ort::Session session = session_of(env, sums, options);
    CHECK(session.GetProfilingStartTimeNs() > 0);
    inputs_of_sums in;
    std::vector<float> two(6, 1.f);
    const char* names[] = {"product", "sum"};
    for (int run = 0; run < 2; ++run)
        CHECK(floats_of(session.Run({}, in.names.data(), in.values.data(), 2, names, 2)[1]) ==
              std::vector<float>{11, 22, 33});
    std::vector<float> buffer(3);
    Ort::Value out = over(buffer, {1, 3});
    session.Run({}, in.names.data(), in.values.data(), 2, names + 1, &out, 1);
    CHECK(buffer == std::vector<float>{11, 22, 33});
    in.values[0] = over(two, {2, 3});
    session.Run({}, in.names.data(), in.values.data(), 2, names, 2);
    Ort::AllocatorWithDefaultOptions allocator;
    const std::string file = session.EndProfilingAllocated(allocator).get();
    CHECK(has_text(file, (scratch.path / "prefix_").string()));
    std::ifstream text(file);
    const std::string json{std::istreambuf_iterator<char>(text), {}};
    for (const char* run : {"\"run 0\"", "\"run 3\"", "\"Mul\"", "[2,3]"}) CHECK(has_text(json, run));
    CHECK_FALSE(has_text(json, "\"run 4\""));
    CHECK(thrown_by([&] { session.EndProfilingAllocated(allocator); }).code == ORT_INVALID_ARGUMENT);
    CHECK(session.GetProfilingStartTimeNs() == 0);
    CHECK(session.Run({}, in.names.data(), in.values.data(), 2, names, 2).size() == 2);
}

TEST_CASE("The optimised model is written when the session is made, and what engines compiled, if they did", "[ort]") {
    const folder scratch;
    Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "test");
    const auto optimised = scratch.path / "optimised.onnx", context = scratch.path / "context.onnx";
    Ort::SessionOptions options;
    options.SetOptimizedModelFilePath(optimised.c_str());
    const Ort::Session session(env, DIGITS, options);
    const Ort::Session written(env, optimised.c_str(), Ort::SessionOptions());
    CHECK(written.GetInputNames() == session.GetInputNames());
    options.AddConfigEntry(kOrtSessionOptionEpContextEnable, "1")
        .AddConfigEntry(kOrtSessionOptionEpContextFilePath, context.c_str());
    CHECK(has_text(thrown_by([&] { Ort::Session(env, DIGITS, options); }).text, "no engine has compiled"));
    options = Ort::SessionOptions();
    options.SetOptimizedModelFilePath(optimised.c_str());
    CHECK(thrown_by([&] { session_of(env, sums, options); }).code == ORT_NOT_IMPLEMENTED);
    options.SetOptimizedModelFilePath("/no/such/folder/model.onnx");
    CHECK(thrown_by([&] { Ort::Session(env, DIGITS, options); }).code == ORT_FAIL);
}
