// What a session logs, and to whom.
#include "../models.hpp"
#include "test_providers.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
struct message {
    severity level;
    std::string text;
};
template <class... Ps> std::vector<message> logged(int level, Ps... ps) {
    std::vector<message> messages;
    session_options o;
    o.log_severity_level = level;
    o.log = [&](severity s, std::string_view text) { messages.push_back({s, std::string(text)}); };
    inlay::session{model_of("g (float[2] x) => (float[2] y) { a = Add(x, x) y = Relu(a) }"), o, ps...};
    return messages;
}
struct aged : alpha {
    static constexpr std::string_view name = "AgedExecutionProvider";
    static constexpr provider_status status = provider_status::deprecated;
};
template <provider_check Check> struct checked : alpha {
    static constexpr std::string_view name = "CheckedExecutionProvider";
    static constexpr provider_check checked_on = Check;
};
}  // namespace

TEST_CASE("Each level logs its severity and those above", "[logging]") {
    const std::vector<message> messages = logged(0, aged{});
    CHECK(std::ranges::count(messages, severity::verbose, &message::level) == 2);  // one line per node
    CHECK(std::ranges::count(messages, severity::info, &message::level) == 2);
    CHECK(std::ranges::count(messages, severity::warning, &message::level) == 1);
    for (int level = 0; level <= 5; ++level) {
        CAPTURE(level);
        CHECK(std::int64_t(logged(level, aged{}).size()) ==
              std::ranges::count_if(messages, [&](const message& e) { return int(e.level) >= level; }));
    }
}
TEST_CASE("A session with a free dimension logs where each node runs when it is made", "[logging]") {
    std::vector<std::string> lines;
    session_options o;
    o.log_severity_level = int(severity::verbose);
    o.log = [&](severity s, std::string_view line) {
        if (s == severity::verbose) lines.emplace_back(line);
    };
    const inlay::session s{model_of("g (float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }"), o, cpu{}};
    REQUIRE(lines.size() == 2);
    CHECK(has_text(lines[0], "(Add) -> CPUExecutionProvider"));
    CHECK(has_text(lines[1], "(Relu) -> CPUExecutionProvider"));
}
TEST_CASE("The log reports plans, a CPU that was appended and deprecated providers", "[logging]") {
    const std::vector<message> messages = logged(int(severity::info), aged{});
    REQUIRE(messages.size() == 3);
    CHECK(messages[0].text == "the CPU was appended to the list of providers");
    CHECK(messages[1].text == "AgedExecutionProvider is deprecated");
    CHECK(has_text(messages[2].text, "planned g for x[2]: 2 steps, "));
    CHECK(logged(int(severity::info), cpu{}).size() == 1);  // the plan
}
TEST_CASE("A provider that never computed on its device says so in one warning, which the level silences",
          "[logging]") {
    const auto warnings = [](auto p) {
        std::vector<std::string> texts;
        for (const message& m : logged(int(severity::warning), p, cpu{})) texts.push_back(m.text);
        return texts;
    };
    CHECK(warnings(checked<provider_check::stand_in>{}) ==
          std::vector<std::string>{
              "CheckedExecutionProvider never computed on its device: it was checked on a stand-in of its tests"});
    CHECK(has_text(warnings(checked<provider_check::simulator>{}).at(0), "it was checked on a simulator"));
    CHECK(has_text(warnings(checked<provider_check::library>{}).at(0), "its vendor's library, which computed nothing"));
    CHECK(warnings(inlay::shadow{alpha{}, checked<provider_check::simulator>{}}).size() == 1);
    CHECK(warnings(checked<provider_check::device>{}).empty());
    CHECK(warnings(checked<provider_check::unstated>{}).empty());
    CHECK(logged(int(severity::error), checked<provider_check::stand_in>{}, cpu{}).empty());
}
TEST_CASE("Severities have names", "[logging]") {
    CHECK(name_of(severity::verbose) == "verbose");
    CHECK(name_of(severity::fatal) == "fatal");
}
