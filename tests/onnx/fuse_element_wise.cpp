#include "passes.hpp"

using namespace inlay;
using namespace inlay::testing;

namespace {
std::string program_of(const model& m, std::size_t k = 0) {  // "Mul(0 1) Clip(2)[-1 1]"
    const node_view n = offer(m, k);
    const auto operands = n.integers("operands");
    const auto numbers = n.reals("numbers");
    std::string text;
    for (std::size_t i = 0; i < n.texts("operators").size(); ++i) {
        text += (text.empty() ? "" : " ") + std::string(n.texts("operators")[i]) + "(" +
                std::to_string(operands[2 * i]) +
                (operands[2 * i + 1] < 0 ? "" : " " + std::to_string(operands[2 * i + 1])) + ")";
        if (numbers[2 * i] != 0 || numbers[2 * i + 1] != 0)
            text += "[" + std::to_string(numbers[2 * i]).substr(0, 4) + " " +
                    std::to_string(numbers[2 * i + 1]).substr(0, 4) + "]";
    }
    return text;
}
}  // namespace

TEST_CASE("Element-wise operators that follow each other are offered as one program", "[passes]") {
    const auto program = [](const std::string& body, const std::string& more = "", const std::string& results = "") {
        return after("(float[N,S,4] x" + more + ") => (float[N,S,4] y" + results + ") { " + body + " }",
                     {"fuse_element_wise"}, numbers);
    };
    const auto offered = [&](const std::string& body, const std::string& more = "", const std::string& results = "") {
        return offers(program(body, more, results));
    };
    CHECK(offered("a = Mul(x, scale) b = Add(a, shift) y = Relu(b)") == "TileProgram(0 1 2)");
    CHECK(offered("a = Sigmoid(x) y = Mul(x, a)") == "TileProgram(0 1)");
    CHECK(offered("a = Tanh(x) b = Erf(x) c = Sqrt(x) d = HardSigmoid(x) e = HardSwish(x) f = Add(a, b) g = Sub(c, d) "
                  "h = Div(e, f) y = Mul(g, h)") == "TileProgram(0 1 2 3 4 5 6 7 8)");
    CHECK(offered("a = Relu(x) b = Softmax(a) c = Relu(b) y = Sqrt(c)") == "TileProgram(2 3)");
    CHECK(offered("a = Relu(x) b = Sqrt(a) c = Softmax(b) d = Relu(c) y = Sqrt(d)") ==
          "TileProgram(0 1) TileProgram(3 4)");
    CHECK(offered("a = Mul(z, scale) y = Add(x, a)", ", float[N,S,4] z") == "TileProgram(0 1)");
    // Where the chain breaks.
    CHECK(offered("y = Relu(x)") == "");
    CHECK(offered("a = Relu(x) y = Neg(a)") == "");
    CHECK(offered("a = Relu(x) y = Sqrt(a)", "", ", float[N,S,4] a") == "");
    CHECK(offered("a = Relu(x) b = Sqrt(a) y = Sqrt(b)", "", ", float[N,S,4] a") == "TileProgram(1 2)");
    CHECK(offered("a = Relu(x) b = Softmax(a) c = Add(a, b) y = Sqrt(c)") ==
          "TileProgram(2 3)");  // a is needed by Softmax too
    CHECK(offered("a = Relu(z) y = Add(x, a)", ", float[4] z") ==
          "");  // a is smaller: it would be computed for each row again
    CHECK(offered("a = Relu(x) b = Add(a, z) y = Softmax(b)", ", float[M,S,4] z") ==
          "");  // nothing shows that the shapes are the same
    CHECK(offered("a = Pow(x, five) y = Sqrt(a)") == "");
    CHECK(offered("a = Pow(two, x) y = Sqrt(a)") == "");
    CHECK(offered("a = Pow(x, x) y = Sqrt(a)") == "");
    CHECK(offers(after("(int64[N] x) => (int64[N] y) { a = Add(x, x) y = Mul(a, x) }", {"fuse_element_wise"})) == "");

    const model m = program(
        "a = Pow(x, three) b = Clip(a, half, five) c = HardSigmoid<alpha = 0.25>(b) d = Sub(scale, c) e = Mul(d, z) y "
        "= Div(e, e)",
        ", float[N,S,4] z");
    CHECK(program_of(m) == "Pow(0)[3.00 0.00] Clip(3)[0.50 5.00] HardSigmoid(4)[0.25 0.50] Sub(2 5) Mul(6 1) Div(7 7)");
    CHECK(inputs_of(m) == "x z scale");  // those of the result's shape first: the result may lie where x does
    CHECK(offer(m).output(0).name == "y");
    CHECK(offer(m).record.domain == "inlay");
    CHECK(m.view().nodes.size() == 6);  // nothing is replaced
}
TEST_CASE("A program has at most 16 operators and 8 inputs; what does not fit begins another", "[passes]") {
    const auto offered = [](int count, int inputs) {
        std::string body, in;
        for (int i = 0; i < inputs; ++i) in += ", float[N,4] i" + std::to_string(i);
        for (int i = 0; i < count; ++i) {
            const std::string from = i == 0 ? "x" : "v" + std::to_string(i - 1),
                              to = i == count - 1 ? "y" : "v" + std::to_string(i);
            body += to + (i < inputs ? " = Add(" + from + ", i" + std::to_string(i) + ") " : " = Sqrt(" + from + ") ");
        }
        return offers(after("(float[N,4] x" + in + ") => (float[N,4] y) { " + body + " }", {"fuse_element_wise"}));
    };
    CHECK(offered(16, 0) == "TileProgram(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)");
    CHECK(offered(17, 0) == "TileProgram(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)");
    CHECK(offered(18, 0) == "TileProgram(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17) TileProgram(0 1)");
    CHECK(offered(7, 7) == "TileProgram(0 1 2 3 4 5 6)");
    CHECK(offered(9, 9) == "TileProgram(2 3 4 5 6 7 8) TileProgram(0 1)");
}
TEST_CASE("What another fusion may take stays with it", "[passes]") {
    const auto offered = [](std::vector<std::string> passes) {
        return offers(
            after("(float[N,S,3] x, float[3,4] w, float[N,S,4] z) => (float[N,S,4] y) { a = MatMul(x, w) b = Add(a, "
                  "shift) c = Relu(b) d = Mul(c, scale) y = Add(d, z) }",
                  passes, numbers));
    };
    CHECK(offered({"fuse_matmul", "fuse_element_wise"}) ==
          "FusedMatMul(0 1 2)=Relu FusedMatMul(0 1)= TileProgram(3 4)");
    CHECK(offered({"fuse_element_wise"}) == "TileProgram(1 2 3 4)");
}
