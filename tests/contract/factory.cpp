// Capability tables as providers by name.
#include "made_up.hpp"
#include <algorithm>
using namespace inlay;
using namespace inlay::testing;

namespace {
const char* const text = "g (float[2,2] x) => (float[2,2] y) { a = MatMul (x, x) b = Tanh (a) y = Add (b, b) }";
}  // namespace

TEST_CASE("A contract's provider plans, and says that it cannot be run and why") {
    const handle_session s = made_up_session(model_of(text));
    const plan_report r = s.plan();
    CHECK(r.count(made_up.name) == 2);
    CHECK(line_of(r, "MatMul").kernel == "region");
    CHECK(line_of(r, "Tanh").provider == cpu::name);
    CHECK(r.notes.back() ==
          "this is a plan only, no weights are packed and nothing can be run: MadeUpExecutionProvider: its contract, "
          "Makebelieve 1.10, is all that is here: it does not exist");
    const std::vector<feed> feeds{{"x", ones({2, 2})}};
    const auto ran = s.try_run(feeds);
    REQUIRE(!ran);
    CHECK(ran.why().code == error_code::provider_unavailable);
}
TEST_CASE("Values go to a contract's memory and come back") {
    const plan_report r = made_up_session(model_of(text)).plan();
    CHECK(std::ranges::count(r.transfers, "nowhere", &plan_report::copy::to) == 2);
    CHECK(std::ranges::count(r.transfers, "nowhere", &plan_report::copy::from) == 2);
}
TEST_CASE("Two devices of one contract have memory of their own") {
    session_options o;
    o.plan_only = true;
    o.log = [](severity, std::string_view) {};
    const handle_session s(model_of(text),
                           {made_up_handle({{"device_id", "1"}, {"sdk_version", "1.9"}}), made_up_handle()}, o);
    CHECK(s.plan().providers.size() == 3);
    CHECK(std::ranges::count(s.plan().transfers, "nowhere:1", &plan_report::copy::to) > 0);
}
TEST_CASE("Options are those of the contract's schema and the SDK's version") {
    const provider_factory f = contract_factory_of(made_up, "it does not exist");
    CHECK(f.defaults() ==
          option_list{{"sdk_version", "1.10"}, {"device_id", "0"}, {"fast", "false"}, {"mode", "plain"}, {"path", ""}});
    const auto odd_handle = f.make({{"mode", "odd"}, {"fast", "1"}, {"sdk_version", "1.9"}, {"path", "a b"}});
    REQUIRE(odd_handle);
    const option_list options = (*odd_handle).options((*odd_handle).object.get());
    CHECK(options ==
          option_list{{"sdk_version", "1.9"}, {"device_id", "0"}, {"fast", "true"}, {"mode", "odd"}, {"path", "a b"}});
    for (const auto& [name, value] : option_list{{"mode", "even"},
                                                 {"mode", "plain odd"},
                                                 {"fast", "perhaps"},
                                                 {"device_id", "one"},
                                                 {"sdk_version", "1.11"}}) {
        CAPTURE(name, value);
        const auto handle = f.make({{name, value}});
        REQUIRE(!handle);
        CHECK(handle.why().code == error_code::invalid_option);
    }
    const auto unknown = f.make({{"fist", "1"}});
    REQUIRE(!unknown);
    CHECK(unknown.why().text == "MadeUpExecutionProvider: no option `fist`; did you mean `fast`?");
}
TEST_CASE("Contracts take the texts of options that their providers take") {
    const std::pair<std::string_view, option_list> option_texts[] = {
        {"coreml", {{"MLComputeUnits", "CPU_ONLY"}}},
        {"coreml", {{"MLComputeUnits", "CPU_AND_GPU"}}},
        {"coreml", {{"MLComputeUnits", "CPU_AND_NE"}, {"RequireStaticInputShapes", "true"}}},
        {"openvino", {{"device_type", "CPU_FP32"}, {"num_of_threads", "8"}}},
        {"tensorrt", {{"trt_engine_cache_enable", "1"}}},
    };
    for (const auto& [provider, options] : option_texts) {
        CAPTURE(provider, options.front());
        const auto handle = contract_factory_of(*find_contract(provider), "it is planned for").make(options);
        INFO((handle ? "" : handle.why().text));
        CHECK(bool(handle));
    }
    CHECK_FALSE(contract_factory_of(*find_contract("coreml"), "").make({{"MLComputeUnits", "NPU"}}));
}
TEST_CASE("A contract of a server takes whole models or nothing") {
    constexpr static provider_contract server = [] {
        provider_contract c = made_up;
        c.whole_models = true;
        c.operators = {};
        return c;
    }();
    session_options o;
    o.plan_only = true;
    o.log = [](severity, std::string_view) {};
    const auto server_handle = [] { return contract_factory_of(server, "why").make({}).value_or_raise(); };
    const handle_session alone(model_of(text), {server_handle(), make_handle(cpu{})}, o);
    CHECK(alone.plan().count(made_up.name) == 3);
    const handle_session behind(model_of(text), {make_handle(cpu{}), server_handle()}, o);
    CHECK(behind.plan().count(made_up.name) == 0);
}
