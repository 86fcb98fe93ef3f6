// An engine of a backend: what it proposes, compiles and runs.
#include "../laws/checked.hpp"
#include "../models.hpp"
#include "imaginary_backend.hpp"
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

TEST_CASE("An engine of a backend keeps the laws of providers", "[threads]") {
    auto counts = check_kept(factory_of<imaginary::provider>());
    CHECK(counts[law_outcome::unavailable] == 0);
    CHECK(counts[law_outcome::kept] > 15);
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
