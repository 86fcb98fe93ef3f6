// Regions written as packages, and what a session says of them. What is in a package, coremltools reads: operators.py,
// zoo_programs.py.
#include "../engines.hpp"
#include "temporary_folder.hpp"
#include <fstream>
using namespace inlay;
using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
// Why the node of this model, whose input is x, is in no package.
std::string refusal_in(const std::string& graph, std::string_view op) {
    const temporary_folder folder;
    const inlay::session s{model_of(graph, {.optimize = false}), quiet(), folder.provider(), reference{}};
    return refusal_of<coreml>(s.plan(), op);
}
}  // namespace

TEST_CASE("A network is one package: a manifest, a model and its weights", "[coreml]") {
    const temporary_folder folder;
    const inlay::session s{model_of(network_for("2")), quiet(), folder.provider(), cpu{}};
    CHECK(s.plan().count(coreml::name) == 5);
    CHECK(s.plan().steps == 1);
    const auto names = folder.packages();
    REQUIRE(names.size() == 1);
    CHECK(names[0].starts_with("inlay_"));
    CHECK(names[0].ends_with(".mlpackage"));
    const fs::path package = folder.path() / "packages" / names[0], data = package / "Data" / "com.apple.CoreML";
    CHECK(has_text(bytes_of(package / "Manifest.json"), "com.apple.CoreML/model.mlmodel"));
    CHECK(has_text(bytes_of(data / "model.mlmodel"), "softmax"));
    // A header, a record, and the elements of 4 * 3 * 3 * 3 weights.
    CHECK(fs::file_size(data / "weights" / "weight.bin") == 64 + 64 + 108 * 4);
}

TEST_CASE("The same region has the same package, with other options another one", "[coreml]") {
    const temporary_folder folder;
    const model m = model_of(network_for("2"));
    for (int k = 0; k < 2; ++k) {
        const inlay::session s{m, quiet(), folder.provider(), cpu{}};
        CHECK(folder.packages().size() == 1);
    }
    coreml cpu_only = folder.provider();
    cpu_only.MLComputeUnits = coreml_units::CPUOnly;
    const inlay::session s{m, quiet(), cpu_only, cpu{}};
    CHECK(folder.packages().size() == 2);
}

TEST_CASE("A run of what is in a package is refused, and fallback::any does without the provider", "[coreml]") {
    const temporary_folder folder;
    const model m = model_of(network_for("2"));
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const inlay::session s{m, quiet(), folder.provider(), cpu{}};
    const auto result = s.try_run(in);
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_unavailable);
    CHECK(has_text(result.why().text, "CoreML runs programs on Apple's systems only; this one is written, as inlay_"));
    session_options o = quiet();
    o.fallback = fallback::any();
    const inlay::session without{m, o, folder.provider(), cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    check_close(floats(without.run(in)[0]), floats(plain.run(in)[0]));
}

TEST_CASE("Without a folder for packages no session is made, and one line says what is missing", "[coreml]") {
    const auto result = session<coreml, cpu>::try_make(model_of(network_for("2")), quiet(), coreml{}, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_unavailable);
    const std::string reason = coreml::inventory().unusable;
    CHECK(reason ==
          "CoreML runs programs on Apple's systems only; where ModelCacheDirectory names a folder, the provider writes "
          "them into it");
    CHECK(has_text(result.why().text, "CoreMLExecutionProvider: " + reason));
    const auto nowhere = session<coreml, cpu>::try_make(model_of(network_for("2")), quiet(),
                                                        coreml{.ModelCacheDirectory = "/proc/none"}, cpu{});
    REQUIRE_FALSE(nowhere);
    CHECK(has_text(nowhere.why().text, "the folder cannot be made"));
}

TEST_CASE("Core ML's options are read from text, and written; what is not written is refused", "[coreml]") {
    coreml p;
    CHECK(options_of(p) == option_list{{"ModelCacheDirectory", ""},
                                       {"ModelFormat", "MLProgram"},
                                       {"MLComputeUnits", "ALL"},
                                       {"RequireStaticInputShapes", "true"}});
    for (const auto& [text, written] : {std::pair("CPU_ONLY", "CPUOnly"),
                                        {"CPU_AND_GPU", "CPUAndGPU"},
                                        {"CPUAndNeuralEngine", "CPUAndNeuralEngine"},
                                        {"ALL", "ALL"}}) {
        CHECK(set_option(p, "MLComputeUnits", text));
        CHECK(to_text(p.MLComputeUnits) == written);
    }
    CHECK_FALSE(set_option(p, "MLComputeUnits", "NPU"));
    CHECK_FALSE(set_option(p, "MLComputeUnit", "ALL"));
    for (const coreml& wrong : {coreml{.ModelCacheDirectory = "x", .ModelFormat = coreml_format::NeuralNetwork},
                                coreml{.ModelCacheDirectory = "x", .RequireStaticInputShapes = false}})
        CHECK(wrong.open().why().code == error_code::invalid_option);
}

TEST_CASE("A file of what was compiled names the package, and no session here restores it", "[coreml]") {
    const temporary_folder folder;
    const model m = model_of(network_for("2"));
    const fs::path file = folder.path() / "m_ctx.onnx";
    const inlay::session s{m, quiet(), folder.provider(), cpu{}};
    CHECK(s.save(file).regions == 1);
    CHECK(has_text(bytes_of(file), folder.packages()[0]));
    session_options strict = quiet();
    strict.contexts = context_policy::refuse;
    const auto restored = session<coreml, cpu>::try_make(model(file), strict, folder.provider(), cpu{});
    REQUIRE_FALSE(restored);
    CHECK(has_text(restored.why().text, "CoreML runs programs on Apple's systems only; the package is inlay_"));
}

TEST_CASE("What Core ML has no operation for stays outside, with the reason", "[coreml]") {
    CHECK(refusal_in("g (float[4] x) => (float[4] y) { y = Round (x) }", "Round") ==
          "Core ML has no operation for Round here");
    CHECK(refusal_in("g (double[4] x) => (double[4] y) { y = Relu (x) }", "Relu") ==
          "Core ML gets no tensors of type double here");
    CHECK(refusal_in("g (float[4] x) => (float[4] y) <int64[6] to = {1, 1, 1, 2, 1, 2}, int64[1] back = {4}> "
                     "{ r = Reshape (x, to) y = Reshape (r, back) }",
                     "Reshape") == "a tensor has 6 dimensions, and Core ML's operations take 5 at most");
    CHECK(refusal_in("g (float[1,2,5] x, float[2,2,3] w) => (float[1,2,1] y) { y = Conv <dilations = [2]> (x, w) }",
                     "Conv") == "the weights is not a constant, which Core ML's operation requires");
    CHECK(refusal_in("g (float[1,2,5] x, float[2] b) => (float[1,2,5] y) <float[2,2,1] w = {1, 2, 3, 4}> "
                     "{ y = Conv (x, w, b) }",
                     "Conv") == "the bias is not a constant, which Core ML's operation requires");
    CHECK(refusal_in("g (float[1,1,5,5] x) => (float[1,1,1,1] y) "
                     "{ y = MaxPool <kernel_shape = [3,3], dilations = [2,2]> (x) }",
                     "MaxPool") == "it is dilated by 2, and Core ML's operation is not");
    CHECK(refusal_in("g (float[1,4,2,2] x) => (float[1,4,2,2] y) { y = LRN <size = 4> (x) }", "LRN") ==
          "its size is 4, and Core ML's windows are odd");
    CHECK(refusal_in("g (float[4] x) => (float[4] y) "
                     "<int64[1] a = {-1}, int64[1] b = {-9}, int64[1] i = {0}, int64[1] s = {-1}> "
                     "{ y = Slice (x, a, b, i, s) }",
                     "Slice") == "a step is -1: it goes backwards");
}

TEST_CASE("Constants of the same elements are once in the file of weights", "[coreml]") {
    const temporary_folder folder;
    const std::string w =
        "float[1,1,3,4] w = {1,2,3,4,5,6,7,8,9,10,11,12}, float[1,1,3,4] v = {1,2,3,4,5,6,7,8,9,10,11,12}";
    const inlay::session s{model_of("g (float[1,1,3,4] x) => (float[1,1,3,4] y) <" + w +
                                        "> { a = Add (x, w) b = Relu (a) y = Mul (b, v) }",
                                    {.optimize = false}),
                           quiet(), folder.provider(), cpu{}};
    const fs::path data = folder.path() / "packages" / folder.packages().at(0) / "Data" / "com.apple.CoreML";
    CHECK(fs::file_size(data / "weights" / "weight.bin") == 64 + 64 + 12 * 4);
}

TEST_CASE("A constant that int32 does not hold refuses the node that reads it", "[coreml]") {
    CHECK(refusal_in("g (int64[2] x) => (int64[2] y) <int64[2] big = {1, 3000000000}> { y = Add (x, big) }", "Add") ==
          "its constant 3000000000 does not fit into int32");
}
