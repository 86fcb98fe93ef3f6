#include "finish.hpp"
#include "launch.cuh"

namespace inlay::inline v1 {
namespace {
struct finish_body {
    finishing f;
    plain_activation last;
    float* y;
    divider columns;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        float sum = y[i];
        if (f.c) {
            std::int64_t row = i;
            const std::int64_t column = columns.split(row);
            sum += f.beta * f.c[row * f.c_row + column * f.c_column];
        }
        if (f.addend) sum += f.addend[i];
        y[i] = last(sum);
    }
};
}  // namespace
status finish(context& c, float* y, std::int64_t rows, std::int64_t columns, const finishing& f, const plain_activation& last) noexcept {
    return launch(c, rows * columns, finish_body{f, last, y, divider(columns)});
}
#ifdef __CUDACC__
bool has_code_for_device() noexcept {  // any kernel tells
    cudaFuncAttributes about{};
    const bool found = cudaFuncGetAttributes(&about, launching::elements<finish_body>) == cudaSuccess;
    (void)cudaGetLastError();
    return found;
}
#endif
}  // namespace inlay::inline v1
