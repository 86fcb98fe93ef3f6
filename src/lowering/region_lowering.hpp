// Regions as primitives in the memory layout that a library requires: the same code checks whether nodes are supported
// and writes them.
#pragma once
#include "bytes.hpp"
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
namespace lowering {
// What gets a region's primitives, in an order in which each reads what is there. From here on axes are those of
// memory, and of each operand the id and the order tell which tensor it is.
struct primitive_sink {
    virtual ~primitive_sink() = default;
    virtual void argument(const operand&) = 0;  // an input of the region, in the order that the rules have at its ends
    virtual void write(const primitive&) = 0;
    virtual void result(const operand&) = 0;  // an output, in that order too: each is one that a primitive gives
};
// Throws refused_node.
void lower_region(const region&, const byte_nodes&, const target&, primitive_sink&);
// Why the nodes are not taken, by the rules alone; empty: they are.
std::string refusal_by_rules(const free_nodes&, std::span<const int> nodes, const byte_nodes&, const target&,
                             region_ends&);
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
