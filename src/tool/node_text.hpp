// Parts of a node as text.
#pragma once
#include "common.hpp"

namespace inlay::tool {
std::string attribute_text(const graph_view&, const attribute&);
std::string shape_text(const graph_view&, const shape&);  // [batch,3,224,224]
}  // namespace inlay::tool
