// What only gives the same elements other dimensions, or another place.
#include "rules.hpp"
#include "version.hpp"
#include <inlay/onnx/concat.hpp>
#include <inlay/onnx/reshape.hpp>

namespace inlay {
inline namespace v1 {
namespace xnnpack_rules {
namespace {
std::string refuse_reshape(const node_view& n) {
    if (n.record.op == "Dropout" && n.has_output(1)) return "XNNPACK has no mask of Dropout";
    if (n.record.op == "Dropout" && !op::dropout::passes_through(n)) return "it may be training";
    if (n.input(0).dims == n.output(0).dims) return {};
    for (const shape* s : {&n.input(0).dims, &n.output(0).dims})
        if (!same_either_way(*s))
            return "its channels come last here, so that " + to_string(*s) + " is not only renamed";
    return {};
}
void lower_reshape(lowering& l, const node_view& n) {
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=, dims = dims_of(n.output(0).dims)](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_static_reshape(g, dims.size(), dims.data(), ids[std::size_t(in)], ids[std::size_t(out)],
                                               0);
    });
}

std::string refuse_concat(const node_view& n) {
    if (!joins_images) return "this version of XNNPACK has no Concat";
    if (std::string why = needs_image(n); !why.empty()) return why;
    return n.input_count() >= 2 && n.input_count() <= 5
               ? ""
               : "XNNPACK joins 2 to 5 inputs, not " + std::to_string(n.input_count());
}
void lower_concat(lowering& l, const node_view& n) {
    constexpr int channels_last[] = {0, 3, 1, 2};  // where an axis of an image lies
    const int axis = channels_last[op::concat::axis(n, 4)];
    std::vector<int> in;
    for (int k = 0; k < n.input_count(); ++k) in.push_back(l.operand(n, k, 4));
    l.add([=, out = l.output(n)](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        std::vector<std::uint32_t> from;
        for (int k : in) from.push_back(ids[std::size_t(k)]);
        return define_concatenation(g, axis, from, ids[std::size_t(out)]);
    });
}
}  // namespace

std::span<const rule> movement_rules() {
    static constexpr rule rules[] = {
        {"Concat", refuse_concat, lower_concat},
        {"Dropout", refuse_reshape, lower_reshape, operands::first},
        {"Flatten", refuse_reshape, lower_reshape, operands::first},
        {"Identity", refuse_reshape, lower_reshape, operands::first},
        {"Reshape", refuse_reshape, lower_reshape, operands::first},
        {"Squeeze", refuse_reshape, lower_reshape, operands::first},
        {"Unsqueeze", refuse_reshape, lower_reshape, operands::first},
    };
    return rules;
}
}  // namespace xnnpack_rules
}  // namespace v1
}  // namespace inlay
