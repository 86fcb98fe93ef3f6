// What looks elements up, or puts them, by indices that are known in the run, as primitives.
#include "canonical.hpp"
#include <inlay/onnx/one_hot.hpp>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
void require_replacing(const node_lowering& a) {
    if (a.n.text("reduction", "none") != "none") refuse("it reduces what meets, and does not only replace");
}
template <lookup Does> void lower_elements(node_lowering& a) {
    require_replacing(a);
    const operand x = a.input(0), indices = a.input(1);
    const int axis = normal_axis(a.n.integer("axis", 0), x.dims.rank);
    if (axis < 0) refuse("axis is out of range");
    lookup_prim p{Does, x, indices, a.optional_input(2), a.result(), axis, {x.dims[axis]}};
    p.places = a.known_places(p.lengths);
    a.add(std::move(p));
}
// By coordinates of the first axes behind those of the batch, which are the last axis of the indices.
template <lookup Does> void lower_coordinates(node_lowering& a) {
    require_replacing(a);
    lookup_prim p{Does, a.input(0), a.input(1), a.optional_input(2), a.result(), int(a.n.integer("batch_dims", 0))};
    const shape& indices = p.indices.dims;
    for (int k = 0; k < indices[indices.rank - 1]; ++k) p.lengths.push_back(p.x.dims[p.axis + k]);
    p.places = a.known_places(p.lengths);
    a.add(std::move(p));
}
void lower_one_hot(node_lowering& a) {
    if (!op::one_hot::depth(a.n)) refuse("its depth is no constant");
    if (!is_integer(a.n.input(0).type)) refuse("its indices are floats");
    const int axis = op::one_hot::axis(a.n);
    const operand y = a.result();
    shape places = y.dims;
    places[axis] = 1;
    if (a.n.input(0).dims.elements() != places.elements()) refuse("its result is of another size");
    a.add(one_hot_prim{a.input(0, places), a.input(2), y, axis});
}
}  // namespace

std::span<const source> index_sources() {
    static constexpr auto row = [](std::string_view op, lookup does, void (*lower)(node_lowering&)) {
        return source{op, kind::lookup, int(does), lower};
    };
    using enum lookup;
    static constexpr source sources[] = {
        row("GatherElements", gather_elements, lower_elements<gather_elements>),
        row("GatherND", gather_nd, lower_coordinates<gather_nd>),
        {"OneHot", kind::one_hot, -1, lower_one_hot},
        row("ScatterElements", scatter_elements, lower_elements<scatter_elements>),
        row("ScatterND", scatter_nd, lower_coordinates<scatter_nd>),
    };
    return sources;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
