// The capability table of Vitis AI compared with XIR.
#include "../contracts.hpp"
#include "tested.hpp"
#include <provider/vitisai/rules.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of Vitis AI takes no node of floats, and has the provider's options", "[vitisai]") {
    check_contract(vitisai_contract, vitisai{}, {{"sdk_version", "2.5"}});
}
TEST_CASE("The contract of Vitis AI takes the nodes of codes that the provider takes with XIR", "[vitisai]") {
    int claim_count = 0, case_count = 0;
    const auto check = [&](const std::string& node, const std::string& y = "1,4,6,5",
                           const std::string& constants = "") {
        const std::string text = in_codes("1,4,6,5", y, node, constants);
        INFO(text);
        const model m = model_of(text, {.optimize = false});
        const plan_report real = session{m, quiet(), on_dpu(), cpu{.threads = 1}}.plan();
        const plan_report planned = contract_plan(vitisai_contract, m, {{"sdk_version", "2.5"}});
        INFO("the provider: " << reasons_of(real, vitisai::name));
        INFO("the contract: " << reasons_of(planned, vitisai::name));
        const auto counts = [](std::vector<std::string> ops) {  // of those that compute
            std::erase_if(ops, [](const std::string& op) { return op.ends_with("uantizeLinear"); });
            return ops;
        };
        CHECK(counts(nodes_on(planned, vitisai::name)) == counts(nodes_on(real, vitisai::name)));
        claim_count += !counts(nodes_on(real, vitisai::name)).empty();
        ++case_count;
    };
    check(with_weights("r = Conv <kernel_shape = [3,3], pads = [1,1,1,1]> (d, w, b)"), "1,4,6,5",
          weights("4,4,3,3", 144, 4));
    check(with_weights("r = Conv <kernel_shape = [3,3], strides = [9,9], pads = [1,1,1,1]> (d, w, b)"), "1,4,1,1",
          weights("4,4,3,3", 144, 4));
    const auto depthwise = [&](const std::string& attributes, const std::string& y) {
        check(
            with_weights("r = Conv <group = 4, kernel_shape = [3,3], pads = [1,1,1,1], " + attributes + "> (d, w, b)"),
            y, weights("4,1,3,3", 36, 4));
    };
    depthwise("strides = [1,1]", "1,4,6,5");
    depthwise("strides = [9,9]", "1,4,1,1");
    check(with_weights("r = Conv <group = 2, kernel_shape = [1,1]> (d, w, b)"), "1,4,6,5", weights("4,2,1,1", 8, 4));
    for (const char* dilation : {"1024", "1025"})  // times four channels: as many as there may be, and more
        check(with_weights("r = Conv <kernel_shape = [1,1], dilations = [" + std::string(dilation) + ",1]> (d, w, b)"),
              "1,4,6,5", weights("4,4,1,1", 16, 4));
    for (const char* node : {"Add(d, d)", "Mul(d, d)", "Sub(d, d)", "Div(d, d)", "Relu(d)", "Sigmoid(d)", "Tanh(d)",
                             "Exp(d)", "HardSwish(d)", "Softmax(d)", "Abs(d)", "Neg(d)", "Max(d, d)", "Elu(d)"})
        check("r = " + std::string(node));
    check("r = LeakyRelu <alpha = 0.1015625> (d)");
    check("r = MaxPool <kernel_shape = [2,2]> (d)", "1,4,5,4");
    check("r = AveragePool <kernel_shape = [2,2]> (d)", "1,4,5,4");
    check("r = GlobalAveragePool(d)", "1,4,1,1");
    check("r = GlobalMaxPool(d)", "1,4,1,1");
    check("r = Concat <axis = 1> (d, d)", "1,8,6,5");
    check("r = Flatten(d)", "1,120");
    check("r = Transpose <perm = [0,2,3,1]> (d)", "1,6,5,4");
    check("r = Reshape(d, to)", "4,30", ", int64[2] to = {4, 30}");
    check("r = Slice(d, a, e)", "1,2,6,5", ", int64[2] a = {0, 0}, int64[2] e = {1, 2}");
    check("r = Pad(d, pads)", "1,4,7,6", ", int64[8] pads = {0, 0, 1, 0, 0, 0, 0, 1}");
    check("r = ReduceMean(d, axes)", "1,4,1,1", ", int64[2] axes = {2, 3}");
    check("r = ReduceSum(d, axes)", "1,4,1,1", ", int64[2] axes = {2, 3}");
    CHECK(claim_count > 10);
    CHECK(claim_count < case_count - 8);
}
