// Models as types, by hand: what `inlay compile` writes for real ones.
#pragma once
#include <inlay/cpu/onnx/cast.hpp>
#include <inlay/cpu/onnx/conv.hpp>
#include <inlay/cpu/onnx/gemm.hpp>
#include <inlay/cpu/onnx/reshape.hpp>
#include <inlay/cpu/onnx/unary.hpp>
#include <inlay/embedded/model.hpp>
#include <inlay/onnx/non_max_suppression.hpp>
#include <inlay/onnx/shape.hpp>
#include <inlay/onnx/unique.hpp>
#include <inlay/operators.hpp>
#include <inlay/sdk/fixed_text.hpp>

namespace inlay::testing {
struct small_model {
    static constexpr std::array<dimension, 0> dimensions{};
    static constexpr weights_place place = weights_place::embedded;
    static constexpr std::string_view weights_file = "";
};

// y = Op(x): one node named "only", over [2, 3].
template <fixed_text Op, int Version, element Type> struct one_node : small_model {
    static constexpr value values[] = {{"x", Type, {2, 3}}, {"y", Type, {2, 3}}};
    static constexpr int edges[] = {0, 1};
    static constexpr inlay::node nodes[] = {{"only", "", Op.view(), Version, {}, {0, 1}, {1, 1}}};
    static constexpr std::string_view name = "one_node", input_names[] = {"x"}, output_names[] = {"y"};
    static constexpr std::array<shape, 1> input_shapes{{{2, 3}}};
    static constexpr graph_view graph{nodes, {}, values, {}, edges, std::span(edges, 1), std::span(edges + 1, 1), {},
                                      {},    {}, {},     {}, name};
    static constexpr std::array<std::int64_t, 1> constants{};
    static constexpr std::int64_t weight_bytes = 0;
    static const std::byte* weights() noexcept { return nullptr; }
    using operators = pack<op::relu, op::sigmoid>;
};

// scores = Relu(x w + b): [1, 4] to [1, 3].
struct two_nodes : small_model {
    static constexpr value values[] = {{"x", element::f32, {1, 4}},
                                       {"w", element::f32, {4, 3}, 0},
                                       {"b", element::f32, {3}, 1},
                                       {"h", element::f32, {1, 3}},
                                       {"y", element::f32, {1, 3}}};
    static constexpr int edges[] = {0, 1, 2, 3, 3, 4};
    static constexpr inlay::node nodes[] = {{"dense", "", "Gemm", 13, {}, {0, 3}, {3, 1}},
                                            {"bend", "", "Relu", 14, {}, {4, 1}, {5, 1}}};
    static constexpr std::string_view name = "two_nodes", input_names[] = {"image"}, output_names[] = {"scores"};
    static constexpr shape input_shapes[] = {{1, 4}};
    static constexpr graph_view graph{nodes, {}, values, {}, edges, std::span(edges, 1), std::span(edges + 5, 1), {},
                                      {},    {}, {},     {}, name};
    static constexpr std::array<std::int64_t, 2> constants{0, 64};
    static constexpr std::int64_t weight_bytes = 128;
    alignas(64) static constexpr float numbers[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -30, 0, 0, 0, 0, 1, 1, 1};
    static const std::byte* weights() noexcept { return reinterpret_cast<const std::byte*>(numbers); }
    using operators = pack<op::gemm, op::relu>;
};
static_assert(embedded_model<two_nodes>);

// The same in 16 bits.
template <class Half> struct two_halves : two_nodes {
    static constexpr element e = element_of<Half>;
    static constexpr value values[] = {
        {"x", e, {1, 4}}, {"w", e, {4, 3}, 0}, {"b", e, {3}, 1}, {"h", e, {1, 3}}, {"y", e, {1, 3}}};
    static constexpr graph_view graph{nodes, {}, values, {}, edges, std::span(edges, 1), std::span(edges + 5, 1), {},
                                      {},    {}, {},     {}, name};
    static constexpr auto halves = [] {
        struct {
            alignas(64) Half w[12];
            alignas(64) Half b[3];
        } all{};
        for (int i = 0; i < 12; ++i) all.w[i] = Half(numbers[i]);
        for (int i = 0; i < 3; ++i) all.b[i] = Half(numbers[16 + i]);
        return all;
    }();
    static const std::byte* weights() noexcept { return reinterpret_cast<const std::byte*>(&halves); }
};

// The same for up to 8 rows, with their number: shape = Shape(scores).
struct many_rows : two_nodes {
    static constexpr value values[] = {
        {"x", element::f32, {8, 4}},   {"w", element::f32, {4, 3}, 0},
        {"b", element::f32, {3}, 1},   {"h", element::f32, {8, 3}},
        {"y", element::f32, {8, 3}},   {"s", element::i64, {2}, -1, contents::integers, {0, 2}},
        {"flat", element::f32, {8, 3}}};
    static constexpr std::int64_t integers[] = {8, 3};
    static constexpr int edges[] = {0, 1, 2, 3, 3, 4, 4, 5, 4, 5, 6};
    static constexpr inlay::node nodes[] = {{"dense", "", "Gemm", 13, {}, {0, 3}, {3, 1}},
                                            {"bend", "", "Relu", 14, {}, {4, 1}, {5, 1}},
                                            {"measure", "", "Shape", 13, {}, {6, 1}, {7, 1}},
                                            {"same", "", "Reshape", 14, {}, {8, 2}, {10, 1}}};
    static constexpr int ins[] = {0}, outs[] = {6, 5};
    static constexpr std::string_view name = "many_rows", output_names[] = {"scores", "shape"};
    static constexpr graph_view graph{nodes, {}, values, {}, edges, ins, outs, integers, {}, {}, {}, {}, name};
    static constexpr shape input_shapes[] = {{-2, 4}};
    static constexpr std::array<dimension, 1> dimensions{{{"rows", 1, 8}}};
    using operators = pack<op::gemm, op::relu, op::shape_of, op::reshape>;
};

// y = Conv(x, w), where the filters come with the image, and their number and the image's height change.
struct given_filters : small_model {
    static constexpr value values[] = {
        {"x", element::f32, {1, 5, 8, 4}}, {"w", element::f32, {40, 5, 3, 3}}, {"y", element::f32, {1, 40, 6, 2}}};
    static constexpr int edges[] = {0, 1, 2};
    static constexpr inlay::node nodes[] = {{"filter", "", "Conv", 11, {}, {0, 2}, {2, 1}}};
    static constexpr int ins[] = {0, 1}, outs[] = {2};
    static constexpr std::string_view name = "given_filters", input_names[] = {"x", "w"}, output_names[] = {"y"};
    static constexpr shape input_shapes[] = {{1, 5, -2, 4}, {-3, 5, 3, 3}};
    static constexpr std::array<dimension, 2> dimensions{{{"height", 3, 8}, {"filters", 1, 40}}};
    static constexpr graph_view graph{nodes, {}, values, {}, edges, ins, outs, {}, {}, {}, {}, {}, name};
    static constexpr std::array<std::int64_t, 1> constants{};
    static constexpr std::int64_t weight_bytes = 0;
    static const std::byte* weights() noexcept { return nullptr; }
    using operators = pack<op::conv>;
};

// flipped = -a, before = a, swapped = b, fixed = {1, ..., 6}: what a model may give back as a state.
struct passed_on : small_model {
    static constexpr value values[] = {{"a", element::f32, {2, 3}},        {"b", element::f32, {2, 3}},
                                       {"fixed", element::f32, {2, 3}, 0}, {"flipped", element::f32, {2, 3}},
                                       {"before", element::f32, {2, 3}},   {"swapped", element::f32, {2, 3}}};
    static constexpr int edges[] = {0, 3, 0, 4, 1, 5};
    static constexpr inlay::node nodes[] = {{"flip", "", "Neg", 13, {}, {0, 1}, {1, 1}},
                                            {"keep", "", "Identity", 16, {}, {2, 1}, {3, 1}},
                                            {"swap", "", "Identity", 16, {}, {4, 1}, {5, 1}}};
    static constexpr int ins[] = {0, 1}, outs[] = {3, 4, 5, 2};
    static constexpr std::string_view name = "passed_on", input_names[] = {"a", "b"},
                                      output_names[] = {"flipped", "before", "swapped", "fixed"};
    static constexpr graph_view graph{nodes, {}, values, {}, edges, ins, outs, {}, {}, {}, {}, {}, name};
    static constexpr shape input_shapes[] = {{2, 3}, {2, 3}};
    static constexpr std::array<std::int64_t, 1> constants{0};
    static constexpr std::int64_t weight_bytes = 64;
    alignas(64) static constexpr float numbers[16] = {1, 2, 3, 4, 5, 6};
    static const std::byte* weights() noexcept { return reinterpret_cast<const std::byte*>(numbers); }
    using operators = pack<op::neg, op::identity>;
};

// The boxes of three that do not overlap, and how many: their number depends on the values.
struct suppression_limits {
    alignas(64) std::int64_t most = 3;
    alignas(64) float overlap = 0.5f;
};
struct chosen_boxes : small_model {
    static constexpr value values[] = {{"boxes", element::f32, {1, 3, 4}},
                                       {"marks", element::f32, {1, 1, 3}},
                                       {"most", element::i64, {1}, 0, contents::integers, {0, 1}},
                                       {"overlap", element::f32, {1}, 1, contents::reals, {0, 1}},
                                       {"chosen", element::i64, {3, 3}},
                                       {"s", element::i64, {2}, -1, contents::integers, {1, 2}},
                                       {"as_float", element::f32, {3, 3}}};
    static constexpr std::int64_t integers[] = {3, 3, 3};
    static constexpr double reals[] = {0.5};
    static constexpr int edges[] = {0, 1, 2, 3, 4, 4, 5, 4, 6};
    static constexpr attribute attributes[] = {{"to", attribute_kind::integer, 1}};
    static constexpr inlay::node nodes[] = {{"choose", "", "NonMaxSuppression", 11, {}, {0, 4}, {4, 1}},
                                            {"measure", "", "Shape", 13, {}, {5, 1}, {6, 1}},
                                            {"cast", "", "Cast", 13, {0, 1}, {7, 1}, {8, 1}}};
    static constexpr int ins[] = {0, 1}, outs[] = {4, 5, 6};
    static constexpr std::string_view name = "chosen_boxes", input_names[] = {"boxes", "marks"},
                                      output_names[] = {"chosen", "shape", "as_float"};
    static constexpr shape input_shapes[] = {{1, 3, 4}, {1, 1, 3}};
    static constexpr graph_view graph{nodes,    {},    values, attributes, edges, ins, outs,
                                      integers, reals, {},     {},         {},    name};
    static constexpr std::array<std::int64_t, 2> constants{0, 64};
    static constexpr std::int64_t weight_bytes = 128;
    static constexpr suppression_limits data{};
    static const std::byte* weights() noexcept { return reinterpret_cast<const std::byte*>(&data); }
    using operators = pack<op::non_max_suppression, op::shape_of, op::cast>;
};

// The different ones of up to six numbers, and all outputs of Unique for them.
struct distinct_numbers : small_model {
    static constexpr value values[] = {{"x", element::f32, {6}},
                                       {"y", element::f32, {6}},
                                       {"first", element::i64, {6}},
                                       {"inverse", element::i64, {6}},
                                       {"counts", element::i64, {6}}};
    static constexpr int edges[] = {0, 1, 2, 3, 4};
    static constexpr inlay::node nodes[] = {{"choose", "", "Unique", 11, {}, {0, 1}, {1, 4}}};
    static constexpr int ins[] = {0}, outs[] = {1, 2, 3, 4};
    static constexpr std::string_view name = "distinct_numbers", input_names[] = {"x"},
                                      output_names[] = {"y", "first", "inverse", "counts"};
    static constexpr shape input_shapes[] = {{-2}};
    static constexpr std::array<dimension, 1> dimensions{{{"n", 1, 6}}};
    static constexpr graph_view graph{nodes, {}, values, {}, edges, ins, outs, {}, {}, {}, {}, {}, name};
    static constexpr std::array<std::int64_t, 1> constants{};
    static constexpr std::int64_t weight_bytes = 0;
    static const std::byte* weights() noexcept { return nullptr; }
    using operators = pack<op::unique>;
};
}  // namespace inlay::testing
