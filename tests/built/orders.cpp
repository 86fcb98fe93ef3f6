// Programs with several engines, whichever are in the build: orders and subsets of them.
#include "../models.hpp"
#include "../skip.hpp"
#include "providers.hpp"
#include <bit>
#include <iostream>
#include <numeric>
#include <sstream>
using namespace inlay;
using namespace inlay::testing;

namespace {
using names = std::vector<std::string>;
session_options silent(fallback f = {}) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [](severity, std::string_view) {};
    return o;
}
tensor waves(const shape& dims) {
    std::vector<float> data(std::size_t(dims.elements()));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::sin(float(i) * 0.7f);
    return tensor(dims, data);
}
std::string numbers(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(0.1 * ((i * 7) % 11 - 5));
    return text;
}
const std::vector<std::string>& networks() {
    static const std::vector<std::string> texts{
        "g (float[2,3,8,8] x) => (float[2,4] y) <float[4,3,3,3] w = {" + numbers(108) +
            "}> { c = Conv<pads = [1,1,1,1]>(x, w) r = Relu(c) m = MaxPool<kernel_shape = [2,2], strides = [2,2]>(r) "
            "p = GlobalAveragePool(m) f = Flatten(p) y = Softmax(f) }",
        "g (float[6,5] x) => (float[6,4] y) <float[5,4] w = {" + numbers(20) +
            "}> { a = MatMul(x, w) s = Sigmoid(a) t = Tanh(a) b = Mul(s, t) n = Round(b) y = Sub(b, n) }"};
    return texts;
}
std::vector<provider_handle> handles_of(const names& list) {
    std::vector<provider_choice> choices;
    for (const std::string& n : list) choices.emplace_back(n);
    return make_handles(built_providers(), choices).value_or_raise();
}
// The engines whose libraries are there.
const names& engines() {
    static const names engine_names = [] {
        names result;
        for (const provider_factory& f : built_providers()) {
            const provider_handle h = f.make({}).value_or_raise();
            if (!h.open_engine) continue;
            const auto engine = h.open_engine(h.object.get());
            if (engine)
                result.push_back(h.name);
            else
                std::cout << h.name << " is unavailable: " << engine.why().text << '\n';
        }
        return result;
    }();
    return engine_names;
}
// Those of the engines whose packages request every order of them.
const names& ordered_engines() {
    static const names engine_names = [] {
        names result;
        std::istringstream words(ORDERED_PROVIDERS);
        for (std::string word; words >> word;) result.push_back(handles_of({word})[0].name);
        return result;
    }();
    return engine_names;
}
bool is_there(const std::string& name) { return std::ranges::find(engines(), name) != engines().end(); }
// Every order of these and the CPU; all other engines follow them.
std::vector<names> orders() {
    names moved{std::string(cpu::name)}, rest;
    std::ranges::copy_if(ordered_engines(), std::back_inserter(moved), is_there);
    for (const std::string& name : engines())
        if (std::ranges::find(moved, name) == moved.end()) rest.push_back(name);
    std::ranges::sort(moved);
    std::vector<names> orders;
    do {
        names list = moved;
        list.insert(list.end(), rest.begin(), rest.end());
        orders.push_back(std::move(list));
    } while (std::ranges::next_permutation(moved).found);
    return orders;
}
std::string text_of(const names& list) {
    return std::accumulate(list.begin(), list.end(), std::string(), [](const std::string& text, const std::string& n) {
        return text + (text.empty() ? "" : ", ") + n;
    });
}
void check_results(const session_base& s) {
    const std::vector<feed> in{{"x", waves(s.inputs()[0].shape)}};
    const auto actual = floats(s.run(in)[0]), expected = floats(session{s.model(), reference{}}.run(in)[0]);
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(1e-4));
}
bool takes_alone(const model& m, const std::string& provider, std::size_t node) {
    const handle_session s(m, handles_of({provider, std::string(reference::name)}), silent());
    return s.plan().nodes[node].provider == provider;
}
// Each node is on the first provider that takes it; of those before, the plan has a reason.
void check_order(const session_base& s, const names& list) {
    const plan_report plan = s.plan();
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        const plan_report::line& l = plan.nodes[i];
        if (l.provider.starts_with('(')) continue;
        INFO(l.node << " (" << l.op << ") is on " << l.provider);
        CHECK((l.provider == list.front()) == takes_alone(s.model(), list.front(), i));
        for (const std::string& before : list) {
            if (before == l.provider) break;
            const auto answer = std::ranges::find(l.answers, before, &plan_report::answer::provider);
            INFO("before it stands " << before);
            REQUIRE(answer != l.answers.end());
            CHECK(!answer->text.empty());
        }
        CHECK(std::ranges::find(list, l.provider) != list.end());
    }
}
}  // namespace

TEST_CASE("All orders of the engines and the CPU agree, and the plans follow the order", "[orders]") {
    std::cout << "engines: " << text_of(engines()) << '\n';
    for (const names& list : orders())
        for (const std::string& text : networks()) {
            INFO("the order is " << text_of(list) << "; the network " << text);
            const handle_session s(model_of(text), handles_of(list), silent());
            CHECK(s.providers() == list);
            check_results(s);
            check_order(s, list);
        }
    for (const std::string& name : ordered_engines())
        if (!is_there(name)) SKIP("every order of " << text_of(ordered_engines()) << ": " << name << " is not there");
}
TEST_CASE("Each engine that is built runs alone and together with each other one, and all but one, all and none run",
          "[orders]") {
    const names providers = engines();
    for (std::size_t bits = 0; bits < std::size_t(1) << providers.size(); ++bits) {
        const int count = std::popcount(bits);
        if (count > 2 && count + 1 < int(providers.size())) continue;  // of all subsets there are too many
        names list;
        for (std::size_t k = 0; k < providers.size(); ++k)
            if (bits >> k & 1) list.push_back(providers[k]);
        INFO("the list is " << text_of(list));
        for (const std::string& text : networks())
            check_results(handle_session(model_of(text), handles_of(list), silent()));
    }
}
TEST_CASE("A list with an engine twice is refused", "[orders]") {
    for (const std::string& name : engines())
        CHECK(raised([&] {
                  (void)handle_session(model_of(networks()[0]), handles_of({name, name}), silent());
              }).code == error_code::duplicate_provider);
    CHECK(raised([&] {
              (void)handle_session(model_of(networks()[0]), handles_of({"cpu", "cpu"}), silent());
          }).code == error_code::duplicate_provider);
}
