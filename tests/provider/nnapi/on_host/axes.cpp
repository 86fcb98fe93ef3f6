// Reductions, and what normalizes along axes.
#include "../../evaluator/functions.hpp"
#include "host.hpp"

namespace host {
namespace {
namespace f = evaluator::functions;
template <function F> primitive reduction(const call& c) {
    require(c.count() == 3);
    c.require_floats();
    require(c.op.code == MEAN ? c.integer(2) == 1 : c.flag(2));  // all dimensions are kept
    return evaluator::reduce(c.shape(0), c.integers(1), F);
}
primitive softmax(const call& c) {
    const bool log = c.op.code == LOG_SOFTMAX, has_axis = c.count() == 3;
    const auto rank = c.shape(0).size();
    c.require_count(log ? 3 : 2, 3);
    require(c.real(1) == 1 && (log || rank == 2 || rank == 4 || LEVEL >= 29) && (!has_axis || LEVEL >= 29));
    c.require_one_type(1);
    if (c.tensor(0).in_bytes()) {
        require(!log);
        c.require_output_scale(1.f / 256, -128);
    }
    return evaluator::softmax(c.shape(0), {has_axis ? c.integer(2) : std::int64_t(rank) - 1}, log);
}
primitive local_response(const call& c) {  // along the last dimension
    require(c.count() == 5);
    c.require_floats();
    return channels_last(c.shape(0), [&](const list& x) {
        return evaluator::local_response(x, c.integer(1), c.real(3), c.real(4), c.real(2));
    });
}
primitive instance_normalization(const call& c) {
    require(c.count() == 5);
    c.require_floats();
    return c.of_images(c.flag(4), [&](const list& x) { return normalize(x, {2, 3}, c.real(3), c.real(1), c.real(2)); });
}
}  // namespace
const rules axis_rules{{MEAN, reduction<f::mean>},
                       {REDUCE_MAX, reduction<f::greatest>},
                       {REDUCE_MIN, reduction<f::least>},
                       {REDUCE_PROD, reduction<f::product>},
                       {REDUCE_SUM, reduction<f::sum>},
                       {SOFTMAX, softmax},
                       {LOG_SOFTMAX, softmax},
                       {LOCAL_RESPONSE_NORMALIZATION, local_response},
                       {INSTANCE_NORMALIZATION, instance_normalization}};
}  // namespace host
