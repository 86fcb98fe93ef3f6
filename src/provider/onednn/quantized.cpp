// Integers of 8 bits as float32, and back.
#include "primitive_writer.hpp"

namespace inlay {
inline namespace v1 {
namespace dnnl_writing {
operand primitive_writer::dequantized(const operand& x) {
    const operand y = temporary(x.dims);
    write(dequantize_prim{x, y});
    return y;
}
void primitive_writer::write(const quantize_prim& p) {
    const int x = l_.at(p.x), y = l_.written(p.y, like(l_.layout(x), p.y.type));
    l_.reorder(x, y, std::array{scaling_of(DNNL_ARG_DST, p.y)});
    l_.give(p.y, y);
}
void primitive_writer::write(const dequantize_prim& p) {
    const int x = l_.at(p.x), y = l_.written(p.y, like(l_.layout(x), p.y.type));
    l_.reorder(x, y, std::array{scaling_of(DNNL_ARG_SRC, p.x)});
    l_.give(p.y, y);
}
}  // namespace dnnl_writing
}  // namespace v1
}  // namespace inlay
