// Primitives by simple loops, for the stand-ins of vendors' libraries. Each function takes shapes and attributes by
// ONNX's axes, throws `mismatch` where they do not fit, and returns the shape of the result with what computes it.
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

namespace evaluator {
struct mismatch : std::exception {};
inline void require(bool fits) {
    if (!fits) throw mismatch();
}
using list = std::vector<std::int64_t>;
using numbers = std::vector<double>;  // elements in order; integers beyond 2^53 are not exact
using values = std::vector<numbers>;  // one for each input; empty: an optional one that is absent
struct primitive {
    list sizes;  // of the result
    std::function<numbers(const values& inputs)> compute;
};
using function = double (*)(const numbers&);

inline std::int64_t elements(const list& sizes) {
    std::int64_t count = 1;
    for (const std::int64_t s : sizes) count *= s;
    return count;
}
// Calls f(index of each axis) for all elements, in order.
template <class F> void for_each_index(const list& sizes, F f) {
    list at(sizes.size(), 0);
    for (std::int64_t left = elements(sizes); left > 0; --left) {
        f(at);
        for (std::size_t i = sizes.size(); i-- > 0;) {
            if (++at[i] < sizes[i]) break;
            at[i] = 0;
        }
    }
}
inline std::size_t place(const list& sizes, const list& at) {
    std::int64_t k = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) k = k * sizes[i] + at[i];
    return std::size_t(k);
}

// --- composition
// `second`, whose first input is the result of `first`.
primitive after(primitive first, primitive second);
// `p`, whose input k goes through `before`.
primitive through(primitive p, std::size_t k, primitive before);
// What make(sizes of the images with channels first) does, for images with channels last.
primitive channels_last(const list& x, const std::function<primitive(const list&)>& make);

// --- element by element, and along axes
// f(an element of each operand, then the parameters); the operands broadcast.
primitive element_wise(const std::vector<list>& operands, std::function<double(const numbers&)> f,
                       const numbers& parameters = {});
// Each line along the axes becomes f(line), which is as long as the result's.
primitive along(const list& x, const list& axes, const list& y, std::function<numbers(const numbers&)> f);
primitive reduce(const list& x, const list& axes, std::function<double(const numbers&)> f);
primitive softmax(const list& x, const list& axes, bool log);
// To mean 0 and variance 1, then times `scale` plus `shift`.
primitive normalize(const list& x, const list& axes, double epsilon, double scale = 1, double shift = 0);
// alpha: for each element of the sum over `radius` channels to either side.
primitive local_response(const list& x, std::int64_t radius, double alpha, double beta, double bias);

// --- movement
// The result's element at an index is the input's at from(index, inputs); where that is empty, `value`.
primitive moved(const list& x, const list& y, std::function<list(const list&, const values&)> from, double value = 0);
primitive reshape(const list& x, const list& y);
primitive transpose(const list& x, const list& axes);
primitive concat(const std::vector<list>& parts, std::size_t axis);
primitive slice(const list& x, const list& start, const list& step, const list& sizes);
enum class border : std::uint8_t { constant, edge, reflect };
primitive pad(const list& x, const list& before, const list& after, border mode = {}, double value = 0);
primitive tile(const list& x, const list& repeats);
// Along one axis, by the second input; negative indices count from the end, those out of range are brought inside.
primitive gather(const list& x, std::int64_t count, std::size_t axis);
std::int64_t index_within(double index, std::int64_t length);
// The block's rows and columns are slower than the channel in the depth, or faster where channel_first.
primitive depth_to_space(const list& x, std::int64_t block, bool channel_first = false);
primitive space_to_depth(const list& x, std::int64_t block, bool channel_first = false);
enum class sampling : std::uint8_t { floor, ceil, linear };
primitive resize(const list& x, const list& y, sampling mode,
                 std::function<float(std::size_t axis, std::int64_t index)> source);
// Places of the result in the input, of one axis.
float resize_source(std::int64_t index, std::int64_t from, std::int64_t to, bool align_corners, bool half_pixels);

// --- windows and GEMM
struct window {  // for each spatial axis
    list stride, dilation, before, after;
};
// Inputs: x, w: [outputs, inputs of a group, ...], and a bias or none. Without spatial axes it is a dense layer.
primitive convolution(const list& x, const list& w, const window&, std::int64_t groups);
// w: [inputs, outputs of a group, ...]; before, after: what is cut from the result.
primitive transposed_convolution(const list& x, const list& w, const window&, const list& more, std::int64_t groups);
// f(the elements of a window that are not padding)
primitive pool(const list& x, const list& length, const window&, std::function<double(const numbers&)> f);
primitive matmul(const list& a, const list& b);
}  // namespace evaluator
