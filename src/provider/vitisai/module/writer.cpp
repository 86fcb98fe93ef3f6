#include "writer.hpp"
#include <climits>
#include <cmath>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace {
xir_integers integers_of(const xir_tensor& t) {
    xir_integers all;
    for (std::int64_t d : t.dims) all.push_back(std::int32_t(d));
    if (t.channels_last) all = {all[0], all[2], all[3], all[1]};
    return all;
}
std::string text_of(const xir_integers& dims) {
    shape s;
    for (std::int32_t d : dims) s.push_back(d);
    return to_string(s);
}
xir_attributes fix_attributes(int point) {  // half of a code rounds up, as a DPU does
    xir_attributes a;
    a.set("fix_point", std::int32_t(point)).set("bit_width", std::int32_t(8));
    a.set("round_mode", std::string("DPU_ROUND")).set("if_signed", true);
    return a;
}
std::string argument_name(char kind, int k) {
    constexpr int most = 999;  // names are in the order of the arguments
    if (k > most) refuse("a region has more than " + std::to_string(most) + " inputs or outputs");
    std::string digits = std::to_string(k);
    return kind + std::string(3 - digits.size(), '0') + digits;
}
// The binary digits behind the point that all of them need.
int digits_of(const std::vector<float>& elements) {
    int most = -32;
    for (float x : elements) {
        if (!std::isfinite(x)) refuse("a constant has elements that are no numbers");
        int exponent = 0;
        std::int64_t whole = std::int64_t(std::ldexp(std::frexp(x, &exponent), 24));  // x = whole * 2^(exponent - 24)
        if (whole == 0) continue;
        for (exponent -= 24; whole % 2 == 0; whole /= 2) ++exponent;
        most = std::max(most, -exponent);
    }
    return most;
}
}  // namespace

xir_attributes xir_window::attributes() const {
    const auto two = [](std::int64_t rows, std::int64_t columns) {
        return xir_integers{std::int32_t(columns), std::int32_t(rows)};
    };
    xir_integers pad{std::int32_t(before[1]), std::int32_t(after[1]), std::int32_t(before[0]), std::int32_t(after[0])};
    xir_attributes a;
    a.set("kernel", two(kernel[0], kernel[1])).set("stride", two(strides[0], strides[1]));
    a.set("pad_mode", std::string("FLOOR")).set("pad", pad);
    return a;
}
int point_of(const quantisation& q) {
    for (float s : q.scales)
        if (s != q.scales[0]) refuse("it has a scale for each channel, and a DPU one for all");
    int exponent = 0;
    if (std::frexp(q.scales[0], &exponent) != 0.5f)
        refuse("its scale is " + std::to_string(q.scales[0]) + ", and a DPU's are powers of two");
    if (q.type != element::i8) refuse("its codes have no sign, as a DPU's have");
    if (q.zero != 0) refuse("its zero point is " + std::to_string(q.zero) + ", and a DPU has none");
    return 1 - exponent;
}
shape padded_to(const shape& dims, int rank) {
    shape all = shape::of_rank(std::max(rank - dims.rank, 0));
    for (int i = 0; i < all.rank; ++i) all[i] = 1;
    for (std::int64_t d : dims) all.push_back(d);
    return all;
}

xir_tensor graph_writer::info_of_value(int id) const {
    const inlay::value& v = graph_.values[std::size_t(id)];
    if (v.type != element::f32 && v.type != element::i8)
        refuse("XIR gets no tensors of type " + std::string(name_of(v.type)) + " here");
    std::int64_t elements = 1;
    for (std::int64_t d : v.dims) {
        if (d < 1) refuse("XIR has no tensors without elements, as that of shape " + to_string(v.dims));
        if (d > INT_MAX / elements) refuse("a tensor of shape " + to_string(v.dims) + " is too large for XIR");
        elements *= d;
    }
    return {v.dims.rank == 0 ? shape{1} : v.dims};
}
bool graph_writer::is_channels_last(int id) const {
    const auto at = values_.find(id);
    return at != values_.end() && at->second.info.channels_last;
}
stream graph_writer::made(const std::string& type, xir_attributes a, const xir_inputs& inputs, const xir_tensor& info,
                          const std::string& name) {
    xir::Op* const op = xir_call(
        [&] { return xir_->add_op(name.empty() ? "n" + std::to_string(names_++) : name, type, a.take(), inputs); });
    const xir_integers found = op->get_output_tensor()->get_shape(), wanted = integers_of(info);
    if (found != wanted)
        refuse("XIR's " + type + " makes a tensor of shape " + text_of(found) + ", and not " + text_of(wanted));
    return {op, info};
}
stream graph_writer::plain(const stream& x) {
    if (!x.info.channels_last) return x;
    const shape& d = x.info.dims;
    const xir_tensor y{d};
    if (d[1] == 1 || d[2] * d[3] == 1)
        return made("reshape", std::move(xir_attributes().set("shape", integers_of(y))), {{"input", {x.op}}}, y);
    return made("transpose", std::move(xir_attributes().set("order", xir_integers{0, 3, 1, 2})), {{"input", {x.op}}},
                y);
}
stream graph_writer::image(const stream& x) {
    if (x.info.channels_last) return x;
    const shape& d = x.info.dims;
    const xir_tensor y{d, true};
    if (d[1] == 1 || d[2] * d[3] == 1)
        return made("reshape", std::move(xir_attributes().set("shape", integers_of(y))), {{"input", {x.op}}}, y);
    return made("transpose", std::move(xir_attributes().set("order", xir_integers{0, 2, 3, 1})), {{"input", {x.op}}},
                y);
}
stream graph_writer::reshaped(const stream& x, const xir_tensor& info) {
    if (x.info.dims == info.dims) return x;
    const stream p = plain(x);
    return made("reshape", std::move(xir_attributes().set("shape", integers_of(info))), {{"input", {p.op}}}, info);
}
stream graph_writer::fixed(const stream& x, int point) {
    stream y = made("fix", fix_attributes(point), {{"input", {x.op}}}, x.info);
    y.point = point;
    return y;
}
stream graph_writer::decoded(const stream& x, int point) {
    return made("fix2float", fix_attributes(point), {{"input", {x.op}}}, x.info);
}
const float* graph_writer::floats(int id) const {
    const void* const elements = constants_ ? constants_->elements(id) : nullptr;
    if (!elements) refuse("the elements of its constant are not there");
    return static_cast<const float*>(elements);
}
stream graph_writer::numbers(const shape& dims, const std::vector<float>& elements) {
    const xir_tensor info{dims};
    std::vector<char> bytes(elements.size() * sizeof(float));
    std::memcpy(bytes.data(), elements.data(), bytes.size());
    xir_attributes a;
    a.set("shape", integers_of(info)).set("data_type", std::string("FLOAT32")).set("data", bytes);
    return made("const", std::move(a), {}, info);
}
stream graph_writer::constant(int id, const shape& dims, const std::vector<float>& elements) {
    const auto q = codes_.of_constant(id);
    if (for_dpu() && !q) refuse("its constant is no tensor of codes");
    const stream c = numbers(dims, elements);
    return for_dpu() ? fixed(c, point_of(*q)) : c;
}
stream graph_writer::bias(const std::vector<float>& elements) {
    const shape dims{std::int64_t(elements.size())};
    if (!for_dpu()) return numbers(dims, elements);
    const int point = digits_of(elements);
    for (float x : elements)
        if (const float code = std::ldexp(x, point); code < -128 || code > 127)
            refuse("its bias has more than 8 bits, which a DPU gives it: " + std::to_string(x) + " of " +
                   std::to_string(point) + " binary digits behind the point");
    return fixed(numbers(dims, elements), point);
}
// Tensors of codes are of a type of their own, whose tensor tells the point.
stream graph_writer::input(int id, const std::string& name) {
    const bool codes = graph_.values[std::size_t(id)].type == element::i8;
    xir_tensor info = info_of_value(id);
    info.channels_last = info.dims.rank == 4;
    xir_attributes a;
    a.set("shape", integers_of(info)).set("data_type", std::string(codes ? "XINT8" : "FLOAT32"));
    stream s = made(codes ? "data-fix" : "data", std::move(a), {}, info, name);
    if (!codes) {
        if (for_dpu()) refuse("it reads floats, and a DPU computes with codes of 8 bits");
        return s;
    }
    const auto q = quantised_as(id);
    if (!q) refuse("what its codes stand for is known only while it runs");
    s.codes = true;
    s.op->get_output_tensor()->set_attrs(fix_attributes(point_of(*q)).take());
    return s;
}
stream graph_writer::value(int id) {
    if (const auto at = values_.find(id); at != values_.end()) return at->second;
    const inlay::value& v = graph_.values[std::size_t(id)];
    if (!v.is_constant()) return values_.emplace(id, input(id, "n" + std::to_string(names_++))).first->second;
    if (v.type != element::f32) refuse("a constant is of type " + std::string(name_of(v.type)) + ", not float");
    const xir_tensor info = info_of_value(id);
    const float* const from = floats(id);
    return constant(id, info.dims, {from, from + info.dims.elements()});
}
stream graph_writer::operand(int id, int rank, bool last) {
    const inlay::value& v = graph_.values[std::size_t(id)];
    const shape dims = padded_to(v.dims, std::max(rank, 1));
    if (v.is_constant() && last && v.type == element::f32) {
        const shape turned{dims[0], dims[2], dims[3], dims[1]};
        stream c = constant(id, turned, channels_last(floats(id), dims));
        c.info = {dims, true};
        return c;
    }
    const stream x = reshaped(value(id), {dims});
    return last ? image(x) : plain(x);
}
void graph_writer::add_input(int id, int argument) { put(id, input(id, argument_name('i', argument))); }
void graph_writer::add_output(int id, int argument) {
    const std::string name = argument_name('o', argument);
    const bool codes = graph_.values[std::size_t(id)].type == element::i8;
    stream x = value(id);
    const std::optional<int> point = x.point;
    if (x.info.dims.rank == 4) x = image(x);
    if (codes && !point) refuse("codes go in and out, without anything that is computed");
    if (codes || (for_dpu() && point)) {  // floats that are codes decoded: the host decodes them
        (void)made("float2fix", fix_attributes(*point), {{"input", {x.op}}}, x.info, name)
            .op->get_output_tensor()
            ->set_attrs(fix_attributes(*point).take());
        return;
    }
    if (for_dpu()) refuse("it makes floats, and a DPU codes of 8 bits");
    (void)made("reshape", std::move(xir_attributes().set("shape", integers_of(x.info))), {{"input", {x.op}}}, x.info,
               name);
}
void graph_writer::write(const node& record) {
    const node_writer a{{*this, node_view{graph_, record}}};
    const std::string_view op = record.op;
    const writer_function write = record.domain.empty() ? find_writer(op) : nullptr;
    if (!write) refuse("XIR has no operation for " + std::string(op));
    refuse_constant_results(a.n);
    write(a);
}
}  // namespace v1
}  // namespace inlay
