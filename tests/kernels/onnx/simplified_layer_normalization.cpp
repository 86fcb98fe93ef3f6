// Mirrors kernels/inlay/onnx/simplified_layer_normalization.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/onnx/simplified_layer_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

TEST_CASE("SimplifiedLayerNormalization is RMSNormalization by another name") {
    const attributes with = [](graph_data& g) { return std::vector{g.make("epsilon", 0.)}; };
    const call c{.inputs = {list<float>({1, 7}), list<float>({5, 10})}, .with = with};
    CHECK(same<float>(on_reference<op::simplified_layer_normalization>(c), list<float>({1, 14}), 1e-6));
    CHECK(same<float>(on_reference<op::microsoft_simplified_layer_normalization>(c), list<float>({1, 14}), 1e-6));
}
TEST_CASE("SimplifiedLayerNormalization gives back one over the root of the mean square too") {
    call c{.inputs = {list<float>({1, 7}), list<float>({5, 10})},
           .with = [](graph_data& g) { return std::vector{g.make("epsilon", 0.)}; }};
    c.outputs = {element::f32, element::f32};
    const outcome y = run<op::microsoft_simplified_layer_normalization, device::reference>(c);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], list<float>({1, 14}), 1e-6));
    CHECK(same<float>(y[1], tensor({1}, {.2f}), 1e-6));
}
TEST_CASE("SimplifiedLayerNormalization refuses a scale that does not fit") {
    CHECK_FALSE(
        run<op::simplified_layer_normalization, device::reference>({{list<float>({1, 7}), list<float>({5, 1, 1})}})
            .answer);
    CHECK_FALSE(run<op::simplified_layer_normalization, device::reference>({{list<float>({1, 7})}}).answer);
}
TEST_CASE("The fast SimplifiedLayerNormalization agrees with the reference kernel at every tail length") {
    for (std::int64_t n = 1; n <= 70; ++n) {
        CAPTURE(n);
        call c{.inputs = {random_tensor({5, n}, 1), random_tensor({n}, 2)}};
        const tensor plain = on_reference<op::simplified_layer_normalization>(c);
        for (isa::level l : tested_levels()) {
            c.level = l;
            const outcome y = run<op::microsoft_simplified_layer_normalization, device::cpu>(c);
            REQUIRE(y.code == status::ok);
            CHECK(same<float>(y[0], plain, 1e-5));
        }
    }
}
