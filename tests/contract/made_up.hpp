// A capability table of no vendor, for tests of how such tables are read.
#pragma once
#include "../models.hpp"
#include <contract/contract.hpp>

namespace inlay::testing {
namespace made_up_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"1.9", "1.10"};
constexpr capability operators[]{
    {"Conv", f32, u8, 4, 4, {constant(1), integer("strides", 1, 2), text("auto_pad", "NOTSET VALID")}},
    {"Relu", f32, u8},
    {"MatMul", f32, {}, 2, 2},
    {"MatMul", f32 | f16, {}, 2, 3, {}, "1.10"},
    {"Add", f32, {}, 0, max_rank, {inputs(2, 2), one_broadcasts()}},
    {"Where", f32},
    {"Cast", f32 | i32},
    {"Softmax", f32, {}, 0, max_rank, {last_axis()}},
    {"Clip", f32, {}, 0, max_rank, {no_input(2), known(1)}},
    {"MaxPool", f32, {}, 0, max_rank, {no_output(1)}},
    {"Gemm", f32, {}, 0, max_rank, {rank(2, 1, 1)}},
    {"Resize", f32, {}, 0, max_rank, {first_axes(2), text("mode", "- linear")}},
    {"Slice", f32, {}, 0, max_rank, {known(1), known(2), known(3), values(4, 1, 1)}},
    {"Flatten", f32, {}, 0, max_rank, {one_order()}},
    {"Elu", f32, {}, 0, max_rank, {positive("alpha")}},
    {"com.microsoft:Gelu", f32},
    {"QuantizeLinear DequantizeLinear", u8},
};
}  // namespace made_up_table
inline std::vector<contract_option> made_up_options() {
    return {
        {"device_id", "0", "integer"}, {"fast", "false", "flag"}, {"mode", "plain", "plain odd"}, {"path", "", "text"}};
}
inline constexpr provider_contract made_up{
    .name = "MadeUpExecutionProvider",
    .short_name = "made_up",
    .sdk = "Makebelieve",
    .versions = made_up_table::versions,
    .source = "this test",
    .memory = {.space = "nowhere", .alignment = 64},
    .options = made_up_options,
    .operators = made_up_table::operators,
    .costs = {.device = "none",
              .f32 = 1e9,
              .f16 = 2e9,
              .codes = 4e9,
              .memory = 1e9,
              .node = 1e-6,
              .region = 1e-5,
              .link = 1e8,
              .copy = 1e-4},
};
inline provider_handle made_up_handle(const option_list& options = {}) {
    return contract_factory_of(made_up, "it does not exist").make(options).value_or_raise();
}
inline handle_session made_up_session(const model& m, const option_list& options = {}) {
    session_options o;
    o.plan_only = true;
    o.log = [](severity, std::string_view) {};
    return handle_session(m, {made_up_handle(options), make_handle(cpu{.threads = 1})}, std::move(o));
}
}  // namespace inlay::testing
