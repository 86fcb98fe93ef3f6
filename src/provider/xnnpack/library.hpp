// The functions of XNNPACK and pthreadpool as a table, opened when first used: a program must start where there are
// none.
#pragma once
#include <memory>
#include <platform/shared_library.hpp>
#include <pthreadpool.h>
#include <xnnpack.h>

namespace inlay {
inline namespace v1 {
#define INLAY_XNNPACK_FUNCTIONS(X) \
    X(xnn_initialize) \
    X(xnn_create_subgraph) \
    X(xnn_delete_subgraph) \
    X(xnn_define_tensor_value) \
    X(xnn_define_quantized_tensor_value) \
    X(xnn_define_channelwise_quantized_tensor_value) \
    X(xnn_define_convert) \
    X(xnn_define_convolution_2d) \
    X(xnn_define_deconvolution_2d) \
    X(xnn_define_depthwise_convolution_2d) \
    X(xnn_define_depth_to_space) \
    X(xnn_define_global_average_pooling_2d) \
    X(xnn_define_average_pooling_2d) \
    X(xnn_define_max_pooling_2d) \
    X(xnn_define_fully_connected) \
    X(xnn_define_add2) \
    X(xnn_define_multiply2) \
    X(xnn_define_subtract) \
    X(xnn_define_divide) \
    X(xnn_define_maximum2) \
    X(xnn_define_minimum2) \
    X(xnn_define_static_constant_pad) \
    X(xnn_define_static_reshape) \
    X(xnn_define_static_resize_bilinear_2d) \
    X(xnn_define_prelu) \
    X(xnn_define_abs) \
    X(xnn_define_bankers_rounding) \
    X(xnn_define_ceiling) \
    X(xnn_define_clamp) \
    X(xnn_define_elu) \
    X(xnn_define_floor) \
    X(xnn_define_hardswish) \
    X(xnn_define_leaky_relu) \
    X(xnn_define_negate) \
    X(xnn_define_sigmoid) \
    X(xnn_define_softmax) \
    X(xnn_define_square_root) \
    X(xnn_invoke_runtime) \
    X(xnn_delete_runtime) \
    X(pthreadpool_create) \
    X(pthreadpool_destroy)
#if INLAY_XNNPACK_SHARES_WEIGHTS
#define INLAY_XNNPACK_VERSION_FUNCTIONS(X) \
    X(xnn_define_concatenate2) \
    X(xnn_define_concatenate3) \
    X(xnn_define_concatenate4) \
    X(xnn_define_concatenate5) \
    X(xnn_create_runtime_v3) \
    X(xnn_reshape_runtime) \
    X(xnn_setup_runtime_v2)
inline constexpr std::uint32_t xnnpack_keeps_dims = XNN_FLAG_KEEP_DIMS;  // of what is reduced
#else
#define INLAY_XNNPACK_VERSION_FUNCTIONS(X) \
    X(xnn_create_runtime_v2) \
    X(xnn_setup_runtime)
inline constexpr std::uint32_t xnnpack_keeps_dims = 0;  // it always does
#endif
#define INLAY_XNNPACK_ALL_FUNCTIONS(X) INLAY_XNNPACK_FUNCTIONS(X) INLAY_XNNPACK_VERSION_FUNCTIONS(X)
// Later headers call many of them deprecated; all versions have them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct xnnpack_functions {
    INLAY_FUNCTION_TABLE(INLAY_XNNPACK_ALL_FUNCTIONS, INLAY_DECLARED_FUNCTION)  // and the library is initialised
    void* later = nullptr;  // a function that the version of 2022 does not have
};
#pragma GCC diagnostic pop
const xnnpack_functions& xnnpack_library();
// Why the library cannot be used; empty: it computes a small convolution as it should. Header and library may come from
// different projects, and XNNPACK numbers no versions.
const std::string& problem_of_xnnpack();
const char* text_of(xnn_status);

struct xnnpack_deleter {
    void operator()(xnn_subgraph_t p) const { xnnpack_library().xnn_delete_subgraph(p); }
    void operator()(xnn_runtime_t p) const { xnnpack_library().xnn_delete_runtime(p); }
};
template <class T> using xnnpack_ptr = std::unique_ptr<std::remove_pointer_t<T>, xnnpack_deleter>;
}  // namespace v1
}  // namespace inlay
