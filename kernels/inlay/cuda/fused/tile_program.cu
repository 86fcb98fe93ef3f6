// Device code of kernels/inlay/cuda/fused/tile_program.hpp.
#include "tile_program.hpp"
#include <inlay/cuda/support/element_wise.cuh>

namespace inlay {
inline namespace v1 {
namespace {
struct program_body {
    broadcast_walk<tile_program::most_inputs + 1> walk;
    tile_program program;
    const float* x[tile_program::most_inputs];
    float* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const auto at = walk.of(i);
        float values[tile_program::most_inputs + tile_program::most_instructions];
        for (int k = 0; k < program.inputs; ++k) values[k] = x[k][walk.offset(k, at)];
        y[walk.offset(program.inputs, at)] = program.run(values);
    }
};
}  // namespace
status kernel<op::tile_program, device::cuda, types<float>>::run(const params& p, const state&, const arguments& a,
                                                                 context& c) noexcept {
    program_body body{{p.loops, 1}, p.program, {}, a.out<float>(0)};
    for (int k = 0; k < p.program.inputs; ++k) body.x[k] = a.in<float>(k);
    return launch(c, p.loops.elements(), body);
}
}  // namespace v1
}  // namespace inlay
