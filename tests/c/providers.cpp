// Lists of providers, and plugins in them.
#include "owned.hpp"
using namespace inlay::testing;

namespace {
providers list_of(const std::vector<const char*>& names) {
    providers p;
    good(inlay_providers_new(&p));
    for (const char* name : names) good(inlay_providers_add(p, name));
    return p;
}
std::vector<std::string> names_of(const inlay_providers* p) {
    std::vector<std::string> names;
    for (std::int64_t k = 0; k < inlay_providers_count(p); ++k) names.emplace_back(inlay_providers_name(p, k));
    return names;
}
std::string option_of(const inlay_providers* p, std::int64_t index, const std::string& name) {
    for (std::int64_t k = 0; k < inlay_providers_option_count(p, index); ++k)
        if (name == inlay_providers_option_name(p, index, k)) return inlay_providers_option_text(p, index, k);
    return "(none)";
}
providers in_use(const session& s) {
    providers p;
    good(inlay_session_providers(s, &p));
    return p;
}
const std::vector<std::string> cpu_alone{"CPUExecutionProvider"};
}  // namespace

TEST_CASE("The providers that a C program may name are listed with their options", "[c]") {
    providers built;
    good(inlay_providers_built(&built));
    const auto names = names_of(built);
    REQUIRE(names.size() >= 2);
    CHECK(names[0] == "CPUExecutionProvider");
    CHECK(names[1] == "ReferenceExecutionProvider");
    CHECK(option_of(built, 0, "threads") == "0");
    CHECK(option_of(built, 0, "precision") == "standard");
    CHECK(inlay_providers_status(built, 0) == std::string("production"));
    CHECK(inlay_providers_checked_on(built, 0) == std::string("device"));
    CHECK(inlay_providers_status(built, -1) == nullptr);
    CHECK(inlay_providers_checked_on(built, inlay_providers_count(built)) == nullptr);
    CHECK(inlay_providers_name(built, -1) == nullptr);
    CHECK(inlay_providers_name(built, inlay_providers_count(built)) == nullptr);
    CHECK(inlay_providers_option_count(built, 1000) == -1);
    CHECK(inlay_providers_option_name(built, 0, 1000) == nullptr);
    CHECK(inlay_providers_option_text(built, 0, -1) == nullptr);
    const providers named = list_of({"reference", "ReferenceExecutionProvider", "cpu", "CPUExecutionProvider"});
    for (const std::int64_t k : {0, 1, 2, 3}) {
        CHECK(inlay_providers_status(named, k) == std::string("production"));
        CHECK(inlay_providers_checked_on(named, k) == std::string("device"));
    }
}
TEST_CASE("A list in C takes providers by any usual name and their options as text, and nothing else", "[c]") {
    const providers p = list_of({"Reference"});
    bad(inlay_providers_set(p, "threads", "2"), INLAY_FAILURE_UNKNOWN_OPTION, "no option `threads`");
    good(inlay_providers_add(p, "cpu"));
    good(inlay_providers_set(p, "threads", "2"));
    good(inlay_providers_set(p, "threads", "3"));
    bad(inlay_providers_set(p, "threads", "two"), INLAY_FAILURE_INVALID_OPTION, "`two`");
    bad(inlay_providers_set(p, "thread", "2"), INLAY_FAILURE_UNKNOWN_OPTION, "did you mean `threads`?");
    CHECK(inlay_providers_option_count(p, 1) == 1);
    CHECK(option_of(p, 1, "threads") == "3");
    bad(inlay_providers_add(p, "abacus"), INLAY_FAILURE_UNKNOWN_PROVIDER, "CPUExecutionProvider");
    CHECK(inlay_providers_count(p) == 2);
    bad(inlay_providers_set(list_of({}), "threads", "2"), INLAY_FAILURE_INVALID_ARGUMENT, "the list is empty");
    session s;
    bad(inlay_session_new(load("two"), list_of({"cpu", "cpu"}), nullptr, &s), INLAY_FAILURE_DUPLICATE_PROVIDER,
        "twice");
}
TEST_CASE("A session in C has the providers that it was given, in their order, with all options", "[c]") {
    const session plain = session_of("two");
    CHECK(names_of(in_use(plain)) == cpu_alone);
    const providers requested = list_of({"reference", "cpu"});
    good(inlay_providers_set(requested, "threads", "1"));
    session s;
    good(inlay_session_new(load("two"), requested, nullptr, &s));
    const providers used = in_use(s);
    CHECK(names_of(used) == std::vector<std::string>{"ReferenceExecutionProvider", "CPUExecutionProvider"});
    CHECK(option_of(used, 1, "threads") == "1");
    CHECK(option_of(used, 1, "flush_denormals") == "false");
    session again;
    good(inlay_session_new(load("two"), used, nullptr, &again));
    CHECK(names_of(in_use(again)) == names_of(used));
    CHECK(option_of(in_use(again), 1, "threads") == "1");
}
TEST_CASE("The providers of a session in C are changed, and stay as they were where that fails", "[c]") {
    const session s = session_of("two");
    good(inlay_session_set_providers(s, list_of({"reference"})));
    CHECK(names_of(in_use(s)) == std::vector<std::string>{"ReferenceExecutionProvider", "CPUExecutionProvider"});
    bad(inlay_session_set_providers(s, list_of({"cpu", "cpu"})), INLAY_FAILURE_DUPLICATE_PROVIDER, "twice");
    CHECK(inlay_providers_count(in_use(s)) == 2);
    good(inlay_session_set_providers(s, nullptr));
    CHECK(names_of(in_use(s)) == cpu_alone);
}
TEST_CASE("A plugin stands in a list of C, runs nodes, and is given back by its session", "[c]") {
    const providers p = list_of({});
    good(inlay_providers_add_plugin(p, PLUGIN_RELU));
    CHECK(names_of(p) == std::vector<std::string>{"RectifierExecutionProvider"});
    CHECK(inlay_providers_status(p, 0) == std::string("preview"));
    CHECK(inlay_providers_checked_on(p, 0) == std::string());
    good(inlay_providers_set(p, "largest", "500"));
    bad(inlay_providers_set(p, "smallest", "1"), INLAY_FAILURE_UNKNOWN_OPTION, "smallest");
    session s, again;
    good(inlay_session_new(load("fixed"), p, nullptr, &s));
    const providers used = in_use(s);
    CHECK(option_of(used, 0, "largest") == "500");
    good(inlay_session_new(load("fixed"), used, nullptr, &again));
    binding b;
    good(inlay_session_bind(again, nullptr, nullptr, nullptr, 0, &b));
    good(inlay_binding_run(b, nullptr));
    std::int64_t nodes = 0;
    good(inlay_binding_executed(b, "RectifierExecutionProvider", &nodes));
    CHECK(nodes == 1);
    bad(inlay_providers_add_plugin(p, "/no/such/file.so"), INLAY_FAILURE_NOT_FOUND, "/no/such/file.so");
    bad(inlay_providers_add_plugin(p, PLUGIN_NONE), INLAY_FAILURE_PROVIDER_UNAVAILABLE, "");
    CHECK(inlay_providers_count(p) == 1);
}
