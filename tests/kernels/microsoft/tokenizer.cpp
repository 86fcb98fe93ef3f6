// Mirrors kernels/inlay/microsoft/tokenizer.hpp. Expected values: ONNX Runtime's.
#include "../../catch.hpp"
#include "../value_trial.hpp"
#include <on_test_devices/microsoft/tokenizer.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using texts = std::vector<std::string>;
struct settings {
    std::optional<texts> separators{};
    std::optional<std::string> tokenexp{};
    std::int64_t least = 1, mark = 0;
    std::string filler = "#";
    attributes make() const {
        return [copy = *this](graph_data& g) {
            std::vector<attribute> list{g.make("mark", copy.mark), g.make("mincharnum", copy.least),
                                        g.make("pad_value", std::string_view(copy.filler))};
            if (copy.tokenexp) list.push_back(g.make("tokenexp", std::string_view(*copy.tokenexp)));
            if (!copy.separators) return list;
            const std::vector<std::string_view> views(copy.separators->begin(), copy.separators->end());
            list.push_back(g.make("separators", std::span<const std::string_view>(views)));
            return list;
        };
    }
};
settings by(texts separators, std::int64_t least = 1, std::int64_t mark = 0) {
    return {std::move(separators), {}, least, mark};
}
settings like(std::string tokenexp, std::int64_t least = 1, std::int64_t mark = 0) {
    return {{}, std::move(tokenexp), least, mark};
}
value_outcome split(const texts& x, const settings& s, shape dims = {-1}, std::int64_t bytes = 1 << 20) {
    if (dims[0] < 0) dims[0] = std::int64_t(x.size());
    return run_values<op::tokenizer>({tensor(dims, x)}, {{element::string}}, s.make(), 0, bytes);
}
void check(const value_outcome& y, const shape& dims, const texts& expected) {
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    CHECK(y[0].shape() == dims);
    CHECK(elements<std::string>(y[0]) == expected);
}
std::string why_not(const settings& s) { return std::string(split({"a"}, s).answer.reason); }
const bool has_re2 = regular_expressions_by_re2() != nullptr;
const std::string begin = "\x02", end = "\x03";
}  // namespace

TEST_CASE("Tokenizer splits at separators, and fills up what has fewer tokens") {
    check(split({"Hello World", "I love computer science !"}, by({" "})), {2, 5},
          {"Hello", "World", "#", "#", "#", "I", "love", "computer", "science", "!"});
    check(split({"  a  b ", ""}, by({" "})), {2, 2}, {"a", "b", "#", "#"});
    check(split({"a", "b"}, by({" "}), {2, 1}), {2, 1, 1}, {"a", "b"});
    check(split({"a b", "c d e"}, by({" "}, 1, 1), {1, 2}), {1, 2, 5},
          {begin, "a", "b", end, "#", begin, "c", "d", "e", end});
    check(split({"a\nb"}, by({"\n"})), {1, 2}, {"a", "b"});
    settings nothing = by({" "});
    nothing.filler = "";
    check(split({"a", "b c"}, nothing), {2, 2}, {"a", "", "b", "c"});
}
TEST_CASE("Each separator splits what those before it left") {
    check(split({"a,b;c d", "x"}, by({",", ";"}, 1, 1)), {2, 5},
          {begin, "a", "b", "c d", end, begin, "x", end, "#", "#"});
    check(split({"aXYbXc"}, by({"XY", "X"})), {1, 3}, {"a", "b", "c"});
    check(split({"aXYbXc"}, by({"X", "XY"})), {1, 3}, {"a", "Yb", "c"});
    check(split({"abcabc"}, by({"b", "ca"})), {1, 2}, {"a", "c"});
    check(split({"a12b"}, by({"1", "12"})), {1, 2}, {"a", "2b"});
}
TEST_CASE("Tokens of too few characters are left out, and characters may have several bytes") {
    check(split({"a bb ccc", "d"}, by({" "}, 2)), {2, 2}, {"bb", "ccc", "#", "#"});
    check(split({"a bb ccc", "d"}, by({" "}, 2, 1)), {2, 4}, {begin, "bb", "ccc", end, begin, end, "#", "#"});
    check(split({"aé b", "日本 語"}, by({" "}, 2)), {2, 1}, {"aé", "日本"});
}
TEST_CASE("An empty separator, or the token expression of any character, gives characters") {
    for (const settings& s : {by({""}), like(".")}) {
        check(split({"abc", "de"}, s), {2, 3}, {"a", "b", "c", "d", "e", "#"});
        check(split({"héä", "日本語"}, s), {2, 3}, {"h", "é", "ä", "日", "本", "語"});
        check(split({"a\nb"}, s), {1, 3}, {"a", "\n", "b"});
        check(split({"", ""}, s), {2, 0}, {});
    }
    check(split({"abc", "de"}, by({""}, 1, 1)), {2, 5}, {begin, "a", "b", "c", end, begin, "d", "e", end, "#"});
    check(split({"", "a"}, like(".", 1, 1)), {2, 3}, {begin, end, "#", begin, "a", end});
    CHECK(why_not(by({""}, 2)) == "no character has mincharnum characters");
}
TEST_CASE("Tokenizer gives no tokens where there are none, and no axis more where there is nothing") {
    for (const std::int64_t mark : {0, 1}) {
        check(split({"", ""}, by({" "}, 1, mark)), {2, 0}, {});
        check(split({" ", "  "}, by({" "}, 1, mark)), {2, 0}, {});
        check(split({}, by({" "}, 1, mark), {0}), {0}, {});
        check(split({}, by({" "}, 1, mark), {2, 0}), {2, 0}, {});
        check(split({}, like(".", 1, mark), {0, 2}), {0, 2}, {});
    }
}
TEST_CASE("Plain token expressions need no regular expressions, and separators go before them") {
    check(split({"abab", "xab"}, like("ab")), {2, 2}, {"ab", "ab", "ab", "#"});
    settings options = by({" "});
    options.tokenexp = "b";
    check(split({"a b"}, options), {1, 2}, {"a", "b"});
}
TEST_CASE("Tokenizer's separators are regular expressions, of which the longest match counts") {
    if (!has_re2) return;
    check(split({"a1b22c"}, by({"[0-9]"})), {1, 3}, {"a", "b", "c"});
    check(split({"xabay"}, by({"a|ab"})), {1, 2}, {"x", "y"});
    check(split({"a  b"}, by({"\\s"})), {1, 2}, {"a", "b"});
    check(split({" a b"}, by({"^ "})), {1, 1}, {"a b"});
    check(split({"aab ab"}, by({"\\ba"})), {1, 2}, {"ab ", "b"});
    check(split({"Ab aB"}, by({"(?i)b"})), {1, 2}, {"A", " a"});
    check(split({"a\nb"}, by({"."})), {1, 1}, {"\n"});
    check(split({"aab", "xay", "é"}, by({"a*"})), {3, 0}, {});  // of empty matches nothing is left
    check(split({"a b"}, by({" ", ""})), {1, 0}, {});
}
TEST_CASE("Tokenizer's tokens are matches of an expression") {
    if (!has_re2) return;
    check(split({"abc123def45", "--", "x"}, like("[a-z]+")), {3, 2}, {"abc", "def", "#", "#", "x", "#"});
    check(split({"abc123def45", "--", "x"}, like("[a-z]+|[0-9]+", 2, 1)), {3, 6},
          {begin, "abc", "123", "def", "45", end, begin, end, "#", "#", "#", "#", begin, end, "#", "#", "#", "#"});
    check(split({"aaa"}, like("a*")), {1, 1}, {"aaa"});
    check(split({"baab"}, like("a*")), {1, 1}, {"aa"});
    check(split({"bab"}, like("^b")), {1, 1}, {"b"});
    check(split({"xab xab"}, like("\\bx")), {1, 2}, {"x", "x"});
    check(split({"abab"}, like("a(b)")), {1, 2}, {"ab", "ab"});
    check(split({"aab"}, like("a|ab|aa")), {1, 1}, {"aa"});
    check(split({"a\nb c"}, like(".+")), {1, 2}, {"a", "b c"});
    CHECK(split({"a"}, like("(")).code == status::invalid_value);
    CHECK(split({"a"}, by({" ", "[a"})).code == status::invalid_value);
}
TEST_CASE("What Tokenizer cannot take is refused") {
    const std::string message = "there are neither separators nor a tokenexp";
    CHECK(why_not({}) == message);
    CHECK(why_not(like("")) == message);
    CHECK(why_not(by({" "}, 0)) == "mincharnum must be positive");
    CHECK(run_values<op::tokenizer>({tensor({1}, texts{"a"})}, {{element::string}}).answer.reason ==
          "mark, mincharnum and pad_value must be given");
    CHECK(split({"a"}, by({" "}), {1, 1, 1}).answer.reason == "the input has neither one axis nor two");
    if (!has_re2)
        CHECK(why_not(like("a+")) ==
              "regular expressions need RE2: there is no libinlay_re2_module.so, which builds with INLAY_RE2 have");
    for (const char* bad : {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\x80"}) {
        CHECK(split({bad}, by({" "})).detail == "a text is no UTF-8");
        CHECK(split({bad}, like(".")).detail == "a text is no UTF-8");
    }
    check(split({"\xf4\x8f\xbf\xbf\xed\x9f\xbf"}, like(".")), {1, 2}, {"\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"});
}
TEST_CASE("Tokens and what fills up count against the bytes of a run") {
    const texts x{std::string(200, 'a'), ""};
    settings s = like(".");
    s.filler = std::string(100, '-');
    CHECK(split(x, s, {2}, 200 * 16 + 200 + 400 * 100).code == status::ok);
    CHECK(split(x, s, {2}, 200 * 16 + 200 + 400 * 100 - 1).code == status::out_of_memory);
    CHECK(split(x, s, {2}, 200 * 16 - 1).code == status::out_of_memory);
}
