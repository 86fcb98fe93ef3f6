#include "lowering.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace {
using order = qnn_lowering::order;

[[noreturn]] void refuse_type(element e) {
    refuse("it has a tensor of type " + std::string(name_of(e)) + ", and QNN gets floats and codes here");
}
qnn_abi::data_type type_of(element e) {
    switch (e) {
        case element::f32: return qnn_abi::data_type::float_32;
        case element::f16: return qnn_abi::data_type::float_16;
        case element::i8: return qnn_abi::data_type::sfixed_8;
        case element::u8: return qnn_abi::data_type::ufixed_8;
        case element::i32: return qnn_abi::data_type::int_32;
        case element::i64: return qnn_abi::data_type::int_64;
        case element::boolean: return qnn_abi::data_type::bool_8;
        default: refuse_type(e);
    }
}
shape with_dims(const shape& s) { return s.rank == 0 ? shape{1} : s; }
shape padded(const shape& dims, int rank) {
    shape s;
    for (int i = dims.rank; i < rank; ++i) s.push_back(1);
    for (const std::int64_t d : dims) s.push_back(d);
    return s;
}
// Elements with their axes in another order: axis i of the result is axis permutation[i] of what is there.
void permute(char* to, const char* from, const shape& dims, std::span<const int> permutation, std::size_t size) {
    const shape out = permuted_dims(dims, permutation), steps = strides_of(dims, layout::plain);
    shape at = shape::of_rank(out.rank, 0);
    const std::int64_t count = out.elements();
    for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t place = 0;
        for (int i = 0; i < out.rank; ++i) place += at[i] * steps[permutation[std::size_t(i)]];
        std::memcpy(to + std::size_t(k) * size, from + std::size_t(place) * size, size);
        for (int i = out.rank - 1; i >= 0; --i) {
            if (++at[i] < out[i]) break;
            at[i] = 0;
        }
    }
}
std::vector<char> encoded(std::span<const float> x, const shape& dims, const quantisation& q) {
    const std::int64_t each = q.scales.size() > 1 ? dims.elements(q.axis + 1) : 1;
    const bool is_signed = q.type == element::i8;
    std::vector<char> codes(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float scale = q.scales[q.scales.size() > 1 ? i / std::size_t(each) % q.scales.size() : 0];
        const float c = std::nearbyint(x[i] / scale) + float(q.zero);
        codes[i] =
            is_signed ? char(std::int8_t(std::clamp(c, -128.f, 127.f))) : char(std::uint8_t(std::clamp(c, 0.f, 255.f)));
    }
    return codes;
}
// QNN's codes with a scale for each channel are signed, without a zero point.
quantisation for_weights(quantisation q) {
    if (q.scales.size() > 1 && q.type == element::u8) {
        q.type = element::i8;
        q.zero -= 128;
    }
    if (q.scales.size() > 1 && q.zero != 0) refuse("its weights have a scale for each channel and a zero point");
    return q;
}
const qnn_rule* find_rule(const node_view& n) {
    const std::string domain(n.record.domain), name = domain.empty() ? domain : domain + ':';
    for (const auto rules :
         {qnn_convolution_rules(), qnn_element_wise_rules(), qnn_logic_rules(), qnn_movement_rules(),
          qnn_normalization_rules(), qnn_product_rules(), qnn_recurrent_rules(), qnn_selection_rules()})
        if (const auto at = std::ranges::find(rules, name + std::string(n.record.op), &qnn_rule::op); at != rules.end())
            return &*at;
    return nullptr;
}
}  // namespace

qnn_lowering::qnn_lowering(const region& r, const qnn_backend& backend, qnn_program& out, qnn_purpose why)
    : r_(r), backend_(backend), out_(out), why_(why), graph_(r.graph, r.nodes, r.constants, qnn_coded_operators) {
    for (const int id : r.inputs) {
        qnn_program::tensor_facts t = blank(id, order::plain);
        t.kind = qnn_abi::tensor_kind::app_write;
        out_.inputs.push_back(add_tensor(std::move(t)));
        put(id, order::plain, out_.inputs.back());
    }
}
qnn_program::tensor_facts qnn_lowering::blank(int id, order o) const {
    const int codes = graph_.codes_of(id), from = codes >= 0 ? codes : id;
    qnn_program::tensor_facts t = qnn_argument(r_.graph, from);
    t.name = "v" + std::to_string(id);
    if (o == order::channels_last) {
        t.name += "_last";
        t.dims = permuted_dims(t.dims, qnn_to_channels_last);
    }
    if (t.type == qnn_abi::data_type::float_16) require_half_floats();
    if (!is_byte(r_.graph.values[std::size_t(from)].type)) return t;
    const auto q = graph_.of(from);
    if (!q || q->scales.size() != 1) refuse("it has codes without a single scale that is known before the run");
    t.scales = q->scales;
    t.zero = q->zero;
    return t;
}
int qnn_lowering::add_tensor(qnn_program::tensor_facts t) {
    out_.tensors.push_back(std::move(t));
    return int(out_.tensors.size()) - 1;
}
int qnn_lowering::add_constant(const shape& dims, qnn_abi::data_type type, tensor elements) {
    qnn_program::tensor_facts t{"c" + std::to_string(out_.tensors.size()), qnn_abi::tensor_kind::constant, type,
                                with_dims(dims)};
    t.bytes = std::size_t(elements.bytes());
    t.elements = out_.constants.emplace_back(std::move(elements)).data();
    return add_tensor(std::move(t));
}
int qnn_lowering::constant(const shape& dims, std::span<const float> x) {
    tensor t(element::f32, with_dims(dims));
    std::ranges::copy(x, t.as<float>().begin());
    return add_constant(dims, qnn_abi::data_type::float_32, std::move(t));
}
int qnn_lowering::constant_of(int id) {
    const value& v = r_.graph.values[std::size_t(id)];
    qnn_program::tensor_facts t{"v" + std::to_string(id), qnn_abi::tensor_kind::constant, type_of(v.type),
                                with_dims(v.dims)};
    if (is_byte(v.type)) refuse("it has constants of 8 bits where QNN gets floats");
    t.bytes = std::size_t(bytes_of(v.type, v.dims.elements()));
    if (why_ == qnn_purpose::use) t.elements = r_.constant(id);
    if (!t.elements) t.elements = out_.constants.emplace_back(tensor(v.type, with_dims(v.dims))).data();
    return add_tensor(std::move(t));
}
// The value in this order: turned if it is there in the other one only.
int qnn_lowering::tensor_of(int id, order o) {
    forms& f = forms_of(id);
    if (f[std::size_t(o)] >= 0) return f[std::size_t(o)];
    const value& v = r_.graph.values[std::size_t(id)];
    const order other = o == order::plain ? order::channels_last : order::plain;
    if (f[std::size_t(other)] < 0) {
        if (!v.is_constant()) refuse("it has an input that is not there");
        f[std::size_t(order::plain)] = constant_of(id);
        if (o == order::plain) return f[0];
    }
    const int made = add_tensor(blank(id, o)), from = f[std::size_t(other)];
    if (v.dims[1] == 1 || v.dims[2] * v.dims[3] == 1) {
        add("Reshape", {from}, {made});
    } else {
        constexpr std::int64_t places[2][4] = {{0, 3, 1, 2}, {0, 2, 3, 1}};
        add("Transpose", {from}, {made}, {list("perm", places[std::size_t(o)])});
    }
    return f[std::size_t(o)] = made;
}
int qnn_lowering::input(const node_view& n, int k, order o) { return tensor_of(key_of_input(n, k), o); }
int qnn_lowering::output(const node_view& n, int k, order o) {
    const int id = coded_ && k == 0 ? graph_.key_of_output(n) : n.output_id(k);
    const int made = add_tensor(blank(id, o));
    put(id, o, made);
    return made;
}
qnn_lowering::order qnn_lowering::order_of(const node_view& n) const {
    for (int k = 0; k < n.input_count(); ++k) {
        if (!n.has_input(k) || n.is_constant(k)) continue;
        const auto at = known_.find(key_of_input(n, k));
        if (at != known_.end() && at->second[std::size_t(order::channels_last)] >= 0) return order::channels_last;
    }
    return order::plain;
}
int qnn_lowering::operand(const node_view& n, int k, int rank, order o) {
    const shape& own = n.input(k).dims;
    const shape dims = padded(own, std::max(rank, 1));
    if (!n.is_constant(k)) {
        if (own.rank == dims.rank) return input(n, k, o);
        const int x = reshaped(input(n, k), dims);
        return o == order::plain ? x : permuted(x, qnn_to_channels_last);
    }
    constexpr std::array<int, 5> as_it_is{0, 1, 2, 3, 4};
    const std::span<const int> all = o == order::plain ? std::span<const int>(as_it_is).first(std::size_t(dims.rank))
                                                       : std::span<const int>(qnn_to_channels_last);
    return weights(n, k, dims, all);
}
int qnn_lowering::weights(const node_view& n, int k, const shape& as, std::span<const int> permutation, float factor) {
    if (!n.is_constant(k)) refuse("input " + std::to_string(k) + " is not a constant");
    const element type = n.input(k).type;
    if (factor != 1 && (coded_ || type != element::f32)) refuse("only floats of 32 bits are multiplied before the run");
    const shape dims = permuted_dims(as, permutation);
    std::optional<quantisation> q;
    if (coded_) {
        q = graph_.of_constant(n.input_id(k));
        if (!q) refuse("input " + std::to_string(k) + " is not decoded from codes with known scales");
        q = for_weights(*q);
    }
    const void* const from = why_ == qnn_purpose::use ? r_.constant(n.input_id(k)) : nullptr;
    if (why_ == qnn_purpose::use && !from) refuse("nobody has the elements of input " + std::to_string(k));
    tensor made(q ? q->type : type, dims);
    if (from) {
        const auto* const elements = static_cast<const char*>(from);
        if (q) {
            const auto codes =
                encoded({static_cast<const float*>(from), std::size_t(as.elements())}, n.input(k).dims, *q);
            permute(static_cast<char*>(made.data()), codes.data(), as, permutation, 1);
        } else
            permute(static_cast<char*>(made.data()), elements, as, permutation, std::size_t(bytes_of(type, 1)));
    }
    if (factor != 1)
        for (float& x : made.as<float>()) x *= factor;
    const int t = add_constant(dims, type_of(made.type()), std::move(made));
    if (!q) return t;
    qnn_program::tensor_facts& facts = out_.tensors[std::size_t(t)];
    facts.scales = q->scales;
    facts.zero = q->zero;
    if (q->scales.size() > 1) {
        if (as.rank != n.input(k).dims.rank)
            refuse("it has a scale for each index of an axis of a tensor that is reshaped");
        const auto at = std::ranges::find(permutation, q->axis);
        facts.axis = int(at - permutation.begin());
    }
    return t;
}
int qnn_lowering::bias(const node_view& n, int k, int of_weights, std::int64_t channels, float factor) {
    if (!n.is_constant(k)) refuse("input " + std::to_string(k) + " is not a constant");
    const bool each = n.input(k).dims.elements() == channels;
    if (!each && n.input(k).dims.elements() != 1) refuse("it has a bias of " + to_string(n.input(k).dims));
    constexpr std::array<int, 1> as_it_is{0};
    if (!coded_ && each) return weights(n, k, {channels}, as_it_is, factor);
    if (!coded_) return constant({channels}, std::vector<float>(std::size_t(channels), factor * floats(n, k)[0]));
    const auto x = graph_.of_input(n, 0);
    std::vector<float> scales = out_.tensors[std::size_t(of_weights)].scales;
    for (float& s : scales) s *= x->scales[0];
    tensor made(element::i32, {channels});
    const auto* const from = why_ == qnn_purpose::use ? static_cast<const float*>(r_.constant(n.input_id(k))) : nullptr;
    if (from)
        for (std::int64_t i = 0; i < channels; ++i) {
            const double c =
                std::nearbyint(double(factor) * from[each ? i : 0] / scales[scales.size() > 1 ? std::size_t(i) : 0]);
            made.as<std::int32_t>()[std::size_t(i)] = std::int32_t(std::clamp(c, -2147483648., 2147483647.));
        }
    const int t = add_constant({channels}, qnn_abi::data_type::sfixed_32, std::move(made));
    out_.tensors[std::size_t(t)].scales = std::move(scales);
    return t;
}
bool qnn_lowering::is_never_negative(const node_view& n, int k) const {
    const auto from_zero = [](const std::optional<quantisation>& q) {
        return q && q->zero == (q->type == element::u8 ? 0 : -128);
    };
    if (coded_) return from_zero(graph_.of_input(n, k));
    const int maker = graph_.maker(n.input_id(k));
    if (maker < 0) return false;
    if (graph_.decodes(maker)) return from_zero(graph_.of(graph_.view(maker).input_id(0)));
    const std::string_view op = r_.graph.nodes[std::size_t(maker)].op;
    return op == "Relu" || op == "Sigmoid" || op == "Abs" || op == "Exp" || op == "Softmax";
}
std::vector<float> qnn_lowering::floats(const node_view& n, int k) const {
    if (!n.is_constant(k) || n.input(k).type != element::f32)
        refuse("input " + std::to_string(k) + " is not a constant of floats");
    const auto count = std::size_t(n.input(k).dims.elements());
    const auto* const x = why_ == qnn_purpose::use ? static_cast<const float*>(r_.constant(n.input_id(k))) : nullptr;
    return x ? std::vector<float>(x, x + count) : std::vector<float>(count, 1.f);
}
int qnn_lowering::inner(const shape& dims, int like) {
    qnn_program::tensor_facts t = out_.tensors[std::size_t(like)];
    t.name = "t" + std::to_string(out_.tensors.size());
    t.kind = qnn_abi::tensor_kind::native;
    t.dims = with_dims(dims);
    t.elements = nullptr;
    t.bytes = 0;
    return add_tensor(std::move(t));
}
int qnn_lowering::inner(const shape& dims, element type) {
    return add_tensor(
        {"t" + std::to_string(out_.tensors.size()), qnn_abi::tensor_kind::native, type_of(type), with_dims(dims)});
}
int qnn_lowering::number(float x, int like) {
    if (out_.tensors[std::size_t(like)].type != qnn_abi::data_type::float_16) return constant({1}, std::array{x});
    tensor t(element::f16, {1});
    t.as<float16>()[0] = float16(x);
    return add_constant({1}, qnn_abi::data_type::float_16, std::move(t));
}
int qnn_lowering::reshaped(int from, const shape& to) {
    if (dims(from) == with_dims(to)) return from;
    const int made = inner(to, from);
    add("Reshape", {from}, {made});
    return made;
}
int qnn_lowering::permuted(int from, std::span<const int> permutation) {
    const int made = inner(permuted_dims(dims(from), permutation), from);
    const std::vector<std::int64_t> places(permutation.begin(), permutation.end());
    add("Transpose", {from}, {made}, {list("perm", places)});
    return made;
}
void qnn_lowering::add(std::string_view type, std::vector<int> inputs, std::vector<int> outputs, parameters list) {
    out_.operations.push_back(
        {"o" + std::to_string(out_.operations.size()), type, std::move(list), std::move(inputs), std::move(outputs)});
}
void qnn_lowering::give_difference(int a, int b, int y) {
    const int negative = inner(dims(b), b);
    add("ElementWiseNeg", {b}, {negative});
    add("ElementWiseAdd", {a, negative}, {y});
}
qnn_program::parameter qnn_lowering::real(std::string_view name, double x) {
    qnn_program::parameter p{name};
    p.scalar.type = qnn_abi::data_type::float_32;
    p.scalar.real = float(x);
    return p;
}
qnn_program::parameter qnn_lowering::integer(std::string_view name, std::int32_t x) {
    qnn_program::parameter p{name};
    p.scalar.type = qnn_abi::data_type::int_32;
    p.scalar.integer = x;
    return p;
}
qnn_program::parameter qnn_lowering::natural(std::string_view name, std::int64_t x) {
    qnn_program::parameter p{name};
    p.scalar.type = qnn_abi::data_type::uint_32;
    p.scalar.natural = std::uint32_t(x);
    return p;
}
qnn_program::parameter qnn_lowering::truth(std::string_view name, bool x) {
    qnn_program::parameter p{name};
    p.scalar.type = qnn_abi::data_type::bool_8;
    p.scalar.boolean = x;
    return p;
}
template <class T>
qnn_program::parameter qnn_lowering::list_of(std::string_view name, std::span<const std::int64_t> all, shape dims) {
    if (dims.rank < 1) dims = {std::int64_t(all.size())};
    tensor t(std::is_signed_v<T> ? element::i32 : element::u32, dims);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] < std::int64_t(std::numeric_limits<T>::min()) ||
            all[i] > std::int64_t(std::numeric_limits<T>::max()))
            refuse("its " + std::string(name) + " is " + std::to_string(all[i]));
        t.as<T>()[i] = T(all[i]);
    }
    const auto type = std::is_signed_v<T> ? qnn_abi::data_type::int_32 : qnn_abi::data_type::uint_32;
    return {name, add_constant(dims, type, std::move(t))};
}
qnn_program::parameter qnn_lowering::list(std::string_view name, std::span<const std::int64_t> all, shape dims) {
    return list_of<std::uint32_t>(name, all, dims);
}
qnn_program::parameter qnn_lowering::signed_list(std::string_view name, std::span<const std::int64_t> all, shape dims) {
    return list_of<std::int32_t>(name, all, dims);
}

// DequantizeLinear and QuantizeLinear by themselves: where floats are wanted, or come from elsewhere.
void qnn_lowering::lower_border(const node_view& n) {
    const bool encodes = n.record.op == "QuantizeLinear";
    if (!graph_.is_readable(node_)) refuse("it has no single scale that is known before the run");
    const order o = order_of(n);
    const int x = input(n, 0, o);
    add(encodes ? "Quantize" : "Dequantize", {x}, {output(n, 0, o)});
}
void qnn_lowering::require_types(const node_view& n, element_set others) const {
    constexpr element_set everywhere = element_set::of({element::f32, element::f16, element::i8, element::u8});
    for (int k = 0; k < n.input_count() + n.output_count(); ++k) {
        const int id = k < n.input_count() ? n.input_id(k) : n.output_id(k - n.input_count());
        if (id < 0 || r_.graph.values[std::size_t(id)].is_constant()) continue;
        const element type = r_.graph.values[std::size_t(id)].type;
        if (!everywhere.has(type) && !others.has(type)) refuse_type(type);
    }
}
bool qnn_lowering::is_wanted(int id) const {
    bool wanted = std::ranges::find(r_.outputs, id) != r_.outputs.end();
    for (const int i : r_.nodes)
        for_each_read(r_.graph, r_.graph.nodes[std::size_t(i)], [&](int v) { wanted |= v == id; });
    return wanted;
}
void qnn_lowering::lower(int i) {
    node_ = i;
    const node_view n = graph_.view(i);
    coded_ = graph_.around(i).coded();
    if (!graph_.decodes(i) && !graph_.encodes(i)) {
        const qnn_rule* const rule = find_rule(n);
        if (!rule) refuse("there is no rule for it");
        require_types(n, rule->types);
        return rule->lower(*this, n);
    }
    const bool made = n.has_output(0) && forms_of(n.output_id(0)) != forms{-1, -1};
    if (n.is_constant(0) || made) return;  // its reader has it as it is; or its maker gave codes
    bool wanted = std::ranges::find(r_.outputs, n.output_id(0)) != r_.outputs.end();
    for (const int k : r_.nodes)
        for_each_read(r_.graph, r_.graph.nodes[std::size_t(k)],
                      [&](int v) { wanted |= v == n.output_id(0) && !graph_.around(k).coded(); });
    if (wanted) lower_border(n);
}
void qnn_lowering::finish() {
    for (const int id : r_.outputs) {
        int t = tensor_of(id, order::plain);
        if (out_.tensors[std::size_t(t)].kind != qnn_abi::tensor_kind::native)
            refuse("its result is an input or a constant");
        out_.tensors[std::size_t(t)].kind = qnn_abi::tensor_kind::app_read;
        out_.outputs.push_back(t);
    }
}
qnn_program::tensor_facts qnn_argument(const graph_view& g, int id) {
    const value& v = g.values[std::size_t(id)];
    if (v.dims.elements() == 0) refuse("it has a tensor without elements");
    // The simulator ends the process for some tensors of five.
    if (v.dims.rank > 4) refuse("it has a tensor of " + std::to_string(v.dims.rank) + " dimensions, more than 4");
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    if (bytes_of(v.type, v.dims.elements()) > most) refuse("it has a tensor of more bytes than QNN counts");
    qnn_program::tensor_facts t;
    t.name = "v" + std::to_string(id);
    t.type = type_of(v.type);
    t.dims = with_dims(v.dims);
    return t;
}
qnn_program qnn_program_of(const region& r, const qnn_backend& backend, qnn_purpose why) {
    qnn_program p;
    qnn_lowering l(r, backend, p, why);
    for (const int i : r.nodes) l.lower(i);
    l.finish();
    return p;
}
}  // namespace v1
}  // namespace inlay
