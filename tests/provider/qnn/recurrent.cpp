// LSTM and GRU on QNN, compared with the reference kernels: in each direction, with and without what is optional.
#include "../engines.hpp"
#include <inlay/provider/qnn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr int steps = 5, batch = 2, features = 3, hidden = 4;

std::string list(int count, int seed) {
    std::string text;
    for (int k = 0; k < count; ++k) text += (k ? ", " : "") + std::to_string(.1 * ((k * 7 + seed) % 13) - .6);
    return text;
}
std::string weights(const std::string& name, std::initializer_list<int> dims, int seed) {
    std::string text;
    int count = 1;
    for (const int d : dims) {
        text += (text.empty() ? "" : ",") + std::to_string(d);
        count *= d;
    }
    return "float[" + text + "] " + name + " = {" + list(count, seed) + "}";
}
std::string network(const std::string& op, const std::string& direction, const std::string& more, bool bias, bool state,
                    const std::string& output) {
    const bool lstm = op == "LSTM";
    const int directions = direction == "bidirectional" ? 2 : 1, gates = lstm ? 4 : 3;
    std::string constants = weights("w", {directions, gates * hidden, features}, 1) + ", " +
                            weights("r", {directions, gates * hidden, hidden}, 2);
    if (bias) constants += ", " + weights("b", {directions, 2 * gates * hidden}, 3);
    std::string call = "(x, w, r, " + std::string(bias ? "b" : "") + ", , ";
    std::string inputs = "float[5,2,3] x";
    if (state) {
        constants += ", int64[3] s = {" + std::to_string(directions) + ",2,4}, " +
                     weights("u", {features, directions * hidden}, 5);
        call += std::string("h") + (lstm ? ", c" : "");
    }
    const std::string before =
        state ? "m = ReduceMean <axes = [0], keepdims = 0> (x) p = MatMul(m, u) h = Reshape(p, s) c = Tanh(h) "
              : std::string();
    const std::string d = std::to_string(directions);
    const std::string dims = output == "y" ? "5," + d + ",2,4" : d + ",2,4";
    while (call.ends_with(", ") || call.ends_with(" ,")) call.erase(call.find_last_of(','));
    return "<ir_version: 10, opset_import: [\"\" : 17]> g (" + inputs + ") => (float[" + dims + "] " + output + ") <" +
           constants + "> { " + before + "y, yh" + (lstm ? ", yc" : "") + " = " + op +
           " <hidden_size = 4, direction = \"" + direction + "\"" + more + "> " + call + ") }";
}
}  // namespace

TEST_CASE("Sequences of LSTM are computed on QNN in each direction, with all of their results", "[qnn]") {
    const shape x{steps, batch, features};
    for (const std::string direction : {"forward", "reverse", "bidirectional"})
        for (const bool has_optional : {false, true})
            for (const std::string output : {"y", "yh", "yc"})
                check_taken(inlay::qnn{}, network("LSTM", direction, "", has_optional, has_optional, output), x);
}

TEST_CASE("Sequences of GRU are computed on QNN in each direction, with the reset before or behind", "[qnn]") {
    const shape x{steps, batch, features};
    for (const std::string direction : {"forward", "reverse", "bidirectional"})
        for (const bool has_optional : {false, true})
            for (const std::string reset : {"", ", linear_before_reset = 1"})
                for (const std::string output : {"y", "yh"})
                    check_taken(inlay::qnn{}, network("GRU", direction, reset, has_optional, has_optional, output), x);
}

TEST_CASE("Sequences that are written otherwise, or too long to be written step by step, are not QNN's", "[qnn]") {
    const auto refusal = [](const std::string& more) {
        return why_not<inlay::qnn>(network("GRU", "forward", more, true, false, "y"), "GRU");
    };
    CHECK(has_text(refusal(", clip = 1.0"), "cut or coupled"));
    CHECK(has_text(refusal(", activations = [\"Relu\", \"Tanh\"]"), "other ones than Sigmoid and Tanh"));
    std::string text = network("LSTM", "forward", "", true, false, "yh");
    text.replace(text.find("float[5,2,3]"), 12, "float[129,2,3]");
    CHECK(has_text(why_not<inlay::qnn>(text, "LSTM"), "129 steps, which are written one by one: more than 128"));
}
