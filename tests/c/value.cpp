// Tensors of every element type, sequences, maps and optionals.
#include "owned.hpp"
#include <cstring>
using namespace inlay::testing;

namespace {
value strings(const std::vector<std::string>& texts) {
    value v;
    const std::int64_t n = std::int64_t(texts.size());
    good(inlay_value_new(INLAY_TYPE_STRING, &n, 1, nullptr, &v));
    for (std::int64_t k = 0; k < n; ++k)
        good(inlay_value_set_string(v, k, texts[std::size_t(k)].data(), std::int64_t(texts[std::size_t(k)].size())));
    return v;
}
value integers(std::vector<std::int64_t>& numbers) {
    return tensor_of(INLAY_TYPE_INT64, {std::int64_t(numbers.size())}, numbers);
}
value item(inlay_any_value* of, std::int64_t index) {
    value v;
    good(inlay_value_item(of, index, &v));
    return v;
}
value key(inlay_any_value* of, std::int64_t index) {
    value v;
    good(inlay_value_key(of, index, &v));
    return v;
}
// The outputs of a model over these inputs.
std::vector<value> run(const std::string& name, const std::vector<const char*>& names,
                       const std::vector<inlay_any_value*>& in, int outputs) {
    std::vector<inlay_any_value*> out(std::size_t(outputs), nullptr);
    good(inlay_session_run(session_of(name), names.data(), in.data(), std::int64_t(in.size()), nullptr, out.data(),
                           outputs, nullptr, nullptr));
    std::vector<value> results(out.size());
    for (std::size_t k = 0; k < out.size(); ++k) *&results[k] = out[k];
    return results;
}
// Bits of an element, by ONNX's numbers; strings have none.
constexpr int bits[] = {0, 32, 8, 8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64, 64, 128, 16, 8, 8, 8, 8, 4, 4, 4, 8, 2, 2};
}  // namespace

TEST_CASE("Tensors of every element type go through a run in C, and keep their bits", "[c]") {
    std::vector<std::string> in_names;
    std::vector<value> values;
    for (int type = 1; type <= INLAY_TYPE_INT2; ++type) {
        if (type == INLAY_TYPE_STRING) continue;
        in_names.push_back("i" + std::to_string(type));
        values.emplace_back();
        const std::int64_t three = 3, bytes = (3 * bits[type] + 7) / 8;
        good(inlay_value_new(type, &three, 1, "host", &values.back()));
        CHECK(inlay_value_bytes(values.back()) == bytes);
        CHECK(inlay_value_type(values.back()) == type);
        auto* const data = static_cast<unsigned char*>(inlay_value_data(values.back()));
        CHECK(reinterpret_cast<std::uintptr_t>(data) % 64 == 0);
        for (std::int64_t k = 0; k < bytes; ++k) {
            CHECK(data[k] == 0);
            data[k] = static_cast<unsigned char>(type == INLAY_TYPE_BOOL ? k % 2 : 17 * k + type);
        }
        if (bits[type] < 8)
            data[bytes - 1] &= static_cast<unsigned char>((1 << (3 * bits[type] - 8 * (bytes - 1))) - 1);
    }
    std::vector<const char*> names;
    std::vector<inlay_any_value*> in;
    for (std::size_t k = 0; k < values.size(); ++k) {
        names.push_back(in_names[k].c_str());
        in.push_back(values[k]);
    }
    const std::vector<value> out = run("types", names, in, int(in.size()));
    for (std::size_t k = 0; k < out.size(); ++k) {
        CAPTURE(names[k]);
        CHECK(inlay_value_type(out[k]) == inlay_value_type(in[k]));
        REQUIRE(inlay_value_bytes(out[k]) == inlay_value_bytes(in[k]));
        CHECK(std::memcmp(inlay_value_data(out[k]), inlay_value_data(in[k]), std::size_t(inlay_value_bytes(in[k]))) ==
              0);
    }
}
TEST_CASE("A tensor in C lies in the caller's memory, or in its own", "[c]") {
    std::vector<float> data{1, 2, 3, 4, 5, 6};
    const value v = tensor_of(INLAY_TYPE_FLOAT, {2, 3}, data);
    CHECK(inlay_value_data(v) == data.data());
    CHECK(inlay_value_kind(v) == INLAY_KIND_TENSOR);
    CHECK(inlay_value_rank(v) == 2);
    CHECK(inlay_value_dims(v)[1] == 3);
    CHECK(inlay_value_count(v) == 6);
    CHECK(std::string(inlay_value_memory(v)) == "host");
    value copy, scalar, empty;
    good(inlay_value_copy(v, "host", &copy));
    data[0] = 7;
    CHECK(elements<float>(copy) == std::vector<float>{1, 2, 3, 4, 5, 6});
    good(inlay_value_new(INLAY_TYPE_DOUBLE, nullptr, 0, nullptr, &scalar));
    CHECK(inlay_value_rank(scalar) == 0);
    CHECK(inlay_value_count(scalar) == 1);
    const std::int64_t no_elements[] = {0, 3};
    good(inlay_value_borrow(INLAY_TYPE_FLOAT, no_elements, 2, nullptr, 0, nullptr, &empty));
    CHECK(inlay_value_count(empty) == 0);
}
TEST_CASE("A borrowed tensor of complex numbers is aligned as one part of them in C", "[c]") {
    std::vector<double> data(5);
    char* const at = reinterpret_cast<char*>(data.data());
    const std::int64_t count = 1;
    value v;
    good(inlay_value_borrow(INLAY_TYPE_COMPLEX64, &count, 1, at + 4, 8, nullptr, &v));
    CHECK(inlay_value_data(v) == at + 4);
    good(inlay_value_borrow(INLAY_TYPE_COMPLEX128, &count, 1, at + 8, 16, nullptr, &v));
    CHECK(inlay_value_data(v) == at + 8);
    inlay_any_value* no_value = nullptr;
    bad(inlay_value_borrow(INLAY_TYPE_COMPLEX64, &count, 1, at + 2, 8, nullptr, &no_value),
        INLAY_FAILURE_INVALID_ARGUMENT, "multiple of 4");
    bad(inlay_value_borrow(INLAY_TYPE_COMPLEX128, &count, 1, at + 4, 16, nullptr, &no_value),
        INLAY_FAILURE_INVALID_ARGUMENT, "multiple of 8");
}
TEST_CASE("No value has nothing in C", "[c]") {
    CHECK(inlay_value_kind(nullptr) == -1);
    CHECK(inlay_value_type(nullptr) == -1);
    CHECK(inlay_value_rank(nullptr) == -1);
    CHECK(inlay_value_dims(nullptr) == nullptr);
    CHECK(inlay_value_memory(nullptr) == nullptr);
    CHECK(inlay_value_bytes(nullptr) == -1);
    CHECK(inlay_value_data(nullptr) == nullptr);
    CHECK(inlay_value_count(nullptr) == -1);
    CHECK(inlay_value_string(nullptr, 0, nullptr) == nullptr);
    inlay_value_free(nullptr);
    inlay_any_value* no_value = nullptr;
    bad(inlay_value_item(nullptr, 0, &no_value), INLAY_FAILURE_INVALID_ARGUMENT, "`value`");
    bad(inlay_value_key(nullptr, 0, &no_value), INLAY_FAILURE_INVALID_ARGUMENT, "`map`");
    bad(inlay_value_set_string(nullptr, 0, "x", 1), INLAY_FAILURE_INVALID_ARGUMENT, "`value`");
}
TEST_CASE("What cannot be a tensor is a failure in C", "[c]") {
    std::vector<float> data(6);
    const std::int64_t six = 6, minus = -1, huge[] = {std::int64_t(1) << 40, std::int64_t(1) << 40};
    inlay_any_value* v = nullptr;
    for (const int type : {-1, 0, 27, 1000})
        bad(inlay_value_new(type, &six, 1, nullptr, &v), INLAY_FAILURE_TYPE_MISMATCH, "no type of a tensor's elements");
    bad(inlay_value_new(INLAY_TYPE_FLOAT, &six, -1, nullptr, &v), INLAY_FAILURE_INVALID_ARGUMENT, "the rank -1");
    bad(inlay_value_new(INLAY_TYPE_FLOAT, &six, 9, nullptr, &v), INLAY_FAILURE_INVALID_ARGUMENT, "0 to 8");
    bad(inlay_value_new(INLAY_TYPE_FLOAT, &minus, 1, nullptr, &v), INLAY_FAILURE_INVALID_ARGUMENT, "negative");
    bad(inlay_value_new(INLAY_TYPE_FLOAT, huge, 2, nullptr, &v), INLAY_FAILURE_LIMIT_EXCEEDED, "too many elements");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which end the program there
    const std::int64_t large = std::int64_t(1) << 50;
    bad(inlay_value_new(INLAY_TYPE_FLOAT, &large, 1, nullptr, &v), INLAY_FAILURE_OUT_OF_MEMORY, "4503599627370496");
#endif
    bad(inlay_value_new(INLAY_TYPE_FLOAT, &six, 1, "moon", &v), INLAY_FAILURE_NOT_FOUND, "`moon`");
    bad(inlay_value_borrow(INLAY_TYPE_FLOAT, &six, 1, data.data(), 23, nullptr, &v), INLAY_FAILURE_SHAPE_MISMATCH,
        "takes 24 bytes, and there are 23");
    bad(inlay_value_borrow(INLAY_TYPE_FLOAT, &six, 1, data.data(), -1, nullptr, &v), INLAY_FAILURE_SHAPE_MISMATCH,
        "-1");
    bad(inlay_value_borrow(INLAY_TYPE_INT32, nullptr, 0, reinterpret_cast<char*>(data.data()) + 2, 8, nullptr, &v),
        INLAY_FAILURE_INVALID_ARGUMENT, "multiple of 4");
    bad(inlay_value_borrow(INLAY_TYPE_STRING, &six, 1, data.data(), 24, nullptr, &v), INLAY_FAILURE_TYPE_MISMATCH,
        "cannot be borrowed");
    CHECK(v == nullptr);
}
TEST_CASE("Strings go through a run in C, with every byte that they have", "[c]") {
    const value a = strings({"one", std::string("t\0o", 3)}), b = strings({"", "\xc3\xa9"});
    CHECK(inlay_value_data(a) == nullptr);
    CHECK(inlay_value_bytes(a) == -1);
    CHECK(inlay_value_count(a) == 2);
    const auto out = run("strings", {"a", "b"}, {a, b}, 1);
    std::int64_t size = 0;
    CHECK(std::string(inlay_value_string(out[0], 0, nullptr)) == "one");
    const char* const second = inlay_value_string(out[0], 1, &size);
    CHECK(std::string(second, std::size_t(size)) == std::string("t\0o\xc3\xa9", 5));
    good(inlay_value_set_string(a, 0, "up to the end", -1));
    CHECK(std::string(inlay_value_string(a, 0, &size)) == "up to the end");
    CHECK(size == 13);
    CHECK(inlay_value_string(a, 2, &size) == nullptr);
    CHECK(inlay_value_string(a, -1, &size) == nullptr);
    bad(inlay_value_set_string(a, 2, "x", 1), INLAY_FAILURE_NOT_FOUND, "no item 2; the value has 2");
    bad(inlay_value_set_string(a, 0, "x", -2), INLAY_FAILURE_INVALID_ARGUMENT, "negative");
    std::vector<std::int64_t> numbers{1};
    const value n = integers(numbers);
    CHECK(inlay_value_string(n, 0, nullptr) == nullptr);
    bad(inlay_value_set_string(n, 0, "x", 1), INLAY_FAILURE_TYPE_MISMATCH, "int64, not strings");
}
TEST_CASE("A sequence in C goes into a run and comes out, and does not keep the caller's memory", "[c]") {
    std::vector<float> first{1, 2}, second{3, 4};
    const value x = tensor_of(INLAY_TYPE_FLOAT, {2}, first), y = tensor_of(INLAY_TYPE_FLOAT, {2}, second);
    inlay_any_value* element = y;
    value s;
    good(inlay_value_sequence(&element, 1, &s));
    CHECK(inlay_value_kind(s) == INLAY_KIND_SEQUENCE);
    CHECK(inlay_value_type(s) == INLAY_TYPE_UNDEFINED);
    CHECK(inlay_value_rank(s) == -1);
    CHECK(inlay_value_dims(s) == nullptr);
    CHECK(inlay_value_data(s) == nullptr);
    CHECK(inlay_value_memory(s) == nullptr);
    const auto out = run("sequences", {"x", "s"}, {x, s}, 2);
    first = second = {0, 0};
    CHECK(inlay_value_count(out[0]) == 2);
    CHECK(elements<float>(item(out[0], 0)) == std::vector<float>{3, 4});
    CHECK(elements<float>(item(out[0], 1)) == std::vector<float>{1, 2});
    CHECK(elements<float>(out[1]) == std::vector<float>{3, 4, 1, 2});
    inlay_any_value* no_value = nullptr;
    bad(inlay_value_item(out[0], 2, &no_value), INLAY_FAILURE_NOT_FOUND, "no item 2; the value has 2");
    bad(inlay_value_item(out[0], -1, &no_value), INLAY_FAILURE_NOT_FOUND, "no item -1");
    bad(inlay_value_item(x, 0, &no_value), INLAY_FAILURE_TYPE_MISMATCH, "a tensor has no items");
    bad(inlay_value_key(s, 0, &no_value), INLAY_FAILURE_TYPE_MISMATCH, "only maps have keys");
    bad(inlay_value_copy(s, nullptr, &no_value), INLAY_FAILURE_TYPE_MISMATCH, "`value` is no tensor");
    bad(inlay_value_sequence(&element, -1, &no_value), INLAY_FAILURE_INVALID_ARGUMENT, "negative");
}
TEST_CASE("A map in C goes into a run and comes out, in the order of its keys", "[c]") {
    std::vector<float> x{0.5, 0.25, 0.125}, numbers{10, 30};
    std::vector<std::int64_t> keys{9, 5};
    const value all_keys = integers(keys), ten = tensor_of(INLAY_TYPE_FLOAT, {1, 3}, x);
    std::vector<value> items(2);
    for (std::size_t k = 0; k < 2; ++k)
        good(inlay_value_borrow(INLAY_TYPE_FLOAT, nullptr, 0, &numbers[k], 4, nullptr, &items[k]));
    inlay_any_value* const in[] = {items[0], items[1]};
    value m, texts;
    good(inlay_value_map(all_keys, in, 2, &m));
    CHECK(inlay_value_kind(m) == INLAY_KIND_MAP);
    CHECK(inlay_value_count(m) == 2);
    CHECK(elements<std::int64_t>(key(m, 0)) == std::vector<std::int64_t>{5});
    CHECK(elements<float>(item(m, 0)) == std::vector<float>{30});
    const auto out = run("maps", {"x", "m"}, {ten, m}, 2);
    CHECK(elements<float>(out[1]) == std::vector<float>{30, 0, 10});
    const value z = item(out[0], 0);
    REQUIRE(inlay_value_count(z) == 3);
    CHECK(elements<std::int64_t>(key(z, 2)) == std::vector<std::int64_t>{9});
    CHECK(elements<float>(item(z, 2)) == std::vector<float>{0.125});
    good(inlay_value_map(strings({"b", "a"}), in, 2, &texts));
    CHECK(std::string(inlay_value_string(key(texts, 0), 0, nullptr)) == "a");
    inlay_any_value* no_value = nullptr;
    bad(inlay_value_map(ten, in, 2, &no_value), INLAY_FAILURE_TYPE_MISMATCH, "int64 or strings, not float");
    bad(inlay_value_map(all_keys, in, 1, &no_value), INLAY_FAILURE_SHAPE_MISMATCH, "[2] for 1 items");
    bad(inlay_value_map(strings({"a", "a"}), in, 2, &no_value), INLAY_FAILURE_INVALID_ARGUMENT, "twice");
    bad(inlay_value_map(m, in, 2, &no_value), INLAY_FAILURE_TYPE_MISMATCH, "`keys` is no tensor");
    bad(inlay_value_key(m, 2, &no_value), INLAY_FAILURE_NOT_FOUND, "no item 2");
}
TEST_CASE("An optional in C goes into a run and comes out, with something in it and without", "[c]") {
    std::vector<float> data{1, 2};
    const value x = tensor_of(INLAY_TYPE_FLOAT, {2}, data);
    value full, empty;
    good(inlay_value_optional(x, &full));
    good(inlay_value_optional(nullptr, &empty));
    CHECK(inlay_value_kind(full) == INLAY_KIND_OPTIONAL);
    CHECK(inlay_value_count(full) == 1);
    CHECK(inlay_value_count(empty) == 0);
    const auto with = run("optionals", {"o"}, {full}, 2), without = run("optionals", {"o"}, {empty}, 2);
    CHECK(elements<unsigned char>(with[0]) == std::vector<unsigned char>{1});
    CHECK(elements<unsigned char>(without[0]) == std::vector<unsigned char>{0});
    CHECK(inlay_value_count(without[1]) == 0);
    CHECK(elements<float>(inlay_value_kind(with[1]) == INLAY_KIND_OPTIONAL ? item(with[1], 0) : value()) == data);
    inlay_any_value* no_value = nullptr;
    bad(inlay_value_item(empty, 0, &no_value), INLAY_FAILURE_NOT_FOUND, "the value has 0");
}
