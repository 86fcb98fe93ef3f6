#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/regex_full_match.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome matched(const tensor& x, std::string pattern, int threads = 1) {
    call c{{x},
           [=](graph_data& g) { return std::vector{g.make("pattern", std::string_view(pattern))}; },
           0,
           {element::boolean}};
    c.threads = threads;
    return run<op::regex_full_match, device::reference>(c);
}
std::vector<bool> matches(const std::vector<std::string>& x, const std::string& pattern) {
    const outcome y = matched(tensor({std::int64_t(x.size())}, x), pattern);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    return {y[0].as<bool>().begin(), y[0].as<bool>().end()};
}
const bool has_re2 = regular_expressions_by_re2() != nullptr;
}  // namespace

TEST_CASE("RegexFullMatch matches whole strings, as RE2 does") {
    if (!has_re2) return;
    CHECK(matches({"www.google.com", "www.facebook.com", "www.bbc.co.uk"}, R"(www\.[\w.-]+\.\bcom\b)") ==
          std::vector{true, true, false});
    CHECK(matches({"account@gmail.com", "account@hotmail.com", "not email", "account@yahoo.com"},
                  R"((\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$))") == std::vector{true, false, false, true});
    CHECK(matches({"ab", "xab", "abx", ""}, "ab") == std::vector{true, false, false, false});
    CHECK(matches({"", "a"}, "") == std::vector{true, false});
    CHECK(matches({"é", "ab"}, ".") == std::vector{true, false});
    CHECK(matches({std::string("a\0b", 3)}, "a.b") == std::vector{true});
    CHECK(matches({std::string(100'000, 'a') + "b"}, "(a*)*c") == std::vector{false});  // in linear time
}
TEST_CASE("RegexFullMatch keeps the shape, on every number of threads") {
    if (!has_re2) return;
    tensor x(element::string, {5000});
    for (std::size_t i = 0; i < 5000; ++i) x.as<std::string>()[i] = i % 3 ? "yes" : "no";
    for (const int threads : {1, 3}) {
        const outcome y = matched(x.reshaped({50, 100}), "y.*", threads);
        REQUIRE(y[0].shape() == shape{50, 100});
        for (std::size_t i = 0; i < 5000; ++i) CHECK(y[0].as<bool>()[i] == (i % 3 != 0));
    }
    CHECK(matched(tensor(element::string, {0, 2}), "a")[0].shape() == shape{0, 2});
}
TEST_CASE("RegexFullMatch refuses patterns that RE2 does not know, and builds without RE2 refuse it") {
    const tensor x({1}, std::vector<std::string>{"a"});
    CHECK(run<op::regex_full_match, device::reference>({{x}}).answer.reason == "there is no pattern");
    if (!has_re2) {
        CHECK(matched(x, "a").answer.reason ==
              "regular expressions need RE2: there is no libinlay_re2_module.so, which builds with INLAY_RE2 have");
        return;
    }
    for (const char* pattern : {"(", "[a", "a{1001}", R"((a)\1)", "(?=a)"}) {
        CAPTURE(pattern);
        CHECK(matched(x, pattern).code == status::invalid_value);
    }
}
