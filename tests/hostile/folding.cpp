// What the loader computes from constants and sizes: it must end in time and memory, and change no result.
#include "attempt.hpp"

using namespace inlay::testing;

namespace {
constexpr const char *least = "-9223372036854775808", *most = "9223372036854775807",
                     *all_ok = "load: ok; cpu: ok; reference: ok";
std::string number(const std::string& name, const std::string& value) {
    return name + " = Constant<value = int64 {" + value + "}>() ";
}
std::string list(const std::string& name, const std::string& values) {
    return name + " = Constant<value = int64[" + std::to_string(std::count(values.begin(), values.end(), ',') + 1) +
           "] {" + values + "}>() ";
}
void add_floats(onnx::ModelProto& m, const std::string& name, std::initializer_list<std::int64_t> dims,
                std::size_t count) {
    auto& t = *m.mutable_graph()->add_initializer();
    t.set_name(name);
    t.set_data_type(onnx::TensorProto::FLOAT);
    for (auto d : dims) t.add_dims(d);
    t.set_raw_data(std::string(4 * count, '\0'));
}
}  // namespace

TEST_CASE("Integers that overflow while they are folded wrap around, as they do in a run", "[hostile]") {
    for (const char* op : {"Add", "Sub", "Mul", "Div"})
        for (const char* a : {least, most, "-1", "4611686018427387904"})
            for (const char* b : {least, most, "-1", "4"})
                check_hostile_text(std::string(op) + " of " + a + " and " + b,
                                   "g (int64[1] z) => (int64[?] y) { " + list("a", a) + list("b", b) + "c = " + op +
                                       "(a, b) y = Add(c, z) }",
                                   all_ok);
    check_hostile_text("sizes times 2^62",
                       "g (float[4,4] x) => (float[?] y) { s = Shape(x) " + list("k", "4611686018427387904") +
                           "t = Mul(s, k) y = Reshape(x, t) }",
                       "load: ok; cpu: ");
    check_hostile_text(
        "sizes plus the largest integer",
        "g (float[4,4] x) => (float[?] y) { s = Shape(x) " + list("k", most) + "t = Add(s, k) y = Expand(x, t) }",
        "load: ok; cpu: ");
    check_hostile_text("sizes minus the least integer",
                       "g (float[4,4] x) => (float[?] y) { s = Shape(x) " + list("k", least) +
                           "t = Sub(s, k) y = ConstantOfShape(t) }",
                       "load: ok; cpu: ");
    check_hostile_text(
        "sizes cut to int32",
        "g (float[4,4] x) => (int32[?] y) { s = Shape(x) " + list("k", most) + "t = Sub(k, s) y = Cast<to = 6>(t) }",
        all_ok);
    check_hostile_text(
        "the least integer to the greatest power",
        "g (int64[1] z) => (int64[?] y) { " + list("a", least) + list("b", most) + "c = Pow(a, b) y = Add(c, z) }",
        all_ok);
    check_hostile_text("Size of 2^80 elements", "g (float[1099511627776,1099511627776] x) => (int64 y) { " +
                                                    number("k", "1") + "s = Size(x) y = Mul(s, k) }");
    check_hostile_text("a Slice of sizes from the least to the largest integer",
                       "g (float[4,4] x) => (int64[?] y) { s = Shape(x) " + list("a", least) + list("b", most) +
                           list("k", "0") + "t = Slice(s, a, b, k) y = Add(t, t) }",
                       all_ok);
    check_hostile_text("Shape from the least to the largest integer",
                       std::string("g (float[4,4] x) => (int64[?] y) { s = Shape<start = ") + least +
                           ", end = " + most + ">(x) y = Add(s, s) }",
                       all_ok);
}

TEST_CASE("Divisions by zero and indices out of range are left to the run", "[hostile]") {
    const auto check_error = [](const std::string& sentence, const std::string& nodes,
                                const std::string& code = "invalid_value") {
        check_hostile_text(sentence, "g (float[2,3] x, int64[1] z) => (int64[?] y) { " + nodes + " y = Add(c, z) }",
                           "load: ok; cpu: " + code);
    };
    check_error("constants divided by zero", list("a", "7") + list("b", "0") + "c = Div(a, b)");
    check_error("sizes divided by zero", "s = Shape(x) " + list("b", "0") + "c = Div(s, b)");
    check_error("0 to the power of -1", list("a", "0") + list("b", "-1") + "c = Pow(a, b)");
    check_error("the size of a third axis", "s = Shape(x) " + list("b", "2") + "c = Gather(s, b)");
    check_error("the size of axis -2^63", "s = Shape(x) " + list("b", least) + "c = Gather(s, b)");
    check_error("a Range that does not move", number("a", "0") + number("b", "5") + "c = Range(a, b, a)",
                "shape_mismatch");
    check_hostile_text(
        "constants divided by zero that no node reads",
        "g (float[2] x) => (float[2] y) { " + list("a", "7") + list("b", "0") + "c = Div(a, b) y = Relu(x) }", all_ok);
}

TEST_CASE("Constants without elements are folded", "[hostile]") {
    const std::string empty = "b = Constant<value = int64[1] {0}>() e = ConstantOfShape(b) ";  // float[0]
    for (const char* node :
         {"c = Concat<axis = 0>(e, e)", "c = Transpose(e)", "c = Relu(e)", "c = Add(e, e)", "c = Softmax(e)",
          "c = Clip(e)", "c = Slice(e, b, b)", "i = Cast<to = 7>(e) c = Gather(e, i)", "c = Reshape(e, b)",
          "c = Expand(e, b)", "c, d = Split<axis = 0, num_outputs = 2>(e)", "i = Cast<to = 7>(e) c = Reshape(x, i)",
          "u = Unsqueeze(e, b) c = ReduceMean<keepdims = 0>(u)",
          "u = Unsqueeze(e, b) t = Transpose(u) c = MatMul(u, t)", "c = Sum(e, e, e)",
          "t = Greater(e, e) c = Where(t, e, e)"})
        check_hostile_text(
            std::string("an empty tensor: ") + node,
            "g (float[1] x) => (float[?] y) { " + empty + node + " f = Relu(c) y = Concat<axis = 0>(f, f) }", "load: ");
    check_hostile_text(
        "an empty tensor gathered from",
        "g (float[1] x) => (float[?] y) { " + empty + list("i", "0") + "c = Gather(e, i) y = Add(c, x) }",
        "load: ok; cpu: invalid_value");
}

TEST_CASE("Constants that would be huge are not made by the loader", "[hostile]") {
    const auto huge = [](const std::string& sentence, const std::string& nodes,
                         const char* expected = "limit_exceeded|too large|no_provider") {
        check_hostile_text(sentence, "g (float[1] x) => (float[?] y) { " + nodes + " y = Add(c, x) }", expected);
    };
    for (const char* n : {"1099511627776", "4294967296", most}) {
        const std::string of = std::string(" of ") + n;
        huge("a constant Range" + of,
             number("a", "0") + number("b", n) + number("d", "1") + "r = Range(a, b, d) c = Cast<to = 1>(r)");
        huge("a constant Expand" + of, "f = Constant<value = float[1] {1.0}>() " + list("s", n) + "c = Expand(f, s)");
        huge("a constant ConstantOfShape" + of, list("s", n) + "c = ConstantOfShape(s)");
        huge("a constant Resize" + of,
             "f = Constant<value = float[1] {1.0}>() " + list("s", n) + "c = Resize(f, \"\", \"\", s)");
    }
    huge("a constant product of 2^40 elements", list("s", "1048576,1") + list("t", "1,1048576") +
                                                    "a = ConstantOfShape(s) b = ConstantOfShape(t) m = MatMul(a, b) " +
                                                    list("k", "-1") + "c = Reshape(m, k)");
}

namespace {
onnx::NodeProto& add(onnx::ModelProto& m, const std::string& op, std::initializer_list<std::string> in,
                     const std::string& out) {
    auto& n = *m.mutable_graph()->add_node();
    n.set_op_type(op);
    for (const auto& i : in) n.add_input(i);
    n.add_output(out);
    return n;
}
}  // namespace

TEST_CASE("Folding of nodes that read much ends in time", "[hostile]") {
    auto reads = message("g (float[1] x) => (float[?] y) { y = Relu(x) }");
    reads.mutable_graph()->clear_node();
    add_floats(reads, "w", {1024, 1024}, 1 << 20);
    for (int k = 0; k < 20'000; ++k) {  // 80 GB to be read, no two alike
        auto& axes = *reads.mutable_graph()->add_initializer();
        axes.set_name("s" + std::to_string(k));
        axes.set_data_type(onnx::TensorProto::INT64);
        axes.add_dims(1);
        axes.add_int64_data(k);
        add(reads, "ReduceMean", {"w"}, "m" + std::to_string(k)).set_name("n" + std::to_string(k));
        auto& keep = *reads.mutable_graph()->mutable_node(reads.graph().node_size() - 1)->add_attribute();
        keep.set_name("keepdims");
        keep.set_type(onnx::AttributeProto::INT);
        keep.set_i(0);
    }
    add(reads, "Relu", {"x"}, "y");
    check_hostile_message("20,000 means of 4 MB", reads, "load: ok; cpu: ok");
}

TEST_CASE("Folding of nodes that compute much ends in time", "[hostile]") {
    auto windows = message("g (float[1] x) => (float[?] y) { y = Relu(x) }");
    add_floats(windows, "image", {2, 2, 2, 2, 2, 2, 2, 2}, 256);
    auto& sizes = *windows.mutable_graph()->add_initializer();
    sizes.set_name("sizes");
    sizes.set_data_type(onnx::TensorProto::INT64);
    sizes.add_dims(8);
    for (int k = 0; k < 8; ++k) sizes.add_int64_data(1);
    for (int k = 0; k < 2'000; ++k) {  // 8^8 numbers go into each
        auto& n = add(windows, "Resize", {"image", "", "", "sizes"}, "r" + std::to_string(k));
        for (auto [name, text] : {std::pair("mode", "cubic"), std::pair("antialias", "")}) {
            auto& a = *n.add_attribute();
            a.set_name(name);
            a.set_type(*text ? onnx::AttributeProto::STRING : onnx::AttributeProto::INT);
            if (*text)
                a.set_s(text);
            else
                a.set_i(1);
        }
        auto& a = *n.add_attribute();
        a.set_name("cubic_coeff_a");
        a.set_type(onnx::AttributeProto::FLOAT);
        a.set_f(-0.5f - float(k) / 10'000);
    }
    check_hostile_message("2,000 images of eight axes made smaller, which no node reads", windows, "load: ok; cpu: ok");
}

TEST_CASE("Names of many open dimensions end in time", "[hostile]") {
    auto open = message("g (float[4] x) => (float[4] y) { y = Relu(x) }");
    for (int k = 0; k < many_inputs; ++k) {
        auto& v = *open.mutable_graph()->add_input();
        v.set_name("i" + std::to_string(k));
        v.mutable_type()->mutable_tensor_type()->set_elem_type(1);
        for (int a = 0; a < 4; ++a)
            v.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param(
                "d" + std::to_string(4 * k + a));
        add(open, "Relu", {"i" + std::to_string(k)}, "r" + std::to_string(k));
    }
    check_hostile_message("a node for each of many inputs with four open dimensions each", open, "load: ok");
}
