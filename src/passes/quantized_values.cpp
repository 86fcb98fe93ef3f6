#include "quantized_values.hpp"
#include <inlay/support/quantized.hpp>

namespace inlay {
inline namespace v1 {
namespace passes {
int code_of(double x, const coded& y) { return int(quantized::code_range::of(y.type)(float(x) / y.step(), y.offset)); }

quantized_values::quantized_values(const rewriter& r)
    : r_(r), decoders_(r.g.values.size(), -1), sound_(r.g.values.size(), -1) {
    for (std::size_t i = 0; i < r.g.nodes.size(); ++i)
        if (const node& n = r.g.nodes[i]; decodes(n) && r.output(n) >= 0) decoders_[std::size_t(r.output(n))] = int(i);
}

bool quantized_values::sound(int v) {
    signed char& state = sound_[std::size_t(v)];
    if (state >= 0) return state;
    // (q - zero point) * scale / scale gives q - zero point again: excludes the smallest and the largest numbers.
    constexpr float least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max() / 512;
    const tensor t = r_.constant(v)->get();
    state = t.on_host() && t.data() && t.elements() > 0;
    for (std::int64_t i = 0; state && i < t.elements(); ++i) {
        if (t.type() == element::i32) state = load<std::int32_t>(t.data(), i) == 0;
        if (t.type() == element::f32) state = load<float>(t.data(), i) >= least && load<float>(t.data(), i) <= most;
    }
    return state;
}

std::optional<coded> quantized_values::read(int at) {
    const node& n = r_.g.nodes[std::size_t(at)];
    const bool decode = decodes(n);
    coded c{at, r_.input(n, 0), r_.output(n), r_.input(n, 1), r_.input(n, 2)};
    if (!decode) std::swap(c.codes, c.floats);
    if ((!decode && !encodes(n)) || c.codes < 0 || c.floats < 0 || !r_.constant(c.scale)) return {};
    c.type = r_.g.values[std::size_t(c.codes)].type;
    c.scales = r_.constant(c.scale)->get();
    const std::int64_t precision = r_.integer(n, "precision", 0);
    if (!(is_byte(c.type) || (decode && c.type == element::i32)) || c.scales.type() != element::f32 ||
        r_.g.values[std::size_t(c.floats)].type != element::f32 || r_.integer(n, "block_size", 0) != 0 ||
        (precision != 0 && precision != int(element::f32)) || !sound(c.scale))
        return {};
    const graph_constant* zero = r_.constant(c.zero);
    if (c.zero >= 0 && (!zero || zero->type() != c.type || !sound(c.zero) || zero->elements() != c.count())) return {};
    if (c.scales.shape().rank > 1) return {};
    if (c.count() == 1) {
        if (zero && is_byte(c.type)) {
            const tensor code = zero->get();
            c.offset = c.type == element::u8 ? int(load<std::uint8_t>(code.data(), 0))
                                             : int(load<std::int8_t>(code.data(), 0));
        }
        return c;
    }
    const shape& dims = dims_of(r_, c.codes);
    c.axis = dims.known() ? normal_axis(r_.integer(n, "axis", 1), dims.rank) : -1;
    if (c.axis < 0 || dims[c.axis] != c.count() || dims.elements() < c.count()) return {};
    return c;
}

bool quantized_values::implies(const coded& y, const activation& bound) {
    // Values beyond a bound would be quantized to the bound, or to one step further out. There is no step further out
    // than the end of the range.
    const quantized::code_range range = quantized::code_range::of(y.type);
    const auto is = [&](double x, int code) { return !std::isnan(x) && code_of(x, y) == code; };
    if (!y.of_tensor()) return false;
    if (bound.name == "Relu") return is(0, range.low);
    return bound.name == "Clip" && is(bound.params[0], range.low) && is(bound.params[1], range.high);
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
