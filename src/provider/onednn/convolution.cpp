// Convolutions.
#include "rules.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>

namespace inlay {
inline namespace v1 {
namespace onednn_rules {
namespace {
using arguments = std::vector<dnnl_program::argument>;

// Where the filters begin with the channels of all groups, those of one group are an axis behind the groups'.
shape grouped(const shape& w, std::int64_t group) {
    if (group == 1) return w;
    shape s{group, w[0] / group};
    for (int i = 1; i < w.rank; ++i) s.push_back(w[i]);
    return s;
}
struct windows {
    dnnl_dims_t strides{}, dilations{}, before{}, after{};
    // missing(i): rows or columns behind axis i.
    template <class F> windows(const convolution_axes& c, F missing) {
        for (int i = 0; i < c.input.rank; ++i) {
            strides[i] = c.strides[i];
            dilations[i] = c.dilations[i] - 1;
            before[i] = c.pads[i];
            after[i] = missing(i, (c.kernel[i] - 1) * c.dilations[i] + 1);
        }
    }
};
void check_rank(const node_view& n) {
    if (n.input(0).dims.rank > 5) refuse("oneDNN convolves along 1 to 3 axes");
}
// `create` of a convolution or of a transposed one; filters: in the order that oneDNN has their axes.
template <class F>
void lower(lowering& l, const node_view& n, F create, dnnl_alg_kind_t algorithm, int filters, const windows& w,
           const endings& ends) {
    const shape &x = n.input(0).dims, &y = n.output(0).dims;
    const dnnl_layout source = any_layout(x), weights = any_layout(l.dims(filters)), result = any_layout(y),
                      bias = n.has_input(2) ? plain_layout(n.input(2).dims) : nullptr;
    const auto plan = [&](const_dnnl_primitive_attr_t attr) {
        return plan_primitive(create, dnnl_forward_inference, algorithm, source.get(), weights.get(), bias.get(),
                              result.get(), w.strides, w.dilations, w.before, w.after, attr);
    };
    const int out = add_with_endings(l, n, ends, y, plan, [&](const planned_primitive& p) {
        arguments a{{DNNL_ARG_SRC, l.as(l.input(n, 0), p.argument(DNNL_ARG_SRC))},
                    {DNNL_ARG_WEIGHTS, l.as(filters, p.argument(DNNL_ARG_WEIGHTS))}};
        if (bias) a.push_back({DNNL_ARG_BIAS, l.plain(l.input(n, 2))});
        return a;
    });
    l.give(n, 0, out);
}
void lower_conv(lowering& l, const node_view& n) {
    check_rank(n);
    convolution c;
    shape y;
    check_read([&] { return convolution::read(n, c, y); });
    const windows w(c, [&](int i, std::int64_t reach) {
        return std::max<std::int64_t>(0, (c.output[i] - 1) * c.strides[i] + reach - c.input[i] - c.pads[i]);
    });
    endings ends = activation_of(n);
    if (n.record.op == "FusedConv" && n.has_input(3)) ends.insert(ends.begin(), addend(l, l.input(n, 3), y.rank));
    const int filters = l.reshaped(l.input(n, 1), grouped(n.input(1).dims, c.group));
    lower(l, n, dnnl().dnnl_convolution_forward_primitive_desc_create, dnnl_convolution_direct, filters, w, ends);
}
void lower_conv_transpose(lowering& l, const node_view& n) {
    check_rank(n);
    transposed_convolution c;
    shape y;
    check_read([&] { return transposed_convolution::read(n, c, y); });
    const windows w(c, [&](int i, std::int64_t reach) {
        return (c.input[i] - 1) * c.strides[i] + reach - c.output[i] - c.pads[i];
    });
    std::array<int, max_rank + 1> places{};  // the channels of the result come before those of the input
    for (int i = 0; i < int(places.size()); ++i) places[std::size_t(i)] = i;
    const std::size_t first = c.group > 1;
    std::swap(places[first], places[first + 1]);
    const int filters = l.permuted(l.reshaped(l.input(n, 1), grouped(n.input(1).dims, c.group)), places);
    lower(l, n, dnnl().dnnl_deconvolution_forward_primitive_desc_create, dnnl_deconvolution_direct, filters, w, {});
}
}  // namespace

std::span<const rule> convolution_rules() {
    static constexpr rule rules[] = {
        {"Conv", lower_conv},
        {"ConvTranspose", lower_conv_transpose},
        {"FusedConv", lower_conv, rule::all_inputs, "inlay"},
    };
    return rules;
}
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay
