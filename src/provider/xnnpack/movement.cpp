// What only gives the same elements other dimensions.
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
namespace xnnpack_rules {
namespace {
std::string refuse_reshape(const node_view& n) {
    if (n.record.op == "Dropout" && n.has_output(1)) return "XNNPACK has no mask of Dropout";
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
}  // namespace

std::span<const rule> movement_rules() {
    static constexpr rule rules[] = {
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
