// Providers by name and options as text, as tools and bindings give them.
#include "../models.hpp"
#include "test_providers.hpp"
#include <boost/hana/adapt_struct.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace inlay::testing {
struct gadget {  // a provider with options of every kind
    int device_id = 0;
    bool precise = true;
    std::string cache{};
    std::int64_t memory_limit = -1;
    static constexpr std::string_view name = "ABCExecutionProvider", short_name = "gadget";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<op::relu>;
};
}  // namespace inlay::testing
BOOST_HANA_ADAPT_STRUCT(inlay::testing::gadget, device_id, precise, cache, memory_limit);

namespace {
constexpr auto& with_gadget = factories_of<gadget, cpu, reference>;
any_session session_with_gadget(const model& m, std::vector<provider_choice> list) {
    return any_session(m, std::move(list), {}, with_gadget);
}
const char* const text = "g (float[2] x) => (float[2] y) { a = Add(x, x) y = Relu(a) }";
const tensor x2({2}, {1.f, -2.f});
const std::vector<float> y2{2.f, 0.f};
const option_list gadget_defaults{{"device_id", "0"}, {"precise", "true"}, {"cache", ""}, {"memory_limit", "-1"}};
}  // namespace

TEST_CASE("The providers of the program are listed by name", "[any_session]") {
    CHECK(available_providers() == std::vector<std::string>{"CPUExecutionProvider", "ReferenceExecutionProvider"});
    REQUIRE(with_gadget.size() == 3);
    CHECK(with_gadget[0].defaults() == gadget_defaults);
    CHECK(factories_of<cpu, reference>[0].defaults() ==
          option_list{{"threads", "0"}, {"isa", ""}, {"flush_denormals", "false"}, {"precision", "standard"}});
}

TEST_CASE("A provider has one name and every usual spelling of it", "[any_session]") {
    const model m = model_of(text);
    for (const char* name :
         {"ReferenceExecutionProvider", "reference", "Reference", "REFERENCE", "referenceexecutionprovider"}) {
        CAPTURE(name);
        const any_session s(m, {name});
        CHECK(s.providers() == std::vector<std::string>{"ReferenceExecutionProvider", "CPUExecutionProvider"});
        CHECK(s.plan().count("ReferenceExecutionProvider") == 2);
    }
    for (const char* name : {"ABCExecutionProvider", "AbcExecutionProvider", "abc", "ABC"})
        CHECK(names_provider(name, "ABCExecutionProvider"));
    for (const char* name : {"gadget", "Gadget", "abc"})
        CHECK(session_with_gadget(m, {name}).providers()[0] == "ABCExecutionProvider");
    CHECK(raised([&] { session_with_gadget(m, {"gaget"}); }).hint == "did you mean `ABCExecutionProvider`?");
    CHECK(names_provider("two_word_abc", "TwoWordAbcExecutionProvider"));
    CHECK_FALSE(names_provider("ExecutionProvider", "CPUExecutionProvider"));
    CHECK_FALSE(names_provider("", "CPUExecutionProvider"));
    CHECK_FALSE(names_provider("cp", "CPUExecutionProvider"));
}

TEST_CASE("Names and types in the same order make the same plan", "[any_session]") {
    const model m = model_of(text);
    const any_session by_default(m);
    CHECK(by_default.providers() == std::vector<std::string>{"CPUExecutionProvider"});
    CHECK(floats(by_default.run({{"x", x2}})[0]) == y2);
    const any_session by_name(m, {"reference", {"cpu", {{"threads", "1"}}}});
    const inlay::session by_type{m, reference{}, cpu{.threads = 1}};
    CHECK(by_name.providers() == by_type.providers());
    CHECK(by_name.provider_options() == by_type.provider_options());
    CHECK(text_of(by_name.plan()) == text_of(by_type.plan()));
    session_options o;
    o.intra_op_num_threads = 1;
    const any_session options_last(m, {"reference"}, o), options_first(m, o, {"reference"});
    CHECK(options_last.plan().threads == 1);
    CHECK(text_of(options_last.plan()) == text_of(options_first.plan()));
}

TEST_CASE("Options given as text reach the provider, and come back as text", "[any_session]") {
    const model m = model_of(text);
    const any_session s =
        session_with_gadget(m, {{"abc", {{"cache", "kept/here"}, {"device_id", "3"}, {"precise", "0"}}}, "cpu"});
    const auto dump = s.provider_options();
    REQUIRE(dump.size() == 2);
    CHECK(dump[0].first == "ABCExecutionProvider");
    CHECK(dump[0].second ==
          option_list{{"device_id", "3"}, {"precise", "false"}, {"cache", "kept/here"}, {"memory_limit", "-1"}});
    CHECK(dump[1].first == "CPUExecutionProvider");
    std::vector<provider_choice> again;
    for (const auto& [name, options] : dump) again.emplace_back(name, options);
    CHECK(session_with_gadget(m, again).provider_options() == dump);  // the dump is a list of providers
    const any_session two(
        m, {{"cpu", {{"threads", "2"}, {"isa", "sse2"}, {"flush_denormals", "True"}, {"precision", "strict"}}}});
    CHECK(two.plan().threads == 2);
    CHECK(two.level() == isa::level::sse2);
    CHECK(two.provider_options()[0].second ==
          option_list{{"threads", "2"}, {"isa", "sse2"}, {"flush_denormals", "true"}, {"precision", "strict"}});
}

TEST_CASE("Unknown providers, options and values are errors that say what there is", "[any_session]") {
    const model m = model_of(text);
    const auto refusal = [&](std::vector<provider_choice> list) { return raised([&] { any_session s(m, list); }); };
    error e = refusal({"gpu", "cpu"});
    CHECK(e.code == error_code::unknown_provider);
    CHECK(e.provider == "gpu");
    CHECK(e.text ==
          "inlay: there is no provider `gpu` in this program; it has: CPUExecutionProvider ReferenceExecutionProvider");
    e = refusal({"refrence"});
    CHECK(e.code == error_code::unknown_provider);
    CHECK(e.hint == "did you mean `ReferenceExecutionProvider`?");
    e = refusal({{"cpu", {{"treads", "2"}}}});
    CHECK(e.code == error_code::unknown_option);
    CHECK(e.provider == "CPUExecutionProvider");
    CHECK(e.hint == "did you mean `threads`?");
    CHECK(e.text == "CPUExecutionProvider: no option `treads`; did you mean `threads`?");
    e = refusal({{"cpu", {{"something_else", "2"}}}});
    CHECK(e.code == error_code::unknown_option);
    CHECK(e.hint.empty());
    for (const char* value : {"two", "", "2.5", "2 ", "99999999999"}) {
        CAPTURE(value);
        e = refusal({{"cpu", {{"threads", value}}}});
        CHECK(e.code == error_code::invalid_option);
        CHECK(e.text == "CPUExecutionProvider: `threads` cannot be `" + std::string(value) + "`");
    }
    CHECK(refusal({{"cpu", {{"isa", "sse9"}}}}).code == error_code::invalid_option);
    CHECK(refusal({{"cpu", {{"flush_denormals", "maybe"}}}}).code == error_code::invalid_option);
    CHECK(refusal({{"cpu", {{"precision", "bf16"}}}}).text == "CPUExecutionProvider: `precision` cannot be `bf16`");
    CHECK(refusal({{"cpu", {{"threads", "-1"}}}}).code == error_code::invalid_option);
    CHECK(refusal({"cpu", "CPUExecutionProvider"}).code == error_code::duplicate_provider);
}

TEST_CASE("set_providers creates the session again from the same model", "[any_session]") {
    any_session s(model_of(text), {"reference", "cpu"});
    const graph_data* graph = &s.model().graph();
    CHECK(s.plan().count("ReferenceExecutionProvider") == 2);
    const fetched before = s.run({{"x", x2}});
    s.set_providers({"cpu", "reference"});
    CHECK(s.providers() == std::vector<std::string>{"CPUExecutionProvider", "ReferenceExecutionProvider"});
    CHECK(s.plan().count("CPUExecutionProvider") == 2);
    CHECK(&s.model().graph() == graph);
    CHECK(floats(s.run({{"x", x2}})[0]) == floats(before[0]));
    s.set_providers("ReferenceExecutionProvider");  // one string instead of a list
    CHECK(s.plan().count("ReferenceExecutionProvider") == 2);
    CHECK(raised([&] { s.set_providers({"tpu"}); }).code == error_code::unknown_provider);
    CHECK(s.providers()[0] == "ReferenceExecutionProvider");  // as it was
    CHECK(floats(s.run({{"x", x2}})[0]) == y2);
    s.set_providers(std::vector<provider_choice>{});
    CHECK(s.providers() == std::vector<std::string>{"CPUExecutionProvider"});
}

TEST_CASE("set_providers gives back the memory of the providers before", "[any_session]") {
    any_session s(model_of("g (float[3] x) => (float[3] y) <float[3] k = {1, 2, 3}> { y = Add(x, k) }"),
                  {"board", "cpu"}, {}, factories_of<board, cpu>);
    CHECK(floats(s.run({{"x", ones({3})}})[0]) == std::vector{2.f, 3.f, 4.f});
    CHECK_FALSE(board_space::blocks.empty());
    s.set_providers("cpu");
    CHECK(board_space::blocks.empty());
    CHECK(floats(s.run({{"x", ones({3})}})[0]) == std::vector{2.f, 3.f, 4.f});
    CHECK(board_space::blocks.empty());
}
