// Sizes that are impossible, or larger than any memory: of tensors in the file, of values that a run makes, of
// graphs.
#include "attempt.hpp"

using namespace inlay::testing;

namespace {
onnx::ModelProto with_weights(std::initializer_list<std::int64_t> dims, std::size_t bytes,
                              int type = onnx::TensorProto::FLOAT) {
    auto m = message("g (float[2] x) => (float[?] y) { y = Add(x, w) }");
    auto& t = *m.mutable_graph()->add_initializer();
    t.set_name("w");
    t.set_data_type(type);
    for (auto d : dims) t.add_dims(d);
    t.set_raw_data(std::string(bytes, '\0'));
    return m;
}
// A node whose shape comes from a constant, and the same where it depends on data.
void check_shape_from(const std::string& sentence, const std::string& node, const std::string& list,
                      std::string_view expected) {
    check_hostile_text(sentence + ", constant",
                       "g (float[1] x) => (float[?] y) { s = Constant<value = int64[" + list + ">() " + node + " }",
                       expected);
    check_hostile_text(sentence + ", computed by the run",
                       "g (float[1] x, int64[1] z) => (float[?] y) { k = Constant<value = int64[" + list +
                           ">() s = Add(k, z) " + node + " }",
                       expected);
    check_hostile_text(sentence + ", an input's default",
                       "g (float[1] x) => (float[?] y) <int64[" + list.substr(0, list.find(']') + 1) +
                           " s = " + list.substr(list.find('{')) + "> { " + node + " }",
                       expected);
}
}  // namespace

TEST_CASE("Tensors whose data is not what their shape says are refused", "[hostile]") {
    check_hostile_message("a negative dimension", with_weights({-2}, 8), "load: invalid_model");
    check_hostile_message("two negative dimensions, whose product is right", with_weights({-1, -2}, 8),
                          "load: invalid_model");
    check_hostile_message("one dimension of 2^63 - 1", with_weights({INT64_MAX}, 8), "load: limit_exceeded");
    check_hostile_message("dimensions whose product is 2^64, thus 0",
                          with_weights({std::int64_t(1) << 32, std::int64_t(1) << 32}, 0), "load: limit_exceeded");
    check_hostile_message("dimensions whose product is 2^64 + 2, thus 2", with_weights({3, 6148914691236517206}, 8),
                          "load: limit_exceeded");
    check_hostile_message("2^62 elements of 4 bytes, thus 0 bytes", with_weights({std::int64_t(1) << 62}, 0),
                          "load: limit_exceeded");
    check_hostile_message("an empty tensor with huge dimensions", with_weights({0, INT64_MAX, INT64_MAX}, 0), "");
    check_hostile_message("huge dimensions before an empty one", with_weights({INT64_MAX, INT64_MAX, 0}, 0),
                          "load: limit_exceeded");
    check_hostile_message("raw data that is too short", with_weights({2}, 7), "load: invalid_model");
    check_hostile_message("raw data that is too long", with_weights({2}, 9), "load: invalid_model");
    check_hostile_message("no data at all", with_weights({2}, 0), "load: invalid_model");
    check_hostile_message("an element type that there is not", with_weights({2}, 8, 1000), "load: invalid_model");
    check_hostile_message("a negative element type", with_weights({2}, 8, -1), "load: invalid_model");
    check_hostile_message("strings in raw data", with_weights({2}, 8, onnx::TensorProto::STRING),
                          "load: invalid_model");
    auto many = message("g (float[0,0,4,4] x) => (float[?,?,?,?] y) { y = Conv(x, w) }");
    *many.mutable_graph()->add_initializer() = with_weights({std::int64_t(1) << 34, 0, 1, 1}, 0).graph().initializer(0);
    check_hostile_message("2^34 filters without an element", many, "");
    auto m = with_weights({}, 4);
    for (int k = 0; k < 5000; ++k) m.mutable_graph()->mutable_initializer(0)->add_dims(1);
    check_hostile_message("a tensor of 5,000 dimensions", m, "load: unsupported_model");
    m = message("g (float[2] x) => (float[?] y) { y = Relu(x) }");
    auto* dims = m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    dims->mutable_dim(0)->set_dim_value(-7);
    check_hostile_message("an input with a negative dimension", m, "load: invalid_model");
    dims->mutable_dim(0)->set_dim_value(std::int64_t(1) << 40);
    check_hostile_message("an input of 2^40 elements", m, "limit_exceeded");
    for (int k = 0; k < 3; ++k) dims->add_dim()->set_dim_value(std::int64_t(1) << 40);
    check_hostile_message("an input of 2^160 elements", m, "load: limit_exceeded");
    for (int k = 0; k < 5000; ++k) dims->add_dim()->set_dim_value(1);
    check_hostile_message("an input of 5,000 dimensions", m, "load: ");
    m = message("g (float[2] x) => (float[?] y) { y = Relu(x) }");
    auto& sparse = *m.mutable_graph()->add_sparse_initializer();
    sparse.mutable_values()->set_name("w");
    sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
    sparse.mutable_values()->add_dims(0);
    sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
    sparse.mutable_indices()->add_dims(0);
    sparse.add_dims(std::int64_t(1) << 34);
    check_hostile_message("a sparse tensor of 64 GB in a few bytes", m, "load: limit_exceeded");
    *sparse.mutable_dims()->Mutable(0) = INT64_MAX;
    sparse.add_dims(INT64_MAX);
    check_hostile_message("a sparse tensor of 2^126 elements", m, "load: limit_exceeded");
}

TEST_CASE("Terabytes requested in a few bytes are refused", "[hostile]") {
    check_shape_from("ConstantOfShape of 4 TB", "y = ConstantOfShape(s)", "1] {1099511627776}", "limit_exceeded");
    check_shape_from("ConstantOfShape of 200 GB", "y = ConstantOfShape(s)", "1] {53687091200}", "limit_exceeded");
    check_shape_from("ConstantOfShape of 4 GB", "y = ConstantOfShape(s)", "1] {1073741824}", "limit_exceeded");
    check_shape_from("ConstantOfShape of 2^126 elements", "y = ConstantOfShape(s)",
                     "2] {9223372036854775807, 9223372036854775807}", "too large|limit_exceeded");
    check_shape_from("ConstantOfShape of a negative size", "y = ConstantOfShape(s)", "1] {-5}", "negative|no_provider");
    check_shape_from("Expand to 4 TB", "y = Expand(x, s)", "1] {1099511627776}", "limit_exceeded");
    check_shape_from("Expand to 2^126 elements", "y = Expand(x, s)", "2] {9223372036854775807, 9223372036854775807}",
                     "");
    check_shape_from("Tile to 4 TB", "y = Tile(x, s)", "1] {1099511627776}", "");
    check_shape_from("Pad to 4 TB", "y = Pad(x, s)", "2] {1099511627776, 0}", "");
    check_shape_from("Resize to 4 TB", "y = Resize(x, \"\", \"\", s)", "1] {1099511627776}", "too large");
    check_hostile_text("Range of 8 TB",
                       "g (float[2] x) => (int64[?] y) { a = Constant<value = int64 {0}>() b = Constant<value = int64 "
                       "{1099511627776}>() c = Constant<value = int64 {1}>() y = Range(a, b, c) }",
                       "limit_exceeded");
    check_hostile_text(
        "Range over all integers",
        "g (float[2] x) => (int64[?] y) { a = Constant<value = int64 {-9223372036854775808}>() b = Constant<value = "
        "int64 {9223372036854775807}>() c = Constant<value = int64 {1}>() y = Range(a, b, c) }",
        "too large");
    check_hostile_text("Range that does not move",
                       "g (float[2] x) => (int64[?] y) { a = Constant<value = int64 {0}>() b = Constant<value = int64 "
                       "{5}>() c = Constant<value = int64 {0}>() y = Range(a, b, c) }",
                       "delta is 0");
    check_hostile_text(
        "Range by numbers that are none",
        "g (float a) => (float[?] y) { z = Div(a, a) c = Constant<value = float {1.0}>() y = Range(z, z, c) }", "");
    check_hostile_text("a product of two vectors of a million",
                       R"(g (float[1000000,1] x, float[1,1000000] w) => (float[?,?] y) { y = MatMul(x, w) })",
                       "limit_exceeded");
    check_hostile_text("a sum that spreads over 2^40 elements",
                       R"(g (float[1048576,1] x, float[1,1048576] w) => (float[?,?] y) { y = Add(x, w) })",
                       "limit_exceeded");
    check_hostile_text("a convolution that pads to terabytes",
                       "g (float[1,1,4,4] x, float[1,1,1,1] w) => (float[?,?,?,?] y) { y = Conv<pads = "
                       "[1000000,1000000,1000000,1000000]>(x, w) }",
                       "limit_exceeded");
    std::string doubling = "g (float[1024] x) => (float[?] y40) { y0 = Relu(x) ";
    for (int k = 0; k < 40; ++k)
        doubling += "y" + std::to_string(k + 1) + " = Concat<axis = 0>(y" + std::to_string(k) + ", y" +
                    std::to_string(k) + ") ";
    check_hostile_text("forty Concats that double a value", doubling + "}", "limit_exceeded");
    std::string many =
        "g (int64[1] z) => (float[?] y) { s = Constant<value = int64[1] {100000000}>() u = Add(s, z) a0 = "
        "ConstantOfShape(u) ";
    for (int k = 0; k < 99; ++k) many += "a" + std::to_string(k + 1) + " = Relu(a" + std::to_string(k) + ") ";
    many += "y = Sum(";
    for (int k = 0; k < 100; ++k) many += (k ? ", a" : "a") + std::to_string(k);
    check_hostile_text("a hundred values of 400 MB, found by the run", many + ") }", "limit_exceeded|deadline_passed");
}

TEST_CASE("Large graphs are planned in time", "[hostile]") {
    const auto chain = [](int length, auto node) {
        auto m = message("g (float[4] x) => (float[4] y) { y = Relu(x) }");
        m.mutable_graph()->clear_node();
        for (int k = 0; k < length; ++k)
            node(*m.mutable_graph()->add_node(), k ? "v" + std::to_string(k - 1) : "x",
                 k + 1 < length ? "v" + std::to_string(k) : "y", k);
        return m;
    };
    check_hostile_message("100,000 nodes in a row",
                          chain(many(100'000),
                                [](onnx::NodeProto& n, const std::string& from, const std::string& to, int k) {
                                    n.set_op_type(k % 2 ? "Sigmoid" : "Tanh");
                                    n.add_input(from);
                                    n.add_output(to);
                                }),
                          "load: ok; cpu: ok");
    check_hostile_message("20,000 nodes that all read the first",
                          chain(many(20'000),
                                [](onnx::NodeProto& n, const std::string& from, const std::string& to, int) {
                                    n.set_op_type("Add");
                                    n.add_input(from);
                                    n.add_input("x");
                                    n.add_output(to);
                                }),
                          "load: ok; cpu: ok");
    auto model = chain(many(20'000), [](onnx::NodeProto& n, const std::string&, const std::string&, int k) {
        n.set_op_type("Sigmoid");
        n.add_input(k ? "v" + std::to_string(k - 1) : "x");
        n.add_output("v" + std::to_string(k));
    });
    auto& sum = *model.mutable_graph()->add_node();
    sum.set_op_type("Sum");
    sum.add_output("y");
    for (int k = 0; k < many(20'000); ++k) sum.add_input("v" + std::to_string(k));
    check_hostile_message("20,000 values that live until the end", model, "load: ok; cpu: ok");
    auto far = chain(many(20'000), [](onnx::NodeProto& n, const std::string& from, const std::string& to, int k) {
        n.set_op_type("Add");  // with the value made half way back, so that thousands live at once
        n.add_input(from);
        n.add_input(k > 1 ? "v" + std::to_string(k / 2) : "x");
        n.add_output(to);
    });
    check_hostile_message("20,000 nodes that read what was made half way back", far, "load: ok; cpu: ok");
    auto dims = message("g (float[4] x) => (float[4] y) { y = Relu(x) }");
    for (int k = 0; k < many_inputs; ++k) {
        auto& v = *dims.mutable_graph()->add_input();
        v.set_name("i" + std::to_string(k));
        v.mutable_type()->mutable_tensor_type()->set_elem_type(1);
        for (int a = 0; a < 4; ++a)
            v.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param(
                "d" + std::to_string(4 * k + a));
    }
    check_hostile_message("many inputs with four open dimensions each", dims, "load: ok");
}

TEST_CASE("Values that runs may keep, and masks that may only count, are many and found in time", "[hostile]") {
    const auto add_value = [](auto* list, const std::string& name, int type, std::initializer_list<const char*> names) {
        auto& v = *list->Add();
        v.set_name(name);
        auto& t = *v.mutable_type()->mutable_tensor_type();
        t.set_elem_type(type);
        for (const char* dim : names) t.mutable_shape()->add_dim()->set_dim_param(dim);
        if (type == 1) t.mutable_shape()->add_dim()->set_dim_value(4);
    };
    auto pasts = message("g (float[n,1,4] x) => (float[n,1,4] y) { y = Relu(x) }");
    auto masks = pasts;
    for (int k = 0; k < many_inputs; ++k) {
        const std::string number = std::to_string(k);
        auto& keeping = *pasts.mutable_graph();
        add_value(keeping.mutable_input(), "past" + number, 1, {"n", "rows"});
        add_value(keeping.mutable_output(), "present" + number, 1, {"n", "more"});
        auto& joined = *keeping.add_node();
        joined.set_op_type("Concat");
        joined.add_input("past" + number);
        joined.add_input("x");
        joined.add_output("present" + number);
        auto& axis = *joined.add_attribute();
        axis.set_name("axis");
        axis.set_type(onnx::AttributeProto::INT);
        axis.set_i(1);
        auto& counting = *masks.mutable_graph();
        add_value(counting.mutable_input(), "mask" + number, 7, {"n", ("columns" + number).c_str()});
        auto& sizes = *counting.add_node();
        sizes.set_op_type("Shape");
        sizes.add_input("mask" + number);
        sizes.add_output("sizes" + number);
        auto& chained = *counting.add_node();  // each reads what the former made
        chained.set_op_type("Gather");
        chained.add_input("sizes" + number);
        chained.add_input(k ? "index" + std::to_string(k - 1) : "sizes0");
        chained.add_output("index" + number);
    }
    add_value(masks.mutable_graph()->mutable_output(), "index" + std::to_string(many_inputs - 1), 7, {"two"});
    check_hostile_message("many values that a run gives longer", pasts, "load: ok; cpu: ok");
    check_hostile_message("many masks whose sizes are chained", masks, "load: ok; cpu: invalid_value");
}
