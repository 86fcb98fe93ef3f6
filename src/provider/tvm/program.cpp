#include "program.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/reduce.hpp>
#include <inlay/onnx/slice.hpp>
#include <inlay/onnx/split.hpp>
#include <algorithm>
#include <provider/arena_blocks.hpp>
#include <set>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
shape in_memory(const shape& dims) { return dims.rank ? dims : shape{1}; }
shape with_rank(const shape& dims, int rank) {  // axes of length 1 in front
    shape s;
    for (int i = dims.rank; i < rank; ++i) s.push_back(1);
    for (std::int64_t d : dims) s.push_back(d);
    return s;
}
shape channels_behind(const shape& d) { return {d[0], d[2], d[3], d[1]}; }
constexpr int behind(int axis) { return axis == 0 ? 0 : axis == 1 ? 3 : axis - 1; }  // where an axis of NCHW is in NHWC
bool same_in_both_layouts(const shape& d) { return d[1] == 1 || d[2] * d[3] == 1; }

// Operations in the order of the nodes. A value has a tensor in plain layout, one with channels last, or both: windows
// work on channels last, what is element-wise on what is there.
class planner {
    const region& r_;
    const machine& machine_;
    program& p_;
    std::vector<int> plain_, last_;  // of each value
    std::vector<task> operations_;

    int add(element type, const shape& dims, slot::place where = slot::place::scratch, int index = -1) {
        p_.tensors.push_back({type, in_memory(dims), where, index, {}, 0});
        return int(p_.tensors.size()) - 1;
    }
    int view(int t, const shape& dims) { return add(p_.tensors[std::size_t(t)].type, dims, slot::place::alias, t); }
    const shape& dims(int t) const { return p_.tensors[std::size_t(t)].dims; }
    const value& of(int v) const { return r_.graph.values[std::size_t(v)]; }
    int permuted(int t, const shape& from, int node) {
        shape to;
        for (std::int64_t axis : from) to.push_back(dims(t)[int(axis)]);
        const int y = add(p_.tensors[std::size_t(t)].type, to);
        operations_.push_back({kind::permute, node, {t}, y});
        operations_.back().axes = from;
        return y;
    }
    int plain(int v) {
        int& t = plain_[std::size_t(v)];
        if (t >= 0) return t;
        if (of(v).is_constant()) return t = add(of(v).type, of(v).dims, slot::place::constant, v);
        const int last = last_[std::size_t(v)];
        const shape& d = of(v).dims;
        return t = same_in_both_layouts(d) ? view(last, d) : permuted(last, {0, 3, 1, 2}, -1);
    }
    int last(int v) {  // of 4 dimensions, or fewer that broadcast to them
        int& t = last_[std::size_t(v)];
        if (t >= 0) return t;
        const shape d = with_rank(of(v).dims, 4);
        const int from = plain(v);
        if (same_in_both_layouts(d)) return t = view(from, channels_behind(d));
        return t = permuted(view(from, d), {0, 2, 3, 1}, -1);
    }
    bool is_last(int v) const { return last_[std::size_t(v)] >= 0 && plain_[std::size_t(v)] < 0; }
    // Whether the node works with channels last: a result of 4 dimensions, of inputs that are so.
    bool works_last(const node_view& n) const {
        if (n.output(0).dims.rank != 4) return false;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && is_last(n.input_id(k))) return true;
        return false;
    }
    int made(const node_view& n, int k, bool channels_last) {  // the tensor of output k
        const value& v = n.output(k);
        const int t = add(v.type, channels_last ? channels_behind(v.dims) : v.dims);
        (channels_last ? last_ : plain_)[std::size_t(n.output_id(k))] = t;
        return t;
    }
    task& put(kind what, int node, std::vector<int> inputs, int output) {
        return operations_.emplace_back(what, node, std::move(inputs), output);
    }
    int packed(int v, const shape& counts, const shape& steps, std::int64_t columns) {
        const int t = add(of(v).type, counts, slot::place::constant, v);
        p_.tensors.back().packed = packing{counts, steps, columns};
        return t;
    }
    // How many columns a product computes: whole vectors, if those that nobody asked for are worth it.
    std::int64_t computed_columns(const node_view& n, std::int64_t columns, std::int64_t summed) const {
        constexpr std::int64_t least_summed = 64;
        if (columns % machine_.lanes == 0 || columns < machine_.lanes || summed < least_summed) return columns;
        if (n.has_input(2) && (!n.is_constant(2) || n.input(2).dims.elements() != columns)) return columns;
        return (columns + machine_.lanes - 1) / machine_.lanes * machine_.lanes;
    }
    // The same of rows: a number with good divisors, where its own has none.
    std::int64_t computed_rows(const node_view& n, const shape& y, std::int64_t columns) const {
        constexpr std::int64_t least_rows = 16, together = 8, few = 3;
        const std::int64_t rows = y[y.rank - 2];
        if (rows < least_rows || tile_of(y, columns, machine_).rows > few) return rows;
        if (n.has_input(2) && n.input(2).dims.elements() != y[y.rank - 1]) return rows;
        return (rows + together - 1) / together * together;
    }
    // Puts a product that computes `wide`, of which the node's result `y` is the first rows and columns.
    void put_product(kind what, const node_view& n, int node, std::vector<int> inputs, const shape& y,
                     const shape& wide, const tile& sums) {
        const bool channels_last = what == kind::convolution;
        const std::int64_t columns = wide[wide.rank - 1], asked = y[y.rank - 1];
        if (n.has_input(2))
            inputs.push_back(columns == asked ? plain(n.input_id(2))
                                              : packed(n.input_id(2), {1, columns}, {0, 1}, asked));
        if (wide == y) {
            put(what, node, std::move(inputs), made(n, 0, channels_last)).sums = sums;
            return;
        }
        const int all = add(element::f32, wide);
        put(what, node, std::move(inputs), all).sums = sums;
        task& o = put(kind::cut, node, {all}, made(n, 0, channels_last));
        o.start = shape::of_rank(y.rank, 0);
        o.step = shape::of_rank(y.rank);
    }

    void elementwise(const node_view& n, int node) {
        const bool channels_last = works_last(n);
        std::vector<int> inputs;
        for (int k = 0; k < n.input_count() && !(n.record.op == "Expand" && k > 0); ++k) {
            if (!n.has_input(k) || (n.record.op == "Clip" && k > 0)) continue;
            inputs.push_back(channels_last && n.input(k).dims.rank > 0 ? last(n.input_id(k)) : plain(n.input_id(k)));
        }
        const std::string_view op = n.record.op;
        const auto is_one_of = [&](std::initializer_list<std::string_view> ops) {
            return std::ranges::find(ops, op) != ops.end();
        };
        put(kind::elementwise, node, std::move(inputs), made(n, 0, channels_last)).reads =
            is_one_of({"Relu", "LeakyRelu", "PRelu", "Clip", "HardSigmoid", "HardSwish", "Pow"}) ? 3
            : is_one_of({"Sigmoid", "Tanh", "Erf", "Gelu"})                                      ? 20
                                                                                                 : 1;
    }
    void convolution(const node_view& n, int node) {
        inlay::convolution c;
        shape y;
        inlay::convolution::read(n, c, y);
        const shape& w = n.input(1).dims;
        const std::int64_t taps = w[1] * w[2] * w[3];
        const shape result = channels_behind(n.output(0).dims);
        const std::int64_t columns = c.group == 1 ? computed_columns(n, w[0], taps) : w[0];
        const tile sums = tile_of(result, w[1] == 1 ? columns : columns / c.group, machine_);
        shape wide = result;
        wide[3] = columns;
        put_product(
            kind::convolution, n, node,
            {last(n.input_id(0)), packed(n.input_id(1), {columns / sums.columns, w[2], w[3], w[1], sums.columns},
                                         {sums.columns * taps, w[3], 1, w[2] * w[3], taps}, w[0])},
            result, wide, sums);
    }
    void product(const node_view& n, int node) {
        const value& b = n.input(1);
        const bool across = n.record.op == "Gemm" && n.integer("transB", 0) != 0;
        const shape& y = n.output(0).dims;
        const bool packs = b.is_constant() && b.dims.rank == 2;
        const std::int64_t asked = y[y.rank - 1], summed = b.dims[b.dims.rank - (across ? 1 : 2)];
        const std::int64_t columns = computed_columns(n, asked, summed);
        shape wide = y;
        wide[y.rank - 2] = computed_rows(n, y, columns);
        wide[y.rank - 1] = columns;
        const tile sums = tile_of(wide, columns, machine_);
        std::vector<int> inputs{plain(n.input_id(0))};
        if (packs) {
            const std::int64_t width = sums.columns, by_row = across ? 1 : asked, by_column = across ? summed : 1;
            inputs.push_back(
                packed(n.input_id(1), {columns / width, summed, width}, {width * by_column, by_row, by_column}, asked));
        } else
            inputs.push_back(plain(n.input_id(1)));
        put_product(kind::product, n, node, std::move(inputs), y, wide, sums);
    }
    void reduce(const node_view& n, int node) {
        reduced_axes axes;
        (void)axes.read(n);
        const value& x = n.input(0);
        const bool channels_last = x.dims.rank == 4 && is_last(n.input_id(0)) && axes.bits == 0b1100;
        const int from = channels_last ? last(n.input_id(0)) : plain(n.input_id(0));
        shape kept = dims(from), reduced = shape::of_rank(kept.rank, 0);
        for (int i = 0; i < x.dims.rank; ++i)
            if (axes.has(i)) {
                const int axis = channels_last ? behind(i) : i;
                kept[axis] = 1;
                reduced[axis] = 1;
            }
        const int y = add(x.type, kept);
        task& o = put(kind::reduce, node, {from}, y);
        o.axes = reduced;
        o.sums = tile_of(kept, kept[kept.rank - 1], machine_);
        plain_[std::size_t(n.output_id(0))] = view(y, n.output(0).dims);
    }
    void cut(const node_view& n, int node, int k, const shape& start, const shape& step) {
        const bool channels_last = n.input(0).dims.rank == 4 && is_last(n.input_id(0));
        const int from = channels_last ? last(n.input_id(0)) : plain(n.input_id(0));
        task& o = put(kind::cut, node, {from}, made(n, k, channels_last));
        o.start = channels_last ? channels_behind(start) : start;
        o.step = channels_last ? channels_behind(step) : step;
    }
    void split(const node_view& n, int node) {
        const int axis = op::split::axis(n), rank = n.input(0).dims.rank;
        std::int64_t at = 0;
        for (int k = 0; k < n.output_count(); ++k) {
            shape start = shape::of_rank(rank, 0);
            start[axis] = at;
            at += *op::split::length(n, n.input(0).dims[axis], k);
            if (n.has_output(k)) cut(n, node, k, start, shape::of_rank(rank));
        }
    }
    void join(const node_view& n, int node) {
        const bool channels_last = works_last(n);
        std::vector<int> inputs;
        for (int k = 0; k < n.input_count(); ++k)
            inputs.push_back(channels_last ? last(n.input_id(k)) : plain(n.input_id(k)));
        const int axis = normal_axis(n.integer("axis", 1), n.output(0).dims.rank);
        put(kind::join, node, std::move(inputs), made(n, 0, channels_last)).axis = channels_last ? behind(axis) : axis;
    }
    void transpose(const node_view& n, int node) {
        const int rank = n.input(0).dims.rank;
        const auto given = n.integers("perm");
        shape axes;
        for (int i = 0; i < rank; ++i) axes.push_back(given.empty() ? rank - 1 - i : given[std::size_t(i)]);
        const int x = plain(n.input_id(0));
        plain_[std::size_t(n.output_id(0))] = rank ? permuted(x, axes, node) : x;
    }

  public:
    planner(const region& r, const machine& m, program& p)
        : r_(r), machine_(m), p_(p), plain_(r.graph.values.size(), -1), last_(r.graph.values.size(), -1) {
        for (std::size_t k = 0; k < r.inputs.size(); ++k)
            plain_[std::size_t(r.inputs[k])] =
                add(of(r.inputs[k]).type, of(r.inputs[k]).dims, slot::place::input, int(k));
    }
    void plan(int node) {
        const node_view n{r_.graph, r_.graph.nodes[std::size_t(node)]};
        const std::string_view op = n.record.op;
        const auto input = [&](int k) { return n.input_id(k); };
        if (op == "Conv") return convolution(n, node);
        if (op == "MatMul" || op == "Gemm") return product(n, node);
        if (op.ends_with("Pool")) {
            const int x = last(input(0));
            const shape y = channels_behind(n.output(0).dims);
            put(kind::pool, node, {x}, made(n, 0, true)).sums = tile_of(y, y[3], machine_);
        } else if (op == "Softmax") {
            const int x = plain(input(0));
            put(kind::softmax, node, {x}, made(n, 0, false));
        } else if (op == "LayerNormalization") {
            std::vector<int> inputs{plain(input(0)), plain(input(1))};
            if (n.has_input(2)) inputs.push_back(plain(input(2)));
            put(kind::layer_norm, node, std::move(inputs), made(n, 0, false));
        } else if (op.starts_with("Reduce"))
            reduce(n, node);
        else if (op == "Transpose")
            transpose(n, node);
        else if (op == "Slice") {
            op::slice::cut c;
            (void)op::slice::read(n, c);
            cut(n, node, 0, c.start, c.step);
        } else if (op == "Split")
            split(n, node);
        else if (op == "Concat")
            join(n, node);
        else if (op == "Gather") {
            const std::vector<int> inputs{plain(input(0)), plain(input(1))};
            put(kind::lookup, node, inputs, made(n, 0, false)).axis =
                normal_axis(n.integer("axis", 0), n.input(0).dims.rank);
        } else if (op == "Reshape" || op == "Flatten" || op == "Squeeze" || op == "Unsqueeze" || op == "Identity")
            plain_[std::size_t(n.output_id(0))] = view(plain(input(0)), n.output(0).dims);
        else
            elementwise(n, node);
    }
    // Where the region's results are to be: of what is made for one of them alone, at once there.
    std::vector<task> finish() {
        for (std::size_t k = 0; k < r_.outputs.size(); ++k) {
            const int t = plain(r_.outputs[k]), root = p_.root(t);
            slot& made = p_.tensors[std::size_t(root)];
            const bool whole = made.bytes() == p_.tensors[std::size_t(t)].bytes();
            if (made.where == slot::place::scratch && whole) {
                made.where = slot::place::output;
                made.index = int(k);
            } else
                put(kind::copy, -1, {t}, add(of(r_.outputs[k]).type, dims(t), slot::place::output, int(k)));
        }
        return std::move(operations_);
    }
};

// What one operation makes is worked on by the next in one step, where nobody else reads it and it keeps its shape.
class grouping {
    program& p_;
    std::vector<int> reads_, maker_;  // of each root: how often it is read; which step makes it, or -1

    bool joins(const task& o, const step& s) const {
        const slot& made = p_.tensors[std::size_t(s.output)];
        constexpr int most = 40;  // expressions grow by these factors
        int reads = o.reads;
        for (const task& before : s.operations) reads *= before.reads;
        return is_compiled(s) && reads <= most && made.where == slot::place::scratch &&
               reads_[std::size_t(s.output)] == 1 && made.dims == p_.tensors[std::size_t(o.output)].dims;
    }

  public:
    grouping(program& p, const std::vector<task>& all)
        : p_(p), reads_(p.tensors.size(), 0), maker_(p.tensors.size(), -1) {
        for (const task& o : all)
            for (int t : o.inputs) ++reads_[std::size_t(p.root(t))];
    }
    void put(task o) {
        int found = -1;
        if (o.what == kind::elementwise)
            for (int t : o.inputs)  // the latest, so that it need not wait
                if (p_.tensors[std::size_t(t)].where == slot::place::scratch) {
                    const int m = maker_[std::size_t(t)];
                    if (m > found && joins(o, p_.steps[std::size_t(m)])) found = m;
                }
        step s;
        if (found >= 0) {  // it runs where its last operation stands: all its inputs are there
            s = std::move(p_.steps[std::size_t(found)]);
            p_.steps[std::size_t(found)].operations.clear();
        }
        const int before = s.output;
        for (int t : o.inputs)
            if (t != before && std::ranges::find(s.inputs, t) == s.inputs.end()) s.inputs.push_back(t);
        s.output = o.output;
        maker_[std::size_t(o.output)] = int(p_.steps.size());
        s.operations.push_back(std::move(o));
        p_.steps.push_back(std::move(s));
    }
};

void place_scratch(program& p) {
    std::vector<int> last_read(p.tensors.size(), -1), placed;
    for (std::size_t s = 0; s < p.steps.size(); ++s)
        for (int t : p.steps[s].inputs) last_read[std::size_t(p.root(t))] = int(s);
    std::vector<arena_block> blocks;
    for (std::size_t s = 0; s < p.steps.size(); ++s) {
        const int t = p.steps[s].output;
        if (p.tensors[std::size_t(t)].where != slot::place::scratch) continue;
        placed.push_back(t);
        blocks.push_back({int(s), std::max(int(s), last_read[std::size_t(t)]), p.tensors[std::size_t(t)].bytes()});
    }
    p.scratch = place_blocks(blocks);
    for (std::size_t k = 0; k < placed.size(); ++k) p.tensors[std::size_t(placed[k])].offset = blocks[k].offset;
}
}  // namespace

tile tile_of(const shape& result, std::int64_t most_columns, const machine& m) {
    const std::int64_t rows = result.rank > 1 ? result[result.rank - 2] : 1;
    tile best;
    double most = 0;
    // Code for vectors whose lengths are no powers of 2 is slow.
    for (std::int64_t c = 1; most_columns % c == 0 && c <= 8 * m.lanes; c *= 2) {
        const std::int64_t vectors = (c + m.lanes - 1) / m.lanes;
        for (std::int64_t t = 1; t <= std::min<std::int64_t>(rows, m.registers); ++t) {
            const std::int64_t sums = t * vectors;
            if (rows % t || sums + vectors + 1 > m.registers) continue;
            // Two products a cycle, or two loads; a sum is ready after four cycles.
            const double cycles = .5 * double(std::max({sums, vectors + t, std::int64_t(8)}));
            const double speed = double(c * t) / cycles * (1 - .25 / double(sums));
            if (speed > most) {
                most = speed;
                best = {t, c};
            }
        }
    }
    return best;
}

program make_program(const region& r, const machine& m) {
    program p;
    planner plan(r, m, p);
    for (int node : r.nodes) plan.plan(node);
    std::vector<task> all = plan.finish();
    grouping steps(p, all);
    for (task& o : all) steps.put(std::move(o));
    std::erase_if(p.steps, [](const step& s) { return s.operations.empty(); });
    place_scratch(p);
    return p;
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
