#include "../../catch.hpp"
#include "../moving.hpp"
#include "../value_trial.hpp"
#include <on_test_devices/onnx/string.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using texts = std::vector<std::string>;
tensor strings(const shape& dims, const texts& values) { return tensor(dims, values); }
tensor strings(const texts& values) { return strings({std::int64_t(values.size())}, values); }
texts values_in(const value_outcome& y) {
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    const auto values = y[0].as<std::string>();
    return {values.begin(), values.end()};
}
struct settings {
    std::vector<std::pair<std::string, std::string>> words{};
    std::vector<std::pair<std::string, std::int64_t>> numbers{};
    texts stopwords{};
    attributes make() const {
        return [copy = *this](graph_data& g) {
            std::vector<attribute> list;
            for (auto& [name, text] : copy.words) list.push_back(g.make(name, std::string_view(text)));
            for (auto& [name, number] : copy.numbers) list.push_back(g.make(name, number));
            const std::vector<std::string_view> views(copy.stopwords.begin(), copy.stopwords.end());
            list.push_back(g.make("stopwords", std::span<const std::string_view>(views)));
            return list;
        };
    }
};
value_outcome joined(const tensor& a, const tensor& b, std::int64_t bytes = 1 << 20) {
    return run_values<op::string_concat>({a, b}, {{element::string}}, settings().make(), 0, bytes);
}
value_outcome normal(const tensor& x, const settings& s) {
    return run_values<op::string_normalizer>({x}, {{element::string}}, s.make());
}
value_outcome parted(const tensor& x, const settings& s, std::int64_t bytes = 1 << 20) {
    return run_values<op::string_split>({x}, {{element::string}, {element::i64}}, s.make(), 0, bytes);
}
settings by(std::string delimiter, std::int64_t most = -1) {
    return {{{"delimiter", delimiter}}, {{"maxsplit", most}}, {}};
}
std::vector<std::int64_t> numbers_in(const value_outcome& y) {
    const auto values = y[1].as<std::int64_t>();
    return {values.begin(), values.end()};
}
}  // namespace

TEST_CASE("StringConcat puts y after x, with broadcasting") {
    CHECK(values_in(joined(strings({"a", ""}), strings({"x", "yz"}))) == texts{"ax", "yz"});
    const value_outcome wide = joined(strings({2, 1}, {"a", "b"}), strings({"x", "y", std::string("\0z", 2)}));
    CHECK(wide[0].shape() == shape{2, 3});
    CHECK(values_in(wide) == texts{"ax", "ay", std::string("a\0z", 3), "bx", "by", std::string("b\0z", 3)});
    CHECK(values_in(joined(strings(shape{}, {"é"}), strings({"ü", "中"}))) == texts{"éü", "é中"});
    CHECK(joined(strings({0}, {}), strings({"x"}))[0].shape() == shape{0});
}
TEST_CASE("StringConcat refuses shapes that do not broadcast, what is no string, and more bytes than a run may take") {
    CHECK(joined(strings({"a", "b"}), strings({"a", "b", "c"})).answer.reason == "the inputs' shapes do not broadcast");
    CHECK(joined(strings({"a"}), tensor({1}, {1.f})).answer.reason == "y is not of strings");
    const value_outcome large = joined(strings({1000, 1}, texts(1000)), strings({std::string(1000, 'x')}), 999'999);
    CHECK(large.code == status::out_of_memory);
    CHECK(large.detail == no_memory_left);
    CHECK(joined(strings({1000, 1}, texts(1000)), strings({std::string(1000, 'x')}), 1'000'000).code == status::ok);
}
TEST_CASE("StringNormalizer drops stop words and changes cases") {
    const tensor days = strings({"monday", "Tuesday", "wednesday", "thursday"});
    CHECK(values_in(normal(days, {})) == texts{"monday", "Tuesday", "wednesday", "thursday"});
    CHECK(values_in(normal(days, {{{"case_change_action", "LOWER"}}, {{"is_case_sensitive", 1}}, {"monday"}})) ==
          texts{"tuesday", "wednesday", "thursday"});
    CHECK(values_in(normal(days, {{{"case_change_action", "UPPER"}}, {}, {"TUESDAY"}})) ==
          texts{"MONDAY", "WEDNESDAY", "THURSDAY"});
    CHECK(values_in(normal(days, {{}, {{"is_case_sensitive", 1}}, {"TUESDAY", "thursday"}})) ==
          texts{"monday", "Tuesday", "wednesday"});
    const value_outcome row = normal(strings({1, 3}, {"a", "B", "a"}), {{{"case_change_action", "UPPER"}}, {}, {"b"}});
    CHECK(row[0].shape() == shape{1, 2});
    CHECK(values_in(row) == texts{"A", "A"});
    CHECK(values_in(normal(strings({"aé"}), {{{"case_change_action", "UPPER"}}, {}, {}})) == texts{"Aé"});
}
TEST_CASE("StringNormalizer gives one empty string where nothing is left") {
    CHECK(values_in(normal(strings({"a", "A"}), {{}, {}, {"a"}})) == texts{""});
    CHECK(normal(strings({1, 1}, {"a"}), {{}, {}, {"a"}})[0].shape() == shape{1, 1});
    CHECK(values_in(normal(strings({0}, {}), {})) == texts{""});
    CHECK(normal(strings({1, 0}, {}), {})[0].shape() == shape{1, 1});
}
TEST_CASE("StringNormalizer refuses attributes that it cannot follow") {
    CHECK(!normal(strings({2, 1}, {"a", "b"}), {}).answer);
    CHECK(!normal(strings(shape{}, {"a"}), {}).answer);
    CHECK(normal(strings({"a"}), {{{"case_change_action", "lower"}}, {}, {}}).answer.reason ==
          "case_change_action is none of LOWER, UPPER and NONE");
    const settings french{{{"case_change_action", "UPPER"}, {"locale", "fr_FR"}}, {}, {}};
    CHECK(values_in(normal(strings({"a"}), french)) == texts{"A"});
    CHECK(normal(strings({"é"}), french).code == status::unsupported);
    CHECK(values_in(normal(strings({"é"}), {{{"locale", "fr_FR"}}, {}, {}})) == texts{"é"});
}
TEST_CASE("StringSplit splits at a delimiter, and fills up with empty strings") {
    const value_outcome dots = parted(strings({"abc.com", "def.net", "x"}), by("."));
    CHECK(dots[0].shape() == shape{3, 2});
    CHECK(values_in(dots) == texts{"abc", "com", "def", "net", "x", ""});
    CHECK(numbers_in(dots) == std::vector<std::int64_t>{2, 2, 1});
    CHECK(values_in(parted(strings({"a,,b,"}), by(","))) == texts{"a", "", "b", ""});
    CHECK(values_in(parted(strings({"o-n-n--x-"}), by("-", 2))) == texts{"o", "n", "n--x-"});
    CHECK(values_in(parted(strings({"a-+-b"}), by("-+-"))) == texts{"a", "b"});
    const value_outcome empty = parted(strings({""}), by(","));
    CHECK(numbers_in(empty) == std::vector<std::int64_t>{1});
    CHECK(values_in(parted(strings({"a,b"}), by(",", 0))) == texts{"a,b"});
}
TEST_CASE("StringSplit without a delimiter splits at stretches of white space") {
    for (const settings& s : {settings(), by("")}) {
        const value_outcome words = parted(strings({"hello world !", "  hello \t\n world !", "! "}), s);
        CHECK(values_in(words) == texts{"hello", "world", "!", "hello", "world", "!", "!", "", ""});
        CHECK(numbers_in(words) == std::vector<std::int64_t>{3, 3, 1});
    }
    CHECK(values_in(parted(strings({" a b  c "}), by("", 1))) == texts{"a", "b  c "});
    CHECK(values_in(parted(strings({" a b"}), by("", 0))) == texts{"a b"});
    const value_outcome blank = parted(strings({"  ", ""}), {});
    CHECK(blank[0].shape() == shape{2, 0});
    CHECK(numbers_in(blank) == std::vector<std::int64_t>{0, 0});
    CHECK(parted(strings({0}, {}), {})[0].shape() == shape{0, 0});
}
TEST_CASE("StringSplit keeps the input's shape, may leave out the numbers, and refuses what does not fit") {
    const value_outcome grid = parted(strings({2, 1}, {"a b", "c"}), {});
    CHECK(grid[0].shape() == shape{2, 1, 2});
    CHECK(grid[1].shape() == shape{2, 1});
    const value_outcome alone =
        run_values<op::string_split>({strings({"a b"})}, {{element::string}}, settings().make());
    CHECK(values_in(alone) == texts{"a", "b"});
    CHECK(parted(strings({1, 1, 1, 1, 1, 1, 1, 1}, {"a"}), {}).answer.reason ==
          "the result has more than 8 dimensions");
    CHECK(parted(strings({std::string(1000, 'x')}), {}, 999).detail == no_memory_left);
}
