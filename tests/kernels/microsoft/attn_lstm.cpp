// Mirrors kernels/inlay/microsoft/attn_lstm.hpp. Expected values: ONNX Runtime's.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/attn_lstm.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
// Three steps of two sequences, two inputs, two hidden units; a memory of three steps.
call small(bool layered, element e = element::f32) {
    const std::int64_t state = 2;
    call c{.inputs = {ramp({3, 2, 2}, 7, 13, .25, 6, e), ramp({2, 8, 2 + state}, 5, 11, .125, 5, e),
                      ramp({2, 8, 2}, 3, 7, .25, 3, e), ramp({2, 16}, 5, 11, .125, 5, e), operand(),
                      ramp({2, 2, 2}, 3, 5, .25, 2, e), ramp({2, 2, 2}, 2, 7, .25, 3, e), ramp({2, 6}, 2, 5, .25, 2, e),
                      ramp({2, 2, 3}, 4, 9, .25, 4, e), ramp({2, 2, 3}, 2, 7, .25, 3, e), ramp({2, 3}, 3, 5, .5, 2, e),
                      ramp({2, 3, 2}, 3, 8, .25, 3, e), operand()},
           .with = [](graph_data& g) { return std::vector{g.make("direction", std::string_view("bidirectional"))}; },
           .outputs = {e, e, e}};
    if (layered) c.inputs.push_back(ramp({2, 4, 2}, 5, 7, .25, 3, e));
    return c;
}
std::string_view refusal_of(const call& c) { return reason_of<op::attn_lstm>(c); }
}  // namespace

TEST_CASE("AttnLSTM attends to a memory after each step, and sees the result in the next") {
    for (element e : {element::f32, element::f64})
        check_outputs(
            on_plain<op::attn_lstm>(small(true, e)),
            {{-0.2525289, -0.0672932,  -0.0006647779, 0.122566,    -0.02916181,  0.1097811,  -0.008159218, 0.05302013,
              -0.2444654, -0.09549809, -0.06007523,   0.08303072,  0.07564178,   0.1043822,  0.08362214,   0.08968425,
              -0.1569895, -0.1113718,  -0.02911036,   -0.00275894, -0.005442316, 0.08089227, 0.1849605,    0.04378793},
             {-0.1569895, -0.1113718, -0.02911036, -0.00275894, -0.02916181, 0.1097811, -0.008159218, 0.05302013},
             {-0.3857074, -0.2149037, -0.06572198, -0.005128361, -0.04140898, 0.1579134, -0.01230551, 0.07544166}});
}
TEST_CASE("AttnLSTM without AW has the context as its state; sequences and memories may be shorter") {
    call c = small(false);
    c.inputs[4] = whole<std::int32_t>({2}, {2, 3});
    c.inputs[12] = whole<std::int32_t>({2}, {3, 1});
    check_outputs(
        on_plain<op::attn_lstm>(c),
        {{-0.2525289, -0.0672932,  -0.0006647779, 0.122566,    -0.01075147, -0.02242942, 0.07433347, 0.1949077,
          -0.266901,  -0.08157985, -0.09111716,   0.1048812,   -0.08134384, 0.06421269,  0.17516,    0.1805751,
          0,          0,           -0.1017859,    0.009172473, 0,           0,           0.1849605,  0.04378793},
         {-0.266901, -0.08157985, -0.1017859, 0.009172473, -0.01075147, -0.02242942, 0.07433347, 0.1949077},
         {-0.6558897, -0.20262, -0.3077041, 0.01555128, -0.01657481, -0.03004058, 0.1085797, 0.2931617}});
}
TEST_CASE("AttnLSTM refuses what does not fit") {
    call c = small(true);
    c.inputs[11] = operand();
    CHECK(refusal_of(c) == "QW, MW, V or M is missing");
    c = small(true);
    c.inputs[11] = ramp({3, 3, 2}, 1, 7, 1, 0);
    CHECK(refusal_of(c) == "M must be [batch_size, steps, depth], and memory_seq_lens [batch_size]");
    c = small(true);
    c.inputs[10] = ramp({2, 4}, 1, 7, 1, 0);
    CHECK(refusal_of(c) == "QW, MW and V must be [num_directions, ..., attention size] and fit hidden_size and M");
    c = small(true);
    c.inputs[13] = ramp({2, 3, 2}, 1, 7, 1, 0);
    CHECK(refusal_of(c) == "AW must be [num_directions, hidden_size + depth of M, attention size]");
    c.inputs[13] = ramp({2, 4, 3}, 1, 7, 1, 0);
    CHECK(refusal_of(c) ==
          "W and R must be [num_directions, gates * hidden_size, ...] and agree with each other and with X");
    c = small(true);
    for (int length : {0, 4}) {
        c.inputs[12] = whole<std::int32_t>({2}, {3, length});
        CHECK(on_plain<op::attn_lstm>(c).detail ==
              "memory_seq_lens: a length is not positive or larger than the memory");
    }
}
