// Text for people: names of files, and numbers in every locale.
#include "../comma_locale.hpp"
#include "../models.hpp"
#include "report/json_writer.hpp"
#include "support/text.hpp"
#include <inlay/report_json.hpp>
#include <sstream>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string as_json(std::string_view text) {
    std::string to;
    write_quoted(to, text);
    return to;
}
const std::string nasty = "a\x1b[31mb\nplan of c\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8 \xc3\xa9";
}  // namespace

TEST_CASE("Text from a file shows its control characters and marks of direction as escapes", "[report_text]") {
    CHECK(printable(nasty) == "a\\u001b[31mb\\nplan of c\\u007f\\u009b\\u202e\\u2066\\u2028 \xc3\xa9");
    CHECK(printable("conv1/weight:0 \\ \"\xf0\x9f\x98\x80\"") == "conv1/weight:0 \\ \"\xf0\x9f\x98\x80\"");
    CHECK(printable("\x9b\xc3") == "\\x9b\\xc3");
    CHECK(printable(std::string_view("\0\t\r", 3)) == "\\u0000\\t\\r");
}
TEST_CASE("JSON escapes the same characters, and a parser has them back", "[report_text]") {
    CHECK(as_json(nasty) == "\"a\\u001b[31mb\\u000aplan of c\\u007f\\u009b\\u202e\\u2066\\u2028 \xc3\xa9\"");
    CHECK(as_json("\x9b") == "\"\\ufffd\"");
    CHECK(printable_json("{\"a\xc2\x9b\": \"\xe2\x80\xae\xc3\xa9\"}\n") == "{\"a\\u009b\": \"\\u202e\xc3\xa9\"}\n");
}
TEST_CASE("A plan shows each node on one line, whatever its name is", "[report_text]") {
    plan_report r;
    r.model = "g\x1b]0;title\x07";
    r.inputs = {{"x\n  fake", shape{2}}};
    r.providers = {"CPUExecutionProvider"};
    r.notes = {nasty};
    r.nodes.push_back({nasty, nasty, "", 14, "CPUExecutionProvider", "cpu", "", nasty, {{nasty, nasty}}, {}});
    r.transfers.push_back({nasty, "host", "device\n", 4});
    std::ostringstream text;
    text << r;
    CAPTURE(text.str());
    CHECK(std::ranges::count(text.str(), '\n') == 7);  // two of the heading, the note, the node, the transfer, the sums
    CHECK(std::ranges::none_of(text.str(), [](char c) { return c != '\n' && c >= 0 && c < ' '; }));
    CHECK_FALSE(has_text(text.str(), "\xe2\x80\xae"));
    CHECK(has_text(text.str(), "plan of g\\u001b]0;title\\u0007 for x\\n  fake[2]"));
}
TEST_CASE("Numbers in reports are the same in every locale", "[report_text]") {
    plan_report r;
    r.level = "avx2";
    r.threads = 12345;
    r.arena_bytes = 6'600'000;
    r.steps = 12345;
    r.costs = {0.0012, 0.001, 0.0011, 0.0009, 12345};
    r.conversions.push_back({"x", "plain", "channels-last", 1234});
    const auto shown = [&] {
        std::ostringstream text;
        text << r;
        return text.str() + json_of(r) + short_text(0.5) + decimal_text(1234.5, 2) + size_text(6'600'000);
    };
    const std::string before = shown();
    CHECK(has_text(before, "arena 6.6 MB"));
    CHECK(has_text(before, "by cost, of 12345 plans: greedy 1200.0 us, chosen 1000.0 us (predicted 1100.0 us), lower"));
    const comma_locale locale;
    CHECK((std::ostringstream() << 1.5).str() == "1,5");
    CHECK(shown() == before);
}
TEST_CASE("Sizes have three digits and a unit", "[report_text]") {
    CHECK(size_text(-1) == "size known at run");
    CHECK(size_text(0) == "0 B");
    CHECK(size_text(999) == "999 B");
    CHECK(size_text(1000) == "1.0 kB");
    CHECK(size_text(999'949) == "999.9 kB");
    CHECK(size_text(999'950) == "1.0 MB");
    CHECK(size_text(6'600'000'000) == "6.6 GB");
}
