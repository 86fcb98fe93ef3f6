// fold_batch_normalization: Conv then BatchNormalization at inference, or Mul, Add, Sub, Div with one constant per
// channel: a Conv with other weights, W' = W * scale and B' = B * scale + shift. Also after ConvTranspose and depthwise
// Conv, and after a BatchNormalization that stays: scale' = scale * factor and B' = B * factor + shift. Float32, fp16
// and bf16; calculated in double and rounded once.
#include "rewrite.hpp"
#include <inlay/sdk/aligned.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
struct channels {  // y = x * scale + shift, per channel
    std::vector<double> scale, shift;
};

// f(T()) for the floating-point type.
template <class F> void for_floats(element type, F f) {
    if (type == element::f32)
        f(float());
    else if (type == element::f16)
        f(float16());
    else
        f(bfloat16());
}
const graph_constant* floats(const rewriter& r, const node& n, int k) {
    const graph_constant* c = r.constant(r.input(n, k));
    return c && (c->type() == element::f32 || c->type() == element::f16 || c->type() == element::bf16) ? c : nullptr;
}
float number(const tensor& t, std::size_t i) {
    float x = 0;
    for_floats(t.type(), [&]<class T>(T) { x = float(t.as<T>()[i]); });
    return x;
}
// False: the type cannot hold them.
template <class F> bool fill(tensor& t, F value) {
    bool fits = true;
    for_floats(t.type(), [&]<class T>(T) {
        std::size_t i = 0;
        for (T& to : t.as<T>()) {
            const float x = float(value(i++));
            to = static_cast<T>(x);
            fits &= std::isfinite(float(to)) || !std::isfinite(x);
        }
    });
    return fits;
}

std::optional<channels> of_normalization(const rewriter& r, const node& n, std::int64_t count) {
    if (!is(n, "BatchNormalization") || n.version < 7 || r.integer(n, "training_mode", 0) ||
        r.integer(n, "spatial", 1) != 1)
        return {};
    for (int k = 1; k < n.outputs.count; ++k)
        if (r.output(n, k) >= 0) return {};
    tensor t[4];
    for (int k = 0; k < 4; ++k) {
        const graph_constant* c = floats(r, n, k + 1);
        if (!c || c->elements() != count) return {};
        t[k] = c->get();
    }
    const double epsilon = float(r.real(n, "epsilon", 1e-5f));
    channels c;
    for (std::size_t i = 0; i < std::size_t(count); ++i) {
        const double scale = number(t[0], i) / std::sqrt(number(t[3], i) + epsilon);
        c.scale.push_back(scale);
        c.shift.push_back(number(t[1], i) - number(t[2], i) * scale);
    }
    return c;
}

// x (op) constant, where the constant has one element per channel of x, or one in all.
std::optional<channels> of_arithmetic(const rewriter& r, const node& n, int x, std::int64_t count, int rank) {
    const bool mul = is(n, "Mul"), add = is(n, "Add"), sub = is(n, "Sub"), div = is(n, "Div");
    if ((!mul && !add && !sub && !div) || n.version < 7) return {};
    const int at = r.input(n, 0) == x ? 0 : 1;
    if (r.input(n, at) != x || ((sub || div) && at != 0)) return {};
    const graph_constant* c = floats(r, n, 1 - at);
    if (!c || c->shape().rank > rank) return {};
    for (int i = 0; i < c->shape().rank; ++i) {
        const int axis = rank - c->shape().rank + i;
        if (c->shape()[i] != 1 && (axis != 1 || c->shape()[i] != count)) return {};
    }
    const tensor numbers = c->get();
    channels y;
    for (std::size_t i = 0; i < std::size_t(count); ++i) {
        const double v = number(numbers, c->elements() == 1 ? 0 : i);
        y.scale.push_back(mul ? v : div ? 1 / v : 1);
        y.shift.push_back(add ? v : sub ? -v : 0);
    }
    return y;
}

// The combined effect on the channels of y of consecutive nodes, each the only user of the one before. Returns the
// nodes; y becomes the last one's output.
std::vector<int> follow(const rewriter& r, int& y, int rank, channels& transform) {
    const auto count = std::int64_t(transform.scale.size());
    std::vector<int> folded;
    while (y >= 0 && r.users(y).size() == 1 && !r.is_output(y)) {
        const int next = r.users(y)[0];
        const node& a = r.g.nodes[std::size_t(next)];
        auto c = r.input(a, 0) == y ? of_normalization(r, a, count) : std::nullopt;
        if (!c) c = of_arithmetic(r, a, y, count, rank);
        const auto finite = [](const std::vector<double>& numbers) {
            return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
        };
        if (!c || r.output(a) < 0) break;
        if (!finite(c->scale) || !finite(c->shift)) break;  // x / 0 is infinite, 0 * infinity is not
        for (std::size_t f = 0; f < transform.scale.size(); ++f) {
            transform.scale[f] *= c->scale[f];
            transform.shift[f] = transform.shift[f] * c->scale[f] + c->shift[f];
        }
        y = r.output(a);
        folded.push_back(next);
    }
    return folded;
}
channels unchanged(std::int64_t count) {
    return {std::vector<double>(std::size_t(count), 1), std::vector<double>(std::size_t(count), 0)};
}

int fold_into_normalization(rewriter& r, node& n) {
    const int x = r.input(n, 0), rank = x < 0 ? -1 : r.g.values[std::size_t(x)].dims.rank;
    if (rank < 2 || !floats(r, n, 1) || !floats(r, n, 2)) return 0;
    const tensor scale = floats(r, n, 1)->get(), shift = floats(r, n, 2)->get();
    if (!of_normalization(r, n, scale.elements())) return 0;
    channels transform = unchanged(scale.elements());
    int y = r.output(n);
    const auto folded = follow(r, y, rank, transform);
    tensor own_scale(scale.type(), scale.shape()), own_shift(shift.type(), shift.shape());
    if (folded.empty() || !fill(own_scale, [&](std::size_t i) { return number(scale, i) * transform.scale[i]; }) ||
        !fill(own_shift, [&](std::size_t i) { return number(shift, i) * transform.scale[i] + transform.shift[i]; }))
        return 0;
    for (int next : folded) r.drop(next);
    const std::string scale_name(r.input_value(n, 1)->name), shift_name(r.input_value(n, 2)->name);
    const int mean = r.input(n, 3), variance = r.input(n, 4),
              new_scale = r.g.add_constant(scale_name, std::move(own_scale)),
              new_shift = r.g.add_constant(shift_name, std::move(own_shift));
    n.inputs = r.g.add_edges({x, new_scale, new_shift, mean, variance});
    r.list(n.outputs)[0] = y;
    return int(folded.size());
}
}  // namespace

int fold_batch_normalization(graph_data& g, const evaluator&) {
    rewriter r(g);
    int count = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        node& n = g.nodes[i];
        if (r.dropped(int(i))) continue;
        if (is(n, "BatchNormalization")) count += fold_into_normalization(r, n);
        const bool transposed = is(n, "ConvTranspose");
        const graph_constant* w = floats(r, n, 1);
        const graph_constant* b = floats(r, n, 2);
        const std::int64_t groups = r.integer(n, "group", 1);
        if ((!is(n, "Conv") && !transposed) || !w || w->shape().rank < 3 || w->elements() == 0 || groups < 1 ||
            (r.input(n, 2) >= 0 && !b))
            continue;
        const std::int64_t filters = w->shape()[transposed ? 1 : 0] * (transposed ? groups : 1);
        if ((b && b->elements() != filters) || (transposed && (w->shape()[0] < groups || w->shape()[0] % groups)))
            continue;

        channels transform = unchanged(filters);
        int y = r.output(n);
        const auto folded = follow(r, y, w->shape().rank, transform);
        if (folded.empty()) continue;

        tensor weights = tensor::uninitialized(w->type(), w->shape()), bias(w->type(), {filters});
        const std::int64_t rows = w->shape()[0], columns = transposed ? w->shape()[1] : 1,
                           run = w->shape().elements(transposed ? 2 : 1);  // run: consecutive elements of one filter
        const tensor old = aligned_tensor(w->get()), addends = b ? b->get() : tensor();
        bool fits = fill(bias, [&](std::size_t f) {
            return (b ? number(addends, f) : 0.f) * transform.scale[f] + transform.shift[f];
        });
        for_floats(w->type(), [&]<class T>(T) {
            const T* from = old.as<T>().data();
            T* to = weights.as<T>().data();
            for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t column = 0; column < columns; ++column) {
                    const double scale =
                        transform.scale[std::size_t(transposed ? row / (rows / groups) * columns + column : row)];
                    for (std::int64_t k = 0; k < run; ++k, ++from, ++to) {
                        const float x = float(float(*from) * scale);
                        *to = static_cast<T>(x);
                        if constexpr (sizeof(T) == 2) fits &= std::isfinite(float(*to)) || !std::isfinite(float(*from));
                    }
                }
        });
        if (!fits) continue;
        for (int next : folded) r.drop(next);
        count += int(folded.size());
        const std::string weights_name(r.input_value(n, 1)->name),
            bias_name = b ? std::string(r.input_value(n, 2)->name) : std::string(n.name) + "/bias";
        const int x = r.input(n, 0), new_weights = g.add_constant(weights_name, std::move(weights)),
                  new_bias = g.add_constant(bias_name, std::move(bias));
        n.inputs = g.add_edges({x, new_weights, new_bias});
        r.list(n.outputs)[0] = y;
    }
    r.apply();
    return count;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
