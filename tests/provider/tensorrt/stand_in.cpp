// Runs over TensorRT's interfaces with stand-ins for library and driver: what is copied, kept, shared and reported.
#include "../../skip.hpp"
#include "stand_in_library.hpp"
#include <inlay/provider_conformance.hpp>
#include <filesystem>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
const nv_library& stand_in_library() {
    static const nv_library l = make_stand_in();
    return l;
}
}  // namespace
struct stand_in {
    int device_id = 0;
    std::string cache{};
    static constexpr std::string_view name = "StandInExecutionProvider";
    inlay::result<std::shared_ptr<inlay::engine>> open() const {
        return open_nv_engine(name, stand_in_library(), device_id, {.cache = cache});
    }
};
BOOST_HANA_ADAPT_STRUCT(stand_in, device_id, cache);

namespace {
void need_stand_in() {
    const bool is_loaded = driver().problem.empty() && driver().devices[0].name == "stand-in";
    if (!is_loaded) SKIP("LD_LIBRARY_PATH has not the stand-in for the driver");
}
struct folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("inlay-stand-in-test-" + std::to_string(std::random_device()()));
    folder() { std::filesystem::create_directories(path); }
    ~folder() { std::filesystem::remove_all(path); }
};
}  // namespace

TEST_CASE("The stand-in passes the self-test of version 10", "[tensorrt]") {
    CHECK(nv_self_test(stand_in_library()) == "");
}
TEST_CASE("A network is one engine for each size of its inputs", "[tensorrt]") {
    need_stand_in();
    check_sizes(stand_in{}, {1, 3, 1, 2, 5, 2});
}
TEST_CASE("Runs of several threads have contexts and memory of their own", "[tensorrt][threads]") {
    need_stand_in();
    check_threads(stand_in{});
}
TEST_CASE("A run over an engine stops on request, and a binding writes into memory of the caller", "[tensorrt]") {
    need_stand_in();
    check_stop(stand_in{});
    check_binding(stand_in{});
}
TEST_CASE("An engine is saved and restored, by its bytes", "[tensorrt]") {
    need_stand_in();
    const folder directory;
    const auto file = directory.path / "m_ctx.onnx";
    const model m = model_of(network_for("2"));
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const inlay::session s{m, quiet(), stand_in{}, cpu{}};
    CHECK(s.save(file, {.keep_original = false}).regions == 1);
    const int before = counts.builds;
    session_options strict = quiet();
    strict.contexts = context_policy::refuse;
    const inlay::session restored{model(file), strict, stand_in{}, cpu{}};
    check_close(floats(restored.run(in)[0]), floats(inlay::session{m, reference{}}.run(in)[0]));
    CHECK(counts.builds == before);

    const graph_view nothing{};
    const auto result = (*stand_in{}.open())->restore({nothing, {}, {}, {}}, "damaged");
    REQUIRE_FALSE(result);
    CHECK(result.why().text == "these bytes are no engine");
}
TEST_CASE("Engines that are kept in a folder are not built again, but for other weights", "[tensorrt]") {
    need_stand_in();
    const folder directory;
    const stand_in provider{.cache = directory.path.string()};
    const std::vector<feed> in{{"x", tensor({2}, {1.f, 2.f})}};
    const auto run = [&](const std::string& weight) {
        const model m = model_of("g (float[2] x) => (float[2] y) <float w = {" + weight + "}> { y = Mul(x, w) }");
        const int before = counts.builds;
        const auto y = floats(inlay::session{m, quiet(), provider, cpu{}}.run(in)[0]);
        return std::pair(y, counts.builds - before);
    };
    CHECK(run("3") == std::pair(std::vector{3.f, 6.f}, 1));
    CHECK(run("3") == std::pair(std::vector{3.f, 6.f}, 0));
    CHECK(run("4") == std::pair(std::vector{4.f, 8.f}, 1));
}
TEST_CASE("A model is parsed once, and not at all where the folder has its engine", "[tensorrt]") {
    need_stand_in();
    const folder directory;
    const auto parses_of = [&](const model& m) {
        const int before = counts.parses;
        const inlay::session s{m, quiet(), stand_in{.cache = directory.path.string()}, cpu{}};
        check_close(floats(s.run({{"x", ramp({1, 3, 8, 8})}})[0]),
                    floats(inlay::session{m, quiet(), reference{}}.run({{"x", ramp({1, 3, 8, 8})}})[0]));
        return counts.parses - before;
    };
    const model m = network_of(1);
    (void)stand_in{}.open();  // tries the device by a model of its own
    CHECK(parses_of(m) == 1);
    CHECK(parses_of(m) == 0);
}
TEST_CASE("A device that the library refuses is an error when a session is made, in its words", "[tensorrt]") {
    need_stand_in();
    static const nv_library another = make_stand_in();  // devices are queried once for each library
    counts.refuses = true;
    const auto engine = open_nv_engine("P", another, 0, {});
    counts.refuses = false;
    REQUIRE_FALSE(engine);
    CHECK(engine.why().code == error_code::provider_unavailable);
    CHECK(engine.why().text == "P: the stand-in cannot be used: this GPU is not supported");
    const auto second = open_nv_engine("P", stand_in_library(), 1, {});
    REQUIRE_FALSE(second);
    CHECK(has_text(second.why().text, "there is no device 1; this machine has 1"));
}
TEST_CASE("A run that fails on the device is an error, and fallback::any does without", "[tensorrt]") {
    need_stand_in();
    const model m = model_of(network_for("2"));
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    counts.fails = true;
    const auto failed = inlay::session{m, quiet(), stand_in{}, cpu{}}.try_run(in);
    session_options any = quiet();
    any.fallback = fallback::any();
    const auto y = floats(inlay::session{m, any, stand_in{}, cpu{}}.run(in)[0]);
    counts.fails = false;
    REQUIRE_FALSE(failed);
    CHECK(has_text(failed.why().text, "it does not run, and gives no reason"));
    check_close(y, floats(inlay::session{m, reference{}}.run(in)[0]));
}
TEST_CASE("The conformance tests of providers pass over an engine", "[tensorrt]") {
    need_stand_in();
    for (const conformance_result& r : check_conformance(factory_of<stand_in>())) {
        CAPTURE(r.test, r.reason);
        CHECK(r.outcome != conformance_outcome::failed);
        CHECK(r.outcome != conformance_outcome::unavailable);
    }
}
