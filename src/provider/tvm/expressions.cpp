// Tensor expressions of each primitive.
#include "compiler.hpp"
#include <cmath>
#include <map>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
using namespace lowering;
namespace {
using tvm_calls::array;
using tvm_calls::call;
using tvm_calls::object;
using indices = std::vector<object>;

object list(const shape& s) { return array(std::span(s.begin(), s.end())); }
const char* name_of_type(element e) {
    return e == element::f32 ? "float32" : e == element::i32 ? "int32" : e == element::i64 ? "int64" : "bool";
}
object number(std::int64_t i) { return call("ir.IntImm", "int32", i, nullptr); }
object real(double x) { return call("ir.FloatImm", "float32", x, nullptr); }
object operator+(const object& a, const object& b) { return call("prim._OpAdd", a, b, nullptr); }
object operator-(const object& a, const object& b) { return call("prim._OpSub", a, b, nullptr); }
object operator*(const object& a, const object& b) { return call("prim._OpMul", a, b, nullptr); }
object operator/(const object& a, const object& b) { return call("prim._OpDiv", a, b, nullptr); }
object least(const object& a, const object& b) { return call("prim._OpMin", a, b, nullptr); }
object greatest(const object& a, const object& b) { return call("prim._OpMax", a, b, nullptr); }
object quotient(const object& a, std::int64_t b) { return call("prim._OpFloorDiv", a, number(b), nullptr); }
object remainder(const object& a, std::int64_t b) { return call("prim._OpFloorMod", a, number(b), nullptr); }
object scaled(const object& a, std::int64_t by, std::int64_t plus = 0) {
    const object product = by == 1 ? a : a * number(by);
    return plus ? product + number(plus) : product;
}
object at(const object& tensor, const indices& i) { return call("te.TensorLoad", tensor, array(i)); }

struct axis {
    object iter, var;
};
axis axis_of(std::int64_t extent, const std::string& name, bool summed) {
    const object var = call("ir.Var", name, call("ir.PrimType", "int32"), nullptr);
    return {call("tirx.IterVar", call("ir.Range", 0, extent, nullptr), var, summed ? 2 : 0, "", nullptr), var};
}
object compute(const shape& dims, const char* name, const std::function<object(const indices&)>& body) {
    std::vector<object> iters;
    indices vars;
    for (int i = 0; i < dims.rank; ++i) {
        axis a = axis_of(dims[i], "i" + std::to_string(i), false);
        iters.push_back(a.iter);
        vars.push_back(a.var);
    }
    const object value = body(vars);
    const object op = call("te.ComputeOp", name, "", nullptr, array(iters), array(value));
    return call("te.OpGetOutput", op, 0);
}
enum class fold { sum, most, least };
object folded(fold operation, const object& source, std::span<const object> axes) {
    const object type = call("ir.PrimType", "float32");
    const object a = call("ir.Var", "a", type, nullptr), b = call("ir.Var", "b", type, nullptr);
    const object result = operation == fold::sum ? a + b : operation == fold::most ? greatest(a, b) : least(a, b);
    const object start = real(operation == fold::sum ? 0. : operation == fold::most ? -INFINITY : INFINITY);
    const object combiner = call("te.CommReducer", array(a), array(b), array(result), array(start), nullptr);
    return call("te.Reduce", combiner, array(source), array(axes), true, 0, tvm_calls::empty_array(), nullptr);
}

// A tensor of numbers that all are the same, of no dimensions.
object constant(double x, element type = element::f32) {
    if (type == element::f32) return call("topi.full", list({}), "float32", real(x));
    return call("topi.full", list({}), name_of_type(type), std::int64_t(x));
}
// y, and x where it is NaN. TVM takes x == x for true.
object keeping_nan(const object& x, const object& y) {
    const object zero = constant(0);
    return call("topi.where", call("topi.less", x, zero), y,
                call("topi.where", call("topi.greater_equal", x, zero), y, x));
}
object approximate(const char* f, const object& x) { return keeping_nan(x, call(f, x)); }
object exponential(const object& x) {  // 0 where it would be a denormal number, which makes products slow
    return call("topi.where", call("topi.less", x, constant(-87)), constant(0), approximate("topi.fast_exp", x));
}
object sigmoid(const object& x) {
    return call("topi.divide", constant(1), call("topi.add", constant(1), exponential(call("topi.negative", x))));
}
object clamp(const object& x, double low, double high) {
    object y = call("topi.where", call("topi.less", x, constant(low)), constant(low), x);
    return call("topi.where", call("topi.greater", y, constant(high)), constant(high), y);
}
object hard_sigmoid(const object& x, double alpha, double beta) {
    return clamp(call("topi.add", call("topi.multiply", x, constant(alpha)), constant(beta)), 0, 1);
}
object error_function(const object& x) { return approximate("topi.fast_erf", x); }
object gelu(const object& x, bool by_tanh) {
    object inner;
    if (by_tanh) {
        const object cube = call("topi.multiply", call("topi.multiply", x, x), x);
        inner = call("topi.add", x, call("topi.multiply", cube, constant(0.044715)));
        inner = approximate("topi.fast_tanh", call("topi.multiply", inner, constant(std::sqrt(2 / M_PI))));
    } else
        inner = error_function(call("topi.multiply", x, constant(std::sqrt(.5))));
    return call("topi.multiply", call("topi.multiply", x, constant(.5)), call("topi.add", inner, constant(1)));
}
object leaky(const object& x, const object& slope) {
    return call("topi.where", call("topi.less", x, constant(0)), call("topi.multiply", x, slope), x);
}
const char* name_of_pair(arithmetic does) {
    using enum arithmetic;
    static const std::map<arithmetic, const char*> names = {{add, "topi.add"},
                                                            {sub, "topi.subtract"},
                                                            {mul, "topi.multiply"},
                                                            {div, "topi.divide"},
                                                            {max, "topi.maximum"},
                                                            {min, "topi.minimum"},
                                                            {pow, "topi.power"},
                                                            {equal, "topi.equal"},
                                                            {greater, "topi.greater"},
                                                            {less, "topi.less"},
                                                            {less_or_equal, "topi.less_equal"},
                                                            {greater_or_equal, "topi.greater_equal"},
                                                            {logical_and, "topi.logical_and"},
                                                            {logical_or, "topi.logical_or"}};
    return names.at(does);
}
shape zeros(const shape& like) { return shape::of_rank(like.rank, 0); }

// One primitive of a step. Axes are those of memory.
class expression {
    const std::vector<slot>& tensors_;
    const task& o_;
    const std::vector<object>& in_;
    lowered& result_;

    const slot& input(std::size_t k) const { return tensors_[std::size_t(o_.inputs[k])]; }
    const shape& dims(std::size_t k) const { return input(k).dims; }
    const shape& result() const { return tensors_[std::size_t(o_.output)].dims; }
    element result_type() const { return tensors_[std::size_t(o_.output)].type; }
    object broadcast(const object& y) const { return call("topi.broadcast_to", y, list(result())); }

    // x with `before` elements of `fill` before each axis, and as many behind as make it so long.
    object padded(const object& x, const shape& d, const shape& before, const shape& size, double fill,
                  const char* name) {
        if (size == d && before == zeros(d)) return x;
        return compute(size, name, [&](indices i) {
            object inside;
            const auto require = [&](const object& more) {
                inside = inside ? call("prim._OpAnd", inside, more, nullptr) : more;
            };
            for (int k = 0; k < d.rank; ++k) {
                object& place = i[std::size_t(k)];
                place = scaled(place, 1, -before[k]);
                if (before[k] > 0) require(call("prim._OpGE", place, number(0), nullptr));
                if (size[k] - before[k] > d[k]) require(call("prim._OpLT", place, number(d[k]), nullptr));
            }
            const object element = at(x, i);
            return inside ? call("prim._OpIfThenElse", inside, element, real(fill), nullptr) : element;
        });
    }
    // Operand k of sums, in a block of its own, at least so long.
    object pad_of_sums(const shape& before, shape size, double fill, std::size_t k = 0) {
        for (int i = 0; i < size.rank; ++i) size[i] = std::max(size[i], dims(k)[i]);
        const object x = padded(in_[k], dims(k), before, size, fill, "pad");
        result_.pads |= x.address() != in_[k].address();
        return x;
    }
    // As long as its windows reach.
    object padded_image(const std::vector<window_axis>& w, double fill) {
        const auto reach = [](const window_axis& a) {
            return (a.out - 1) * a.stride + (a.kernel - 1) * a.dilation + 1;
        };
        return pad_of_sums({0, w[0].before, w[1].before, 0}, {0, reach(w[0]), reach(w[1]), 0}, fill);
    }
    void has_sums(std::size_t axes) {
        result_.sums = true;
        result_.in_registers = o_.sums;
        result_.summed_axes = int(axes);
    }
    // Rows of the first operand times what right(indices, k) gives.
    template <class F> object product(F right) {
        const shape &a = dims(0), &y = result();
        const axis k = axis_of(a[a.rank - 1], "k", true);
        const std::int64_t rows = a[a.rank - 2];
        const object sums = compute(y, "sums", [&](const indices& i) {
            // Rows after the last one are the last one: they are not read.
            const object row = y[y.rank - 2] > rows ? least(i[i.size() - 2], number(rows - 1)) : i[i.size() - 2];
            return folded(fold::sum, matrix(in_[0], a, i, row, k.var) * right(i, k.var), std::span(&k.iter, 1));
        });
        has_sums(1);
        return sums;
    }
    // An element of a matrix of t, whose batches broadcast to those of i.
    static object matrix(const object& t, const shape& d, const indices& i, const object& row, const object& column) {
        indices place;
        for (int j = 0; j < d.rank - 2; ++j)
            place.push_back(d[j] == 1 ? number(0) : i[i.size() - std::size_t(d.rank - j)]);
        place.insert(place.end(), {row, column});
        return at(t, place);
    }
    object biased(const object& sums) const { return in_.size() > 2 ? call("topi.add", sums, in_[2]) : sums; }
    // Over these axes, which stay with length 1.
    object reduced(fold operation, const object& x, const shape& d, const integers& over, const char* name) {
        shape reduced_dims = d;
        indices vars(std::size_t(d.rank));
        std::vector<object> iters;
        for (const std::int64_t k : over) {
            reduced_dims[int(k)] = 1;
            const axis a = axis_of(d[int(k)], "k" + std::to_string(k), true);
            vars[std::size_t(k)] = a.var;
            iters.push_back(a.iter);
        }
        return compute(reduced_dims, name, [&](indices i) {
            for (const std::int64_t k : over) i[std::size_t(k)] = vars[std::size_t(k)];
            return folded(operation, at(x, i), iters);
        });
    }

  public:
    expression(const std::vector<slot>& tensors, const task& o, const std::vector<object>& in, lowered& l)
        : tensors_(tensors), o_(o), in_(in), result_(l) {}

    object operator()(const unary_prim& p) {
        const object& x = in_[0];
        switch (p.does) {
            case function::abs:
                return call("topi.where", call("topi.less", x, constant(0)), call("topi.negative", x), x);
            case function::erf: return error_function(x);
            case function::exp: return call("topi.exp", x);
            case function::gelu: return gelu(x, false);
            case function::gelu_by_tanh: return gelu(x, true);
            case function::hard_sigmoid: return hard_sigmoid(x, p.alpha, p.beta);
            case function::hard_swish: return call("topi.multiply", x, hard_sigmoid(x, 1. / 6, .5));
            case function::leaky_relu: return leaky(x, constant(p.alpha));
            case function::log: return call("topi.log", x);
            case function::logical_not: return call("topi.logical_not", x);
            case function::neg: return call("topi.negative", x);
            case function::reciprocal: return call("topi.divide", constant(1), x);
            case function::relu: return call("topi.where", call("topi.less", x, constant(0)), constant(0), x);
            case function::sigmoid: return sigmoid(x);
            case function::sqrt: return call("topi.sqrt", x);
            case function::swish: return call("topi.multiply", x, sigmoid(call("topi.multiply", x, constant(p.alpha))));
            case function::tanh: return approximate("topi.fast_tanh", x);
            default: refuse("TVM has no such function");
        }
    }
    object operator()(const clamp_prim& p) { return clamp(in_[0], p.low, p.high); }
    object operator()(const binary_prim& p) {
        const object &a = in_[0], &b = in_[1];
        if (p.does == arithmetic::prelu) return broadcast(leaky(a, b));
        if (p.does == arithmetic::pow && input(1).elements && input(1).dims.elements() == 1) {
            const float e = *static_cast<const float*>(input(1).elements);
            if (e == 1) return broadcast(a);
            if (e == 2) return broadcast(call("topi.multiply", a, a));
            if (e == 3) return broadcast(call("topi.multiply", call("topi.multiply", a, a), a));
            if (e == .5) return broadcast(call("topi.sqrt", a));
        }
        return broadcast(call(name_of_pair(p.does), a, b));
    }
    object operator()(const select_prim&) { return broadcast(call("topi.where", in_[2], in_[0], in_[1])); }
    object operator()(const cast_prim&) {
        if (result_type() == element::boolean) return call("topi.not_equal", in_[0], constant(0, input(0).type));
        return call("topi.cast", in_[0], name_of_type(result_type()));
    }
    object operator()(const broadcast_prim&) { return broadcast(in_[0]); }
    object operator()(const conv_prim& p) {
        const shape& w = dims(1);  // columns / width, height, width, channels of a group, width of a tile
        const object x = padded_image(p.window, 0);
        const axis h = axis_of(w[1], "kh", true), v = axis_of(w[2], "kw", true), c = axis_of(w[3], "ic", true);
        const std::int64_t per_group = result()[3] / p.groups;
        const object sums = compute(result(), "sums", [&](const indices& i) {
            const object row = scaled(i[1], p.window[0].stride) + scaled(h.var, p.window[0].dilation);
            const object column = scaled(i[2], p.window[1].stride) + scaled(v.var, p.window[1].dilation);
            const object channel = p.groups == 1 ? c.var : scaled(quotient(i[3], per_group), w[3]) + c.var;
            const object weight = at(in_[1], {quotient(i[3], w[4]), h.var, v.var, c.var, remainder(i[3], w[4])});
            return folded(fold::sum, at(x, {i[0], row, column, channel}) * weight, std::vector{h.iter, v.iter, c.iter});
        });
        has_sums(3);
        return biased(sums);
    }
    object operator()(const dense_prim&) {
        const std::int64_t width = dims(1)[2];
        return biased(product([&](const indices& i, const object& k) {
            return at(in_[1], {quotient(i.back(), width), k, remainder(i.back(), width)});
        }));
    }
    object operator()(const matmul_prim&) {
        const shape& b = dims(1);
        shape size = b;
        size[b.rank - 1] = result()[result().rank - 1];
        const object right = pad_of_sums(zeros(b), size, 0, 1);
        return product([&](const indices& i, const object& k) { return matrix(right, b, i, k, i.back()); });
    }
    object operator()(const pool_prim& p) {
        const bool most = p.does == pooling::max;
        const window_axis &h = p.window[0], &w = p.window[1];
        const object x = padded_image(p.window, most ? -INFINITY : 0.);
        const axis kh = axis_of(h.kernel, "kh", true), kw = axis_of(w.kernel, "kw", true);
        const object y = compute(result(), "sums", [&](const indices& i) {
            const object row = scaled(i[1], h.stride) + scaled(kh.var, h.dilation);
            const object column = scaled(i[2], w.stride) + scaled(kw.var, w.dilation);
            return folded(most ? fold::most : fold::sum, at(x, {i[0], row, column, i[3]}),
                          std::vector{kh.iter, kw.iter});
        });
        has_sums(2);
        if (most) return y;
        if (p.counts_padding || !p.is_padded())
            return call("topi.multiply", y, constant(1. / double(h.kernel * w.kernel)));
        const auto counted = [](const window_axis& a, const object& i) {
            const object first = scaled(i, a.stride, -a.before);
            return least(scaled(first, 1, a.kernel), number(a.in)) - greatest(first, number(0));
        };
        return compute(result(), "mean", [&](const indices& i) {
            return at(y, i) / call("prim._cast", "float32", counted(h, i[1]) * counted(w, i[2]), nullptr);
        });
    }
    object operator()(const reduce_prim& p) {
        const shape& d = dims(0);
        const bool rows_only = std::ranges::find(p.axes, d.rank - 1) == p.axes.end();
        const fold operation = p.does == reduction::max   ? fold::most
                               : p.does == reduction::min ? fold::least
                                                          : fold::sum;
        const object y = reduced(operation, in_[0], d, p.axes, rows_only ? "sums" : "reduced");
        if (rows_only) has_sums(p.axes.size());
        const double part = double(result().elements()) / double(d.elements());
        return p.does == reduction::mean ? call("topi.multiply", y, constant(part)) : y;
    }
    object operator()(const softmax_prim& p) {
        const shape& d = dims(0);
        const object x = call("topi.subtract", in_[0], reduced(fold::most, in_[0], d, {p.axis}, "most"));
        const object e = exponential(x), sum = reduced(fold::sum, e, d, {p.axis}, "sum");
        return p.log ? call("topi.subtract", x, call("topi.log", sum)) : call("topi.divide", e, sum);
    }
    object operator()(const layer_norm_prim& p) {
        const shape& d = dims(0);
        shape row = d;
        for (const std::int64_t k : p.axes) row[int(k)] = 1;
        const auto mean = [&](const object& x, const char* name) {
            const double part = double(row.elements()) / double(d.elements());
            return call("topi.multiply", reduced(fold::sum, x, d, p.axes, name), constant(part));
        };
        const object x = p.centred ? call("topi.subtract", in_[0], mean(in_[0], "sum")) : in_[0];
        const object variance = mean(call("topi.multiply", x, x), "squares");
        object y = call("topi.divide", x, call("topi.sqrt", call("topi.add", variance, constant(p.epsilon))));
        std::size_t k = 1;
        if (p.scale) y = call("topi.multiply", y, in_[k++]);
        return p.shift ? call("topi.add", y, in_[k]) : y;
    }
    object operator()(const transpose_prim& p) {
        return call("topi.transpose", in_[0], array(std::span<const std::int64_t>(p.axes)));
    }
    object operator()(const slice_prim& p) {
        return compute(result(), "cut", [&](indices i) {
            for (std::size_t k = 0; k < p.step.size(); ++k) i[k] = scaled(i[k], p.step[k], p.start[k]);
            return at(in_[0], i);
        });
    }
    object operator()(const pad_prim& p) {
        shape before;
        for (const std::int64_t n : p.before) before.push_back(n);
        return padded(in_[0], dims(0), before, result(), p.value, "padded");
    }
    object operator()(const resize_prim&) {
        return compute(result(), "resized", [&](indices i) {
            for (int k = 0; k < result().rank; ++k)
                i[std::size_t(k)] = quotient(i[std::size_t(k)], result()[k] / dims(0)[k]);
            return at(in_[0], i);
        });
    }
    template <class P> object operator()(const P&) { refuse("TVM does not compile it"); }
};
}  // namespace

lowered lower(const std::vector<slot>& tensors, const task_group& g) {
    lowered l;
    std::map<int, object> values;
    std::vector<object> arguments;
    for (const int t : g.inputs) {
        const slot& x = tensors[std::size_t(t)];
        values[t] = call("te.Placeholder", list(x.dims), name_of_type(x.type), "x" + std::to_string(arguments.size()));
        arguments.push_back(values[t]);
    }
    object result;
    for (const task& o : g.tasks) {
        std::vector<object> inputs;
        for (const int t : o.inputs) inputs.push_back(values.at(t));
        values[o.output] = result = std::visit(expression(tensors, o, inputs, l), o.does);
    }
    arguments.push_back(call("topi.identity", result));  // the block that tiles are stored by
    l.function = call("te.CreatePrimFunc", array(arguments), nullptr);
    return l;
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
