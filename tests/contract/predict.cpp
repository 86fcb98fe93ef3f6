// Times by cost parameters.
#include "made_up.hpp"
#include "tool/built_providers.hpp"
#include <algorithm>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct prediction : plan_report {
    double seconds = 0;
};
prediction predicted(const std::string& list, const std::string& text) {
    std::vector<provider_choice> choices;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        choices.emplace_back(list.substr(at, end - at));
        at = end + 1;
    }
    const model m = model_of(text);
    session_options o;
    o.plan_only = true;
    o.log = [](severity, std::string_view) {};
    prediction r{any_session(m, choices, o, tool::contract_factories()).plan()};
    std::vector<shape> shapes;
    for (const auto& [name, dims] : r.inputs) shapes.push_back(dims);
    r.seconds = predict(r, m, shapes);
    return r;
}
std::string product_of(int size) {
    const std::string s = std::to_string(size), square = "float[" + s + "," + s + "]";
    return "g (" + square + " x, " + square + " z) => (" + square + " y) { y = MatMul (x, z) }";
}
}  // namespace

TEST_CASE("A run's time is the sum of its steps', each above zero") {
    for (const char* list : {"cpu", "cann,cpu", "nnapi,cpu"}) {
        CAPTURE(list);
        const prediction r = predicted(list, product_of(64));
        REQUIRE(r.schedule.size() > 0);
        double sum = 0;
        for (const auto& s : r.schedule) {
            CHECK(s.predicted > 0);
            sum += s.predicted;
        }
        CHECK(r.seconds == Approx(sum));
    }
}
TEST_CASE("A product takes its multiplications and additions over the rate, where memory is not slower") {
    const double small = predicted("cpu", product_of(256)).seconds, large = predicted("cpu", product_of(1024)).seconds;
    const cost_parameters& c = find_contract("cpu")->costs;
    CHECK(large == Approx(2. * 1024 * 1024 * 1024 / c.f32 + c.node));
    CHECK(large / small == Approx(64).epsilon(.02));
}
TEST_CASE("What crosses into a device's memory takes the link's time") {
    const prediction r = predicted("cann,cpu", product_of(512));
    const cost_parameters& c = find_contract("cann")->costs;
    const auto copy = std::ranges::find(r.schedule, "transfer", &plan_report::step::kind);
    REQUIRE(copy != r.schedule.end());
    CHECK(copy->predicted == Approx(c.copy + 4. * 512 * 512 / c.link));
}
TEST_CASE("Large networks are worth a device, and small ones are not") {
    CHECK(predicted("cann,cpu", product_of(2048)).seconds < predicted("cpu", product_of(2048)).seconds / 10);
    CHECK(predicted("cann,cpu", product_of(8)).seconds > predicted("cpu", product_of(8)).seconds * 10);
}
TEST_CASE("16 bits are as fast as the contract's device multiplies them") {
    const auto in_halves = [](const std::string& type) {
        return predicted("migraphx,cpu",
                         "g (" + type + "[4096,4096] x) => (" + type + "[4096,4096] y) { y = MatMul (x, x) }");
    };
    const auto region = [](const plan_report& r) {
        return std::ranges::find(r.schedule, "region", &plan_report::step::kind)->predicted;
    };
    CHECK(region(in_halves("float16")) < region(in_halves("float")) / 4);
}
