#include "finish.hpp"
#include "launch.cuh"

namespace inlay {
inline namespace v1 {
namespace {
template <class T> struct finish_body {
    const T *c, *addend;
    std::int64_t c_row, c_column;
    float beta;
    plain_activation activation;
    T* y;
    divider columns;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        float sum = widened(y[i]);
        if (c) {
            std::int64_t row = i;
            const std::int64_t column = columns.split(row);
            sum += beta * widened(c[row * c_row + column * c_column]);
        }
        if (addend) sum += widened(addend[i]);
        y[i] = narrowed<T>(activation(sum));
    }
};
}  // namespace
status finish(context& c, element type, void* y, std::int64_t rows, std::int64_t columns, const finishing& f,
              const plain_activation& activation) noexcept {
    return for_float_type(type, [&]<class T>(T) noexcept {
        return launch(c, rows * columns,
                      finish_body<T>{static_cast<const T*>(f.c), static_cast<const T*>(f.addend), f.c_row, f.c_column,
                                     f.beta, activation, static_cast<T*>(y), divider(columns)});
    });
}
#ifdef __CUDACC__
// clang 15 has another kernel where the address of one of an incomplete type is taken.
static_assert(sizeof(finish_body<float>) > 0);
bool has_code_for_device() noexcept {  // any kernel's address works
    cudaFuncAttributes about{};
    const bool is_loaded = cudaFuncGetAttributes(&about, launching::elements<finish_body<float>>) == cudaSuccess;
    (void)cudaGetLastError();
    return is_loaded;
}
#endif
}  // namespace v1
}  // namespace inlay
