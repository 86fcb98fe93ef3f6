#include "engine/facts.hpp"
#include "models.hpp"
#include <set>

using namespace inlay;
using namespace inlay::testing;

namespace {
// The stock operators of which that holds: "Conv MaxPool inlay.FusedConv".
template <class F> std::string operators(F holds) {
    std::set<std::string> names;
    for (const entry& e : reference_kernels().entries)
        if (holds(*e.about)) names.insert((e.domain.empty() ? "" : std::string(e.domain) + ".") + std::string(e.name));
    std::string all;
    for (const std::string& n : names) all += (all.empty() ? "" : " ") + n;
    return all;
}
std::string folded(fold_cost cost) {
    return operators([&](const operator_record& r) { return r.facts.folding == cost; });
}
}  // namespace

TEST_CASE("The facts of the stock operators", "[facts]") {
}

TEST_CASE("Of an operator that is not known nothing is, not even that it is pure", "[facts]") {
    const auto of = [](std::string_view domain, std::string_view op) -> const operator_record& {
        node n;
        n.domain = domain;
        n.op = op;
        return operator_of(n);
    };
    CHECK(of("", "Add").facts.pure);
    for (const operator_record* r : {&of("acme", "Add"), &of("", "RandomNormal"), &of("", "If"), &of("", "add")}) {
        CHECK(!r->facts.pure);
        CHECK(r->facts.folding == fold_cost::unknown);
        CHECK(r->facts.required_outputs > 1000);
        CHECK(!r->passes_through);
    }
}

TEST_CASE("Nodes of a domain that ONNX does not know run where nobody declares their types", "[facts]") {
    const model m = model_of(
        R"(<ir_version: 8, opset_import: ["" : 17, "inlay" : 1]> g (float[1,4,1,1] x) => (float[1,4,1,1] y) { a = inlay.ChannelShuffle<group = 2>(x) y = Neg(a) })");
    session s{m, reference{}};
    CHECK(floats(s.run({{"x", tensor({1, 4, 1, 1}, {1.f, 2.f, 3.f, 4.f})}}).at("y")) ==
          std::vector{-1.f, -3.f, -2.f, -4.f});
}
