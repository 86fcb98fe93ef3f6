// What is claimed where nodes after DequantizeLinear are computed in 8 bits or not at all.
#include "lowered.hpp"
#include <ctime>
#include <lowering/proposing.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr element_set bytes_only = element_set::of({element::u8, element::i8});
constexpr rule rows[]{
    {.of = kind::unary, .functions = these(function::relu), .types = floats_only, .quantized = bytes_only},
    {.of = kind::unary, .functions = these(function::exp), .types = floats_only},
    {.of = kind::quantize, .types = floats_only, .quantized = bytes_only},
    {.of = kind::dequantize, .types = floats_only, .quantized = bytes_only}};
constexpr rule_set in_codes_only{.library = "Machine", .rules = rows, .leaves_dequantized = true};
constexpr rule without_floats[]{{.of = kind::unary, .functions = these(function::relu), .quantized = bytes_only},
                                {.of = kind::binary, .functions = these(arithmetic::add), .quantized = bytes_only},
                                {.of = kind::dequantize, .types = floats_only, .quantized = bytes_only}};
constexpr rule_set no_floats{.library = "Machine", .rules = without_floats, .leaves_dequantized = true};

// The operators that are refused, each with its reason.
std::vector<std::pair<std::string, std::string>> refused_of(const model& m, const rule_set& rules) {
    const graph_view& g = m.view();
    std::vector<int> indices;
    for (int i = 0; i < int(g.nodes.size()); ++i) indices.push_back(i);
    const auto elements = model_constants(m);
    const free_nodes free{g, indices, &elements};
    region_ends finder(g);
    proposals out;
    propose_nodes(
        free, rules,
        [&](std::span<const int> nodes, const byte_nodes& in_bytes) {
            return refusal_by_rules(free, nodes, in_bytes, {&rules, "1"}, finder);
        },
        out);
    std::vector<std::pair<std::string, std::string>> list;
    for (const auto& r : out.refusals()) list.emplace_back(g.nodes[std::size_t(r.node)].op, r.reason);
    return list;
}
std::vector<std::pair<std::string, std::string>> refused(const std::string& nodes,
                                                         const rule_set& rules = in_codes_only) {
    return refused_of(model_of("g (float[4] x) => (float[4] y) <float s = {0.5}, uint8 z = {3}> { " + nodes + " }",
                               {.optimize = false}),
                      rules);
}
using refusals = std::vector<std::pair<std::string, std::string>>;
const std::string encoded = "q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) ";
const std::string not_encoded =
    "its result is not only encoded to 8 bits again, with one scale that is known before the run";
const std::string alone = "no node next to it is computed in 8 bits";
}  // namespace

TEST_CASE("A node in 8 bits is taken with those around it, and with what encodes and decodes the model's floats") {
    CHECK(refused(encoded + "r = Relu (d) p = QuantizeLinear (r, s, z) y = DequantizeLinear (p, s, z)").empty());
}
TEST_CASE("A node that is not in 8 bits is taken in floats, but where these are decoded") {
    CHECK(refused("y = Exp (x)").empty());
    CHECK(refused(encoded + "r = Exp (d) p = QuantizeLinear (r, s, z) y = DequantizeLinear (p, s, z)") ==
          refusals{{"QuantizeLinear", alone},
                   {"DequantizeLinear", alone},
                   {"Exp", "Machine does not have it on integers of 8 bits"},
                   {"QuantizeLinear", alone},
                   {"DequantizeLinear", alone}});
    CHECK(refused(encoded + "y = Relu (d)") ==
          refusals{
              {"QuantizeLinear", alone},
              {"DequantizeLinear", alone},
              {"Relu", "its result is not only encoded to 8 bits again, with one scale that is known before the run"}});
}
TEST_CASE("What limits a result in 8 bits is taken with the node that gives it, by a library without floats too") {
    CHECK(refused(encoded + "a = Add (d, d) r = Relu (a) p = QuantizeLinear (r, s, z) y = DequantizeLinear (p, s, z)",
                  no_floats) == refusals{{"QuantizeLinear", "Machine has no operation for QuantizeLinear here"}});
}
TEST_CASE("What encodes another provider's floats, or decodes for it, is left to it") {
    const std::string reason = "the floats next to it are another provider's, which may have them in integers";
    CHECK(refused("t = Sin (x) q = QuantizeLinear (t, s, z) d = DequantizeLinear (q, s, z) r = Relu (d) "
                  "p = QuantizeLinear (r, s, z) e = DequantizeLinear (p, s, z) y = Sin (e)") ==
          refusals{{"Sin", "Machine has no operation for Sin here"},
                   {"QuantizeLinear", reason},
                   {"DequantizeLinear", reason},
                   {"Sin", not_encoded}});
}
TEST_CASE("Where products give floats, what reads these and also dequantized ones is taken in floats") {
    static constexpr rule with_floats[]{{.of = kind::matmul, .types = floats_only, .quantized = bytes_only},
                                        {.of = kind::matmul, .types = bytes_only, .results = floats_only},
                                        {.of = kind::binary, .types = floats_only},
                                        {.of = kind::unary, .functions = these(function::exp), .types = floats_only},
                                        {.of = kind::quantize, .types = floats_only, .quantized = bytes_only},
                                        {.of = kind::dequantize, .types = floats_only, .quantized = bytes_only}};
    static constexpr rule_set left{
        .library = "Machine", .rules = with_floats, .tensors = {.mixes_codes = true}, .leaves_dequantized = true},
        gives{.library = "Machine",
              .rules = with_floats,
              .tensors = {.mixes_codes = true},
              .leaves_dequantized = true,
              .gives_floats = true};
    const model m = model_of(
        "g (float[2,2] x) => (float[2,2] y) <float s = {0.5}, uint8 z = {3}> { q = QuantizeLinear (x, s, z) "
        "d = DequantizeLinear (q, s, z) p = MatMul (d, d) a = Add (p, d) r = QuantizeLinear (a, s, z) "
        "e = DequantizeLinear (r, s, z) y = Exp (e) }",
        {.optimize = false});
    CHECK(refused_of(m, left).size() == m.view().nodes.size());
    CHECK(refused_of(m, gives).empty());
}
TEST_CASE("Candidates of fusion are taken whole where the rules want them") {
    static constexpr rule floats[]{{.of = kind::dense, .types = floats_only},
                                   {.of = kind::unary, .functions = these(function::gelu), .types = floats_only},
                                   {.of = kind::binary, .types = floats_only}};
    static constexpr rule_set alone{.library = "Machine", .rules = floats},
        fusing{.library = "Machine", .rules = floats, .fuses = true};
    const model m = model_of(
        "g (float[2,3] x) => (float[2,2] y) <float[3,2] w = {1,2,3,4,5,6}, float root = {1.4142135}, float one = {1}, "
        "float half = {0.5}> { a = MatMul (x, w) d = Div (a, root) e = Erf (d) f = Add (e, one) h = Mul (a, f) "
        "y = Mul (h, half) }");
    CHECK(refused_of(m, alone) == refusals{{"Erf", "Machine has no operation for Erf here"}});
    CHECK(refused_of(m, fusing).empty());
}

namespace {
// The processor's seconds for a graph of so many layers, each with a candidate of fusion; the minimum of several.
double seconds_to_propose(int layers) {
    static constexpr rule_set fusing{
        .library = "Machine", .rules = simple_kinds, .images = layout::plain, .fuses = true};
    std::string nodes, from = "x";
    for (int k = 0; k < layers; ++k) {
        const std::string n = std::to_string(k);
        nodes += "p" + n + " = Conv (" + from + ", w) ";
        from = k + 1 < layers ? "r" + n : "y";
        nodes += from + " = Relu (p" + n + ") ";
    }
    const model m = model_of("g (float[1,1,2,2] x) => (float[1,1,2,2] y) <float[1,1,1,1] w = {1}> { " + nodes + "}");
    REQUIRE(m.view().fused.size() >= std::size_t(layers));
    double minimum = 1e9;
    for (int repetition = 0; repetition < 3; ++repetition) {
        const std::clock_t start = std::clock();
        CHECK(refused_of(m, fusing).empty());
        minimum = std::min(minimum, double(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return minimum;
}
}  // namespace
TEST_CASE("Fifteen times the candidates of fusion take about fifteen times as long to propose") {
    const double once = seconds_to_propose(2000), fifteen_times = seconds_to_propose(30000);
    CAPTURE(once, fifteen_times);
    CHECK(fifteen_times < 30 * once);
}
