// What Core ML takes in ML programs of specification 7, by the documentation of their operations (coremltools 9.0,
// converters/mil/mil/ops/defs, iOS 15 and 16): of the provider, and of plans where it is not built.
#pragma once
#include "contract/contract.hpp"
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view coreml_versions[]{"7"};
namespace coreml_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
using enum arithmetic;
constexpr element_set floats = f32 | f16, numbers = floats | i32 | i64, all_types = numbers | boolean;
constexpr functions nearest = these(resizing::interpolation::nearest);
constexpr rule rules[]{
    {.of = kind::conv, .types = floats, .least_rank = 3, .most_rank = 5, .limits = {undilated, constant_bias}},
    {.of = kind::conv, .types = floats, .least_rank = 3, .most_rank = 5, .limits = {constant_weights}},
    {.of = kind::deconv, .types = floats, .least_rank = 3, .most_rank = 5, .limits = {constant_weights, no_more_zeros}},
    {.of = kind::dense, .types = floats, .most_rank = 3, .limits = {constant_weights}},
    {.of = kind::matmul, .types = floats},
    {.of = kind::pool,
     .types = floats,
     .least_rank = 3,
     .most_rank = 5,
     .limits = {no_indices, undilated, no_window_in_padding, no_past_padding}},
    {.of = kind::reduce,
     .functions = these(reduction::max, reduction::min, reduction::prod, reduction::sum),
     .types = numbers},
    {.of = kind::reduce, .types = floats},
    {.of = kind::softmax, .types = floats},
    {.of = kind::affine, .types = floats, .least_rank = 3, .most_rank = 5},
    {.of = kind::instance_norm, .types = floats, .least_rank = 3, .most_rank = 4},
    {.of = kind::layer_norm, .functions = these(0), .types = floats, .limits = {constant_weights}},
    {.of = kind::lrn, .types = floats, .least_rank = 3, .most_rank = 4, .limits = {odd_window}},
    {.of = kind::unary, .functions = these(abs, neg, sign), .types = numbers},
    {.of = kind::unary, .functions = these(logical_not), .types = boolean},
    {.of = kind::unary,
     .functions = these(acos, asin, atan, atanh, ceil, cos, cosh, elu, erf, exp, floor, gelu, gelu_by_tanh,
                        hard_sigmoid, leaky_relu, log, relu, sigmoid, sin, sinh, softplus, softsign, sqrt, tan, tanh),
     .types = floats},
    {.of = kind::clamp, .types = floats},
    {.of = kind::binary, .functions = these(add, sub, mul, arithmetic::max, arithmetic::min), .types = numbers},
    {.of = kind::binary, .functions = these(div, pow, prelu), .types = floats},
    {.of = kind::binary,
     .functions = these(equal, greater, greater_or_equal, less, less_or_equal),
     .types = numbers,
     .results = boolean},
    {.of = kind::binary, .functions = these(logical_and, logical_or, logical_xor), .types = boolean},
    {.of = kind::select, .types = all_types, .limits = {one_shape}},
    {.of = kind::cast, .types = all_types},
    {.of = kind::reshape, .types = all_types},
    {.of = kind::transpose, .types = all_types},
    {.of = kind::tile, .types = all_types},
    {.of = kind::concat, .types = all_types},
    {.of = kind::slice, .types = all_types, .limits = {forwards}},
    {.of = kind::pad, .types = floats, .limits = {with_a_constant, no_cut}},
    {.of = kind::gather, .types = numbers},
    {.of = kind::blocks, .types = floats, .limits = {images}},
    {.of = kind::resize, .functions = nearest, .types = floats, .least_rank = 3, .limits = {whole_factors}},
    {.of = kind::resize, .functions = ~nearest, .types = floats, .limits = {images, places_below}},
};
}  // namespace coreml_rule_table
inline constexpr lowering::rule_set coreml_rules{
    .library = "Core ML",
    .rules = coreml_rule_table::rules,
    .tensors = {.most_rank = 5, .most_bytes = std::int64_t(1) << 42, .empty = false},
    .images = layout::plain,
};
inline constexpr provider_contract coreml_contract{
    .name = "CoreMLExecutionProvider",
    .short_name = "coreml",
    .sdk = "Core ML specification",
    .versions = coreml_versions,
    .source = "the operations of ML programs in coremltools 9.0's documentation, as Inlay's provider writes them",
    .memory = {.space = "host", .alignment = 64},
    // ONNX Runtime's, of which the provider has those that say how a program is written.
    .options =
        [] {
            return std::vector<contract_option>{{"ModelFormat", "MLProgram", "MLProgram NeuralNetwork"},
                                                {"MLComputeUnits", "ALL",
                                                 "ALL CPUOnly CPUAndGPU CPUAndNeuralEngine CPU_ONLY CPU_AND_GPU "
                                                 "CPU_AND_NE"},
                                                {"RequireStaticInputShapes", "0", "flag"},
                                                {"EnableOnSubgraphs", "0", "flag"},
                                                {"SpecializationStrategy", "Default", "Default FastPrediction"},
                                                {"ProfileComputePlan", "0", "flag"},
                                                {"AllowLowPrecisionAccumulationOnGPU", "0", "flag"},
                                                {"ModelCacheDirectory", "", "text"}};
        },
    .rules = &coreml_rules,
    .costs = {.device = "an Apple M2's Neural Engine (15.8 TOPS), a third of its data sheet's rate",
              .f32 = 5e12,
              .f16 = 5e12,
              .codes = 5e12,
              .memory = 80e9,
              .node = 1e-6,
              .region = 2e-4},
};
}  // namespace v1
}  // namespace inlay
