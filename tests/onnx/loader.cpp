#include "models.hpp"
#include <sstream>

using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A model tells its ports, versions and metadata", "[loader]") {
    auto p = model_of(R"(<ir_version: 9, opset_import: ["" : 17, "ai.onnx.ml" : 3], producer_name: "tests", producer_version: "1.2", domain: "d", model_version: 7, doc_string: "doc">
        net (float[N,4] x, seq(int64[M]) s, int64[2,?] k) => (float[N,4] y, seq(int64[M]) t, int64[2,?] l) { y = Relu(x) t = Identity(s) l = Identity(k) })");
    auto& entry = *p.add_metadata_props();
    entry.set_key("author");
    entry.set_value("nobody");
    const model m = loaded(p);
    CHECK(m.ir_version() == 9);
    CHECK(m.producer_name() == "tests");
    CHECK(m.producer_version() == "1.2");
    CHECK(m.domain() == "d");
    CHECK(m.model_version() == 7);
    CHECK(m.doc_string() == "doc");
    CHECK(m.graph_name() == "net");
    CHECK(m.metadata().at("author") == "nobody");
    REQUIRE(m.opsets().size() == 2);
    CHECK(m.opsets()[1].domain == "ai.onnx.ml");
    CHECK(m.opsets()[0].version == 17);
    REQUIRE(m.inputs().size() == 3);
    const port& x = m.inputs()[0];
    CHECK(x.name == "x");
    CHECK(x.type == element::f32);
    CHECK(x.type_text == "tensor(float)");
    CHECK(x.shape[0] < 0);
    CHECK(x.shape[1] == 4);
    CHECK(x.dim_names == std::vector<std::string>{"N", ""});
    CHECK(m.inputs()[1].kind == value_kind::sequence);
    CHECK(m.inputs()[1].type == element::object);
    CHECK(m.inputs()[1].type_text == "seq(tensor(int64))");
    CHECK(m.inputs()[2].dim_names == std::vector<std::string>{"", ""});
    REQUIRE(m.outputs().size() == 3);
    CHECK(m.outputs()[0].dim_names == std::vector<std::string>{"N", ""});
    CHECK(m.outputs()[2].dim_names == std::vector<std::string>{"", ""});
    CHECK(m.pass_log().empty());
}

TEST_CASE("Nodes carry the version of their operator's schema, values their inferred type and shape", "[loader]") {
    const model m = loaded(graph_of("(float[N,8] x, int64[1] k) => (float[N,8] y) { a = Relu(x) b = Shape(a) c = Cast<to = 1>(b) [top] d, e = TopK(c, k) y = Softmax<axis = 1>(a) }"));
    const graph_view& g = m.view();
    CHECK(ops(g) == "Relu Shape Cast TopK Softmax");
    CHECK(g.nodes[0].version == 14);
    CHECK(g.nodes[0].name == "Relu_0");
    CHECK(g.nodes[3].name == "top");
    CHECK(g.nodes[3].version == 11);
    CHECK(g.nodes[4].version == 13);
    CHECK(node_view{g, g.nodes[4]}.integer("axis", 0) == 1);
    CHECK(g.values[find_value(g, "b")].type == element::i64);
    CHECK(g.values[find_value(g, "b")].dims == shape{2});
    CHECK(g.values[find_value(g, "d")].type == element::f32);
    CHECK(g.values[find_value(g, "e")].type == element::i64);
    const shape& a = g.values[find_value(g, "a")].dims;
    REQUIRE(a.rank == 2);
    REQUIRE(a[0] < -1);
    CHECK(g.symbols[std::size_t(-2 - a[0])] == "N");
}

TEST_CASE("The same operator has the version of the model's opset", "[loader]") {
    const auto version = [](int opset) {
        const model m = loaded(model_of("<ir_version: 7, opset_import: [\"ai.onnx\" : " + std::to_string(opset) + "]> g (float[4] x) => (float[4] y) { y = Relu(x) }"));
        CHECK(m.opsets()[0].domain == "");
        return m.view().nodes[0].version;
    };
    CHECK(version(7) == 6);
    CHECK(version(12) == 6);
    CHECK(version(13) == 13);
    CHECK(version(24) == 14);
}

TEST_CASE("Operators of other domains stay, with the version of their import", "[loader]") {
    const model m = loaded(model_of(R"(<ir_version: 8, opset_import: ["" : 17, "acme" : 3]> g (float[4] x) => (float[4] y) { a = acme.Magic<strength = 2.5>(x) y = Relu(a) })"));
    const graph_view& g = m.view();
    CHECK(g.nodes[0].domain == "acme");
    CHECK(g.nodes[0].version == 3);
    CHECK(node_view{g, g.nodes[0]}.real("strength", 0) == 2.5);
    CHECK(g.values[find_value(g, "a")].type == element::undefined);
    CHECK(m.outputs()[0].type_text == "tensor(float)");
}

TEST_CASE("Absent inputs and outputs are -1, and trailing ones are gone", "[loader]") {
    auto p = graph_of("(float[1,2,3] x, float[1,4,3] w, float[1,4,1] r) => (float[?,?,?] h) { a, h = RNN<hidden_size = 4>(x, w, r) }");
    auto& n = *p.mutable_graph()->mutable_node(0);
    n.set_output(0, "");
    for (const char* name : {"", "", ""}) n.add_input(name);
    n.set_input(4, "x");  // no real sequence lengths, only a name
    *n.mutable_input(4) = "";
    const model m = loaded(p);
    const graph_view& g = m.view();
    CHECK(node_view{g, g.nodes[0]}.input_count() == 3);
    CHECK(node_view{g, g.nodes[0]}.output_id(0) == -1);
    CHECK(node_view{g, g.nodes[0]}.output_count() == 2);
}

TEST_CASE("Attributes of every kind arrive", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }");
    p.add_opset_import()->set_domain("acme");
    p.mutable_opset_import(1)->set_version(1);
    auto& n = *p.mutable_graph()->add_node();
    n.set_op_type("Op");
    n.set_domain("acme");
    n.add_output("z");
    const auto add = [&](const char* name, onnx::AttributeProto::AttributeType type) -> onnx::AttributeProto& {
        auto& a = *n.add_attribute();
        a.set_name(name);
        a.set_type(type);
        return a;
    };
    add("i", onnx::AttributeProto::INT).set_i(-5);
    add("f", onnx::AttributeProto::FLOAT).set_f(.5f);
    add("s", onnx::AttributeProto::STRING).set_s(std::string("a\0b", 3));
    auto& ints = add("is", onnx::AttributeProto::INTS);
    ints.add_ints(1);
    ints.add_ints(2);
    add("fs", onnx::AttributeProto::FLOATS).add_floats(.25f);
    add("ss", onnx::AttributeProto::STRINGS).add_strings("x");
    add("none", onnx::AttributeProto::INTS);
    *add("t", onnx::AttributeProto::TENSOR).mutable_t() = weights("", {2}, {3, 4});
    const model m = loaded(p);
    const node_view v{m.view(), m.view().nodes[1]};
    CHECK(v.integer("i", 0) == -5);
    CHECK(v.real("f", 0) == .5);
    CHECK(v.text("s", "") == std::string_view("a\0b", 3));
    REQUIRE(v.integers("is").size() == 2);
    CHECK(v.integers("is")[1] == 2);
    CHECK(v.reals("fs")[0] == .25);
    CHECK(v.texts("ss")[0] == "x");
    CHECK(v.has("none"));
    CHECK(v.integers("none").empty());
    REQUIRE(v.tensor("t"));
    CHECK(m.graph().constants[std::size_t(v.tensor("t")->constant)].as<float>()[1] == 4);
}

TEST_CASE("Constant nodes in all their forms become constants", "[loader]") {
    auto p = graph_of(R"((float[2] x) => (float[2] y) {
        a = Constant<value = float[2] {1, 2}>() b = Constant<value_int = 3>() c = Constant<value_ints = [4, 5]>() d = Constant<value_float = 1.5>()
        e = Constant<value_floats = [1.5, 2.5, 3.5]>() f = Constant<value_string = "s">() h = Constant<value_strings = ["s", "t"]>() y = Relu(x) })");
    const model m = loaded(p);
    const graph_view& g = m.view();
    CHECK(ops(g) == "Relu");
    const auto constant = [&](std::string_view name) -> const tensor& { return m.graph().constants.at(std::size_t(g.values[find_value(g, name)].constant)); };
    CHECK(constant("a").as<float>()[1] == 2);
    CHECK(constant("b").shape() == shape{});
    CHECK(constant("b").as<std::int64_t>()[0] == 3);
    CHECK(constant("c").as<std::int64_t>()[1] == 5);
    CHECK(constant("d").as<float>()[0] == 1.5f);
    CHECK(constant("e").shape() == shape{3});
    CHECK(constant("f").as<std::string>()[0] == "s");
    CHECK(constant("h").as<std::string>()[1] == "t");
    CHECK(g.values[find_value(g, "c")].kind == contents::integers);
}

TEST_CASE("An initializer is no input, even where the file lists it as one", "[loader]") {
    for (int ir : {3, 8}) {
        CAPTURE(ir);
        auto p = graph_of("(float[2] x, float[2] w) => (float[2] y) { y = Add(x, w) }");
        p.set_ir_version(ir);
        *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
        const model m = loaded(p);
        REQUIRE(m.inputs().size() == 1);
        CHECK(m.inputs()[0].name == "x");
        CHECK(m.view().values[find_value(m.view(), "w")].is_constant());
    }
}

namespace {
onnx::TensorProto typed(element e, std::initializer_list<std::int64_t> dims) {
    onnx::TensorProto t;
    t.set_name("w");
    t.set_data_type(int(e));
    for (auto d : dims) t.add_dims(d);
    return t;
}
tensor initializer(const onnx::TensorProto& t) {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }");
    *p.mutable_graph()->add_initializer() = t;
    const model m = loaded(p);
    return m.graph().constants.at(std::size_t(m.view().values[find_value(m.view(), "w")].constant)).clone();
}
}  // namespace

TEST_CASE("Tensors of every element type arrive from raw data", "[loader]") {
    for (int e = 1; e < int(element::object); ++e) {
        if (element(e) == element::string) continue;
        CAPTURE(std::string(name_of(element(e))));
        auto t = typed(element(e), {3});
        std::string raw(std::size_t(bytes_of(element(e), 3)), '\0');
        for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = char(i * 37 + 1);
        t.set_raw_data(raw);
        const tensor got = initializer(t);
        CHECK(got.type() == element(e));
        CHECK(got.shape() == shape{3});
        std::string want = raw;
        if (element(e) == element::boolean) for (char& c : want) c = c != 0;
        CHECK(std::string(static_cast<const char*>(got.data()), raw.size()) == want);
    }
}

TEST_CASE("Tensors of every element type arrive from typed fields", "[loader]") {
    SECTION("float") { auto t = typed(element::f32, {2}); t.add_float_data(1); t.add_float_data(2); CHECK(elements<float>(initializer(t))[1] == 2); }
    SECTION("double") { auto t = typed(element::f64, {1}); t.add_double_data(-3); CHECK(elements<double>(initializer(t))[0] == -3); }
    SECTION("int64") { auto t = typed(element::i64, {1}); t.add_int64_data(-3); CHECK(elements<std::int64_t>(initializer(t))[0] == -3); }
    SECTION("uint64") { auto t = typed(element::u64, {1}); t.add_uint64_data(~0ull); CHECK(elements<std::uint64_t>(initializer(t))[0] == ~0ull); }
    SECTION("uint32") { auto t = typed(element::u32, {1}); t.add_uint64_data(~0u); CHECK(elements<std::uint32_t>(initializer(t))[0] == ~0u); }
    SECTION("int32") { auto t = typed(element::i32, {1}); t.add_int32_data(-3); CHECK(elements<std::int32_t>(initializer(t))[0] == -3); }
    SECTION("int16") { auto t = typed(element::i16, {1}); t.add_int32_data(-3); CHECK(elements<std::int16_t>(initializer(t))[0] == -3); }
    SECTION("uint16") { auto t = typed(element::u16, {1}); t.add_int32_data(65535); CHECK(elements<std::uint16_t>(initializer(t))[0] == 65535); }
    SECTION("int8") { auto t = typed(element::i8, {1}); t.add_int32_data(-3); CHECK(elements<std::int8_t>(initializer(t))[0] == -3); }
    SECTION("uint8") { auto t = typed(element::u8, {1}); t.add_int32_data(255); CHECK(elements<std::uint8_t>(initializer(t))[0] == 255); }
    SECTION("bool") { auto t = typed(element::boolean, {2}); t.add_int32_data(0); t.add_int32_data(7); CHECK(elements<bool>(initializer(t))[1]); }
    SECTION("float16") { auto t = typed(element::f16, {1}); t.add_int32_data(0xbc00); CHECK(float(elements<float16>(initializer(t))[0]) == -1); }
    SECTION("bfloat16") { auto t = typed(element::bf16, {1}); t.add_int32_data(0xbf80); CHECK(float(elements<bfloat16>(initializer(t))[0]) == -1); }
    SECTION("float8") { auto t = typed(element::f8e5m2, {1}); t.add_int32_data(0xbc); CHECK(float(elements<float8e5m2>(initializer(t))[0]) == -1); }
    SECTION("complex64") { auto t = typed(element::c64, {1}); t.add_float_data(1); t.add_float_data(2); CHECK(elements<std::complex<float>>(initializer(t))[0] == std::complex<float>(1, 2)); }
    SECTION("complex128") { auto t = typed(element::c128, {1}); t.add_double_data(1); t.add_double_data(2); CHECK(elements<std::complex<double>>(initializer(t))[0] == std::complex<double>(1, 2)); }
    SECTION("string") { auto t = typed(element::string, {2}); t.add_string_data("a"); t.add_string_data(std::string(100, 'b')); CHECK(elements<std::string>(initializer(t))[1].size() == 100); }
    SECTION("int4, two in a value") {
        auto t = typed(element::i4, {3});
        t.add_int32_data(0x7f);
        t.add_int32_data(0x08);
        const tensor got = initializer(t);
        CHECK(load<int4>(got.data(), 0) == -1);
        CHECK(load<int4>(got.data(), 1) == 7);
        CHECK(load<int4>(got.data(), 2) == -8);
    }
    SECTION("none at all") { CHECK(initializer(typed(element::f32, {0, 3})).elements() == 0); }
}

TEST_CASE("A sparse initializer becomes dense", "[loader]") {
    auto p = graph_of("(float[2,3] x) => (float[2,3] y) { y = Add(x, w) }");
    auto& s = *p.mutable_graph()->add_sparse_initializer();
    *s.mutable_values() = weights("w", {2}, {5, 7});
    s.add_dims(2);
    s.add_dims(3);
    auto& at = *s.mutable_indices();
    at.set_data_type(onnx::TensorProto::INT64);
    const auto set = [&](std::initializer_list<int> dims, std::initializer_list<int> indices) {
        for (int d : dims) at.add_dims(d);
        for (int i : indices) at.add_int64_data(i);
    };
    const auto check = [&] {
        const model m = loaded(p);
        const tensor& w = m.graph().constants.at(std::size_t(m.view().values[find_value(m.view(), "w")].constant));
        CHECK(w.shape() == shape{2, 3});
        CHECK(std::vector<float>(w.as<float>().begin(), w.as<float>().end()) == std::vector<float>{0, 5, 0, 0, 0, 7});
    };
    SECTION("by linear indices") { set({2}, {1, 5}); check(); }
    SECTION("by coordinates") { set({2, 2}, {0, 1, 1, 2}); check(); }
    SECTION("not with indices outside") { set({2}, {1, 6}); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("not with coordinates outside") { set({2, 2}, {0, 1, 0, 3}); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("not with negative coordinates") { set({2, 2}, {0, 1, 1, -2}); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("not with indices that do not ascend") { set({2}, {5, 1}); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("not with too few indices") { set({1}, {1}); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("not beyond the limit") {
        set({2}, {1, 5});
        s.set_dims(0, 1 << 20);
        s.set_dims(1, 1 << 15);
        CHECK(refused(p).code == error_code::limit_exceeded);
    }
}

TEST_CASE("A model comes from a file, from memory or from a stream, and outlives all three", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Add(x, w) }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    std::optional<model> m;
    {
        scratch_folder folder;
        std::string bytes = p.SerializeAsString();
        const auto file = folder.write("m.onnx", bytes);
        SECTION("file") { m = model(file); }
        SECTION("name of a file") { m = model(file.string()); }
        SECTION("memory") { m = model::from_memory(std::as_bytes(std::span(bytes))); }
        SECTION("stream") { std::istringstream in(bytes); m = model::from_stream(in); }
        std::fill(bytes.begin(), bytes.end(), 'x');
    }
    const model copy = *m;
    m.reset();
    CHECK(copy.graph().constants.at(0).as<float>()[1] == 2);
    CHECK(!copy.pass_log().empty());
}

TEST_CASE("A missing file is an error that names it", "[loader]") {
    const auto r = model::try_load(std::filesystem::path("/nonexistent/m.onnx"));
    REQUIRE(!r);
    CHECK(r.why().code == error_code::not_found);
    CHECK(contains(r.why().text, "/nonexistent/m.onnx"));
    CHECK_THROWS_AS(model("/nonexistent/m.onnx"), error);
    CHECK(!model::try_load(std::filesystem::path("/")));
    CHECK(!model::try_load(std::filesystem::path("/dev/zero")));
}

TEST_CASE("What is no model, or only part of one, is refused wherever it ends", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { a = Add(x, w) y = Relu(a) }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    const std::string bytes = p.SerializeAsString();
    int good = 0;
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        CAPTURE(n);
        const auto r = model::try_load(std::as_bytes(std::span(bytes.data(), n)), plain());
        if (!r) CHECK((r.why().code == error_code::invalid_model || r.why().code == error_code::unsupported_model));
        good += bool(r);
    }
    CHECK(good == 0);
    for (const std::string& text : {std::string("hello"), std::string(1000, '\0'), std::string(1000, '\xff')}) CHECK(!model::try_load(std::as_bytes(std::span(text))));
}

TEST_CASE("A damaged byte never does harm", "[loader]") {
    auto p = model_of(R"(<ir_version: 10, opset_import: ["" : 17, "local" : 1]>
        g (float[N,3,4,4] x, bool c) => (float[N,2,2,2] y) <float[2,3,3,3] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9}> {
            a = Conv<kernel_shape = [3, 3]>(x, w) b = local.f<slope = 0.5>(a)
            y = If(c) <then_branch = t () => (float[?,?,?,?] r) { r = Relu(b) }, else_branch = e () => (float[?,?,?,?] q) { q = Add(b, a) }> }
        <domain: "local", opset_import: ["" : 17]> f <slope> (x) => (y) { y = LeakyRelu<alpha : float = @slope>(x) })");
    const std::string bytes = p.SerializeAsString();
    REQUIRE(model::try_load(std::as_bytes(std::span(bytes))));
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::string damaged = bytes;
        for (int k = int(random() % 3); k >= 0; --k) damaged[random() % damaged.size()] = char(random());
        CAPTURE(round);
        (void)model::try_load(std::as_bytes(std::span(damaged)));
    }
}

TEST_CASE("Versions from the future are refused by both numbers", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }");
    SECTION("IR version") {
        p.set_ir_version(99);
        const error e = refused(p);
        CHECK(e.code == error_code::unsupported_model);
        CHECK(contains(e.text, "99"));
        CHECK(contains(e.text, std::to_string(int(onnx::Version::IR_VERSION))));
    }
    SECTION("opset") {
        p.mutable_opset_import(0)->set_version(999);
        const error e = refused(p);
        CHECK(e.code == error_code::unsupported_model);
        CHECK(contains(e.text, "999"));
    }
    SECTION("operator") {
        p.mutable_graph()->mutable_node(0)->set_op_type("Gelu");
        const error e = refused(p);
        CHECK(e.code == error_code::unsupported_model);
        CHECK(contains(e.text, "Gelu"));
        CHECK(contains(e.text, "20"));
    }
    SECTION("no IR version") { p.clear_ir_version(); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("no opset") { p.clear_opset_import(); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("a domain that is not imported") { p.mutable_graph()->mutable_node(0)->set_domain("acme"); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("a domain imported twice") {
        auto& second = *p.add_opset_import();
        second.set_domain("ai.onnx");
        second.set_version(16);
        CHECK(refused(p).code == error_code::invalid_model);
    }
}

TEST_CASE("Tensors whose data does not fit are refused by name", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Add(x, w) }");
    auto& w = *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    error_code code = error_code::invalid_model;
    SECTION("too little raw data") { w.mutable_raw_data()->resize(7); }
    SECTION("too much raw data") { w.mutable_raw_data()->resize(12); }
    SECTION("no data") { w.clear_raw_data(); }
    SECTION("too little typed data") { w.clear_raw_data(); w.add_float_data(1); }
    SECTION("data in the wrong field") { w.clear_raw_data(); w.add_int64_data(1); w.add_int64_data(1); }
    SECTION("a negative dimension") { w.set_dims(0, -2); }
    SECTION("an element type that does not exist") { w.set_data_type(77); }
    SECTION("an element type that is not supported") { w.set_data_type(onnx::TensorProto::FLOAT6E2M3); code = error_code::unsupported_model; }
    SECTION("dimensions whose product overflows") { w.clear_dims(); for (int i = 0; i < 4; ++i) w.add_dims(std::int64_t(1) << 33); code = error_code::limit_exceeded; }
    SECTION("dimensions whose product overflows to nothing") { w.clear_dims(); for (int i = 0; i < 4; ++i) w.add_dims(std::int64_t(1) << 32); code = error_code::limit_exceeded; }
    SECTION("too many dimensions") { for (int i = 0; i < 8; ++i) w.add_dims(1); code = error_code::unsupported_model; }
    SECTION("raw strings") { w.set_data_type(onnx::TensorProto::STRING); }
    const error e = refused(p);
    CHECK(e.code == code);
    CHECK(contains(e.text, "`w`"));
    CHECK(!contains(e.text, "\n"));
}

TEST_CASE("Graphs that are none are refused by node", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { [first] a = Relu(x) [second] b = Relu(a) [third] y = Add(a, b) }");
    auto& g = *p.mutable_graph();
    std::string name;
    SECTION("a cycle") { g.mutable_node(0)->set_input(0, "b"); name = "first"; }
    SECTION("a missing input") { g.mutable_node(1)->set_input(0, "nothing"); name = "second"; }
    SECTION("a value made twice") { g.mutable_node(1)->set_output(0, "a"); name = "a"; }
    SECTION("an input made by a node") { g.mutable_node(1)->set_output(0, "x"); name = "x"; }
    SECTION("an output that nothing makes") { g.mutable_output(0)->set_name("z"); name = "z"; }
    SECTION("an output listed twice") { *g.add_output() = g.output(0); name = "y"; }
    SECTION("an initializer made by a node") { *g.add_initializer() = weights("a", {2}, {1, 2}); name = "a"; }
    SECTION("two initializers of one name") { for (int i = 0; i < 2; ++i) *g.add_initializer() = weights("w", {2}, {1, 2}); name = "w"; }
    SECTION("two inputs of one name") { *g.add_input() = g.input(0); name = "x"; }
    SECTION("too many inputs") { g.mutable_node(0)->add_input("x"); name = "Relu"; }
    SECTION("an attribute that the operator lacks") { auto& a = *g.mutable_node(0)->add_attribute(); a.set_name("surprise"); a.set_type(onnx::AttributeProto::INT); a.set_i(1); name = "surprise"; }
    SECTION("a required attribute that is missing") { g.mutable_node(0)->set_op_type("Cast"); name = "to"; }
    SECTION("a reference to a function's attribute") { auto& a = *g.mutable_node(0)->add_attribute(); a.set_name("alpha"); a.set_ref_attr_name("b"); a.set_type(onnx::AttributeProto::FLOAT); g.mutable_node(0)->set_op_type("LeakyRelu"); name = "alpha"; }
    const error e = refused(p);
    CAPTURE(e.text);
    CHECK(e.code == error_code::invalid_model);
    CHECK(contains(e.text, name));
    CHECK(!contains(e.text, "\n"));
}

TEST_CASE("Declared types are not believed", "[loader]") {
    // A kernel of Shape writes int64: a smaller declared type would make it write past the end.
    CHECK(loaded(graph_of("(float[2,2] x) => (float[2,2] y) <int8[2] s> { s = Shape(x) t = Cast<to = 1>(s) y = Relu(x) }")).view().values.size() == 4);
    const model m = loaded(graph_of("(float[2,2] x) => (int8[2] s) { s = Shape(x) }"));
    CHECK(m.view().values[find_value(m.view(), "s")].type == element::i64);
    CHECK(m.outputs()[0].type == element::i64);

    SECTION("nor where inference fails") {  // the shapes do not fit, so nothing is inferred
        const model n = loaded(graph_of("(float[2,2] x, float[3,3] z) => (int8[2,2] y) { y = Add(x, z) }"));
        CHECK(n.view().values[find_value(n.view(), "y")].type == element::f32);
    }
    SECTION("nor in a Loop") {
        CHECK(refused(graph_of("(float[2] x, int64 n, bool c) => (float[2] y) { y = Loop(n, c, x) <body = b (int64 i, bool ci, int8[2] s) => (bool co, int8[2] t) { co = Identity(ci) t = Identity(s) }> }")).code == error_code::invalid_model);
    }
}

TEST_CASE("Dimensions that cannot be are refused", "[loader]") {
    auto p = graph_of("(float[2,2] x) => (float[2,2] y) { y = Relu(x) }");
    auto& d = *p.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    SECTION("negative ones") { d.mutable_dim(0)->set_dim_value(-7); CHECK(refused(p).code == error_code::invalid_model); }
    SECTION("too many elements") { for (int i : {0, 1}) d.mutable_dim(i)->set_dim_value(std::int64_t(1) << 40); CHECK(refused(p).code == error_code::limit_exceeded); }
    SECTION("more than eight") { for (int i = 0; i < 7; ++i) d.add_dim()->set_dim_value(1); CHECK(refused(p).code == error_code::unsupported_model); }
    SECTION("but -1 only means that it is open") { d.mutable_dim(0)->set_dim_value(-1); CHECK(loaded(p).inputs()[0].shape[0] < 0); }
}

TEST_CASE("Limits hold", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { a = Add(x, w) b = Relu(a) y = Relu(b) }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    model_options o = plain();
    SECTION("nodes") { o.limits.nodes = 2; }
    SECTION("elements") { o.limits.elements_per_tensor = 1; }
    SECTION("bytes of a file") {
        o.limits.file_bytes = 50;
        std::istringstream in(p.SerializeAsString());
        const auto r = model::try_load(in, o);
        REQUIRE(!r);
        CHECK(r.why().code == error_code::limit_exceeded);
        scratch_folder folder;
        const auto s = model::try_load(folder.write("m.onnx", p.SerializeAsString()), o);
        REQUIRE(!s);
        CHECK(s.why().code == error_code::limit_exceeded);
        return;
    }
    const error e = refused(p, o);
    CHECK(e.code == error_code::limit_exceeded);
    CHECK(contains(e.hint, "limits::"));
}

namespace {
void check_bound(const onnx::ModelProto& p, std::int64_t too_few, std::int64_t enough) {
    model_options o = plain();
    o.limits.inference = too_few;
    const error e = refused(p, o);
    CHECK(e.code == error_code::limit_exceeded);
    CHECK(contains(e.hint, "limits::inference"));
    o.limits.inference = enough;
    loaded(p, o);
}
std::string names(int count, const std::string& prefix, std::string from) {  // a chain of Relu
    std::string all;
    for (int k = 0; k < count; ++k) {
        const std::string to = prefix + std::to_string(k);
        all += to + " = Relu(" + from + ") ";
        from = to;
    }
    return all;
}
}  // namespace

TEST_CASE("What shape inference may look at has a limit", "[loader]") {
    SECTION("sizes that Concat doubles again and again") {
        std::string nodes = "s0 = Shape(x) ";
        for (int k = 0; k < 40; ++k) nodes += "s" + std::to_string(k + 1) + " = Concat<axis = 0>(s" + std::to_string(k) + ", s" + std::to_string(k) + ") ";
        const auto p = graph_of("(float[2] x) => (int64[?] s40) { " + nodes + "}");
        check_bound(p, 100, limits{}.inference);
        const model m = loaded(p, {});  // nobody follows them
        CHECK(m.view().nodes.size() > 10);
        CHECK(m.outputs()[0].shape == shape{std::int64_t(1) << 40});
    }
    SECTION("large constants that many nodes read") {
        std::string nodes;
        for (int k = 0; k < 100; ++k) nodes += "y" + std::to_string(k) + " = Gather(w, i) ";
        auto p = graph_of("(int64[1] i) => (int64[1] y99) { " + nodes + "}");
        onnx::TensorProto& w = *p.mutable_graph()->add_initializer();
        w.set_name("w");
        w.set_data_type(onnx::TensorProto::INT64);
        w.add_dims(1000);
        for (int k = 0; k < 1000; ++k) w.add_int64_data(1);
        check_bound(p, 100 * 1000, 100 * 1100);
    }
    SECTION("many subgraphs that see many names") {
        std::string nodes = names(200, "a", "x"), from = "x";
        for (int k = 0; k < 50; ++k) {
            const std::string i = std::to_string(k);
            nodes += "y" + i + " = If(c) <then_branch = t" + i + " () => (float[2] r" + i + ") { r" + i + " = Neg(x) }, else_branch = e" + i + " () => (float[2] q" + i + ") { q" + i + " = Abs(x) }> ";
        }
        check_bound(graph_of("(float[2] x, bool c) => (float[2] y49) { " + nodes + "}"), 2 * 50 * 200, 2 * 50 * 300);
    }
    SECTION("subgraphs within subgraphs that see the names of all") {
        std::string inner = names(50, "n0_", "x") + "r0 = Neg(x) ";
        for (int k = 1; k < 20; ++k) {
            const std::string i = std::to_string(k), before = std::to_string(k - 1);
            inner = names(50, "n" + i + "_", "x") + "r" + i + " = If(c) <then_branch = t" + i + " () => (float[2] r" + before + ") { " + inner + "}, else_branch = e" + i + " () => (float[2] q" + i + ") { q" + i + " = Abs(x) }> ";
        }
        check_bound(graph_of("(float[2] x, bool c) => (float[2] r19) { " + inner + "}"), 20 * 19 / 2 * 50, 3 * 20 * 20 * 50);
    }
    SECTION("but no subgraph sees its sibling's names") {
        std::string nodes;
        for (int k = 0; k < 40; ++k) {
            const std::string i = std::to_string(k);
            nodes += "y" + i + " = If(c) <then_branch = t" + i + " () => (float[2] r" + i + ") { " + names(50, "a" + i + "_", "x") + "r" + i + " = Neg(x) }, else_branch = e" + i + " () => (float[2] q" + i + ") { q" + i + " = Abs(x) }> ";
        }
        check_bound(graph_of("(float[2] x, bool c) => (float[2] y39) { " + nodes + "}"), 40 * 50, 5 * 40 * 50);
    }
}

TEST_CASE("Graphs nested too deeply are refused, not followed", "[loader]") {
    const auto nested = [](int depth) {
        auto p = graph_of("(float[2] x, bool c) => (float[2] y) { y = Relu(x) }");
        auto* g = p.mutable_graph();
        g->clear_node();
        for (int level = 0; level < depth; ++level) {
            auto& n = *g->add_node();
            n.set_op_type("If");
            n.add_input("c");
            n.add_output(level ? "y" + std::to_string(level) : "y");
            onnx::GraphProto* inner = nullptr;
            for (const char* name : {"then_branch", "else_branch"}) {
                auto& a = *n.add_attribute();
                a.set_name(name);
                a.set_type(onnx::AttributeProto::GRAPH);
                a.mutable_g()->set_name("g");
                auto& out = *a.mutable_g()->add_output();
                const std::string made = "y" + std::to_string(level + 1);
                out.set_name(inner || level + 1 == depth ? made + (inner ? "e" : "t") : made);
                out.mutable_type()->mutable_tensor_type()->set_elem_type(1);
                if (inner || level + 1 == depth) {
                    auto& leaf = *a.mutable_g()->add_node();
                    leaf.set_op_type("Relu");
                    leaf.add_input("x");
                    leaf.add_output(out.name());
                }
                if (!inner) inner = a.mutable_g();
            }
            g = inner;
        }
        return p;
    };
    const model m = loaded(nested(20));
    CHECK(m.view().subgraphs.size() == 2);
    model_options o = plain();
    o.limits.nesting = 19;
    CHECK(refused(nested(20), o).code == error_code::limit_exceeded);
    CHECK(!load(nested(200)));
    CHECK(!load(nested(5000)));
}
