#include "writer.hpp"
#include <algorithm>
#include <lowering/weights.hpp>
#include <provider/arena_blocks.hpp>
#include <utility>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
using namespace lowering;
using place = slot::place;
namespace {
shape memory_shape(const operand& x) {
    shape s;
    for (const std::int64_t d : dims_in_memory(x)) s.push_back(d);
    return s.rank ? s : shape{1};
}
// How often an element-wise expression has its operand, about; 0: it is none.
int growth_of(const primitive& p) {
    constexpr functions tripled =
                            these(function::relu, function::leaky_relu, function::hard_sigmoid, function::hard_swish),
                        approximated = these(function::sigmoid, function::swish, function::tanh, function::erf,
                                             function::gelu, function::gelu_by_tanh);
    switch (kind_of(p)) {
        case kind::unary: {
            const functions does = these(std::get<unary_prim>(p).does);
            return does & approximated ? 20 : does & tripled ? 3 : 1;
        }
        case kind::binary: {
            const arithmetic does = std::get<binary_prim>(p).does;
            return does == arithmetic::pow || does == arithmetic::prelu ? 3 : 1;
        }
        case kind::clamp: return 3;
        case kind::select:
        case kind::cast:
        case kind::broadcast: return 1;
        default: return 0;
    }
}
step::action action_of(const task& o) {
    const kind k = kind_of(o.does);
    return k == kind::concat ? step::action::join : k == kind::gather ? step::action::lookup : step::action::compute;
}
}  // namespace

tile tile_of(const shape& result, std::int64_t most_columns, const machine& m) {
    const std::int64_t rows = result.rank > 1 ? result[result.rank - 2] : 1;
    tile best;
    double most = 0;
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

// --- tensors
int tvm_writer::add(const operand& x, place location, std::int64_t index) {
    p_.tensors.push_back({x.type, memory_shape(x), location, index});
    return int(p_.tensors.size()) - 1;
}
int tvm_writer::constant(const operand& x) {
    const int t = add(x, place::constant);
    if (is_trial_) return t;
    const void*& elements = p_.tensors.back().elements;
    if (x.elements || x.order != layout::plain) {
        const std::vector<char> bytes = stored_elements(r_, x);
        elements = p_.compiled.keep(bytes.data(), std::int64_t(bytes.size()));
    } else {
        const void* const lent = constant_of(r_, x);
        elements = is_aligned(lent) ? lent : p_.compiled.keep(lent, tensor_of(t).bytes());
    }
    return t;
}
int tvm_writer::at(const operand& x) {
    const int t = table_.get(x, [&](const operand& c) { return constant(c); });
    return tensor_of(t).dims == memory_shape(x) ? t : add(x, place::alias, t);
}
int tvm_writer::root(int t) const {
    while (tensor_of(t).location == place::alias) t = int(tensor_of(t).index);
    return t;
}
operand tvm_writer::constant(const shape& dims, std::function<std::vector<float>()> elements) {
    operand x = temporary(dims);
    x.constant = true;
    x.elements = std::move(elements);
    return x;
}

// --- tasks
task& tvm_writer::put(primitive p) {
    task o{std::move(p)};
    std::visit(
        [&](auto& does) {
            each_input(does, [&](const operand& x) { o.inputs.push_back(at(x)); });
            each_parameter(does, [&](const operand& x) {
                if (std::string reason = refusal_of_tensor({&tvm_rules}, x); !reason.empty()) refuse(std::move(reason));
                o.inputs.push_back(at(x));
            });
            o.output = add(does.y, place::scratch);
            table_.set(does.y, o.output);
        },
        o.does);
    return tasks_.emplace_back(std::move(o));
}
// What computes more rows or columns than the result has, which are cut away.
template <class P> void tvm_writer::put_computed(P p, const shape& computed, const tile& sums) {
    const operand y = p.y;
    const bool cuts = computed != memory_shape(y);
    if (cuts) p.y = temporary(computed);
    put(p).sums = sums;
    if (!cuts) return;
    const auto axes = std::size_t(computed.rank);
    put(slice_prim{p.y, y, integers(axes, 0), integers(axes, 1)});
}
// Weights in tiles of columns, each of which has all that these are sums of. Those behind the last ones are 0.
operand tvm_writer::packed(const operand& w, std::int64_t columns, std::int64_t width) {
    shape tiles{columns / width, width}, counts{columns / width};
    std::vector<int> axes{0};
    for (int i = 1; i < w.dims.rank; ++i) tiles.push_back(w.dims[i]);
    for (int i = 3; i < tiles.rank; ++i) axes.push_back(i);
    axes.insert(axes.end(), {2, 1});
    for (std::size_t i = 1; i < axes.size(); ++i) counts.push_back(tiles[axes[i]]);
    if (!w.constant) {
        const operand tiled = temporary(tiles), y = temporary(counts);
        write(reshape_prim{w, tiled});
        put(transpose_prim{tiled, y, {axes.begin(), axes.end()}});
        return y;
    }
    return constant(counts, [r = &r_, w, tiles, axes] {
        std::deque<std::vector<float>> storage;
        const float* from = floats_of(*r, w, storage);
        if (w.dims.elements() < tiles.elements()) {
            storage.emplace_back(from, from + w.dims.elements()).resize(std::size_t(tiles.elements()));
            from = storage.back().data();
        }
        return permuted(from, tiles, axes);
    });
}
template <class P> void tvm_writer::put_weighted(P p, const shape& computed, std::int64_t most_columns) {
    const std::int64_t columns = computed[computed.rank - 1];
    const tile sums = tile_of(computed, most_columns, machine_);
    if (p.bias && columns != p.w.dims[0])
        p.bias = constant({columns}, [r = &r_, bias = *p.bias, columns] {
            std::deque<std::vector<float>> storage;
            const float* const from = floats_of(*r, bias, storage);
            std::vector<float> padded(from, from + bias.dims.elements());
            padded.resize(std::size_t(columns));
            return padded;
        });
    p.w = packed(p.w, columns, sums.columns);
    put_computed(std::move(p), computed, sums);
}
// How many columns a matmul computes: whole vectors, if the columns that no result needs are worth it.
std::int64_t tvm_writer::computed_columns(std::int64_t columns, std::int64_t summed) const {
    constexpr std::int64_t least_summed = 64;
    if (columns % machine_.lanes == 0 || columns < machine_.lanes || summed < least_summed) return columns;
    return (columns + machine_.lanes - 1) / machine_.lanes * machine_.lanes;
}
// The same of rows: a number with good divisors, where its own has none.
std::int64_t tvm_writer::computed_rows(const shape& y, std::int64_t columns) const {
    constexpr std::int64_t least_rows = 16, together = 8, few = 3;
    const std::int64_t rows = y[y.rank - 2];
    if (rows < least_rows || tile_of(y, columns, machine_).rows > few) return rows;
    return (rows + together - 1) / together * together;
}
void tvm_writer::write(conv_prim p) {
    const shape& w = p.w.dims;
    shape computed = memory_shape(p.y);
    std::int64_t& columns = computed[3];
    if (p.groups == 1 && p.w.constant && (!p.bias || p.bias->constant))
        columns = computed_columns(columns, w.elements(1));
    const std::int64_t most_columns = w[1] == 1 ? columns : columns / p.groups;
    put_weighted(std::move(p), computed, most_columns);
}
void tvm_writer::write(dense_prim p) {
    shape computed = p.y.dims;
    const std::int64_t columns = computed_columns(p.w.dims[0], p.w.dims[1]);
    computed[computed.rank - 2] = computed_rows(p.y.dims, columns);
    computed[computed.rank - 1] = columns;
    put_weighted(std::move(p), computed, columns);
}
void tvm_writer::write(const matmul_prim& p) {
    shape computed = p.y.dims;
    const std::int64_t columns = computed_columns(computed[computed.rank - 1], p.a.dims[p.a.dims.rank - 1]);
    computed[computed.rank - 2] = computed_rows(p.y.dims, columns);
    computed[computed.rank - 1] = columns;
    put_computed(p, computed, tile_of(computed, columns, machine_));
}
void tvm_writer::write(const pool_prim& p) {
    const shape y = memory_shape(p.y);
    put(p).sums = tile_of(y, y[3], machine_);
}
void tvm_writer::write(const reduce_prim& p) {
    const shape y = memory_shape(p.y);
    put(p).sums = tile_of(y, y[y.rank - 1], machine_);
}
void tvm_writer::write(const gather_prim& p) {
    std::vector<int>& inputs = put(p).inputs;
    if (!p.places) return;
    operand list = temporary({std::int64_t(p.places->size())});
    list.type = element::i64;
    inputs.push_back(add(list, place::constant));
    slot& x = p_.tensors.back();
    x.elements = p_.compiled.keep(p.places->data(), x.bytes());
}

// --- steps
bool tvm_writer::joins(const task& o, const task_group& g, const std::vector<int>& reads) const {
    constexpr int most = 40;  // expressions grow by these factors
    int growth = growth_of(o.does);
    for (const task& before : g.tasks) growth *= std::max(1, growth_of(before.does));
    const auto same_shape = [&] { return tensor_of(g.output()).dims == tensor_of(o.output).dims; };
    return !g.tasks.empty() && action_of(g.tasks[0]) == step::action::compute && growth <= most &&
           reads[std::size_t(g.output())] == 1 && same_shape();
}
// What one task produces is an input of the next in one step, where no other task reads it and it keeps its shape. Such
// a step is in the place of its last task: all its inputs are there.
void tvm_writer::group() {
    std::vector<int> reads(p_.tensors.size(), 0), maker(p_.tensors.size(), -1);
    for (const task& o : tasks_)
        for (const int t : o.inputs) ++reads[std::size_t(root(t))];
    for (const operand& y : results_) ++reads[std::size_t(root(at(y)))];
    for (task& o : tasks_) {
        int joined = -1;
        if (growth_of(o.does) > 0)
            for (const int t : o.inputs)  // the latest, so that it need not wait
                if (const int m = maker[std::size_t(t)]; m > joined && joins(o, p_.groups[std::size_t(m)], reads))
                    joined = m;
        task_group g;
        if (joined >= 0) g = std::exchange(p_.groups[std::size_t(joined)], {});
        const int before = g.tasks.empty() ? -1 : g.output();
        for (const int t : o.inputs)
            if (t != before && std::ranges::find(g.inputs, t) == g.inputs.end()) g.inputs.push_back(t);
        maker[std::size_t(o.output)] = int(p_.groups.size());
        g.tasks.push_back(std::move(o));
        p_.groups.push_back(std::move(g));
    }
    std::erase_if(p_.groups, [](const task_group& g) { return g.tasks.empty(); });
}
// The number of a tensor among those in memory.
int tvm_writer::in_memory(int t) {
    const auto [at, is_new] = numbers_.try_emplace(t, int(numbers_.size()));
    if (is_new) in_memory_.push_back(t);
    return at->second;
}
void tvm_writer::add_steps() {
    for (const task_group& g : p_.groups) {
        const task& first = g.tasks.front();
        step& s = p_.compiled.steps.emplace_back();
        s.does = action_of(first);
        if (const auto* const p = std::get_if<concat_prim>(&first.does)) s.axis = p->axis;
        if (const auto* const p = std::get_if<gather_prim>(&first.does)) s.axis = p->axis;
        // Concat may read one tensor twice.
        for (const int t : s.does == step::action::compute ? g.inputs : first.inputs) s.inputs.push_back(in_memory(t));
        s.output = in_memory(g.output());
    }
}
// Where the region's results are to be: of what is made for one of them alone, at once there.
void tvm_writer::place_results() {
    for (const operand& y : results_) {
        const auto k = &y - results_.data();
        const int t = at(y);
        slot& output = p_.tensors[std::size_t(root(t))];
        if (output.location == place::scratch && output.bytes() == tensor_of(t).bytes()) {
            output.location = place::output;
            output.index = k;
        } else {
            const int copy = add(y, place::output, k);
            p_.compiled.steps.push_back({step::action::join, 0, {in_memory(t)}, in_memory(copy)});
        }
    }
}
void tvm_writer::place_scratch() {
    std::vector<step>& steps = p_.compiled.steps;
    const auto root_of = [&](int number) { return std::size_t(root(in_memory_[std::size_t(number)])); };
    std::vector<int> last_read(p_.tensors.size(), -1);
    for (std::size_t s = 0; s < steps.size(); ++s)
        for (const int t : steps[s].inputs) last_read[root_of(t)] = int(s);
    std::vector<arena_block> blocks;
    std::vector<slot*> placed;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        slot& x = p_.tensors[root_of(steps[s].output)];
        if (x.location != place::scratch) continue;
        placed.push_back(&x);
        blocks.push_back({int(s), std::max(int(s), last_read[root_of(steps[s].output)]), x.bytes()});
    }
    p_.compiled.scratch = place_blocks(blocks);
    for (std::size_t k = 0; k < placed.size(); ++k) placed[k]->index = blocks[k].offset;
    for (const int t : in_memory_) {
        slot x = tensor_of(root(t));
        x.dims = tensor_of(t).dims;
        p_.compiled.tensors.push_back(std::move(x));
    }
}
planned_program tvm_writer::finish() {
    if (is_trial_) return {};
    group();
    add_steps();
    place_results();
    place_scratch();
    return std::move(p_);
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
