// Sessions over XIR and VART: sizes, threads, stops, options, files of what was compiled, compilers, failures, and the
// conformance tests of providers.
#include "../../provider_conformance/checked.hpp"
#include "tested.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>
using namespace inlay;
using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
struct scratch {  // a folder that goes with it
    fs::path folder = fs::temp_directory_path() / ("inlay-vitisai-tests-" + std::to_string(::getpid()));
    scratch() { fs::create_directories(folder); }
    ~scratch() { fs::remove_all(folder); }
    std::string script(const std::string& name, const std::string& lines) const {
        const fs::path file = folder / name;
        std::ofstream(file) << "#!/bin/sh\n" << lines << '\n';
        fs::permissions(file, fs::perms::owner_all);
        return file.string();
    }
};
std::string network() {
    return in_codes("1,3,8,8", "1,4,8,8", with_weights("r = Conv <pads = [1,1,1,1]> (d, w, b)"),
                    weights("4,3,3,3", 108, 4), "1");
}
// Why a session over it cannot be made, or its first run fails.
std::string why_failed(const vitisai& p, const std::string& text) {
    auto s = session<vitisai, cpu>::try_make(model_of(text), quiet(), p, cpu{});
    if (!s) return s.why().text;
    const auto y = s->try_run(std::vector<feed>{{"x", byte_ramp(element::i8, {1, 3, 8, 8})}});
    return y ? "" : y.why().text;
}
}  // namespace

TEST_CASE("A network of floats is one region in the mode ref, for each size of its inputs", "[vitisai]") {
    check_sizes(by_reference(), {1, 3, 1});
}
TEST_CASE("Threads run a session over VART, each with a runner of its own", "[vitisai][threads]") {
    check_threads(by_reference());
}
TEST_CASE("A run over VART that is stopped already does not begin", "[vitisai]") { check_stop(by_reference()); }
TEST_CASE("In the mode ref codes of powers of two are XIR's too, and what is around them", "[vitisai]") {
    const model m = model_of(
        "g (float[1,2,3,4] x) => (float[1,2,3,4] y) <float s = {0.0625}, int8 z = {0}> { q = QuantizeLinear(x, s, z) "
        "d = DequantizeLinear(q, s, z) r = Relu(d) p = QuantizeLinear(r, s, z) e = DequantizeLinear(p, s, z) y = "
        "Neg(e) }");
    const inlay::session s{m, quiet(), by_reference(), cpu{}};
    const std::vector<feed> in{{"x", ramp({1, 2, 3, 4})}};
    check_close(floats(s.run(in)[0]), floats(inlay::session{m, quiet(), reference{}}.run(in)[0]));
    CHECK(s.plan().count(cpu::name) == 0);
    CHECK(s.plan().steps == 1);
}
TEST_CASE("Vitis AI's options are read from text, and wrong ones are errors", "[vitisai]") {
    vitisai p;
    CHECK(options_of(p) == option_list{{"mode", "run"}, {"runner", ""}, {"compiler", ""}});
    CHECK(set_option(p, "mode", "ref"));
    CHECK(p.mode == vitisai_mode::ref);
    CHECK_FALSE(set_option(p, "mode", "dpu"));
    CHECK_FALSE(set_option(p, "target", "DPU"));
}
TEST_CASE("A file of what was compiled has graphs of XIR, and a session over it compiles nothing", "[vitisai]") {
    const scratch directory;
    const std::string file = (directory.folder / "context.onnx").string();
    const model m = model_of(network());
    const std::vector<feed> in{{"x", byte_ramp(element::i8, {1, 3, 8, 8})}};
    const inlay::session first{m, quiet(), on_dpu(), cpu{}};
    first.save(file, {.embed = false, .keep_original = false});
    session_options o = quiet();
    o.contexts = context_policy::refuse;
    const inlay::session second{file, o, on_dpu(), cpu{}};
    CHECK(steps_between(second.run(in)[0], first.run(in)[0]) == 0);
    CHECK(second.plan().count(vitisai::name) == 1);
}
TEST_CASE("A part that a program compiles for the device is what runs, and what goes wrong is reported", "[vitisai]") {
    const scratch directory;
    vitisai p = on_dpu();
    const std::string copies =
        directory.script("copies", "cp \"$1\" \"$2\" && cp \"$1\" \"$(dirname \"$0\")/seen.xmodel\"");
    p.compiler = copies;
    CHECK(why_failed(p, network()).empty());
    CHECK(fs::file_size(directory.folder / "seen.xmodel") > 1000);
    const auto refusal = [&](const std::string& lines) {
        p.compiler = directory.script("other", lines);
        const session s{model_of(network()), quiet(), p, cpu{}};
        return refusal_of<vitisai>(s.plan(), "Conv");
    };
    CHECK(has_text(refusal("exit 3"), "ended with 3"));
    CHECK(has_text(refusal("true"), "wrote no file"));
    p.compiler = (directory.folder / "none").string();
    const session s{model_of(network()), quiet(), p, cpu{}};
    CHECK(has_text(refusal_of<vitisai>(s.plan(), "Conv"), "cannot be started"));
}
TEST_CASE("Without a compiler Vitis AI's own runner gets no region, and a runner that is not there is an error",
          "[vitisai]") {
    CHECK(has_text(why_failed(vitisai{}, network()), "without code for a DPU"));
    CHECK(has_text(why_failed({.runner = "/no/such/runner.so"}, network()),
                   "VART's runner cannot be used: /no/such/runner.so"));
}
TEST_CASE("What a runner says to a run is the run's error", "[vitisai]") {
    ::setenv("INLAY_TEST_RUNNER_SAYS", "7", 1);
    const std::string reason = why_failed(on_dpu(), network());
    ::unsetenv("INLAY_TEST_RUNNER_SAYS");
    CHECK(has_text(reason, "VART's runner says 7 to a run"));
}
TEST_CASE("Vitis AI passes the conformance tests of providers in the mode ref", "[vitisai][threads]") {
    check_passes_less_often(factory_of<reference_vitisai>());
}
