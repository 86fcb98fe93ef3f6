// A model of windows, besides those of tests/embedded, and one whose weights lie in a file that is not there.
#pragma once
#include "../embedded/small_models.hpp"
#include <inlay/cpu/onnx/conv.hpp>
#include <inlay/cpu/onnx/softmax.hpp>

namespace inlay::testing {
// shares = Softmax(Relu(Conv(image))) over two channels: the sum of each 3x3 window, and zero.
struct windows : small_model {
    static constexpr value values[] = {{"x", element::f32, {1, 1, 4, 4}},
                                       {"w", element::f32, {2, 1, 3, 3}, 0},
                                       {"h", element::f32, {1, 2, 4, 4}},
                                       {"r", element::f32, {1, 2, 4, 4}},
                                       {"y", element::f32, {1, 2, 4, 4}}};
    static constexpr int edges[] = {0, 1, 2, 2, 3, 3, 4};
    static constexpr std::int64_t integers[] = {1, 1, 1, 1};
    static constexpr attribute attributes[] = {{.name = "pads", .kind = attribute_kind::integers, .list = {0, 4}},
                                               {.name = "axis", .integer = 1, .list = {}}};
    static constexpr inlay::node nodes[] = {{"slide", "", "Conv", 11, {0, 1}, {0, 2}, {2, 1}},
                                            {"bend", "", "Relu", 14, {}, {3, 1}, {4, 1}},
                                            {"share", "", "Softmax", 13, {1, 1}, {5, 1}, {6, 1}}};
    static constexpr std::string_view name = "windows", input_names[] = {"image"}, output_names[] = {"shares"};
    static constexpr shape input_shapes[] = {{1, 1, 4, 4}};
    static constexpr graph_view graph{
        nodes, {}, values, attributes, edges, std::span(edges, 1), std::span(edges + 6, 1), integers,
        {},    {}, {},     {},         name};
    static constexpr std::array<std::int64_t, 1> constants{0};
    static constexpr std::int64_t weight_bytes = 128;
    alignas(64) static constexpr float numbers[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, -1};
    static const std::byte* weights() noexcept { return reinterpret_cast<const std::byte*>(numbers); }
    using operators = pack<op::conv, op::relu, op::softmax>;
};
struct in_bfloat16 : two_nodes {
    static constexpr graph_view graph = [] {
        graph_view g = two_nodes::graph;
        g.precision = precision::bfloat16;
        return g;
    }();
};
struct in_a_file : two_nodes {
    static constexpr weights_place place = weights_place::mapped;
    static constexpr std::string_view weights_file = "there_is_no_such_file.weights";
    static const std::byte* weights() noexcept { return nullptr; }
};
}  // namespace inlay::testing
