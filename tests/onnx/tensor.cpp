// Mirrors src/onnx/tensor.cpp: constants, of nodes and of the graph.
#include "models.hpp"

using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Constant nodes in all their forms become constants", "[loader]") {
    auto p = graph_of(R"((float[2] x) => (float[2] y) {
        a = Constant<value = float[2] {1, 2}>() b = Constant<value_int = 3>() c = Constant<value_ints = [4, 5]>() d = Constant<value_float = 1.5>()
        e = Constant<value_floats = [1.5, 2.5, 3.5]>() f = Constant<value_string = "s">() h = Constant<value_strings = ["s", "t"]>() y = Relu(x) })");
    const model m = loaded(p);
    const graph_view& g = m.view();
    CHECK(ops(g) == "Relu");
    const auto constant = [&](std::string_view name) {
        return tensor_view(m.graph().constants.at(std::size_t(g.values[find_value(g, name)].constant)).get());
    };
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
    return m.graph().constants.at(std::size_t(m.view().values[find_value(m.view(), "w")].constant)).get().clone();
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
        const tensor actual = initializer(t);
        CHECK(actual.type() == element(e));
        CHECK(actual.shape() == shape{3});
        std::string expected = raw;
        if (element(e) == element::boolean)
            for (char& c : expected) c = c != 0;
        CHECK(std::string(static_cast<const char*>(actual.data()), raw.size()) == expected);
    }
}

TEST_CASE("Tensors of integers arrive from typed fields", "[loader]") {
    SECTION("int64") {
        auto t = typed(element::i64, {1});
        t.add_int64_data(-3);
        CHECK(elements<std::int64_t>(initializer(t))[0] == -3);
    }
    SECTION("uint64") {
        auto t = typed(element::u64, {1});
        t.add_uint64_data(~0ull);
        CHECK(elements<std::uint64_t>(initializer(t))[0] == ~0ull);
    }
    SECTION("uint32") {
        auto t = typed(element::u32, {1});
        t.add_uint64_data(~0u);
        CHECK(elements<std::uint32_t>(initializer(t))[0] == ~0u);
    }
    SECTION("int32") {
        auto t = typed(element::i32, {1});
        t.add_int32_data(-3);
        CHECK(elements<std::int32_t>(initializer(t))[0] == -3);
    }
    SECTION("int16") {
        auto t = typed(element::i16, {1});
        t.add_int32_data(-3);
        CHECK(elements<std::int16_t>(initializer(t))[0] == -3);
    }
    SECTION("uint16") {
        auto t = typed(element::u16, {1});
        t.add_int32_data(65535);
        CHECK(elements<std::uint16_t>(initializer(t))[0] == 65535);
    }
    SECTION("int8") {
        auto t = typed(element::i8, {1});
        t.add_int32_data(-3);
        CHECK(elements<std::int8_t>(initializer(t))[0] == -3);
    }
    SECTION("uint8") {
        auto t = typed(element::u8, {1});
        t.add_int32_data(255);
        CHECK(elements<std::uint8_t>(initializer(t))[0] == 255);
    }
    SECTION("int4, two in a value") {
        auto t = typed(element::i4, {3});
        t.add_int32_data(0x7f);
        t.add_int32_data(0x08);
        const tensor actual = initializer(t);
        CHECK(load<int4>(actual.data(), 0) == -1);
        CHECK(load<int4>(actual.data(), 1) == 7);
        CHECK(load<int4>(actual.data(), 2) == -8);
    }
}

TEST_CASE("Tensors of reals and complex numbers arrive from typed fields", "[loader]") {
    SECTION("float") {
        auto t = typed(element::f32, {2});
        t.add_float_data(1);
        t.add_float_data(2);
        CHECK(elements<float>(initializer(t))[1] == 2);
    }
    SECTION("double") {
        auto t = typed(element::f64, {1});
        t.add_double_data(-3);
        CHECK(elements<double>(initializer(t))[0] == -3);
    }
    SECTION("float16") {
        auto t = typed(element::f16, {1});
        t.add_int32_data(0xbc00);
        CHECK(float(elements<float16>(initializer(t))[0]) == -1);
    }
    SECTION("bfloat16") {
        auto t = typed(element::bf16, {1});
        t.add_int32_data(0xbf80);
        CHECK(float(elements<bfloat16>(initializer(t))[0]) == -1);
    }
    SECTION("float8") {
        auto t = typed(element::f8e5m2, {1});
        t.add_int32_data(0xbc);
        CHECK(float(elements<float8e5m2>(initializer(t))[0]) == -1);
    }
    SECTION("complex64") {
        auto t = typed(element::c64, {1});
        t.add_float_data(1);
        t.add_float_data(2);
        CHECK(elements<std::complex<float>>(initializer(t))[0] == std::complex<float>(1, 2));
    }
    SECTION("complex128") {
        auto t = typed(element::c128, {1});
        t.add_double_data(1);
        t.add_double_data(2);
        CHECK(elements<std::complex<double>>(initializer(t))[0] == std::complex<double>(1, 2));
    }
}

TEST_CASE("Tensors of what is no number, or of nothing, arrive from typed fields", "[loader]") {
    SECTION("bool") {
        auto t = typed(element::boolean, {2});
        t.add_int32_data(0);
        t.add_int32_data(7);
        CHECK(elements<bool>(initializer(t))[1]);
    }
    SECTION("string") {
        auto t = typed(element::string, {2});
        t.add_string_data("a");
        t.add_string_data(std::string(100, 'b'));
        CHECK(elements<std::string>(initializer(t))[1].size() == 100);
    }
    SECTION("none at all") { CHECK(initializer(typed(element::f32, {0, 3})).elements() == 0); }
}

TEST_CASE("Indices of a sparse initializer may be shorter integers, as ONNX Runtime reads them", "[loader]") {
    auto p = graph_of("(float[6] x) => (float[6] y) { y = Add(x, w) }");
    auto& s = *p.mutable_graph()->add_sparse_initializer();
    *s.mutable_values() = weights("w", {2}, {5, 7});
    s.add_dims(6);
    auto& at = *s.mutable_indices();
    at.add_dims(2);
    for (int i : {1, 5}) at.add_int32_data(i);
    for (const auto type : {onnx::TensorProto::INT8, onnx::TensorProto::INT16, onnx::TensorProto::INT32}) {
        at.set_data_type(type);
        const model m = loaded(p);
        const tensor w = m.graph().constants.at(std::size_t(m.view().values[find_value(m.view(), "w")].constant)).get();
        CHECK(elements<float>(w) == std::vector<float>{0, 5, 0, 0, 0, 7});
    }
    at.set_data_type(onnx::TensorProto::UINT8);
    CHECK(contains(refused(p).text, "has indices of type uint8; they are of type int64"));
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
        const tensor w = m.graph().constants.at(std::size_t(m.view().values[find_value(m.view(), "w")].constant)).get();
        CHECK(w.shape() == shape{2, 3});
        CHECK(std::vector<float>(w.as<float>().begin(), w.as<float>().end()) == std::vector<float>{0, 5, 0, 0, 0, 7});
    };
    SECTION("by linear indices") {
        set({2}, {1, 5});
        check();
    }
    SECTION("by coordinates") {
        set({2, 2}, {0, 1, 1, 2});
        check();
    }
    SECTION("not with indices outside") {
        set({2}, {1, 6});
        CHECK(refused(p).code == error_code::invalid_model);
    }
    SECTION("not with coordinates outside") {
        set({2, 2}, {0, 1, 0, 3});
        CHECK(refused(p).code == error_code::invalid_model);
    }
    SECTION("not with negative coordinates") {
        set({2, 2}, {0, 1, 1, -2});
        CHECK(refused(p).code == error_code::invalid_model);
    }
    SECTION("not with indices that do not ascend") {
        set({2}, {5, 1});
        CHECK(refused(p).code == error_code::invalid_model);
    }
    SECTION("not with too few indices") {
        set({1}, {1});
        CHECK(refused(p).code == error_code::invalid_model);
    }
    SECTION("not beyond the limit") {
        set({2}, {1, 5});
        s.set_dims(0, 1 << 20);
        s.set_dims(1, 1 << 15);
        CHECK(refused(p).code == error_code::limit_exceeded);
    }
}
