// Each operation of XIR: the primitive that it is, and the inputs of that.
#include "../../evaluator/functions.hpp"
#include "graph.hpp"
#include <cstring>

namespace test_runner {
namespace {
namespace f = evaluator::functions;
struct evaluation {
    primitive does;
    values inputs;
};
using rule = evaluation (*)(const operation&);
evaluation of_input(const operation& o, const primitive& p) { return {p, {o.input().elements}}; }

// --- element by element
double codes_of(const numbers& v) { return std::clamp(std::floor(std::ldexp(v[0], int(v[1])) + 0.5), -128., 127.); }
double number_of(const numbers& v) { return std::ldexp(v[0], -int(v[1])); }
double fixed(const numbers& v) { return number_of({codes_of(v), v[1]}); }  // a half goes up
double hard_sigmoid(const numbers& v) { return std::clamp(v[0] + 3, 0., 6.) / 6; }
template <function F> evaluation rounded(const operation& o) {
    if (o.get<std::string>("round_mode") != "DPU_ROUND" || o.get<std::int32_t>("bit_width") != 8 ||
        !o.get<bool>("if_signed"))
        throw std::runtime_error("codes of another kind");
    return of_input(o, element_wise({o.dims()}, F, {double(o.get<std::int32_t>("fix_point"))}));
}
template <function F> evaluation plain(const operation& o) { return of_input(o, element_wise({o.dims()}, F)); }
template <function F> evaluation of_alpha(const operation& o) {
    return of_input(o, element_wise({o.dims()}, F, {o.get<float>("alpha")}));
}
evaluation relu6(const operation& o) { return of_input(o, element_wise({o.dims()}, f::clip, {0, 6})); }
struct operands {  // all inputs
    std::vector<list> shapes{};
    values elements{};
    explicit operands(const operation& o) {
        for (int k = 0; k < o.inputs(); ++k) {
            shapes.push_back(o.input("input", k).dims);
            elements.push_back(o.input("input", k).elements);
        }
    }
};
template <function F> evaluation fold(const operation& o) {
    const operands inputs(o);
    return {element_wise(inputs.shapes, F), inputs.elements};
}
evaluation softmax(const operation& o) {
    return of_input(o, evaluator::softmax(o.dims(), {o.get<std::int32_t>("axis")}, false));
}

// --- movement
evaluation constant(const operation& o) {
    const auto bytes = o.get<std::vector<char>>("data");
    std::vector<float> data(std::size_t(elements(o.dims())));
    if (o.get<std::string>("data_type") != "FLOAT32" || bytes.size() != data.size() * sizeof(float))
        throw std::runtime_error("a constant of another type or size");
    std::memcpy(data.data(), bytes.data(), bytes.size());
    return {reshape(o.dims(), o.dims()), {{data.begin(), data.end()}}};
}
evaluation reshape(const operation& o) { return of_input(o, evaluator::reshape(o.input().dims, o.dims())); }
evaluation transpose(const operation& o) {
    return of_input(o, evaluator::transpose(o.input().dims, o.integers("order")));
}
evaluation slice(const operation& o) {
    return of_input(o, evaluator::slice(o.input().dims, o.integers("begin"), o.integers("strides"), o.dims()));
}
evaluation concat(const operation& o) {
    const operands inputs(o);
    return {evaluator::concat(inputs.shapes, std::size_t(o.get<std::int32_t>("axis"))), inputs.elements};
}
evaluation pad(const operation& o) {
    if (o.get<std::string>("mode") != "CONSTANT") throw std::runtime_error("pads of another kind");
    list sides[2];
    for (const std::int64_t p : o.integers("paddings")) sides[sides[0].size() > sides[1].size()].push_back(p);
    const double value = o.get<std::vector<float>>("constant_values")[0];
    return of_input(o, evaluator::pad(o.input().dims, sides[0], sides[1], border::constant, value));
}
evaluation resize(const operation& o) {
    const list x = o.input().dims, y = o.dims();
    const sampling mode = o.get<std::string>("mode") == "NEAREST" ? sampling::floor : sampling::linear;
    return of_input(o, evaluator::resize(x, y, mode,
                                         [=, corners = o.get<bool>("align_corners"),
                                          centers = o.get<bool>("half_pixel_centers")](std::size_t i, std::int64_t k) {
                                             return i == 0 || i == 3 ? float(k)
                                                                     : resize_source(k, x[i], y[i], corners, centers);
                                         }));
}

// --- windows and products: images have their channels last
window window_of(const operation& o) {  // [columns, rows], pads: left, right, top, bottom
    if (o.get<std::string>("pad_mode") != "FLOOR") throw std::runtime_error("pad_mode is not FLOOR");
    const list step = o.integers("stride"), pads = o.integers("pad"),
               dilation = o.op->has_attr("dilation") ? o.integers("dilation") : list{1, 1};
    return {{step[1], step[0]}, {dilation[1], dilation[0]}, {pads[2], pads[0]}, {pads[3], pads[1]}};
}
list kernel_of(const operation& o) {
    const list k = o.integers("kernel");
    return {k[1], k[0]};
}
evaluation of_weights(const operation& o, const list& order,
                      const std::function<primitive(const list& x, const list& w)>& make) {
    const tensor& w = o.input("weights");
    const primitive turned = evaluator::transpose(w.dims, order);
    require(kernel_of(o) == list{w.dims[1], w.dims[2]});
    const primitive p = channels_last(o.input().dims, [&](const list& x) { return make(x, turned.sizes); });
    return {through(p, 1, turned),
            {o.input().elements, w.elements, o.has("bias") ? o.input("bias").elements : numbers()}};
}
evaluation convolve(const operation& o) {  // weights: [outputs, rows, columns, inputs]
    return of_weights(o, {0, 3, 1, 2},
                      [&](const list& x, const list& w) { return convolution(x, w, window_of(o), 1); });
}
evaluation convolve_each(const operation& o) {  // weights: [1, rows, columns, channels]
    return of_weights(o, {3, 0, 1, 2},
                      [&](const list& x, const list& w) { return convolution(x, w, window_of(o), x[1]); });
}
evaluation convolve_transposed(const operation& o) {  // weights: [outputs, rows, columns, inputs]
    return of_weights(o, {3, 0, 1, 2}, [&](const list& x, const list& w) {
        return transposed_convolution(x, w, window_of(o), {0, 0}, 1);
    });
}
evaluation pool(const operation& o, std::function<double(const numbers&)> fold) {
    return of_input(o, channels_last(o.input().dims, [&](const list& x) {
                        return evaluator::pool(x, kernel_of(o), window_of(o), fold);
                    }));
}
evaluation max_pool(const operation& o) { return pool(o, f::greatest); }
evaluation average_pool(const operation& o) {
    if (!o.get<bool>("count_include_pad")) return pool(o, f::mean);
    return pool(o, [area = double(elements(kernel_of(o)))](const numbers& v) { return f::sum(v) / area; });
}
evaluation multiply(const operation& o) {  // [..., M, K] and [..., K, N], or [N, K] where that is transposed
    const tensor &a = o.input("input", 0), &b = o.input("input", 1);
    if (o.get<bool>("transpose_a")) throw std::runtime_error("transpose_a is not made here");
    list order(b.dims.size());
    std::iota(order.begin(), order.end(), 0);
    if (o.get<bool>("transpose_b")) std::swap(order.back(), order[order.size() - 2]);
    const primitive turned = evaluator::transpose(b.dims, order), product = matmul(a.dims, turned.sizes);
    const numbers sums = product.compute({a.elements, turned.compute({b.elements})}),
                  bias = o.has("bias") ? o.input("bias").elements : numbers(std::size_t(product.sizes.back()));
    return {element_wise({product.sizes, {product.sizes.back()}}, f::sum), {sums, bias}};
}
template <function F> evaluation reduce(const operation& o) {
    return of_input(o, evaluator::reduce(o.input().dims, o.integers("axis"), F));
}
// Made at first use: threads may open this library at once.
const std::map<std::string, rule>& rules() {
    static const std::map<std::string, rule> table{{"fix", rounded<fixed>},
                                                   {"float2fix", rounded<codes_of>},
                                                   {"fix2float", rounded<number_of>},
                                                   {"relu", plain<f::relu>},
                                                   {"relu6", relu6},
                                                   {"leaky-relu", of_alpha<f::leaky_relu>},
                                                   {"elu", of_alpha<f::elu>},
                                                   {"sigmoid", plain<f::sigmoid>},
                                                   {"tanh", plain<f::one<std::tanh>>},
                                                   {"hard-sigmoid", plain<hard_sigmoid>},
                                                   {"hard-swish", plain<f::hard_swish>},
                                                   {"exp", plain<f::one<std::exp>>},
                                                   {"neg", plain<f::negate>},
                                                   {"add", fold<f::sum>},
                                                   {"sub", fold<f::pair<std::minus<>>>},
                                                   {"mul", fold<f::product>},
                                                   {"div", fold<f::pair<std::divides<>>>},
                                                   {"max", fold<f::greatest>},
                                                   {"min", fold<f::least>},
                                                   {"softmax", softmax},
                                                   {"const", constant},
                                                   {"reshape", reshape},
                                                   {"transpose", transpose},
                                                   {"strided_slice", slice},
                                                   {"concat", concat},
                                                   {"pad", pad},
                                                   {"resize", resize},
                                                   {"conv2d", convolve},
                                                   {"depthwise-conv2d", convolve_each},
                                                   {"transposed-conv2d", convolve_transposed},
                                                   {"maxpool2d", max_pool},
                                                   {"avgpool2d", average_pool},
                                                   {"matmul", multiply},
                                                   {"reduction_max", reduce<f::greatest>},
                                                   {"reduction_mean", reduce<f::mean>},
                                                   {"reduction_product", reduce<f::product>},
                                                   {"reduction_sum", reduce<f::sum>}};
    return table;
}
}  // namespace

tensor compute(const operation& o) {
    const auto at = rules().find(o.type());
    if (at == rules().end()) throw std::runtime_error("no primitive for " + o.type());
    const auto [does, inputs] = at->second(o);
    tensor y{does.sizes, does.compute(inputs)};
    if (y.dims != o.dims()) throw std::runtime_error("another shape of " + o.type());
    for (double& e : y.elements) e = float(e);
    return y;
}
}  // namespace test_runner
