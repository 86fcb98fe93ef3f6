// cuDNN's backend in C++: descriptors that end themselves, and an execution plan for one convolution with what follows it.
#pragma once
#include "runtime.hpp"
#include <inlay/kernels/cuda/conv.hpp>
#include <array>
#include <functional>
#include <tuple>

namespace inlay::inline v1 {
class dnn_descriptor {
    cudnnBackendDescriptor_t d_ = nullptr;
    bool good_ = false;
public:
    dnn_descriptor() = default;
    explicit dnn_descriptor(cudnnBackendDescriptorType_t type) : good_(cudnn().cudnnBackendCreateDescriptor(type, &d_) == CUDNN_STATUS_SUCCESS) {}
    dnn_descriptor(dnn_descriptor&& o) noexcept : d_(std::exchange(o.d_, nullptr)), good_(o.good_) {}
    dnn_descriptor& operator=(dnn_descriptor&& o) noexcept { std::swap(d_, o.d_); std::swap(good_, o.good_); return *this; }
    ~dnn_descriptor() { if (d_) cudnn().cudnnBackendDestroyDescriptor(d_); }
    cudnnBackendDescriptor_t get() const { return d_; }
    bool good() const { return good_; }
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count, const void* values) { good_ = good_ && cudnn().cudnnBackendSetAttribute(d_, name, type, count, values) == CUDNN_STATUS_SUCCESS; }
    void set(cudnnBackendAttributeName_t name, const dnn_descriptor& other) {
        good_ = good_ && other.good();
        set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.d_);
    }
    bool finalize() { return good_ = good_ && cudnn().cudnnBackendFinalize(d_) == CUDNN_STATUS_SUCCESS; }
    std::int64_t count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const {
        std::int64_t n = 0;
        return cudnn().cudnnBackendGetAttribute(d_, name, type, 0, &n, nullptr) == CUDNN_STATUS_SUCCESS ? n : 0;
    }
    bool get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t most, std::int64_t& n, void* values) const { return cudnn().cudnnBackendGetAttribute(d_, name, type, most, &n, values) == CUDNN_STATUS_SUCCESS; }
};
namespace dnn_id { enum : std::int64_t { x = 1, w, bias, z, y, inner }; }  // of tensors; inner ones count on

// What one plan serves.
inline auto shape_of(const conv_on_cuda_params& p) {
    return std::make_tuple(int(p.type), p.batch, p.channels, p.height, p.width, p.out_channels, p.group, p.out_height, p.out_width, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w,
                           p.pad_top, p.pad_left, p.pad_bottom, p.pad_right, p.has_bias, p.has_addend, p.plain, p.transposed, int(p.last.kind), p.last.a, p.last.b);
}

// What plans are made for: the device of a handle, or one that is only described, as tests do.
struct dnn_target { cudnnHandle_t handle = nullptr; const dnn_descriptor* device = nullptr; };

struct dnn_pointers { const void *x, *w, *bias, *z; void* y; };
// A finished plan. cuDNN does not say that one plan may be executed by two threads at once, so that it is locked while it is enqueued.
struct dnn_plan {
    dnn_descriptor plan;
    std::int64_t workspace = 0;
    bool whole = true;                // with bias, addend and activation; else the convolution alone
    std::mutex mutex;
};
// A plan that `describe` tells where it comes from: a configuration of an engine, or a file. Null: the library does not take it, or its workspace is larger than `most` bytes.
std::shared_ptr<dnn_plan> finish_plan(const dnn_target&, const std::function<void(dnn_descriptor&)>& describe, bool whole, std::int64_t most);
// What is to be tried, the library's first choice first; empty: cuDNN has no way that the options allow.
std::vector<std::shared_ptr<dnn_plan>> find_plans(const dnn_target&, const cuda& options, const conv_on_cuda_params&);
std::shared_ptr<dnn_plan> make_plan(cuda_queue&, const conv_on_cuda_params&);  // the fastest, as the options say; from the cache, if that has it
dnn_descriptor make_variant(const dnn_plan&, const conv_on_cuda_params&, const dnn_pointers&, void* workspace);
}  // namespace inlay::inline v1
