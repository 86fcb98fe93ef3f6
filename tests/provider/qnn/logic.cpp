// Comparisons, logic, choices and types on QNN, compared with the reference kernels: all nodes are QNN's.
#include "exact.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
// Of float32 x to integers of 32 bits, or to what is true.
std::string network(const std::string& type, const std::string& body, const std::string& constants = {}) {
    return "<ir_version: 10, opset_import: [\"\" : 17]> g (float[2,3,4,5] x) => (" + type + "[2,3,4,5] y) " +
           (constants.empty() ? "" : "<" + constants + "> ") + "{ " + body + " }";
}
const shape dims{2, 3, 4, 5};
const std::string channels = "float[3,1,1] w = {0.5,-1,0}", whole = "int32[3,1,1] w = {1,-2,3}",
                  integers = "i = Cast <to = 6> (x) ";
}  // namespace

TEST_CASE("Comparisons and logic on QNN", "[qnn]") {
    for (const std::string op : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}) {
        check_exact<bool>(inlay::qnn{}, network("bool", "y = " + op + "(x, w)", channels), dims);
        check_exact<bool>(inlay::qnn{}, network("bool", integers + "y = " + op + "(w, i)", whole), dims);
    }
    for (const std::string op : {"And", "Or", "Xor"})
        check_exact<bool>(
            inlay::qnn{},
            network("bool", "a = Less(x, w) n = Neg(x) b = Less(n, w) c = Not(b) y = " + op + "(a, c)", channels),
            dims);
    CHECK(has_text(why_not<inlay::qnn>("g (int64[2] x) => (bool[2] y) { y = Equal(x, x) }", "Equal"), "type int64"));
}

TEST_CASE("Integers of 32 bits are computed and moved on QNN", "[qnn]") {
    const auto check = [](const std::string& body, const std::string& constants = {}) {
        check_exact<std::int32_t>(inlay::qnn{}, network("int32", integers + body, constants), dims);
    };
    for (const std::string op : {"Add", "Sub", "Mul", "Max", "Min"}) check("y = " + op + "(i, w)", whole);
    check("y = Sub(w, i)", whole);
    check("y = Abs(i)");
    check("t = Transpose <perm = [3,2,1,0]> (i) y = Reshape(t, s)", "int64[4] s = {2,3,4,5}");
    check("a, b = Split <axis = 1> (i, s) y = Concat <axis = 1> (b, a)", "int64[2] s = {1,2}");
    check("y = Gather <axis = 2> (i, p)", "int64[4] p = {3,-4,1,2}");
    check("m = ReduceSum(i, a) y = Add(m, i)", "int64[1] a = {-1}");
    check("m = ReduceMax <axes = [1]> (i) y = Sub(m, i)");
    for (const std::string direction : {"", "<exclusive = 1>", "<reverse = 1>", "<exclusive = 1, reverse = 1>"})
        check("y = CumSum " + direction + " (i, a)", "int32 a = {-2}");
    CHECK(has_text(why_not<inlay::qnn>("g (int32[2] x) => (int32[2] y) { y = Div(x, x) }", "Div"), "type int32"));
}

TEST_CASE("Types become others on QNN, where its integers of 32 bits are enough", "[qnn]") {
    check_exact<std::int32_t>(inlay::qnn{}, network("int32", "y = Cast <to = 6> (x)"), dims);
    check_exact<bool>(inlay::qnn{}, network("bool", "y = Cast <to = 9> (x)"), dims);
    check_exact<bool>(inlay::qnn{}, network("bool", integers + "y = Cast <to = 9> (i)"), dims);
    check_exact<float>(inlay::qnn{}, network("float", integers + "y = Cast <to = 1> (i)"), dims);
    check_exact<float>(inlay::qnn{}, network("float", "b = Cast <to = 9> (x) y = Cast <to = 1> (b)"), dims);
    check_exact<std::int64_t>(inlay::qnn{}, network("int64", integers + "y = Cast <to = 7> (i)"), dims);
    check_exact<std::int64_t>(inlay::qnn{}, network("int64", "b = Cast <to = 9> (x) y = Cast <to = 7> (b)"), dims);
    const model narrow = model_of("g (int64[4] x) => (int32[4] y) { y = Cast <to = 6> (x) }");
    const tensor x({4}, {std::int64_t(1) << 40 | 5, std::int64_t(-7), std::int64_t(3'000'000'000), std::int64_t(0)});
    const inlay::session s{narrow, quiet(), inlay::qnn{}, cpu{}};
    CHECK(elements<std::int32_t>(s.run({{"x", x}})[0]) == std::vector<std::int32_t>{5, -7, -1'294'967'296, 0});
    CHECK(s.plan().count(cpu::name) == 0);
    const auto refusal = [](const std::string& from, const std::string& to, const std::string& number) {
        return why_not<inlay::qnn>("g (" + from + "[2] x) => (" + to + "[2] y) { y = Cast <to = " + number + "> (x) }",
                                   "Cast");
    };
    CHECK(has_text(refusal("int64", "float", "1"), "no tensors of type int64"));
    CHECK(has_text(refusal("float", "int64", "7"), "no tensors of type float here"));
    CHECK(has_text(refusal("float", "uint8", "2"), "no operation for Cast"));
}

TEST_CASE("QNN chooses among integers, and among floats where they are of 16 bits", "[qnn]") {
    check_exact<std::int32_t>(inlay::qnn{}, network("int32", integers + "c = Less(i, w) y = Where(c, i, w)", whole),
                              dims);
    check_exact<std::int32_t>(inlay::qnn{},
                              network("int32", integers + "c = Less(i, w) y = Where(c, w, i)", "int32 w = {1}"), dims);
    CHECK(has_text(why_not<inlay::qnn>(network("float", "c = Less(x, w) y = Where(c, x, w)", channels), "Where"),
                   "processors with fp16"));
}
