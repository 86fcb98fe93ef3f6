// What is claimed where nodes after DequantizeLinear are computed in 8 bits or not at all.
#include "lowered.hpp"
#include <lowering/proposing.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr element_set bytes_only = element_set::of({element::u8, element::i8});
constexpr rule rows[]{
    {.of = kind::unary, .which = these(function::relu), .types = floats_only, .quantized = bytes_only},
    {.of = kind::unary, .which = these(function::exp), .types = floats_only},
    {.of = kind::quantize, .types = floats_only, .quantized = bytes_only},
    {.of = kind::dequantize, .types = floats_only, .quantized = bytes_only}};
constexpr rule_set in_codes_only{.library = "Machine", .rules = rows, .leaves_dequantized = true};

// The operators that are refused, each with its reason.
std::vector<std::pair<std::string, std::string>> refused(const std::string& nodes) {
    const model m = model_of("g (float[4] x) => (float[4] y) <float s = {0.5}, uint8 z = {3}> { " + nodes + " }",
                             {.optimize = false});
    const graph_view& g = m.view();
    std::vector<int> all;
    for (int i = 0; i < int(g.nodes.size()); ++i) all.push_back(i);
    const auto elements = model_constants(m);
    const free_nodes free{g, all, &elements};
    region_ends finder(g);
    proposals out;
    propose_nodes(
        free, in_codes_only,
        [&](std::span<const int> some, const byte_nodes& in_bytes) {
            return refusal_by_rules(free, some, in_bytes, {&in_codes_only, "1"}, finder);
        },
        out);
    std::vector<std::pair<std::string, std::string>> list;
    for (const auto& r : out.refusals()) list.emplace_back(g.nodes[std::size_t(r.node)].op, r.why);
    return list;
}
using refusals = std::vector<std::pair<std::string, std::string>>;
const std::string encoded = "q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) ";
const std::string not_encoded =
    "its result is not only encoded to 8 bits again, with one scale that is known before the run";
const std::string alone = "no node beside it is computed in 8 bits";
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
TEST_CASE("What encodes another provider's floats, or decodes for it, is left to it") {
    const std::string others = "the floats beside it are another provider's, which may have them in integers";
    CHECK(refused("t = Sin (x) q = QuantizeLinear (t, s, z) d = DequantizeLinear (q, s, z) r = Relu (d) "
                  "p = QuantizeLinear (r, s, z) e = DequantizeLinear (p, s, z) y = Sin (e)") ==
          refusals{{"Sin", "Machine has no operation for Sin here"},
                   {"QuantizeLinear", others},
                   {"DequantizeLinear", others},
                   {"Sin", not_encoded}});
}
