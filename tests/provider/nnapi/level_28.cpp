// Over a library of feature level 28.
#include "levels.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("At level 28 a convolution network is one region, with executions that are waited for", "[nnapi]") {
    const plan_report plan = checked_plan(network_of(1), {1, 3, 8, 8}, nnapi{});
    CHECK(plan.count(nnapi::name) == 5);
    CHECK(plan.steps == 1);
}
TEST_CASE("At level 28 what level 29 brought is left to others", "[nnapi]") {
    const std::string later = " from Android 10 (feature level 29) on, and this is Android 9 (feature level 28)";
    CHECK(refusal_of<nnapi>(checked_plan(relu_and_exp(), {4}), "Exp") == "NNAPI has the operation" + later);
    const model dilated = model_of({1, 3, 8, 8}, [](graph_maker& g, int x) {
        return g.node("Conv", {x, g.numbers({4, 3, 3, 3})}, {g.list("dilations", {2, 2})});
    });
    CHECK(refusal_of<nnapi>(checked_plan(dilated, {1, 3, 8, 8}), "Conv") == "NNAPI has dilated convolutions" + later);
    const model middle = model_of(
        {2, 3, 4}, [](graph_maker& g, int x) { return g.node("Softmax", {x}, {g.with("axis", std::int64_t(1))}); });
    CHECK(refusal_of<nnapi>(checked_plan(middle, {2, 3, 4}), "Softmax") == "NNAPI has Softmax along any axis" + later);
    CHECK(unavailable_with(nnapi{.use_fp16 = true}).empty());
}
