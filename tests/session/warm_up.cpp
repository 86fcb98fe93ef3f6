// Runs before those that count.
#include "../models.hpp"
#include "test_providers.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("warm_up runs the model as often as requested", "[session]") {
    const inlay::session s{model_of("g (float[4] x) => (float[4] y) { y = Relu(x) }"), alpha{}, cpu{}};
    trace.clear();
    s.warm_up(5);
    CHECK(trace.size() == 5);
}
TEST_CASE("warm_up requires the shapes of inputs with symbolic dimensions", "[session]") {
    const inlay::session s{model_of("g (float[n] x) => (float[n] y) { y = Relu(x) }"), alpha{}, cpu{}};
    trace.clear();
    CHECK(raised([&] { s.warm_up(); }).code == error_code::shape_mismatch);
    const std::pair<std::string_view, shape> shapes[] = {{"x", {7}}};
    s.warm_up(2, shapes);
    CHECK(trace.size() == 2);
    CHECK(s.plan().inputs[0].second == shape{7});
}
