// What a shadow run compares: other memories and layouts, data-dependent shapes, control flow, other models.
#include "../../models.hpp"
#include "../../session/test_providers.hpp"
#include "tool/shadow.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
tool::values random_of(const model& m, std::uint64_t seed) {
    tool::input_arguments in;
    in.random = true;
    in.seed = seed;
    return tool::gather_inputs(in, m, true);
}
template <class... P> std::vector<provider_handle> handles_of(const P&... p) { return {make_handle(p)...}; }
tool::shadow_result compared(const model& a, const model& b, const tool::values& inputs,
                             std::function<std::vector<provider_handle>()> of_a, std::int64_t window = 1 << 20) {
    return tool::run_shadow([&] { return watched_session(a, of_a(), {.log_severity_level = int(severity::error)}); },
                            [&](const model& a_model) {
                                return tool::computed_side(a_model, &a == &b ? a_model : b, handles_of(reference{}), {},
                                                           inputs);
                            },
                            inputs, {.window = window});
}
tool::shadow_result compared(const model& m) {
    return compared(m, m, random_of(m, 1), [] { return handles_of(cpu{.threads = 2}); });
}
void check_agrees(const tool::shadow_result& r, int values) {
    INFO((r.difference ? r.difference->words : ""));
    CHECK(!r.difference);
    CHECK(r.compared == values);
    CHECK(r.left_out.empty());
}
std::string grouped(const char* body) { return "<ir_version: 8, opset_import: [\"\" : 17]> g " + std::string(body); }
}  // namespace

TEST_CASE("Values in another memory are compared, and what carries them", "[shadow]") {
    const model m =
        model_of(grouped("(float[2,3] x, float[2,3] z) => (float[2,3] y) {"
                         " a = Add(x, z) b = Mul(a, z) c = Relu(b) y = Add(c, a) }"));
    for (const std::int64_t window : {1, 1 << 20})
        check_agrees(compared(
                         m, m, random_of(m, 1), [] { return handles_of(board{}, second_board{}, cpu{}); }, window),
                     4);
}
TEST_CASE("Slices of a Concat along the channels are compared", "[shadow]") {
    check_agrees(
        compared(model_of(grouped(
            "(float[1,8,5,5] x, float[8,8,1,1] w, float[8,8,3,3] v) => (float[1,16,5,5] y) {"
            " a = Conv(x, w) b = Conv<pads = [1, 1, 1, 1]>(x, v) c = Concat<axis = 1>(a, b) y = Sigmoid(c) }"))),
        4);
}
TEST_CASE("Values whose shapes only the run shows are compared", "[shadow]") {
    check_agrees(compared(model_of(grouped("(float[3,4] x) => (float[M,K] y) {"
                                           " i = NonZero(x) f = Cast<to = 1>(i) g = Exp(f) y = Transpose(g) }"))),
                 4);
}
TEST_CASE("Nodes of control flow are compared as a whole, with what they capture", "[shadow]") {
    check_agrees(compared(model_of(grouped("(float[2] x, bool c) => (float[2] y) {"
                                           " a = Exp(x) b = If(c) <"
                                           " then_branch = t () => (float[2] p) { p = Mul(a, x) },"
                                           " else_branch = e () => (float[2] q) { q = Sub(a, x) } > y = Neg(b) }"))),
                 3);
}
TEST_CASE("Sequences are compared", "[shadow]") {
    check_agrees(compared(model_of(grouped("(float[2] x, float[2] z) => (float[4] y) {"
                                           " a = Exp(x) s = SequenceConstruct(a, z)"
                                           " y = ConcatFromSequence<axis = 0>(s) }"))),
                 3);
}
TEST_CASE("Values of another model are paired by their names, whatever lies between them", "[shadow]") {
    const model a =
        model_of(grouped("(float[4] x) => (float[4] y, float[4] z) {"
                         " e = Exp(x) t = Tanh(e) z = Neg(t) s = Softmax<axis = 0>(t) y = Sigmoid(s) }"));
    // y takes what the first model computed some steps before; s is not there.
    const model b =
        model_of(grouped("(float[4] x) => (float[4] y, float[4] z) {"
                         " e = Exp(x) t = Tanh(e) z = Neg(t) u = Softmax<axis = 0>(t) y = Sigmoid(u) }"));
    const model wrong =
        model_of(grouped("(float[4] x) => (float[4] y, float[4] z) {"
                         " e = Exp(x) t = Tanh(e) z = Neg(t) u = Softmax<axis = 0>(e) y = Sigmoid(u) }"));
    for (const std::int64_t window : {1, 1 << 20}) {
        const auto plain = [] { return handles_of(reference{}); };
        const tool::shadow_result same = compared(a, b, random_of(a, 1), plain, window);
        CHECK(!same.difference);
        CHECK(same.compared == 4);
        REQUIRE(same.left_out.size() == 1);
        CHECK(has_text(same.left_out[0], "`s`: the other model has no value of that name"));
        const tool::shadow_result differing = compared(a, wrong, random_of(a, 1), plain, window);
        REQUIRE(differing.difference);
        CHECK(differing.difference->name == "y");
    }
}
TEST_CASE("A model of float16 is compared with its floats", "[shadow]") {
    const model half =
        model_of(grouped("(float[4] x) => (float16[4] y) { h = Cast<to = 10>(x) e = Exp(h) y = Neg(e) }"));
    const model whole = model_of(grouped("(float[4] x) => (float[4] y) { h = Identity(x) e = Exp(h) y = Neg(e) }"));
    const tool::shadow_result r = compared(half, whole, random_of(half, 1), [] { return handles_of(reference{}); });
    INFO((r.difference ? r.difference->words : ""));
    CHECK(!r.difference);
    CHECK(r.largest.absolute > 0);
    CHECK(r.outputs.size() == 1);
}
