// The functions of oneDNN's C interface as a table, opened when first used: a program must start where there are none.
#pragma once
#include <inlay/element.hpp>
#include <inlay/shape.hpp>
#include <algorithm>
#include <lowering/refusal.hpp>
#include <memory>
#include <oneapi/dnnl/dnnl.h>
#include <string>

namespace inlay {
inline namespace v1 {
#define INLAY_ONEDNN_FUNCTIONS(X) \
    X(dnnl_version) \
    X(dnnl_engine_create) \
    X(dnnl_stream_create) \
    X(dnnl_stream_destroy) \
    X(dnnl_stream_wait) \
    X(dnnl_memory_create) \
    X(dnnl_memory_destroy) \
    X(dnnl_memory_set_data_handle) \
    X(dnnl_memory_desc_create_with_strides) \
    X(dnnl_memory_desc_create_with_tag) \
    X(dnnl_memory_desc_create_submemory) \
    X(dnnl_memory_desc_reshape) \
    X(dnnl_memory_desc_permute_axes) \
    X(dnnl_memory_desc_clone) \
    X(dnnl_memory_desc_destroy) \
    X(dnnl_memory_desc_equal) \
    X(dnnl_memory_desc_get_size) \
    X(dnnl_memory_desc_query) \
    X(dnnl_post_ops_create) \
    X(dnnl_post_ops_destroy) \
    X(dnnl_post_ops_append_eltwise) \
    X(dnnl_post_ops_append_binary) \
    X(dnnl_primitive_attr_create) \
    X(dnnl_primitive_attr_destroy) \
    X(dnnl_primitive_attr_set_scratchpad_mode) \
    X(dnnl_primitive_attr_set_fpmath_mode) \
    X(dnnl_primitive_attr_set_post_ops) \
    X(dnnl_primitive_attr_set_scales_mask) \
    X(dnnl_primitive_attr_set_zero_points_mask) \
    X(dnnl_primitive_desc_destroy) \
    X(dnnl_primitive_desc_query) \
    X(dnnl_primitive_desc_query_md) \
    X(dnnl_primitive_create) \
    X(dnnl_primitive_destroy) \
    X(dnnl_primitive_execute) \
    X(dnnl_batch_normalization_forward_primitive_desc_create) \
    X(dnnl_binary_primitive_desc_create) \
    X(dnnl_concat_primitive_desc_create) \
    X(dnnl_convolution_forward_primitive_desc_create) \
    X(dnnl_deconvolution_forward_primitive_desc_create) \
    X(dnnl_eltwise_forward_primitive_desc_create) \
    X(dnnl_layer_normalization_forward_primitive_desc_create) \
    X(dnnl_lrn_forward_primitive_desc_create) \
    X(dnnl_matmul_primitive_desc_create) \
    X(dnnl_pooling_forward_primitive_desc_create) \
    X(dnnl_prelu_forward_primitive_desc_create) \
    X(dnnl_reduction_primitive_desc_create) \
    X(dnnl_reorder_primitive_desc_create) \
    X(dnnl_resampling_forward_primitive_desc_create) \
    X(dnnl_softmax_forward_primitive_desc_create) \
    X(dnnl_get_effective_cpu_isa)
struct onednn_functions {
    std::string problem, version;    // problem: empty where all are there
    dnnl_engine_t engine = nullptr;  // the CPU; it lives as long as the program
#define INLAY_MEMBER(f) decltype(&::f) f = nullptr;
    INLAY_ONEDNN_FUNCTIONS(INLAY_MEMBER)
#undef INLAY_MEMBER
    // Of the OpenMP that the library runs on; null where it is built for other threads.
    int (*omp_get_max_threads)() = nullptr;
    void (*omp_set_num_threads)(int) = nullptr;
};
const onednn_functions& onednn_library();
const char* text_of(dnnl_status_t);

void onednn_check(dnnl_status_t);  // throws refused_node or std::bad_alloc

struct onednn_deleter {
    void operator()(dnnl_memory_desc_t p) const { onednn_library().dnnl_memory_desc_destroy(p); }
    void operator()(dnnl_memory_t p) const { onednn_library().dnnl_memory_destroy(p); }
    void operator()(dnnl_stream_t p) const { onednn_library().dnnl_stream_destroy(p); }
    void operator()(dnnl_post_ops_t p) const { onednn_library().dnnl_post_ops_destroy(p); }
    void operator()(dnnl_primitive_attr_t p) const { onednn_library().dnnl_primitive_attr_destroy(p); }
    void operator()(dnnl_primitive_desc_t p) const { onednn_library().dnnl_primitive_desc_destroy(p); }
    void operator()(dnnl_primitive_t p) const { onednn_library().dnnl_primitive_destroy(p); }
};
template <class T> using onednn_ptr = std::unique_ptr<std::remove_pointer_t<T>, onednn_deleter>;

dnnl_data_type_t dnnl_type_of(element);  // throws refused_node
struct dnnl_sizes {
    dnnl_dims_t list{};
    int rank;
    explicit dnnl_sizes(const shape& s) : rank(std::max(s.rank, 1)) {  // oneDNN has no tensors without dimensions
        list[0] = 1;
        std::copy(s.begin(), s.end(), list);
    }
};
}  // namespace v1
}  // namespace inlay
