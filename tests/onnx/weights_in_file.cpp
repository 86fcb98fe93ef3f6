// Large weights stay in the model's file: they are read from there, whatever their address, as often as they are
// them.
#include "engine/bound_states.hpp"
#include "models.hpp"
#include <inlay/inlay.hpp>
#include <inlay/sdk/aligned.hpp>
#include <cstring>

using namespace inlay;
using namespace inlay::testing;

namespace {
// Matmuls with weights as they are and transposed, rows of a table, a table that is added, and a body that reads
// weights from outside.
onnx::ModelProto with_weights(std::size_t shift) {
    onnx::ModelProto m = graph_of(
        "(float[4,64] x, int64[3] i, bool[] c) => (float[4,80] y, float[4,80] u, float[3,64] rows, float[4,80] sum, "
        "float[4,80] chosen) {"
        " y = MatMul(x, w) tt = Transpose<perm = [1, 0]>(t) u = MatMul(x, tt) rows = Gather<axis = 0>(t, i) long = "
        "MatMul(big, w) part = Slice(long, zero, four, zero) sum = Add(part, y)"
        " chosen = If(c)<then_branch = then () => (float[4,80] a) { a = MatMul(x, w) }, else_branch = other () => "
        "(float[4,80] b) { b = MatMul(x, tt) }> }");
    m.set_producer_name(std::string(shift + 1, 'p'));
    const auto add = [&](const std::string& name, std::initializer_list<std::int64_t> dims) {
        std::int64_t count = 1;
        for (auto d : dims) count *= d;
        std::vector<float> v(static_cast<std::size_t>(count));
        for (std::size_t k = 0; k < v.size(); ++k) v[k] = float(int(k * 7 % 31) - 15);
        *m.mutable_graph()->add_initializer() = weights(name, dims, v);
    };
    add("w", {64, 80});
    add("t", {80, 64});
    add("big", {90, 64});
    for (const auto& [name, number] : {std::pair("zero", 0), std::pair("four", 4)}) {
        auto& t = *m.mutable_graph()->add_initializer();
        t.set_name(name);
        t.set_data_type(onnx::TensorProto::INT64);
        t.add_dims(1);
        t.add_int64_data(number);
    }
    return m;
}
std::vector<std::vector<float>> results(const session_base& s, bool choice) {
    std::vector<float> values(4 * 64);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = float(int(k * 5 % 13) - 6);
    const fetched outputs = s.run({{"x", tensor({4, 64}, values)},
                                   {"i", tensor({3}, {std::int64_t(79), std::int64_t(0), std::int64_t(5)})},
                                   {"c", tensor(shape{}, {choice})}});
    std::vector<std::vector<float>> lists;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const auto v = outputs[k].as<float>();
        lists.emplace_back(v.begin(), v.end());
    }
    return lists;
}
}  // namespace

TEST_CASE("Weights that stay in the file give the results of those that are copied", "[weights_in_file]") {
    int odd = 0;
    for (std::size_t shift = 0; shift < 4; ++shift) {
        CAPTURE(shift);
        const onnx::ModelProto p = with_weights(shift);
        const std::string bytes = p.SerializeAsString();
        const scratch_folder folder;
        const std::filesystem::path file = folder.write("m.onnx", bytes);
        for (const bool optimize : {true, false}) {
            CAPTURE(optimize);
            model_options o;
            o.optimize = optimize;
            const model copied = model::try_load(std::as_bytes(std::span(bytes)), o).value_or_raise(),
                        mapped = model::try_load(file, o).value_or_raise();
            for (const graph_constant& c : mapped.graph().constants) odd += !is_aligned(c.get());
            for (const graph_constant& c : copied.graph().constants) CHECK(is_aligned(c.get()));
            for (const bool choice : {true, false}) {
                const auto expected = results(inlay::session{copied, reference{}}, choice);
                CHECK(results(inlay::session{mapped, reference{}}, choice) == expected);
                const inlay::session first{mapped, cpu{.threads = 1}};
                CHECK(results(first, choice) == expected);
                CHECK(results(inlay::session{mapped, cpu{.threads = 2}}, choice) ==
                      expected);  // packs again, from pages that were given back
                CHECK(results(first, choice) == expected);
            }
        }
    }
    CHECK(odd > 0);
}

TEST_CASE("A stream's weights are kept with the model", "[weights_in_file]") {
    const std::string bytes = with_weights(1).SerializeAsString();
    auto stream = std::make_unique<std::istringstream>(bytes);
    const model m = model::try_load(*stream).value_or_raise(),
                copied = model::try_load(std::as_bytes(std::span(bytes))).value_or_raise();
    stream.reset();
    CHECK(results(inlay::session{m, cpu{.threads = 1}}, true) ==
          results(inlay::session{copied, cpu{.threads = 1}}, true));
}

TEST_CASE("Of raw data that a tensor has twice, the last counts", "[weights_in_file]") {
    const onnx::ModelProto p = graph_of("(float[5000] x) => (float[5000] y) { y = Add(x, w) }");
    const auto bytes_with = [&](std::initializer_list<float> contents) {  // messages that follow each other merge
        std::string tensor_bytes = weights("w", {5000}, {}).SerializeAsString();
        for (const float f : contents) {
            onnx::TensorProto message;
            message.set_raw_data(std::string(reinterpret_cast<const char*>(std::vector<float>(5000, f).data()), 20000));
            tensor_bytes += message.SerializeAsString();
        }
        std::string graph_field;
        const auto length = [](std::string& s, std::size_t n) {
            for (; n > 127; n >>= 7) s += char(n | 128);
            s += char(n);
        };
        std::string initializer(1, char(5 << 3 | 2));
        length(initializer, tensor_bytes.size());
        initializer += tensor_bytes;
        graph_field = char(7 << 3 | 2);
        length(graph_field, initializer.size());
        return p.SerializeAsString() + graph_field + initializer;
    };
    const scratch_folder folder;
    const model m = model::try_load(folder.write("m.onnx", bytes_with({1.f, 2.f}))).value_or_raise();
    const inlay::session s{m, reference{}};
    CHECK(elements<float>(s.run({{"x", tensor(element::f32, {5000})}})[0])[4999] == 2.f);
}

namespace {
// Two constants that begin at the same odd place of one file, of so many elements; each is added to zeros.
struct shared_place {
    scratch_folder folder;
    onnx::ModelProto p;
    shared_place(int first, int second) {
        p = graph_of("(float[" + std::to_string(first) + "] x, float[" + std::to_string(second) + "] y) => (float[" +
                     std::to_string(first) + "] u, float[" + std::to_string(second) +
                     "] v) { u = Add(x, a) v = Add(y, b) }");
        std::string bytes(1, '\0');
        for (int k = 0; k < std::max(first, second); ++k) {
            const float f = float(k);
            bytes.append(reinterpret_cast<const char*>(&f), sizeof f);
        }
        folder.write("weights.bin", bytes);
        add("a", first);
        add("b", second);
    }
    void add(const std::string& name, int count) {
        onnx::TensorProto& t = *p.mutable_graph()->add_initializer();
        t.set_name(name);
        t.set_data_type(onnx::TensorProto::FLOAT);
        t.add_dims(count);
        t.set_data_location(onnx::TensorProto::EXTERNAL);
        for (const auto& [key, text] : {std::pair<std::string, std::string>("location", "weights.bin"),
                                        {"offset", "1"},
                                        {"length", std::to_string(4 * count)}}) {
            auto& entry = *t.add_external_data();
            entry.set_key(key);
            entry.set_value(text);
        }
    }
};
}  // namespace

TEST_CASE("Constants of different lengths at one unaligned place of a file each have the file's values",
          "[weights_in_file]") {
    for (const auto& [first, second] : {std::pair(8192, 16384), std::pair(16384, 8192)}) {
        CAPTURE(first, second);
        shared_place m(first, second);
        const inlay::session s{model::try_load(m.folder.write("m.onnx", m.p.SerializeAsString())).value_or_raise(),
                               reference{}};
        const fetched results = s.run({{"x", tensor(element::f32, {first})}, {"y", tensor(element::f32, {second})}});
        for (std::size_t k : {0, 1}) {
            const auto sums = results[k].as<float>();
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < sums.size(); ++i) wrong += sums[i] != float(i);
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("Constants of one unaligned place have each their own type, shape and values", "[weights_in_file]") {
    constexpr int count = 64;
    std::vector<std::byte> bytes(4 * count + 1);
    for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = std::byte(k);
    const std::byte* const place = bytes.data() + 1;
    bound_states states;
    std::vector<tensor> copies;
    for (const auto& [type, dims] :
         {std::pair(element::f32, shape{count}), std::pair(element::f32, shape{4, 16}),
          std::pair(element::i32, shape{count}), std::pair(element::f32, shape{count / 2})}) {
        const tensor constant = tensor::borrow(type, dims, place);
        REQUIRE_FALSE(is_aligned(constant));
        copies.push_back(states.aligned_constant(constant));
        const tensor& copy = copies.back();
        CHECK(is_aligned(copy));
        CHECK(copy.type() == type);
        CHECK(copy.shape() == dims);
        CHECK(std::memcmp(copy.data(), place, std::size_t(copy.bytes())) == 0);
    }
    CHECK(copies[1].data() == copies[0].data());  // the same bytes are copied once
    CHECK(copies[3].data() != copies[0].data());
}
