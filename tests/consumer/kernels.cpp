#include <inlay/isa.hpp>
#include <inlay/kernels/reshape.hpp>

bool baseline = inlay::isa::available(inlay::isa::level::sse2);
