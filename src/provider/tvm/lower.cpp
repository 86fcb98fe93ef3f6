// Tensor expressions of each operator.
#include "lower.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/pool.hpp>
#include <cmath>
#include <functional>
#include <map>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
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
    const object op = call("te.ComputeOp", name, "", nullptr, array(iters), array(std::span(&value, 1)));
    return call("te.OpGetOutput", op, 0);
}
enum class fold { sum, most, least };
object folded(fold how, const object& source, std::span<const object> axes) {
    const object type = call("ir.PrimType", "float32");
    const object a = call("ir.Var", "a", type, nullptr), b = call("ir.Var", "b", type, nullptr);
    const object result = how == fold::sum ? a + b : how == fold::most ? greatest(a, b) : least(a, b);
    const object start = real(how == fold::sum ? 0. : how == fold::most ? -INFINITY : INFINITY);
    const auto one = [](const object& o) { return array(std::span(&o, 1)); };
    const object combiner = call("te.CommReducer", one(a), one(b), one(result), one(start), nullptr);
    return call("te.Reduce", combiner, one(source), array(axes), true, 0, array(std::span<const object>()), nullptr);
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
object gelu(const node_view& n, const object& x) {
    object inner;
    if (n.text("approximate", "none") == "tanh") {
        const object cube = call("topi.multiply", call("topi.multiply", x, x), x);
        inner = call("topi.add", x, call("topi.multiply", cube, constant(0.044715)));
        inner = approximate("topi.fast_tanh", call("topi.multiply", inner, constant(std::sqrt(2 / M_PI))));
    } else
        inner = error_function(call("topi.multiply", x, constant(std::sqrt(.5))));
    return call("topi.multiply", call("topi.multiply", x, constant(.5)), call("topi.add", inner, constant(1)));
}

// A step's operations, one after another.
class lowering {
    const region& r_;
    const program& p_;
    lowered& result_;

    const shape& dims(int t) const { return p_.tensors[std::size_t(t)].dims; }

    object unary(const node_view& n, const object& x, element to) {
        const std::string_view op = n.record.op;
        if (op == "Relu") return call("topi.where", call("topi.less", x, constant(0)), constant(0), x);
        if (op == "LeakyRelu") {
            const object less = call("topi.multiply", x, constant(n.real("alpha", 0.01f)));
            return call("topi.where", call("topi.less", x, constant(0)), less, x);
        }
        if (op == "Sigmoid") return sigmoid(x);
        if (op == "HardSigmoid") return hard_sigmoid(x, n.real("alpha", 0.2f), n.real("beta", 0.5));
        if (op == "HardSwish") return call("topi.multiply", x, hard_sigmoid(x, 1. / 6, .5));
        if (op == "Tanh") return approximate("topi.fast_tanh", x);
        if (op == "Erf") return error_function(x);
        if (op == "Exp") return call("topi.exp", x);
        if (op == "Log") return call("topi.log", x);
        if (op == "Sqrt") return call("topi.sqrt", x);
        if (op == "Neg") return call("topi.negative", x);
        if (op == "Not") return call("topi.logical_not", x);
        if (op == "Gelu") return gelu(n, x);
        if (op == "Reciprocal") return call("topi.divide", constant(1), x);
        if (op == "Cast") {
            if (to != element::boolean) return call("topi.cast", x, name_of_type(to));
            return call("topi.not_equal", x, constant(0, n.input(0).type));
        }
        return clip(n, x);
    }
    static object clip(const node_view& n, const object& x) {
        const auto bound = [&](int k, const char* name, double otherwise) {
            if (n.version() < 11) return n.real(name, otherwise);
            const auto given = n.input_reals(k);
            return given && given->size() == 1 ? given->front() : otherwise;
        };
        constexpr double most = std::numeric_limits<float>::max();
        return clamp(x, bound(1, "min", -most), bound(2, "max", most));
    }
    object power(const node_view& n, const std::vector<object>& in) {
        const auto e = n.input_reals(1);
        if (e && e->size() == 1) {
            if (e->front() == 1) return in[0];
            if (e->front() == 2) return call("topi.multiply", in[0], in[0]);
            if (e->front() == 3) return call("topi.multiply", call("topi.multiply", in[0], in[0]), in[0]);
            if (e->front() == .5) return call("topi.sqrt", in[0]);
        }
        return call("topi.power", in[0], in[1]);
    }
    object elementwise(const task& o, const std::vector<object>& in) {
        const node_view n = node_of(o);
        const std::string_view op = n.record.op;
        static const std::map<std::string_view, const char*> pairs = {
            {"Add", "topi.add"},         {"Sum", "topi.add"},
            {"Sub", "topi.subtract"},    {"Mul", "topi.multiply"},
            {"Div", "topi.divide"},      {"Max", "topi.maximum"},
            {"Min", "topi.minimum"},     {"Equal", "topi.equal"},
            {"Greater", "topi.greater"}, {"GreaterOrEqual", "topi.greater_equal"},
            {"Less", "topi.less"},       {"LessOrEqual", "topi.less_equal"},
            {"And", "topi.logical_and"}, {"Or", "topi.logical_or"}};
        const element to = p_.tensors[std::size_t(o.output)].type;
        object y;
        if (const auto pair = pairs.find(op); pair != pairs.end())
            y = in.size() == 1 ? call("topi.identity", in[0]) : call(pair->second, in[0], in[1]);
        else if (op == "Where")
            y = call("topi.where", in[0], in[1], in[2]);
        else if (op == "PRelu")
            y = call("topi.where", call("topi.less", in[0], constant(0)), call("topi.multiply", in[0], in[1]), in[0]);
        else if (op == "Pow")
            y = power(n, in);
        else if (op == "Expand")
            y = call("topi.broadcast_to", in[0], list(dims(o.output)));
        else
            y = unary(n, in[0], to);
        // A result of fewer dimensions, such as of a scalar and a scalar.
        return call("topi.broadcast_to", y, list(dims(o.output)));
    }
    node_view node_of(const task& o) const { return {r_.graph, r_.graph.nodes[std::size_t(o.node)]}; }

    // x with channels last and `before` rows and columns of `what` around it, at least so large.
    object padded(const object& x, const shape& d, const shape& before, const shape& size, double what) {
        if (before[0] == 0 && before[1] == 0 && size[0] <= d[1] && size[1] <= d[2]) return x;
        result_.pads = true;
        return compute({d[0], size[0], size[1], d[3]}, "pad", [&](const indices& i) {
            const object h = scaled(i[1], 1, -before[0]), w = scaled(i[2], 1, -before[1]);
            object inside = call("prim._OpGE", h, number(0), nullptr);
            const auto also = [&](const char* compare, const object& a, std::int64_t b) {
                inside = call("prim._OpAnd", inside, call(compare, a, number(b), nullptr), nullptr);
            };
            also("prim._OpLT", h, d[1]);
            also("prim._OpGE", w, 0);
            also("prim._OpLT", w, d[2]);
            return call("prim._OpIfThenElse", inside, at(x, {i[0], h, w, i[3]}), real(what), nullptr);
        });
    }
    void has_sums(const task& o, std::size_t axes) {
        result_.sums = true;
        result_.in_registers = o.sums;
        result_.summed_axes = int(axes);
    }
    object convolution(const task& o, const std::vector<object>& in) {
        const node_view n = node_of(o);
        inlay::convolution c;
        shape y;
        inlay::convolution::read(n, c, y);
        const shape &d = dims(o.inputs[0]), &w = n.input(1).dims;
        shape size = shape::of_rank(2);
        for (int i : {0, 1}) size[i] = (c.output[i] - 1) * c.strides[i] + (c.kernel[i] - 1) * c.dilations[i] + 1;
        const object x = padded(in[0], d, c.pads, size, 0);
        const axis kh = axis_of(w[2], "kh", true), kw = axis_of(w[3], "kw", true), ic = axis_of(w[1], "ic", true);
        const std::int64_t per_group = w[0] / c.group;
        const object sums = compute(dims(o.output), "sums", [&](const indices& i) {
            const object h = scaled(i[1], c.strides[0]) + scaled(kh.var, c.dilations[0]);
            const object v = scaled(i[2], c.strides[1]) + scaled(kw.var, c.dilations[1]);
            const object channel = c.group == 1 ? ic.var : scaled(quotient(i[3], per_group), w[1]) + ic.var;
            const object weight =
                at(in[1], {quotient(i[3], o.sums.columns), kh.var, kw.var, ic.var, remainder(i[3], o.sums.columns)});
            return folded(fold::sum, at(x, {i[0], h, v, channel}) * weight, std::vector{kh.iter, kw.iter, ic.iter});
        });
        has_sums(o, 3);
        return in.size() > 2 ? call("topi.add", sums, in[2]) : sums;
    }
    // The right operand of a product with zeros behind its columns.
    object with_columns(const object& x, shape d, bool across, std::int64_t columns) {
        const int axis = d.rank - (across ? 2 : 1);
        const std::int64_t own = d[axis];
        if (own == columns) return x;
        d[axis] = columns;
        result_.pads = true;
        return compute(d, "pad", [&](const indices& i) {
            const object inside = call("prim._OpLT", i[std::size_t(axis)], number(own), nullptr);
            return call("prim._OpIfThenElse", inside, at(x, i), real(0), nullptr);
        });
    }
    object product(const task& o, const std::vector<object>& in) {
        const node_view n = node_of(o);
        const bool gemm = n.record.op == "Gemm";
        const bool down = gemm && n.integer("transA", 0) != 0, across = gemm && n.integer("transB", 0) != 0;
        const shape &a = dims(o.inputs[0]), &b = dims(o.inputs[1]), &y = dims(o.output);
        const bool is_packed = p_.tensors[std::size_t(o.inputs[1])].packed.has_value();
        const axis k = axis_of(a[a.rank - (down ? 2 : 1)], "k", true);
        const auto matrix = [&](const object& t, const shape& d, const indices& i, const object& row,
                                const object& column) {
            indices all;
            for (int j = 0; j < d.rank - 2; ++j)
                all.push_back(d[j] == 1 ? number(0) : i[std::size_t(y.rank - d.rank + j)]);
            all.push_back(row);
            all.push_back(column);
            return at(t, all);
        };
        const std::int64_t rows = a[a.rank - (down ? 1 : 2)], columns = y[y.rank - 1];
        const object right_operand = is_packed ? in[1] : with_columns(in[1], b, across, columns);
        object result = compute(y, "sums", [&](const indices& i) {
            const object& column = i.back();
            // Rows behind the last one are the last one: nobody asks for them.
            const object row = y[y.rank - 2] > rows ? least(i[i.size() - 2], number(rows - 1)) : i[i.size() - 2];
            const object left = down ? matrix(in[0], a, i, k.var, row) : matrix(in[0], a, i, row, k.var);
            const object right =
                is_packed ? at(in[1], {quotient(column, o.sums.columns), k.var, remainder(column, o.sums.columns)})
                : across  ? matrix(right_operand, b, i, column, k.var)
                          : matrix(right_operand, b, i, k.var, column);
            return folded(fold::sum, left * right, std::span(&k.iter, 1));
        });
        has_sums(o, 1);
        if (!gemm) return result;
        if (const double alpha = n.real("alpha", 1); alpha != 1)
            result = call("topi.multiply", result, constant(alpha));
        if (in.size() < 3) return result;
        const double beta = n.real("beta", 1);
        return call("topi.add", result, beta == 1 ? in[2] : call("topi.multiply", in[2], constant(beta)));
    }
    object pool(const task& o, const std::vector<object>& in) {
        const node_view n = node_of(o);
        const shape &d = dims(o.inputs[0]), &y = dims(o.output);
        const bool global = n.record.op.starts_with("Global"), most = n.record.op.ends_with("MaxPool");
        pool_windows all;
        if (!global) (void)all.read(n);
        window_axis h = all.axes[1], w = all.axes[2];
        if (global) {
            h = {d[1], 1, d[1], 1, 1, 0, 0};
            w = {d[2], 1, d[2], 1, 1, 0, 0};
        }
        const auto size = [](const window_axis& a) {
            return std::max(a.in, (a.out - 1) * a.stride + (a.kernel - 1) * a.dilation + 1);
        };
        const object x = padded(in[0], d, {h.before, w.before}, {size(h), size(w)}, most ? -INFINITY : 0.);
        const axis kh = axis_of(h.kernel, "kh", true), kw = axis_of(w.kernel, "kw", true);
        const object result = compute(y, "sums", [&](const indices& i) {
            const object row = scaled(i[1], h.stride) + scaled(kh.var, h.dilation);
            const object column = scaled(i[2], w.stride) + scaled(kw.var, w.dilation);
            return folded(most ? fold::most : fold::sum, at(x, {i[0], row, column, i[3]}),
                          std::vector{kh.iter, kw.iter});
        });
        has_sums(o, 2);
        if (most) return result;
        const bool all_counted = all.include_padding || (h.before + h.after + w.before + w.after == 0);
        if (all_counted) return call("topi.multiply", result, constant(1. / double(h.kernel * w.kernel)));
        const auto counted = [](const window_axis& a, const object& i) {
            const object first = scaled(i, a.stride, -a.before);
            return least(scaled(first, 1, a.kernel), number(a.in)) - greatest(first, number(0));
        };
        return compute(y, "mean", [&](const indices& i) {
            return at(result, i) / call("prim._cast", "float32", counted(h, i[1]) * counted(w, i[2]), nullptr);
        });
    }
    // Over the axes that are 1 in `reduced`, which stay with length 1.
    object reduced(fold how, const object& x, const shape& d, const shape& over, const char* name) {
        shape kept = d;
        std::vector<axis> axes(std::size_t(d.rank));
        std::vector<object> iters;
        for (int i = 0; i < d.rank; ++i)
            if (over[i]) {
                kept[i] = 1;
                axes[std::size_t(i)] = axis_of(d[i], "k" + std::to_string(i), true);
                iters.push_back(axes[std::size_t(i)].iter);
            }
        if (iters.empty()) return call("topi.identity", x);
        return compute(kept, name, [&](indices i) {
            for (int j = 0; j < d.rank; ++j)
                if (over[j]) i[std::size_t(j)] = axes[std::size_t(j)].var;
            return folded(how, at(x, i), iters);
        });
    }
    object reduce(const task& o, const object& x) {
        const node_view n = node_of(o);
        const shape& d = dims(o.inputs[0]);
        const std::string_view op = n.record.op;
        const bool rows_only = !o.axes[d.rank - 1];
        std::int64_t count = 1;
        std::size_t axes = 0;
        for (int i = 0; i < d.rank; ++i)
            if (o.axes[i]) {
                count *= d[i];
                ++axes;
            }
        const fold how = op == "ReduceMax" ? fold::most : op == "ReduceMin" ? fold::least : fold::sum;
        const object y = reduced(how, x, d, o.axes, rows_only && axes ? "sums" : "reduced");
        if (rows_only && axes) has_sums(o, axes);
        return op == "ReduceMean" ? call("topi.multiply", y, constant(1. / double(count))) : y;
    }
    object softmax(const task& o, const object& x) {
        const shape& d = dims(o.output);
        shape over = shape::of_rank(d.rank, 0);
        over[d.rank - 1] = 1;
        const object most = reduced(fold::most, x, d, over, "most");
        const object e = exponential(call("topi.subtract", x, most));
        return call("topi.divide", e, reduced(fold::sum, e, d, over, "sum"));
    }
    object layer_norm(const task& o, const std::vector<object>& in) {
        const node_view n = node_of(o);
        const shape& d = dims(o.output);
        const int first = normal_axis(n.integer("axis", -1), d.rank);
        shape over = shape::of_rank(d.rank, 0);
        for (int i = first; i < d.rank; ++i) over[i] = 1;
        const object part = constant(1. / double(d.elements(first)));
        const auto mean = [&](const object& x, const char* name) {
            return call("topi.multiply", reduced(fold::sum, x, d, over, name), part);
        };
        const object centred = call("topi.subtract", in[0], mean(in[0], "sum"));
        const object variance = mean(call("topi.multiply", centred, centred), "squares");
        const object root = call("topi.sqrt", call("topi.add", variance, constant(n.real("epsilon", 1e-5f))));
        const object y = call("topi.multiply", call("topi.divide", centred, root), in[1]);
        return in.size() > 2 ? call("topi.add", y, in[2]) : y;
    }
    object cut(const task& o, const object& x) {
        return compute(dims(o.output), "cut", [&](indices i) {
            for (std::size_t j = 0; j < i.size(); ++j) i[j] = scaled(i[j], o.step[int(j)], o.start[int(j)]);
            return at(x, i);
        });
    }

  public:
    lowering(const region& r, const program& p, lowered& l) : r_(r), p_(p), result_(l) {}
    object operator()(const task& o, const std::vector<object>& in) {
        switch (o.what) {
            case kind::convolution: return convolution(o, in);
            case kind::product: return product(o, in);
            case kind::pool: return pool(o, in);
            case kind::softmax: return softmax(o, in[0]);
            case kind::layer_norm: return layer_norm(o, in);
            case kind::reduce: return reduce(o, in[0]);
            case kind::permute: return call("topi.transpose", in[0], list(o.axes));
            case kind::cut: return cut(o, in[0]);
            default: return elementwise(o, in);
        }
    }
};
}  // namespace

lowered lower(const region& r, const program& p, const step& s) {
    lowered l;
    lowering each(r, p, l);
    std::map<int, object> known;
    std::vector<object> arguments;
    for (int t : s.inputs) {
        const slot& x = p.tensors[std::size_t(t)];
        known[t] = call("te.Placeholder", list(x.dims), name_of_type(x.type), "x" + std::to_string(arguments.size()));
        arguments.push_back(known[t]);
    }
    object result;
    for (const task& o : s.operations) {
        std::vector<object> inputs;
        for (int t : o.inputs) inputs.push_back(known.at(t));
        known[o.output] = result = each(o, inputs);
    }
    arguments.push_back(call("topi.identity", result));  // the block that tiles are stored by
    l.function = call("te.CreatePrimFunc", array(arguments), nullptr);
    return l;
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
