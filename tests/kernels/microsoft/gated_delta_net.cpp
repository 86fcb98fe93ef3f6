// Mirrors kernels/inlay/microsoft/gated_delta_net.hpp. Expected values: ONNX Runtime's.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/gated_delta_net.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
using numbers_of = std::vector<std::int32_t>;
using attribute_list = std::vector<std::pair<std::string_view, std::string_view>>;
// Two sequences, of one and three tokens; one head of queries and keys, two of values.
call net(const tensor& decay, const attribute_list& texts = {},
         std::vector<std::pair<std::string_view, double>> reals = {},
         std::vector<std::pair<std::string_view, std::int64_t>> integers = {}, element e = element::f32) {
    return {.inputs = {ramp({4, 1, 3}, 7, 13, .125, 6, e), ramp({4, 1, 3}, 5, 11, .125, 5, e),
                       ramp({4, 2, 2}, 3, 8, .25, 3, e), tensor({3}, numbers_of{0, 1, 4}), decay,
                       ramp({4, 2}, 3, 7, .125, 0), ramp({2, 2, 2, 3}, 4, 9, .125, 4)},
            .with =
                [=](graph_data& g) {
                    std::vector<attribute> entries;
                    for (const auto& [name, x] : texts) entries.push_back(g.make(name, x));
                    for (const auto& [name, x] : reals) entries.push_back(g.make(name, x));
                    for (const auto& [name, x] : integers) entries.push_back(g.make(name, x));
                    return entries;
                },
            .outputs = {e, element::f32}};
}
tensor decay() { return ramp({4, 2}, 2, 5, -.25, 0); }
call captured() {
    call c = net(decay(), {}, {}, {{"state_update_capacity", 2}});
    c.inputs.insert(c.inputs.end(), {operand(), operand(), tensor({2}, numbers_of{1, 2})});
    c.outputs.push_back(element::f32);
    return c;
}
const real_numbers first_output{0.03608439, 0.1714009, -0.09594402, 0.007017015, -0.09110105,  -0.1142589,
                                0.03899958, -0.156379, 0.1383136,   0.03923247,  -0.004434604, 0.1566856,
                                -0.121489,  -0.242597, 0.02359964,  -0.06032771},
    last_state{-0.5,      0,           0.5,       -0.125,      0.375,      -0.25,       -0.03525449, -0.227449,
               0.2627035, -0.09723057, 0,         0.09723057,  -0.1430658, 0.1609591,   -0.1345187,  -0.2358478,
               0.1286892, -0.3422658,  -0.127423, -0.02277288, 0.1568913,  -0.04407253, 0.1258084,   -0.0816257};
std::string_view refusal_of(const call& c) { return reason_of<op::gated_delta_net>(c); }
}  // namespace

TEST_CASE("GatedDeltaNet changes a state by each token of a sequence, and reports the changes") {
    check_outputs(on_plain<op::gated_delta_net>(captured()),
                  {first_output, last_state, {1,           0.6065307,  0,          0,          -0.625,     0,
                                              0.625,       0,          0,          0,          0,          0,
                                              0.2990195,   -0.3296556, 0,          0,          0,          0,
                                              0.3678795,   0.7788008,  0.4723665,  1,          -0.125,     0.5,
                                              -0.25,       0.375,      -0.375,     0.25,       0.1142115,  0.8189774,
                                              -0.05033124, 0.07328276, -0.4315876, 0.04293101, 0.09796662, -0.035443}});
    call c = captured();
    c.inputs.push_back(tensor({1}, numbers_of{0}));
    for (double x : numbers(on_plain<op::gated_delta_net>(c)[2])) CHECK(x == 0);
}
TEST_CASE("GatedDeltaNet takes float16 and bfloat16, whose states stay float32") {
    for (element e : {element::f16, element::bf16})
        check_outputs(on_plain<op::gated_delta_net>(net(decay(), {}, {}, {}, e)), {first_output, last_state},
                      e == element::f16 ? 1e-3 : 1e-2);
    call c = net(ramp({4, 2}, 2, 5, -.25, 0, element::f16), {}, {}, {}, element::f16);
    c.inputs[5] = ramp({4, 2}, 3, 7, .125, 0, element::f16);
    check_outputs(on_plain<op::gated_delta_net>(c), {first_output, last_state}, 1e-3);
}
TEST_CASE("GatedDeltaNet makes gates of what is projected, and divides queries and keys by their length") {
    call c = net(ramp({4, 2, 3}, 2, 5, -.25, 2), {{"gate_activation", "softplus"}, {"beta_activation", "sigmoid"}},
                 {{"scale", .5}}, {{"qk_l2_norm", 1}});
    c.inputs.insert(c.inputs.end(), {numbers(element::f32, {2}, {.5, -.25}), ramp({2, 3}, 3, 4, .25, 1)});
    check_outputs(on_plain<op::gated_delta_net>(c),
                  {{-0.03455606, 0.0487193, -0.05920939, 0.02140386, -0.1047444, -0.3059576, 0.06538548, -0.1915567,
                    0.2502688, 0.02158852, -0.2082199, 0.1870717, -0.09682926, -0.3121107, 0.1043014, -0.1581567},
                   {0.2174487, 0,          -0.1521006, -0.04820189, 0.07525969, -0.08055227, -0.2085296, -0.2592297,
                    0.3848757, 0.07790118, 0,          -0.1608951,  -0.1603099, 0.09601308,  -0.104551,  -0.377623,
                    0.104273,  -0.4871228, 0.08474927, -0.2374431,  0.1635586,  -0.1977868,  0.2534609,  -0.2080432}});
    c = net(decay(), {{"gate_activation", "kda"}}, {{"gate_lower_bound", -2}});
    c.inputs.insert(c.inputs.end(), {numbers(element::f32, {2}, {.5, -.25}), numbers(element::f32, {2}, {.25, -1})});
    check_outputs(
        on_plain<op::gated_delta_net>(c),
        {{0.01083346, 0.05145893, -0.09876526, 0.007418896, -0.128128, -0.07898068, 0.0324296, -0.1230193, 0.1583469,
          0.02873592, -0.01624568, 0.07391696, -0.1112857, -0.2363653, 0.02983451, -0.05519699},
         {-0.1501128, 0,          0.1501128,   -0.0375282,  0.1125846,  -0.0750564,  -0.03160487, -0.2333561,
          0.2649609,  -0.1027992, 0,           0.1027992,   -0.1235349, 0.143319,    -0.1301712,  -0.2285902,
          0.1043729,  -0.3379751, -0.08105846, -0.03524417, 0.1305745,  -0.04481122, 0.1114156,   -0.07156003}});
}
TEST_CASE("GatedDeltaNet has rules without decay and without beta") {
    const auto rule = [](std::string_view name, bool gated, bool corrected) {
        call c = net(decay(), {{"update_rule", name}});
        if (!gated) c.inputs[4] = operand();
        if (!corrected) c.inputs[5] = operand();
        return on_plain<op::gated_delta_net>(c);
    };
    // The first sequence's only token: S + v k of the first head of values.
    const real_numbers k = numbers(ramp({4, 1, 3}, 5, 11, .125, 5)), v = numbers(ramp({4, 2, 2}, 3, 8, .25, 3)),
                       s = numbers(ramp({2, 2, 2, 3}, 4, 9, .125, 4));
    const outcome linear = rule("linear", false, false), gated = rule("gated", true, false),
                  delta = rule("delta", false, true);
    REQUIRE(linear.answer);
    REQUIRE(gated.answer);
    REQUIRE(delta.answer);
    for (std::size_t i = 0; i < 12; ++i) {
        const double added = v[i / 3] * k[i % 3], fade = std::exp(numbers(decay())[i / 6]);
        CHECK(numbers(linear[1])[i] == Approx(s[i] + added).margin(1e-6));
        CHECK(numbers(gated[1])[i] == Approx(fade * s[i] + added).margin(1e-6));
        const std::size_t row = i / 3 * 3;
        const double estimate = s[row] * k[0] + s[row + 1] * k[1] + s[row + 2] * k[2],
                     beta = numbers(ramp({4, 2}, 3, 7, .125, 0))[i / 6];
        CHECK(numbers(delta[1])[i] == Approx(s[i] + beta * (v[i / 3] - estimate) * k[i % 3]).margin(1e-6));
    }
}
TEST_CASE("GatedDeltaNet takes queries, keys and values side by side, and batches as an axis") {
    call apart = net(decay()), together = apart;
    const real_numbers q = numbers(apart.inputs[0].value), k = numbers(apart.inputs[1].value),
                       v = numbers(apart.inputs[2].value);
    real_numbers values;
    for (std::ptrdiff_t t = 0; t < 4; ++t) {
        values.insert(values.end(), q.begin() + t * 3, q.begin() + (t + 1) * 3);
        values.insert(values.end(), k.begin() + t * 3, k.begin() + (t + 1) * 3);
        values.insert(values.end(), v.begin() + t * 4, v.begin() + (t + 1) * 4);
    }
    together.inputs[0] = numbers(element::f32, {4, 10}, values);
    together.inputs[1] = together.inputs[2] = operand();
    check_outputs(on_plain<op::gated_delta_net>(together), {first_output, last_state});
    apart.inputs[3] = operand();  // two sequences of two tokens each, as initial_state says
    const outcome reference = on_plain<op::gated_delta_net>(apart);
    REQUIRE(reference.answer);
    for (const auto& [k, dims] :
         {std::pair{0, shape{2, 2, 1, 3}}, std::pair{1, shape{2, 2, 1, 3}}, std::pair{2, shape{2, 2, 2, 2}},
          std::pair{4, shape{2, 2, 2}}, std::pair{5, shape{2, 2, 2}}})
        apart.inputs[std::size_t(k)] = apart.inputs[std::size_t(k)].value.reshaped(dims);
    const outcome y = on_plain<op::gated_delta_net>(apart);
    REQUIRE(y.answer);
    CHECK(y[0].shape() == shape{2, 2, 2, 2});
    for (std::size_t i : {0, 1}) CHECK(numbers(y[i]) == numbers(reference[i]));
}
TEST_CASE("GatedDeltaNet refuses what does not fit") {
    call c = net(decay());
    c.inputs[4] = operand();
    CHECK(refusal_of(c) == "decay is what gated rules have, and no others");
    CHECK(refusal_of(net(decay(), {{"update_rule", "linear"}})) == "decay is what gated rules have, and no others");
    CHECK(refusal_of(net(decay(), {{"gate_activation", "softplus"}})) ==
          "a_log and dt_bias are what gate_activation reads, and nothing else");
    CHECK(refusal_of(net(ramp({4, 1}, 1, 5, 1, 0))) == "decay must have one number, or d_k, for each token and head");
    CHECK(refusal_of(net(decay(), {}, {}, {{"state_update_capacity", 9}})) == "state_update_capacity must be 0 to 8");
    CHECK(refusal_of(net(decay(), {}, {}, {{"state_update_capacity", 1}})) ==
          "capture_count is there exactly where state_update_capacity is positive");
    c = net(decay());
    c.inputs[3] = c.inputs[6] = operand();
    CHECK(refusal_of(c) == "cu_seqlens, initial_state or an axis must tell how many sequences there are");
    c = net(decay());
    c.inputs[3] = tensor({3}, numbers_of{0, 1, 3});
    CHECK(on_plain<op::gated_delta_net>(c).detail == "cu_seqlens must go from 0 to the number of tokens");
    c = net(decay());
    c.inputs[3] = tensor({4}, numbers_of{0, 3, 2, 4});
    c.inputs[6] = operand();
    CHECK(on_plain<op::gated_delta_net>(c).detail == "cu_seqlens must not descend");
}
