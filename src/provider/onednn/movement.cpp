// Elements that move: views, mostly.
#include "primitive_writer.hpp"

namespace inlay {
inline namespace v1 {
namespace dnnl_writing {
void primitive_writer::move(const transpose_prim& p) {
    std::array<int, max_rank> places{};  // of each axis of the input in the result
    for (std::size_t i = 0; i < p.axes.size(); ++i) places[std::size_t(p.axes[i])] = int(i);
    l_.give(p.y, l_.permuted(l_.at(p.x), places));
}
void primitive_writer::move(const concat_prim& p) {
    std::vector<int> parts;
    for (const operand& x : p.parts) {
        const int slot = l_.at(x);
        parts.push_back(is_whole(l_.layout(slot)) ? slot : l_.plain(slot));
    }
    const dnnl_layout y = any_layout(p.y.dims, p.y.type);
    const auto join = [&] {
        std::vector<const_dnnl_memory_desc_t> from;
        dnnl_arguments list;
        for (const int slot : parts) {
            list.push_back({DNNL_ARG_MULTIPLE_SRC + int(from.size()), slot});
            from.push_back(l_.layout(slot).get());
        }
        dnnl_primitive_desc_t desc = nullptr;
        onednn_check(dnnl().dnnl_concat_primitive_desc_create(&desc, dnnl().engine, y.get(), int(from.size()), p.axis,
                                                              from.data(), attributes().get()));
        const planned_primitive planned(desc);
        const int out = l_.written(p.y, planned.argument(DNNL_ARG_DST));
        list.push_back({DNNL_ARG_DST, out});
        l_.add(planned, std::move(list));
        l_.give(p.y, out);
    };
    try {
        return join();
    } catch (const refused_node&) {
        for (int& slot : parts) slot = l_.plain(slot);
    }
    join();
}
void primitive_writer::write(const gather_prim& p) {
    shape start = shape::of_rank(p.x.dims.rank, 0);
    start[p.axis] = (*p.places)[0];
    l_.give(p.y, l_.part(l_.at(p.x), p.y.dims, start));
}
// Blocks of pixels and channels: [N, C, H, W] with C as `block` by `block` times channels, in one of two orders.
void primitive_writer::write(const blocks_prim& p) {
    const shape &x = p.x.dims, &y = p.y.dims;
    const auto turned = [&](const shape& inner, const std::array<int, 6>& places) {
        l_.give(p.y, l_.reshaped(l_.permuted(l_.reshaped(l_.at(p.x), inner), places), y));
    };
    if (p.to_depth) return turned({x[0], x[1], y[2], p.block, y[3], p.block}, {0, 3, 4, 1, 5, 2});
    if (p.columns_first) return turned({x[0], y[1], p.block, p.block, x[2], x[3]}, {0, 1, 3, 5, 2, 4});
    turned({x[0], p.block, p.block, y[1], x[2], x[3]}, {0, 3, 5, 1, 2, 4});
}
}  // namespace dnnl_writing
}  // namespace v1
}  // namespace inlay
