// The code of pages that need more than one session: the regions between `>>> PAGE` and `<<<` are blocks of that page.
#include "../models.hpp"
#include "../session/test_providers.hpp"
#include <inlay/plugin.hpp>
#include <filesystem>
#include <fstream>
#include <random>

using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
// >>> contexts
// `engine` is a provider whose engine can save what it compiled.
template <class Engine> std::string compiled_once(const std::filesystem::path& folder, const Engine& engine) {
    inlay::session session{folder / "m.onnx", engine, inlay::cpu{}};
    session.save(folder / "m_ctx.onnx");  // its result: regions, bytes, what was left out and why

    inlay::session restored{folder / "m_ctx.onnx", engine, inlay::cpu{}};
    return restored.plan().providers.at(0);
}
// <<<

// >>> plugins
inlay::any_session with_plugin(const inlay::model& model, const std::string& file) {
    const inlay::plugin vendor(file);                  // an error says why it cannot be used; try_load() returns it
    inlay::any_session first(model, {vendor, "cpu"});  // in any place of the list
    return inlay::any_session(model, {vendor.with({{"largest", "1000"}}), "cpu"});  // with options as text
}
// <<<
}  // namespace

TEST_CASE("The guide to contexts compiles once", "[docs]") {
    const fs::path folder = fs::temp_directory_path() / ("inlay-test-" + std::to_string(std::random_device{}()));
    fs::create_directory(folder);
    const auto bytes = serialized("m (float[4] x) => (float[4] y) { y = Relu(x) }");
    std::ofstream(folder / "m.onnx", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    const loom engine;
    CHECK(compiled_once(folder, engine) == loom::name);
    CHECK(engine.log->compiled == 1);
    CHECK(engine.log->restored == 1);
    fs::remove_all(folder);
}
TEST_CASE("The guide to plugins opens one", "[docs]") {
    const auto session = with_plugin(model_of("m (float[2] x) => (float[2] y) { y = Relu(x) }"), PLUGIN_RELU);
    CHECK(floats(session.run({{"x", ones({2})}})[0]) == std::vector<float>{1, 1});
}
