#include "body_types.hpp"
#include "sequence_shapes.hpp"
#include <inlay/sdk/operator.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
shape without_axis(const shape& x, int axis) {
    shape y;
    for (int i = 0; i < x.rank; ++i)
        if (i != axis) y.push_back(x[i]);
    return y;
}
// How long each part of SplitToSequence is along the axis; -1: not known, or not the same for all.
std::int64_t part_length(const node_view& n, std::int64_t length) {
    if (!n.has_input(1)) return 1;
    const auto parts = n.input_integers(1);
    if (!parts || parts->empty()) return -1;
    const std::int64_t first = parts->front();
    if (n.input(1).dims.rank == 1)
        return std::ranges::all_of(*parts, [&](std::int64_t part) { return part == first; }) ? first : -1;
    return first > 0 && length >= 0 && length % first == 0 ? first : -1;
}
shape part_of(const node_view& n) {
    const shape& x = n.input(0).dims;
    const int axis = x.rank < 0 ? -1 : normal_axis(n.integer("axis", 0), x.rank);
    if (axis < 0) return shape::unknown();
    if (!n.has_input(1) && n.integer("keepdims", 1) == 0) return without_axis(x, axis);
    shape y = x;
    y[axis] = part_length(n, x[axis]);
    return y;
}
shape joined(const node_view& n, const shape& member) {
    const bool is_new = n.integer("new_axis", 0) != 0;
    if (member.rank < 0 || (is_new && member.rank >= max_rank)) return shape::unknown();
    const int rank = member.rank + is_new, axis = normal_axis(n.integer("axis", 0), rank);
    if (axis < 0) return shape::unknown();
    shape y;
    for (int i = 0; i < rank; ++i) y.push_back(i == axis ? -1 : member[i - (is_new && i > axis)]);
    return y;
}
}  // namespace

shape sequence_shapes::members(const node_view& n, int input) const {
    const auto it = members_.find(n.input_id(input));
    return it == members_.end() ? shape::unknown() : it->second;
}
shape sequence_shapes::written(const node_view& n) const {
    const std::string_view op = n.record.op;
    if (op == "SplitToSequence") return part_of(n);
    if (op == "SequenceInsert") return common_shape(members(n, 0), n.input(1).dims);
    if (op == "SequenceErase" || op == "Identity") return members(n, 0);
    if (op != "SequenceConstruct" || n.input_count() == 0) return shape::unknown();
    shape y = n.input(0).dims;
    for (int k = 1; k < n.input_count(); ++k) y = common_shape(y, n.input(k).dims);
    return y;
}
shape sequence_shapes::visit(const node_view& n) {
    if (!n.record.domain.empty() || n.input_count() == 0 || !n.has_output(0)) return shape::unknown();
    if (n.record.op == "SequenceAt") return members(n, 0);
    if (n.record.op == "ConcatFromSequence") return joined(n, members(n, 0));
    if (n.output(0).type != element::object) return shape::unknown();
    if (const shape y = written(n); y.rank >= 0) members_.emplace(n.output_id(0), y);
    return shape::unknown();
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
