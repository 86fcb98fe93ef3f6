// How convolutions and products of matrices are described, of floats and of codes.
#pragma once
#include "graph.hpp"
#include <inlay/onnx/conv.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
// DirectML convolves over two or three spatial axes: a single one gets another of one element before it.
struct spatial {
    std::vector<UINT> strides, dilations, start, end, more;
    explicit spatial(const convolution_axes& c) {
        if (c.input.rank > 3)
            refuse("it is over " + std::to_string(c.input.rank) + " spatial axes, and DirectML's operator over 3");
        if (c.input.rank == 1) add(1, 1, 0, 0, 0);
    }
    void add(std::int64_t stride, std::int64_t dilation, std::int64_t first, std::int64_t last, std::int64_t extra) {
        strides.push_back(UINT(stride));
        dilations.push_back(UINT(dilation));
        start.push_back(UINT(first));
        end.push_back(UINT(last));
        more.push_back(UINT(extra));
    }
};
inline shape image_dims(const shape& d) { return d.rank == 3 ? shape{d[0], d[1], 1, d[2]} : d; }
inline spatial forward_axes(const convolution& c) {
    spatial s(c);
    for (int i = 0; i < c.input.rank; ++i) {
        const window_axis w{c.input[i], c.output[i], c.kernel[i], c.strides[i], c.dilations[i], c.pads[i], 0};
        s.add(w.stride, w.dilation, w.before, last_pad(w), 0);
    }
    return s;
}

// A's or B's matrices, or C, for all batches: [batch, batch, rows, columns].
inline shape four(const shape& batch, std::int64_t rows, std::int64_t columns) {
    shape d = shape::of_rank(2, 1);
    for (int i = 0; i < batch.rank; ++i) d[2 - batch.rank + i] = batch[i];
    d.push_back(rows);
    d.push_back(columns);
    return d;
}
// The operands of MatMul as matrices in as few batches as they are.
struct matrices {
    shape x, w, batch{};
    matrices(const shape& of_x, const shape& of_w) : x(of_x), w(of_w) {
        if (x.rank < 1 || w.rank < 1) refuse("it multiplies a number");
        if (x.rank == 1) x = {1, x[0]};
        if (w.rank == 1) w = {w[0], 1};
        if (w.rank == 2 && x.rank > 2) x = {x.elements(0, x.rank - 1), x[x.rank - 1]};
        shape left = x, right = w;
        left.rank -= 2;
        right.rank -= 2;
        if (left == right && left.rank > 2) {
            batch = {left.elements()};
            x = {batch[0], x[left.rank], x[left.rank + 1]};
            w = {batch[0], w[left.rank], w[left.rank + 1]};
        } else if (!broadcast(left, right, batch) || batch.rank > 2)
            refuse("it multiplies " + to_string(x) + " by " + to_string(w) +
                   ", whose batches DirectML gets as two dimensions at most");
    }
    shape left() const { return four(batch, x[x.rank - 2], x[x.rank - 1]); }
    shape right() const { return four(batch, w[w.rank - 2], w[w.rank - 1]); }
    shape product() const { return four(batch, x[x.rank - 2], w[w.rank - 1]); }
};
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay
