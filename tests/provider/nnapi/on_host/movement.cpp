// What moves elements, and images of other sizes.
#include "host.hpp"

namespace host {
namespace {
void require_same(const call& c) {
    c.require_one_type(1);
    c.require_same_scale();
}
primitive reshape(const call& c) {
    require(c.count() == 2);
    require_same(c);
    return evaluator::reshape(c.shape(0), c.integers(1));
}
primitive transpose(const call& c) {
    require(c.count() == 2);
    require_same(c);
    return evaluator::transpose(c.shape(0), c.integers(1));
}
primitive concatenation(const call& c) {
    const std::size_t count = c.count() - 1;
    c.require_one_type(count);
    std::vector<list> parts;
    for (std::size_t k = 0; k < count; ++k) {
        require(k == 0 || LEVEL >= 29 || c.tensor(k).same_scale(c.output()));
        parts.push_back(c.shape(k));
    }
    return concat(parts, std::size_t(c.integer(count)));
}
primitive strided_slice(const call& c) {
    const list begin = c.integers(1), end = c.integers(2), step = c.integers(3);
    require(c.count() == 7 && end.size() == begin.size() && step.size() == begin.size());
    require(c.integers_from(4, 3) == list(3, 0));  // the masks
    require_same(c);
    list sizes;
    for (std::size_t i = 0; i < begin.size(); ++i) {
        require(step[i] > 0 && end[i] <= c.shape(0).at(i));
        sizes.push_back((end[i] - begin[i] + step[i] - 1) / step[i]);
    }
    return slice(c.shape(0), begin, step, sizes);
}
primitive pad(const call& c) {
    const bool with_value = c.op.code == PAD_V2;
    const auto rank = std::int64_t(c.shape(0).size());
    require(c.count() == (with_value ? 3u : 2u) && c.any(1).shape == list({rank, 2}));
    require(!with_value || !c.tensor(0).in_bytes());
    require_same(c);
    const list pads = c.integers(1, 2);
    list before, after;
    for (std::size_t k = 0; k < pads.size(); ++k) (k % 2 == 0 ? before : after).push_back(pads[k]);
    return evaluator::pad(c.shape(0), before, after, border::constant, with_value ? c.real(2) : 0);
}
primitive gather(const call& c) {
    const auto axis = std::size_t(c.integer(1));
    const list indices = c.integers(2);
    require(c.count() == 3);
    require_same(c);
    for (const std::int64_t i : indices) require(i >= 0 && i < c.shape(0).at(axis));
    const primitive p = evaluator::gather(c.shape(0), std::int64_t(indices.size()), axis);
    return {p.sizes, [=](const values& in) { return p.compute({in[0], in[2]}); }};
}
template <auto Blocks> primitive blocks(const call& c) {
    c.require_count(2, 3);
    require_same(c);
    return c.of_images(c.flag_if(2, 29), [&](const list& x) { return Blocks(x, c.integer(1), false); });
}
template <sampling How> primitive resize(const call& c) {
    constexpr bool nearest = How == sampling::floor;
    require(c.count() == 3 || c.count() == 4 || c.count() == 6);
    require(!nearest || c.count() >= 4);  // it has the order of images always
    require_same(c);
    const bool corners = c.flag_if(4, 30), centers = c.flag_if(5, 30);
    require(!(corners && centers) && !(nearest && (corners || centers)));
    return c.of_images(c.flag_if(3, 29), [&](const list& x) {
        const list y{x[0], x[1], c.integer(2), c.integer(1)};
        require(y[2] > 0 && y[3] > 0);
        return evaluator::resize(x, y, How, [=](std::size_t i, std::int64_t k) {
            return i < 2 ? float(k) : resize_source(k, x[i], y[i], corners, centers);
        });
    });
}
}  // namespace
const rules movement_rules{{RESHAPE, reshape},
                           {TRANSPOSE, transpose},
                           {CONCATENATION, concatenation},
                           {STRIDED_SLICE, strided_slice},
                           {PAD, pad},
                           {PAD_V2, pad},
                           {GATHER, gather},
                           {DEPTH_TO_SPACE, blocks<depth_to_space>},
                           {SPACE_TO_DEPTH, blocks<space_to_depth>},
                           {RESIZE_BILINEAR, resize<sampling::linear>},
                           {RESIZE_NEAREST_NEIGHBOR, resize<sampling::floor>}};
}  // namespace host
