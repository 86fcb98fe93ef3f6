#include "node_text.hpp"

namespace inlay::tool {
std::string attribute_text(const graph_view& g, const attribute& a) {
    switch (a.kind) {
        case attribute_kind::integer: return std::to_string(a.integer);
        case attribute_kind::real: return fmt::format("{}", a.real);
        case attribute_kind::text: return std::string(a.text);
        case attribute_kind::integers:
            return fmt::format(
                "[{}]", fmt::join(g.integers.subspan(std::size_t(a.list.first), std::size_t(a.list.count)), ","));
        case attribute_kind::reals:
            return fmt::format("[{}]",
                               fmt::join(g.reals.subspan(std::size_t(a.list.first), std::size_t(a.list.count)), ","));
        case attribute_kind::texts:
            return fmt::format("[{}]",
                               fmt::join(g.texts.subspan(std::size_t(a.list.first), std::size_t(a.list.count)), ","));
        case attribute_kind::tensor: return "tensor " + to_string(g.values[std::size_t(a.integer)].dims);
        case attribute_kind::graph:
            return fmt::format("graph of {}",
                               plural(std::int64_t(g.subgraphs[std::size_t(a.integer)].nodes.size()), "node"));
    }
    return {};
}
std::string shape_text(const graph_view& g, const shape& dims) {
    if (dims.rank < 0) return "[...]";
    std::string text;
    for (std::int64_t d : dims)
        text += (text.empty() ? "" : ",") + (d >= 0   ? std::to_string(d)
                                             : d < -1 ? printable(g.symbols[std::size_t(-2 - d)])
                                                      : "?");
    return "[" + text + "]";
}
}  // namespace inlay::tool
