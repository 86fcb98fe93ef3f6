// An engine of a backend: what it proposes, compiles and runs.
#include "../models.hpp"
#include "../provider_conformance/checked.hpp"
#include "imaginary_backend.hpp"
#include <filesystem>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string answer(const session<imaginary::provider, cpu>& s, std::string_view op) {
    const plan_report plan = s.plan();
    const auto& l = line_of(plan, op);
    for (const auto& a : l.answers)
        if (a.provider == imaginary::provider::name) return a.text;
    return l.provider == imaginary::provider::name ? "taken" : "no answer";
}
}  // namespace

TEST_CASE("An engine of a backend passes the conformance tests of providers", "[threads]") {
    auto counts = check_passes(factory_of<imaginary::provider>());
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::passed] > 15);
}
TEST_CASE("What the rules take is a region, and the rest has their reasons") {
    const model m = model_of("g (float[2] x) => (float[2] y) { a = Abs (x) b = Exp (a) c = Relu (b) y = Neg (c) }");
    const inlay::session s{m, imaginary::provider{}, cpu{}};
    CHECK(floats(s.run({{"x", tensor({2}, {-0.f, 0.f})}})[0]) == std::vector{-1.f, -1.f});
    CHECK(s.plan().count(imaginary::provider::name) == 3);
    CHECK(answer(s, "Neg") == "the machine has no operation for Neg here");
    const inlay::session old{m, imaginary::provider{.version = 1}, cpu{}};
    CHECK(answer(old, "Exp") == "the machine has the operation from 2 on, and this is 1");
}
TEST_CASE("What a backend compiled is saved and restored, and wrong bytes are an error of the provider") {
    const auto file =
        std::filesystem::temp_directory_path() / ("inlay-machine-" + std::to_string(std::random_device()()) + ".onnx");
    const model m = model_of("g (float[2] x) => (float[2] y) { a = Abs (x) y = Exp (a) }");
    const inlay::session s{m, imaginary::provider{}, cpu{}};
    const std::vector<feed> in{{"x", tensor({2}, {-1.f, 0.f})}};
    const auto expected = floats(s.run(in)[0]);
    CHECK(s.save(file, {.embed = true}).regions == 1);
    session_options strict;
    strict.contexts = context_policy::refuse;
    const inlay::session restored{model(file), strict, imaginary::provider{}, cpu{}};
    CHECK(floats(restored.run(in)[0]) == expected);
    std::filesystem::remove(file);
    const auto e = imaginary::provider{}.open();
    REQUIRE(e);
    const int ids[] = {0}, results[] = {0};
    const auto broken = (*e)->restore({m.view(), {}, ids, results, nullptr}, "no numbers");
    REQUIRE_FALSE(broken);
    CHECK(broken.why().code == error_code::provider_failed);
}
