#include "partitions.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/pool.hpp>
#include <algorithm>
#include <cstring>
#include <lowering/quantisation.hpp>
#include <map>

namespace inlay {
inline namespace v1 {
namespace {
const onednn_functions& dnnl() { return onednn_library(); }
using logical = dnnl_graph_logical_tensor_t;
using numbers = std::vector<std::int64_t>;

bool encodes(const node& n) { return n.domain.empty() && n.op == "QuantizeLinear"; }
bool decodes(const node& n) { return n.domain.empty() && n.op == "DequantizeLinear"; }

// An operation of oneDNN's graph.
class operation {
    onednn_ptr<dnnl_graph_op_t> made_;

  public:
    operation(std::size_t id, dnnl_graph_op_kind_t kind) {
        dnnl_graph_op_t made = nullptr;
        onednn_check(dnnl().dnnl_graph_op_create(&made, id, kind, "node"));
        made_.reset(made);
    }
    dnnl_graph_op_t get() const { return made_.get(); }
    void set(dnnl_graph_op_attr_t a, const std::vector<float>& x) {
        onednn_check(dnnl().dnnl_graph_op_set_attr_f32(get(), a, x.data(), x.size()));
    }
    void set(dnnl_graph_op_attr_t a, const numbers& x) {
        onednn_check(dnnl().dnnl_graph_op_set_attr_s64(get(), a, x.data(), x.size()));
    }
    void set(dnnl_graph_op_attr_t a, bool x) {
        const std::uint8_t byte = x;
        onednn_check(dnnl().dnnl_graph_op_set_attr_bool(get(), a, &byte, 1));
    }
    void set(dnnl_graph_op_attr_t a, const char* x) {
        onednn_check(dnnl().dnnl_graph_op_set_attr_str(get(), a, x, std::strlen(x) + 1));
    }
    void reads(const logical& t) { onednn_check(dnnl().dnnl_graph_op_add_input(get(), &t)); }
    void makes(const logical& t) { onednn_check(dnnl().dnnl_graph_op_add_output(get(), &t)); }
};

// --- attributes of each operator; false: oneDNN's graph has it otherwise
bool set_nothing(operation&, const node_view&) { return true; }
bool set_convolution(operation& o, const node_view& n) {
    convolution c;
    shape y;
    if (!convolution::read(n, c, y)) return false;
    numbers ends;
    for (int i = 0; i < c.input.rank; ++i)
        ends.push_back(std::max<std::int64_t>(
            0, (c.output[i] - 1) * c.strides[i] + (c.kernel[i] - 1) * c.dilations[i] + 1 - c.input[i] - c.pads[i]));
    o.set(dnnl_graph_op_attr_strides, numbers(c.strides.begin(), c.strides.end()));
    o.set(dnnl_graph_op_attr_dilations, numbers(c.dilations.begin(), c.dilations.end()));
    o.set(dnnl_graph_op_attr_pads_begin, numbers(c.pads.begin(), c.pads.end()));
    o.set(dnnl_graph_op_attr_pads_end, ends);
    o.set(dnnl_graph_op_attr_groups, numbers{c.group});
    o.set(dnnl_graph_op_attr_data_format, "NCX");
    o.set(dnnl_graph_op_attr_weights_format, "OIX");
    return true;
}
bool set_product(operation& o, const node_view& n) {
    if (n.record.op == "MatMul") return true;
    if (n.real("alpha", 1) != 1 || n.real("beta", 1) != 1) return false;
    o.set(dnnl_graph_op_attr_transpose_a, n.integer("transA", 0) != 0);
    o.set(dnnl_graph_op_attr_transpose_b, n.integer("transB", 0) != 0);
    return !n.has_input(2) || n.input(2).dims.elements() == n.output(0).dims[1];
}
bool set_pool(operation& o, const node_view& n) {
    const int spatial = n.input(0).dims.rank - 2;
    numbers kernel, strides, before, after, dilations;
    if (n.record.op == "GlobalAveragePool") {
        kernel.assign(n.input(0).dims.begin() + 2, n.input(0).dims.end());
        strides.assign(kernel.size(), 1);
        before = after = numbers(kernel.size(), 0);
        dilations = strides;
    } else {
        pool_windows p;
        if (!p.read(n) || n.has_output(1)) return false;
        for (int i = 3 - spatial; i < 3; ++i) {
            const window_axis& a = p.axes[std::size_t(i)];
            kernel.push_back(a.kernel);
            strides.push_back(a.stride);
            dilations.push_back(a.dilation);
            before.push_back(a.before);
            after.push_back(
                std::max<std::int64_t>(0, (a.out - 1) * a.stride + (a.kernel - 1) * a.dilation + 1 - a.in - a.before));
            if (p.include_padding && after.back() > a.after) return false;
        }
        if (n.record.op == "AveragePool") o.set(dnnl_graph_op_attr_exclude_pad, !p.include_padding);
        if (n.record.op == "AveragePool" && std::ranges::any_of(dilations, [](auto d) { return d != 1; })) return false;
    }
    if (n.record.op == "GlobalAveragePool") o.set(dnnl_graph_op_attr_exclude_pad, true);
    o.set(dnnl_graph_op_attr_kernel, kernel);
    o.set(dnnl_graph_op_attr_strides, strides);
    o.set(dnnl_graph_op_attr_pads_begin, before);
    o.set(dnnl_graph_op_attr_pads_end, after);
    if (n.record.op == "MaxPool") o.set(dnnl_graph_op_attr_dilations, dilations);
    o.set(dnnl_graph_op_attr_data_format, "NCX");
    return true;
}
bool set_concat(operation& o, const node_view& n) {
    std::int64_t axis = n.integer("axis", 1);
    o.set(dnnl_graph_op_attr_axis, numbers{axis < 0 ? axis + n.output(0).dims.rank : axis});
    return true;
}
struct converted {
    std::string_view op;
    dnnl_graph_op_kind_t kind;
    bool (*set)(operation&, const node_view&);
    int inputs;
};
constexpr converted operators[] = {
    {"Add", dnnl_graph_op_add, set_nothing, 2},
    {"AveragePool", dnnl_graph_op_avg_pool, set_pool, 1},
    {"Concat", dnnl_graph_op_concat, set_concat, 1 << 20},
    {"Conv", dnnl_graph_op_convolution, set_convolution, 3},
    {"Gemm", dnnl_graph_op_matmul, set_product, 3},
    {"GlobalAveragePool", dnnl_graph_op_avg_pool, set_pool, 1},
    {"MatMul", dnnl_graph_op_matmul, set_product, 2},
    {"MaxPool", dnnl_graph_op_max_pool, set_pool, 1},
    {"Mul", dnnl_graph_op_multiply, set_nothing, 2},
    {"Relu", dnnl_graph_op_relu, set_nothing, 1},
    {"Sigmoid", dnnl_graph_op_sigmoid, set_nothing, 1},
};
const converted* converted_of(const node& n) {
    const auto at = std::ranges::find(operators, n.op, &converted::op);
    return at == std::end(operators) || !n.domain.empty() ? nullptr : at;
}
bool has_weights(const node& n) { return n.op == "Conv" || n.op == "Gemm" || n.op == "MatMul"; }
bool multiplies_bytes_exactly() {
    constexpr int vnni = (dnnl_cpu_isa_avx2_vnni | dnnl_cpu_isa_avx512_core_vnni) & ~dnnl_cpu_isa_avx512_core;
    return (dnnl().dnnl_get_effective_cpu_isa() & vnni) != 0;
}

// The nodes as oneDNN's graph. A node that decodes is an operation for each of its readers, so that each can be
// computed with what it reads.
class partitioner {
    const graph_view& g_;
    const constant_source* constants_;
    std::vector<char> inside_;
    std::vector<int> maker_;                                 // nodes by value, or -1
    std::vector<std::vector<int>> readers_;                  // nodes by value
    std::vector<char> output_;                               // values that the graph gives
    std::vector<std::optional<quantisation>> quantisation_;  // of the nodes inside that encode and decode
    onednn_ptr<dnnl_graph_graph_t> graph_{};
    std::vector<int> node_of_;  // by operation; -1: an end
    std::size_t tensors_;       // numbers of logical tensors: values, then what is decoded for one reader
    std::vector<char> added_;   // nodes, but those that decode
    dnnl_partitions found_;

    node_view view(int i) const { return {g_, g_.nodes[std::size_t(i)]}; }
    const node& record(int i) const { return g_.nodes[std::size_t(i)]; }
    std::size_t next_operation(int node) {
        node_of_.push_back(node);
        return node_of_.size() - 1;
    }
    logical tensor_of(std::size_t id, int v) const;
    logical plain(int v) const { return tensor_of(std::size_t(v), v); }
    void set_quantisation(operation&, const quantisation&) const;
    operation decoding(std::size_t id, int node, const logical& result) const;
    void add(const operation& o) { onednn_check(dnnl().dnnl_graph_add_op(graph_.get(), o.get())); }

    int decoder_of(int reader, int k) const;  // the node inside that decodes the input, or -1
    std::string refusal_of(int node) const;
    std::string refusal_of_weights(const node_view&) const;
    void add_node(int node);
    void add_ends();
    std::vector<dnnl_graph_partition_t> fused_operations();
    void accept(dnnl_graph_partition_t);
    std::vector<char> taken_nodes() const;
    void add_single(int node);
    void add_borders();
    void free_layouts();
    void explain();

  public:
    partitioner(const graph_view&, std::span<const int> nodes, const constant_source*);
    dnnl_partitions find();
};

partitioner::partitioner(const graph_view& g, std::span<const int> nodes, const constant_source* constants)
    : g_(g),
      constants_(constants),
      inside_(g.nodes.size(), 0),
      maker_(g.values.size(), -1),
      readers_(g.values.size()),
      output_(g.values.size(), 0),
      quantisation_(g.nodes.size()),
      tensors_(g.values.size()),
      added_(g.nodes.size(), 0) {
    for (int i : nodes) {
        inside_[std::size_t(i)] = 1;
        if (encodes(record(i)) || decodes(record(i)))
            quantisation_[std::size_t(i)] = read_quantisation(view(i), constants);
    }
    for (int v : g.outputs) output_[std::size_t(v)] = 1;
    for (int i = 0; i < int(g.nodes.size()); ++i) {
        for_each_read(g, record(i), [&](int v) { readers_[std::size_t(v)].push_back(i); });
        for (int v : g.list(record(i).outputs))
            if (v >= 0) maker_[std::size_t(v)] = i;
    }
    found_.refusals.resize(g.nodes.size());
}
logical partitioner::tensor_of(std::size_t id, int v) const {
    const value& x = g_.values[std::size_t(v)];
    const dnnl_sizes d(x.dims);
    logical t;
    onednn_check(dnnl().dnnl_graph_logical_tensor_init_with_dims(
        &t, id, dnnl_type_of(x.type), d.rank, d.list, dnnl_graph_layout_type_strided,
        x.is_constant() ? dnnl_graph_tensor_property_constant : dnnl_graph_tensor_property_variable));
    return t;
}
void partitioner::set_quantisation(operation& o, const quantisation& q) const {
    o.set(dnnl_graph_op_attr_qtype, q.scales.size() > 1 ? "per_channel" : "per_tensor");
    o.set(dnnl_graph_op_attr_scales, q.scales);
    o.set(dnnl_graph_op_attr_zps, numbers(q.scales.size(), q.zero));
    if (q.scales.size() > 1) o.set(dnnl_graph_op_attr_axis, numbers{q.axis});
}
operation partitioner::decoding(std::size_t id, int node, const logical& result) const {
    operation o(id, dnnl_graph_op_dequantize);
    set_quantisation(o, *quantisation_[std::size_t(node)]);
    o.reads(plain(view(node).input_id(0)));
    o.makes(result);
    return o;
}
int partitioner::decoder_of(int reader, int k) const {
    const int v = view(reader).input_id(k), m = v < 0 ? -1 : maker_[std::size_t(v)];
    return m >= 0 && decodes(record(m)) && quantisation_[std::size_t(m)] ? m : -1;
}
std::string partitioner::refusal_of_weights(const node_view& n) const {
    const int node = int(&n.record - g_.nodes.data()), w = decoder_of(node, 1), x = decoder_of(node, 0);
    if (x < 0 || w < 0) return "oneDNN computes it in 8 bits where both operands are decoded from 8 bits";
    const node_view weights = view(w);
    if (weights.input(0).type != element::i8) return "oneDNN's weights of 8 bits are signed";
    if (multiplies_bytes_exactly()) return {};
    constexpr int most = 64;  // two products with 255 then fit into 16 bits
    const auto all =
        weights.is_constant(0) ? constant_elements<int, std::int8_t>(weights, 0, constants_) : std::vector<int>{};
    const bool small = !all.empty() && std::ranges::all_of(all, [](int e) { return -most <= e && e <= most; });
    return small && view(x).input(0).type == element::u8 ? ""
                                                         : "on a processor without VNNI oneDNN's products of 8 bits "
                                                           "are right for unsigned activations and weights "
                                                           "of 7 bits only";
}
std::string partitioner::refusal_of(int node) const {
    const node_view n = view(node);
    if (encodes(n.record))
        return quantisation_[std::size_t(node)] && n.input(0).type == element::f32
                   ? ""
                   : "its scale is not known before the run, or not one of 8 bits";
    const converted* const c = converted_of(n.record);
    if (!c) return "oneDNN's graph does not have it in 8 bits";
    for (int k = 0; k < n.input_count(); ++k)
        if (!n.has_input(k) || n.input(k).type != element::f32 || n.input(k).dims.elements() == 0)
            return "input " + std::to_string(k) + " is no tensor of floats with elements";
    if (n.input_count() > c->inputs || n.output(0).type != element::f32) return "oneDNN's graph has it otherwise";
    operation trial(0, c->kind);
    if (!c->set(trial, n)) return "oneDNN's graph has it otherwise";
    return has_weights(n.record) ? refusal_of_weights(n) : "";
}
void partitioner::add_node(int node) {
    const node_view n = view(node);
    const converted* const c = converted_of(n.record);
    std::vector<logical> inputs;
    for (int k = 0; k < n.input_count(); ++k) {
        const int v = n.input_id(k),
                  d = encodes(n.record) || (has_weights(n.record) && k == 2) ? -1 : decoder_of(node, k);
        if (encodes(n.record) && k > 0) break;
        if (d < 0)
            inputs.push_back(plain(v));
        else {
            inputs.push_back(tensor_of(tensors_++, v));
            add(decoding(next_operation(d), d, inputs.back()));
        }
    }
    operation o(next_operation(node), encodes(n.record) ? dnnl_graph_op_quantize : c->kind);
    if (encodes(n.record))
        set_quantisation(o, *quantisation_[std::size_t(node)]);
    else
        c->set(o, n);
    if (has_weights(n.record) && inputs.size() == 3 && inputs[2].ndims > 1) {  // a row
        inputs[2].dims[0] = n.output(0).dims[1];
        inputs[2].ndims = 1;
        inputs[2].layout.strides[0] = 1;
    }
    for (const logical& t : inputs) o.reads(t);
    o.makes(plain(n.output_id(0)));
    add(o);
    added_[std::size_t(node)] = 1;
}
void partitioner::add_ends() {  // of what others read too
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
        if (!added_[i]) continue;
        const int v = view(int(i)).output_id(0);
        const bool stays = std::ranges::all_of(readers_[std::size_t(v)], [&](int r) {
            return added_[std::size_t(r)] || (inside_[std::size_t(r)] && decodes(record(r)));
        });
        if (stays && !output_[std::size_t(v)]) continue;
        operation end(next_operation(-1), dnnl_graph_op_end);
        end.reads(plain(v));
        add(end);
    }
}
// Takes a partition that decodes what it computes with, if oneDNN compiles it.
void partitioner::accept(dnnl_graph_partition_t made) {
    dnnl_partition p;
    p.made.reset(made);
    std::size_t count = 0;
    onednn_check(dnnl().dnnl_graph_partition_get_op_num(made, &count));
    std::vector<std::size_t> operations(count);
    onednn_check(dnnl().dnnl_graph_partition_get_ops(made, count, operations.data()));
    bool decoded = false, computes = false;
    for (std::size_t o : operations) {
        const int i = node_of_[o];
        if (i < 0) return;
        p.nodes.push_back(i);
        decoded |= decodes(record(i)) && !view(i).is_constant(0);
        computes |= !decodes(record(i)) && !encodes(record(i));
    }
    std::uint8_t supported = 0;
    onednn_check(dnnl().dnnl_graph_partition_is_supported(made, &supported));
    if (!decoded || !computes || !supported) return;
    std::ranges::sort(p.nodes);
    p.nodes.erase(std::ranges::unique(p.nodes).begin(), p.nodes.end());
    const auto ports = [&](auto number, auto get) {
        std::size_t n = 0;
        onednn_check(number(made, &n));
        std::vector<logical> list(n);
        onednn_check(get(made, n, list.data()));
        return list;
    };
    p.inputs = ports(dnnl().dnnl_graph_partition_get_input_ports_num, dnnl().dnnl_graph_partition_get_input_ports);
    p.outputs = ports(dnnl().dnnl_graph_partition_get_output_ports_num, dnnl().dnnl_graph_partition_get_output_ports);
    for (const logical& t : p.inputs)
        if (t.id >= g_.values.size()) return;  // decoded outside of it, for it alone
    for (const logical& t : p.outputs)         // it runs at its last node
        for (int r : readers_[t.id])
            if (r < p.nodes.back() && !std::ranges::binary_search(p.nodes, r)) return;
    try {
        (void)compile_partition(made, p.inputs, p.outputs);
    } catch (const onednn_refusal& e) {
        for (int i : p.nodes) found_.refusals[std::size_t(i)] = e.why;
        return;
    }
    found_.list.push_back(std::move(p));
}
void partitioner::add_single(int node) {
    const node_view n = view(node);
    const auto from = plain(n.input_id(0)), to = plain(n.output_id(0));
    const std::size_t id = next_operation(node);
    operation o = encodes(n.record) ? operation(id, dnnl_graph_op_quantize) : decoding(id, node, to);
    if (encodes(n.record)) {
        set_quantisation(o, *quantisation_[std::size_t(node)]);
        o.reads(from);
        o.makes(to);
    }
    dnnl_graph_partition_t made = nullptr;
    onednn_check(dnnl().dnnl_graph_partition_create_with_op(&made, o.get(), dnnl_cpu));
    found_.list.push_back({{node}, onednn_ptr<dnnl_graph_partition_t>(made), {from}, {to}});
}
// Nodes that encode for the partitions, or decode what they give others.
void partitioner::add_borders() {
    const std::vector<char> computed = taken_nodes();
    std::vector<char> wanted(g_.nodes.size(), 0);
    for (const dnnl_partition& p : found_.list)
        for (const logical& t : p.inputs)
            if (const int m = maker_[t.id]; m >= 0 && added_[std::size_t(m)] && encodes(record(m)))
                wanted[std::size_t(m)] = !computed[std::size_t(m)];
    for (int i = 0; i < int(g_.nodes.size()); ++i) {
        const node_view n = view(i);
        if (!decodes(n.record) || n.is_constant(0) || !quantisation_[std::size_t(i)]) continue;
        const int m = maker_[std::size_t(n.input_id(0))], v = n.output_id(0);
        const bool given = m >= 0 && (computed[std::size_t(m)] || wanted[std::size_t(m)]);
        const bool read = output_[std::size_t(v)] || std::ranges::any_of(readers_[std::size_t(v)], [&](int r) {
                              return !computed[std::size_t(r)];
                          });
        if (read && (given || computed[std::size_t(i)])) wanted[std::size_t(i)] = 1;
    }
    for (int i = 0; i < int(g_.nodes.size()); ++i)
        if (wanted[std::size_t(i)]) add_single(i);
}
std::vector<char> partitioner::taken_nodes() const {
    std::vector<char> taken(g_.nodes.size(), 0);
    for (const dnnl_partition& p : found_.list)
        for (int i : p.nodes) taken[std::size_t(i)] = 1;
    return taken;
}
void partitioner::free_layouts() {
    const std::vector<char> taken = taken_nodes();
    for (dnnl_partition& p : found_.list)
        for (logical& t : p.outputs)
            if (!output_[t.id] && std::ranges::all_of(readers_[t.id], [&](int r) { return taken[std::size_t(r)]; }))
                t.layout_type = dnnl_graph_layout_type_any;
}
void partitioner::explain() {
    const std::vector<char> taken = taken_nodes();
    for (int i = 0; i < int(g_.nodes.size()); ++i) {
        std::string& why = found_.refusals[std::size_t(i)];
        if (!inside_[std::size_t(i)] || taken[std::size_t(i)]) {
            why.clear();
            continue;
        }
        const node_view n = view(i);
        if (decodes(n.record) && n.is_constant(0))
            why = "its result is a constant, which its readers take as it is";
        else if (decodes(n.record) || encodes(n.record))
            why = "there is no node beside it that oneDNN computes in 8 bits";
        else if (why.empty())
            for (int k = 0; k < n.input_count(); ++k)
                if (const int d = decoder_of(i, k); d >= 0 && !view(d).is_constant(0) && !taken[std::size_t(d)]) {
                    why = refusal_of(i);
                    if (why.empty()) why = "oneDNN does not compute it in 8 bits beside these nodes";
                }
    }
}
std::vector<dnnl_graph_partition_t> partitioner::fused_operations() {
    dnnl_graph_graph_t graph = nullptr;
    onednn_check(dnnl().dnnl_graph_graph_create_with_fpmath_mode(&graph, dnnl_cpu, dnnl_fpmath_mode_strict));
    graph_.reset(graph);
    for (int i = 0; i < int(g_.nodes.size()); ++i)
        if (inside_[std::size_t(i)] && !decodes(record(i)) && refusal_of(i).empty()) add_node(i);
    if (node_of_.empty()) return {};  // which would be an invalid graph
    add_ends();
    onednn_check(dnnl().dnnl_graph_graph_finalize(graph));
    onednn_check(dnnl().dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
    std::size_t count = 0;
    onednn_check(dnnl().dnnl_graph_graph_get_partition_num(graph, &count));
    std::vector<dnnl_graph_partition_t> all(count);
    onednn_check(dnnl().dnnl_graph_graph_get_partitions(graph, count, all.data()));
    return all;
}
dnnl_partitions partitioner::find() {
    for (dnnl_graph_partition_t p : fused_operations()) accept(p);
    add_borders();
    free_layouts();
    explain();
    std::ranges::sort(found_.list, {}, [](const dnnl_partition& p) { return p.nodes.back(); });
    return std::move(found_);
}
}  // namespace

onednn_ptr<dnnl_graph_compiled_partition_t> compile_partition(dnnl_graph_partition_t p,
                                                              const std::vector<logical>& inputs,
                                                              std::vector<logical>& outputs) {
    dnnl_graph_compiled_partition_t made = nullptr;
    onednn_check(dnnl().dnnl_graph_compiled_partition_create(&made, p));
    onednn_ptr<dnnl_graph_compiled_partition_t> owner(made);
    const auto pointers = [](const std::vector<logical>& list) {
        std::vector<const logical*> all;
        for (const logical& t : list) all.push_back(&t);
        return all;
    };
    auto in = pointers(inputs), out = pointers(outputs);
    onednn_check(
        dnnl().dnnl_graph_partition_compile(p, made, in.size(), in.data(), out.size(), out.data(), dnnl().engine));
    for (logical& t : outputs) onednn_check(dnnl().dnnl_graph_compiled_partition_query_logical_tensor(made, t.id, &t));
    return owner;
}
dnnl_partitions partitions_of(const graph_view& g, std::span<const int> nodes, const constant_source* constants) {
    if (std::ranges::none_of(nodes, [&](int i) { return decodes(g.nodes[std::size_t(i)]); }))
        return {{}, std::vector<std::string>(g.nodes.size())};
    return partitioner(g, nodes, constants).find();
}
}  // namespace v1
}  // namespace inlay
