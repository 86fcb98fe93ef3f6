// Element by element: functions of one operand, and of two that broadcast.
#include "../../evaluator/functions.hpp"
#include "host.hpp"

namespace host {
namespace {
namespace f = evaluator::functions;
enum class scales : std::uint8_t { none, same, unit, both_signs, any, more_than_product };
struct rule {
    function does;
    scales in_bytes = scales::none;
    numbers parameters{};
    std::size_t operands = 1;
    bool fuses = false;  // the last input is the activation
};
const std::map<std::int32_t, rule> functions{
    {ABS, {f::one<std::fabs>}},
    {EXP, {f::one<std::exp>}},
    {FLOOR, {f::one<std::floor>}},
    {HARD_SWISH, {f::hard_swish, scales::any}},
    {LOG, {f::one<std::log>}},
    {LOGISTIC, {f::sigmoid, scales::unit}},
    {NEG, {f::negate}},
    {RELU, {f::relu, scales::same}},
    {RELU1, {f::clip, scales::same, {-1, 1}}},
    {RELU6, {f::clip, scales::same, {0, 6}}},
    {SIN, {f::one<std::sin>}},
    {SQRT, {f::one<std::sqrt>}},
    {TANH, {f::one<std::tanh>, scales::both_signs}},
    {ADD, {f::pair<std::plus<>>, scales::any, {}, 2, true}},
    {DIV, {f::pair<std::divides<>>, scales::none, {}, 2, true}},
    {MAXIMUM, {f::two<std::fmax>, scales::any, {}, 2}},
    {MINIMUM, {f::two<std::fmin>, scales::any, {}, 2}},
    {MUL, {f::pair<std::multiplies<>>, scales::more_than_product, {}, 2, true}},
    {POW, {f::two<std::pow>, scales::none, {}, 2}},
    {PRELU, {f::leaky_relu, scales::any, {}, 2}},
    {SUB, {f::pair<std::minus<>>, scales::any, {}, 2, true}}};
void check_scales(const call& c, scales rule) {
    if (!c.tensor(0).in_bytes()) return;
    switch (rule) {
        case scales::none: throw mismatch();
        case scales::same: return c.require_same_scale();
        case scales::unit: return c.require_output_scale(1.f / 256, -128);
        case scales::both_signs: return c.require_output_scale(1.f / 128, 0);
        case scales::more_than_product: return require(c.output().scale > c.tensor(0).scale * c.tensor(1).scale);
        default: return;
    }
}
primitive plan(const call& c, const rule& r) {
    c.require_one_type(r.operands);
    check_scales(c, r.in_bytes);
    std::vector<list> shapes;
    for (std::size_t k = 0; k < r.operands; ++k) shapes.push_back(c.shape(k));
    return evaluator::element_wise(shapes, r.does, r.parameters);
}
}  // namespace

primitive plan_element_wise(const call& c) {
    if (const auto r = functions.find(c.op.code); r != functions.end()) {
        require(c.count() == r->second.operands + r->second.fuses);
        if (r->second.fuses) c.require_no_activation(r->second.operands);
        return plan(c, r->second);
    }
    if (c.op.code == ELU) {
        require(c.count() == 2);
        return plan(c, {f::elu, scales::none, {c.real(1)}});
    }
    require(c.op.code == QUANTIZE || c.op.code == DEQUANTIZE);
    require(c.count() == 1 && c.tensor(0).in_bytes() == (c.op.code == DEQUANTIZE) &&
            c.output().in_bytes() == (c.op.code == QUANTIZE));
    return reshape(c.shape(0), c.shape(0));
}
}  // namespace host
