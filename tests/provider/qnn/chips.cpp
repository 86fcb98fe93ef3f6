// The simulator of a chip that computes floats of 16 bits: in a process of its own, where it stays that chip's.
#include "../engines.hpp"
#include <inlay/provider/qnn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string network(const std::string& op) {
    return "<ir_version: 10, opset_import: [\"\" : 20]> g (float[2,8] x) => (float[2,8] y) { y = " + op + "(x) }";
}
}  // namespace

TEST_CASE("For a chip with floats of 16 bits QNN has more operators, to that precision", "[qnn]") {
    constexpr int with_half_floats = 57;
    // The simulator of a process is that of the last chip that was named: this is asked for before.
    for (const char* op : {"Elu", "HardSigmoid", "Round", "Gelu"})
        CHECK(has_text(why_not<inlay::qnn>(network(op), op), "processors with floats of 16 bits"));
    const inlay::qnn p{.htp_arch = 75, .soc_model = with_half_floats};
    for (const char* op : {"Elu", "HardSigmoid", "Round", "Gelu", "Exp"}) {
        INFO(op);
        const model m = model_of(network(op));
        const inlay::session s{m, quiet(), p, cpu{}};
        const std::vector<feed> in{{"x", ramp({2, 8})}};
        const auto got = floats(s.run(in)[0]), expected = floats(inlay::session{m, reference{}}.run(in)[0]);
        for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k] == Approx(expected[k]).epsilon(4e-3).margin(4e-3));
        CHECK(s.plan().count(inlay::qnn::name) == 1);
    }
}
