// What the tests of pools share.
#pragma once
#include "elementwise.hpp"

namespace inlay::testing {
// The attributes of a window that it has: kernel, strides, pads, dilations and auto_pad.
template <class Window> void add_window(graph_data& g, const Window& w, std::vector<attribute>& entries) {
    for (const auto& [name, values] :
         {std::pair{"kernel_shape", w.kernel}, {"strides", w.strides}, {"pads", w.pads}, {"dilations", w.dilations}})
        if (!values.empty()) entries.push_back(g.make(name, std::span<const std::int64_t>(values)));
    if (!w.auto_pad.empty()) entries.push_back(g.make("auto_pad", std::string_view(w.auto_pad)));
}
}  // namespace inlay::testing
