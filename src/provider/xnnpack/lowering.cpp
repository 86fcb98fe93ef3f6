#include "rules.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace xnnpack_rules {
lowering::lowering(const region& r, recipe& out, purpose why)
    : r_(r),
      out_(out),
      graph_(r.graph, r.constants),
      in_bytes_(r.graph.nodes.size(), 0),
      absorbed_(r.graph.nodes.size(), 0),
      encoded_(r.graph.values.size(), -1),
      why_(why) {
    const auto external = [&](std::span<const int> ids, std::uint32_t flag) {
        for (int id : ids) {
            recipe::tensor_value v = blank(id);
            v.external = out_.external++;
            v.flags = flag;
            known_[id] = add_value(std::move(v));
        }
    };
    external(r.inputs, XNN_VALUE_FLAG_EXTERNAL_INPUT);
    external(r.outputs, XNN_VALUE_FLAG_EXTERNAL_OUTPUT);
    find_bytes();
}
recipe::tensor_value lowering::blank(int id) const {
    recipe::tensor_value v;
    const value& known = r_.graph.values[std::size_t(id)];
    v.dims = dims_of(known.dims);
    if (!is_byte(known.type)) return v;
    const quantisation q = *graph_.of(id);
    v.type = xnn_datatype_qint8;
    v.zero = q.zero;
    v.scales = q.scales;
    return v;
}
int lowering::add_value(recipe::tensor_value v) {
    out_.values.push_back(std::move(v));
    return int(out_.values.size()) - 1;
}
template <class T> const void* lowering::keep(const std::vector<T>& elements) {  // kernels may read a little too far
    const std::size_t size = elements.size() * sizeof(T);
    auto bytes = std::make_shared<tensor>(element::u8, shape{std::int64_t(size + XNN_EXTRA_BYTES)});
    std::memcpy(bytes->data(), elements.data(), size);
    return out_.constants.emplace_back(share(std::move(bytes)))->data();
}
int lowering::place(int id) {
    const auto at = known_.find(id);
    if (at != known_.end()) return at->second;
    return known_[id] = add_value(blank(id));
}
void lowering::find_bytes() {
    for (std::size_t v = 0; v < encoded_.size(); ++v)
        if (is_byte(r_.graph.values[v].type)) encoded_[v] = int(v);
    std::vector<char> there(r_.graph.nodes.size(), 0);
    for (int i : r_.nodes) there[std::size_t(i)] = 1;
    for (int i : r_.nodes) {
        const auto around = graph_.neighbours_of(i, there);
        if (!around.why.empty()) continue;
        in_bytes_[std::size_t(i)] = 1;
        if (around.behind < 0) continue;
        absorbed_[std::size_t(around.behind)] = 1;
        const node_view n = graph_.view(i);
        encoded_[std::size_t(n.output_id(0))] = graph_.view(around.behind).output_id(0);
        for (int d : around.before) encoded_[std::size_t(graph_.view(d).output_id(0))] = graph_.view(d).input_id(0);
    }
}
const float* lowering::elements(const node_view& n, int k) {
    if (why_ == purpose::trial)
        return decoded_.emplace_back(static_cast<std::size_t>(n.input(k).dims.elements())).data();
    if (n.input(k).type != element::f32) return decoded_.emplace_back(graph_.decoded(n, k)).data();
    return static_cast<const float*>(r_.constant(n.input_id(k)));
}
int lowering::inner(std::vector<std::size_t> dims) { return add_value({std::move(dims)}); }
int lowering::constant(std::vector<std::size_t> dims, std::vector<float> elements) {
    return add_value({std::move(dims), keep(elements)});
}
int lowering::weights(const node_view& n, std::vector<std::size_t> dims, std::vector<float> elements,
                      std::size_t channel) {
    if (!bytes_) return constant(std::move(dims), std::move(elements));
    recipe::tensor_value v{dims};
    v.scales = graph_.of_input(n, weights_of(n))->scales;
    v.channel = channel;
    v.type = v.scales.size() > 1 ? xnn_datatype_qcint8 : xnn_datatype_qint8;
    const std::size_t inner = channel == 0 ? elements.size() / dims[0] : 1;
    std::vector<std::int8_t> q(elements.size());
    for (std::size_t k = 0; k < q.size(); ++k) {
        const float scale = v.scales.size() > 1 ? v.scales[k / inner % dims[channel]] : v.scales[0];
        q[k] = std::int8_t(std::clamp(std::nearbyint(elements[k] / scale), -128.f, 127.f));
    }
    v.data = keep(q);
    return add_value(std::move(v));
}
int lowering::bias(const node_view& n, std::vector<float> elements) {
    if (!bytes_) return constant({elements.size()}, std::move(elements));
    recipe::tensor_value v{{elements.size()}};
    v.scales = graph_.bias_scales(n);
    v.type = v.scales.size() > 1 ? xnn_datatype_qcint32 : xnn_datatype_qint32;
    std::vector<std::int32_t> q(elements.size());
    for (std::size_t k = 0; k < q.size(); ++k)
        q[k] = std::int32_t(std::clamp(std::nearbyint(double(elements[k]) / v.scales[v.scales.size() > 1 ? k : 0]),
                                       -2147483648., 2147483647.));
    v.data = keep(q);
    return add_value(std::move(v));
}
int lowering::operand(const node_view& n, int k, int rank) {
    if (!n.is_constant(k)) return input(n, k);
    const shape& d = n.input(k).dims;
    const float* x = elements(n, k);
    if (rank != 4)
        return constant(d.rank == 4 ? std::vector<std::size_t>{d.begin(), d.end()} : dims_of(d), {x, x + d.elements()});
    shape four = shape::of_rank(4, 1);
    for (int i = 0; i < d.rank; ++i) four[4 - d.rank + i] = d[i];
    return constant(dims_of(four), channels_last(x, four));
}
void lowering::lower(int i, void (*f)(lowering&, const node_view&)) {
    const node_view n = graph_.view(i);
    if (absorbed_[std::size_t(i)]) return;
    if (graph_.decodes(i) && !graph_.wanted_as_floats(n.output_id(0), in_bytes_)) return;
    bytes_ = in_bytes_[std::size_t(i)];
    f(*this, n);
}
std::string needs_image(const node_view& n, int k) {
    return is_image(n.input(k).dims) ? "" : "XNNPACK has it for images of 4 dimensions, not for " + shape_text(n, k);
}
std::string needs_constant(const node_view& n, int k) {
    return n.is_constant(k) ? "" : "XNNPACK needs input " + std::to_string(k) + " to be a constant";
}
}  // namespace xnnpack_rules

using namespace xnnpack_rules;
namespace {
void lower_conversion(lowering& l, const node_view& n) {
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_convert(g, ids[std::size_t(in)], ids[std::size_t(out)], 0);
    });
}
const rule* rule_of(const node_view& n) {
    if (!n.record.domain.empty()) return nullptr;
    for (const std::span<const rule> list :
         {convolution_rules(), element_wise_rules(), image_rules(), movement_rules(), product_rules()})
        if (const auto at = std::ranges::find(list, n.record.op, &rule::op); at != list.end()) return &*at;
    return nullptr;
}
std::string refuse_tensor(const value& v, const std::string& which, bool bytes) {
    if (bytes ? !is_byte(v.type) : v.type != element::f32)
        return which + " is of type " + std::string(name_of(v.type)) + "; XNNPACK has " +
               (bytes ? "integers of 8 bits here" : "floats here");
    if (v.dims.elements() == 0) return which + " has no elements";
    if (v.dims.rank > XNN_MAX_TENSOR_DIMS)
        return which + " has " + std::to_string(v.dims.rank) + " dimensions; XNNPACK has " +
               std::to_string(XNN_MAX_TENSOR_DIMS) + " at most";
    for (std::int64_t d : v.dims)
        if (d > std::numeric_limits<std::int32_t>::max()) return which + " has a dimension of " + std::to_string(d);
    return {};
}
}  // namespace

std::string refusal_of(const node_view& n) {
    const rule* const found = rule_of(n);
    if (!found) return "this version of XNNPACK has no " + std::string(n.record.op);
    const bool pair = found->reads == operands::pair;
    if (!n.has_input(0) || n.is_constant(0) & !pair) return "XNNPACK computes nothing with a constant input 0";
    if (pair && n.input_count() != 2) return "XNNPACK has it for 2 inputs, not for " + std::to_string(n.input_count());
    const bool bytes = found->reads == operands::bytes, first = bytes || found->reads == operands::first;
    for (int k = 0; k < (first ? 1 : n.input_count()); ++k)
        if (n.has_input(k))
            if (std::string why = refuse_tensor(n.input(k), "input " + std::to_string(k), bytes); !why.empty())
                return why;
    if (!n.has_output(0)) return "its output is missing";
    if (std::string why = refuse_tensor(n.output(0), "the output", bytes); !why.empty()) return why;
    return found->refuse(n);
}
recipe recipe_of(const region& r, purpose why) {
    recipe out;
    lowering l(r, out, why);
    for (int i : r.nodes) {
        const node_view n{r.graph, r.graph.nodes[std::size_t(i)]};
        const bool conversion = n.record.op == "QuantizeLinear" || n.record.op == "DequantizeLinear";
        l.lower(i, conversion ? lower_conversion : rule_of(n)->lower);
    }
    return out;
}
result<xnnpack_ptr<xnn_subgraph_t>> recipe::make() const {
    const auto failure = [](xnn_status s) { return error(error_code::provider_failed, text_of(s)); };
    xnn_subgraph_t g = nullptr;
    if (const xnn_status s = xnn().xnn_create_subgraph(external, 0, &g); s != xnn_status_success) return failure(s);
    xnnpack_ptr<xnn_subgraph_t> owner(g);
    std::vector<std::uint32_t> ids;
    for (const tensor_value& v : values) {
        std::uint32_t& id = ids.emplace_back();
        const std::size_t rank = v.dims.size(), *const dims = v.dims.data();
        const xnn_status s =
            v.scales.empty() ? xnn().xnn_define_tensor_value(g, v.type, rank, dims, v.data, v.external, v.flags, &id)
            : v.type == xnn_datatype_qcint8 || v.type == xnn_datatype_qcint32
                ? xnn().xnn_define_channelwise_quantized_tensor_value(g, v.type, v.scales.data(), rank, v.channel, dims,
                                                                      v.data, v.external, v.flags, &id)
                : xnn().xnn_define_quantized_tensor_value(g, v.type, v.zero, v.scales[0], rank, dims, v.data,
                                                          v.external, v.flags, &id);
        if (s != xnn_status_success) return failure(s);
    }
    for (const step& one : steps)
        if (const xnn_status s = one(g, ids); s != xnn_status_success) return failure(s);
    return owner;
}
}  // namespace v1
}  // namespace inlay
