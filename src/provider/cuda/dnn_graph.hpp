// cuDNN's backend in C++: descriptors that end themselves, graphs of operations, and execution plans for one
// convolution with what follows it and for attention.
#pragma once
#include "libraries.hpp"
#include "runtime.hpp"
#include <inlay/cuda/fused/attention.hpp>
#include <inlay/cuda/onnx/conv.hpp>
#include <inlay/cuda/support/product.hpp>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <tuple>

namespace inlay {
inline namespace v1 {
class dnn_descriptor {
    cudnnBackendDescriptor_t d_ = nullptr;
    bool good_ = false;

  public:
    dnn_descriptor() = default;
    explicit dnn_descriptor(cudnnBackendDescriptorType_t type)
        : good_(cudnn().cudnnBackendCreateDescriptor(type, &d_) == CUDNN_STATUS_SUCCESS) {}
    dnn_descriptor(dnn_descriptor&& o) noexcept : d_(std::exchange(o.d_, nullptr)), good_(o.good_) {}
    dnn_descriptor& operator=(dnn_descriptor&& o) noexcept {
        std::swap(d_, o.d_);
        std::swap(good_, o.good_);
        return *this;
    }
    ~dnn_descriptor() {
        if (d_) cudnn().cudnnBackendDestroyDescriptor(d_);
    }
    cudnnBackendDescriptor_t get() const { return d_; }
    bool good() const { return good_; }
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
             const void* values) {
        good_ = good_ && cudnn().cudnnBackendSetAttribute(d_, name, type, count, values) == CUDNN_STATUS_SUCCESS;
    }
    void set(cudnnBackendAttributeName_t name, const dnn_descriptor& descriptor) {
        good_ = good_ && descriptor.good();
        set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &descriptor.d_);
    }
    bool finalize() { return good_ = good_ && cudnn().cudnnBackendFinalize(d_) == CUDNN_STATUS_SUCCESS; }
    std::int64_t count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const {
        std::int64_t n = 0;
        return cudnn().cudnnBackendGetAttribute(d_, name, type, 0, &n, nullptr) == CUDNN_STATUS_SUCCESS ? n : 0;
    }
    bool get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t most, std::int64_t& n,
             void* values) const {
        return cudnn().cudnnBackendGetAttribute(d_, name, type, most, &n, values) == CUDNN_STATUS_SUCCESS;
    }
};
namespace dnn_id {  // of tensors; inner ones count on
enum : std::int64_t { x = 1, w, bias, z, y, q, k, v, scale, mask, inner };
}

// What one plan serves.
inline auto shape_of(const conv_on_cuda_params& p) {
    return std::make_tuple(int(p.type), p.batch, p.channels, p.height, p.width, p.out_channels, p.group, p.out_height,
                           p.out_width, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w,
                           p.pad_top, p.pad_left, p.pad_bottom, p.pad_right, p.has_bias, p.has_addend, p.plain,
                           p.transposed, int(p.activation.kind), p.activation.a, p.activation.b);
}
inline auto shape_of(
    const attention_on_cuda_params& p) {  // not the scale, nor where heads begin: both come with the pointers
    const auto steps = [](const attention_params::operand& o) { return std::make_tuple(o.batch, o.head, o.row); };
    return std::tuple_cat(
        std::make_tuple(int(p.type), p.batches, p.heads, p.rows, p.keys, p.size, p.value_size, p.masked), steps(p.q),
        steps(p.k), steps(p.v), steps(p.mask));
}

// What plans are made for: the device of a handle, or one that is only described, as tests do.
struct dnn_target {
    cudnnHandle_t handle = nullptr;
    const dnn_descriptor* device = nullptr;
};

// A graph under construction. Its descriptors refer to each other, so that they live as long as it does.
class dnn_operations {
    std::deque<dnn_descriptor> parts_;
    std::vector<cudnnBackendDescriptor_t> operations_;
    dnn_descriptor graph_;
    bool good_ = true;
    std::int64_t inner_ = dnn_id::inner;

  public:
    using sizes = std::array<std::int64_t, 4>;
    const dnn_descriptor& add(dnn_descriptor d) {
        good_ = good_ && d.good();
        return parts_.emplace_back(std::move(d));
    }
    void operation(dnn_descriptor d) { operations_.push_back(add(std::move(d)).get()); }
    const dnn_descriptor& tensor(element type, std::int64_t id, const sizes& dims, const sizes& strides) {
        return make_tensor(type, id, dims, strides, false, false);
    }
    const dnn_descriptor& inner(element type, const sizes& dims, const sizes& strides) {
        return make_tensor(type, inner_++, dims, strides, true, false);
    }  // between two operations
    const dnn_descriptor& number(std::int64_t id) {
        return make_tensor(element::f32, id, {1, 1, 1, 1}, {1, 1, 1, 1}, false, true);
    }  // a float of the host's, given with the pointers
    void point(cudnnPointwiseMode_t mode, const dnn_descriptor& x, const dnn_descriptor* operand,
               const dnn_descriptor& y, const plain_activation* activation = nullptr);
    bool finish(const dnn_target&);
    const dnn_descriptor& graph() const { return graph_; }

  private:
    const dnn_descriptor& make_tensor(element type, std::int64_t id, const sizes& dims, const sizes& strides,
                                      bool inner, bool number);
};
// The library's ways to calculate a graph, in its order, and whether the options allow one.
std::vector<dnn_descriptor> configurations(const dnn_target&, const dnn_operations&, cudnnBackendHeurMode_t);
bool allowed(const dnn_descriptor& configuration, element type, const cuda& options);

struct dnn_pointers {
    const void *x, *w, *bias, *z;
    void* y;
};
// A finished plan. cuDNN does not say that one plan may be executed by two threads at once, so that it is locked while
// it is enqueued.
struct dnn_plan {
    dnn_descriptor plan;
    std::int64_t workspace = 0;
    bool whole = true;                     // with bias, addend and activation; else the convolution alone
    std::optional<bound_product> product;  // of a pointwise convolution, in the place of `plan`; always whole
    std::mutex mutex;
};
product_shape product_of(const conv_on_cuda_params&);  // of a pointwise one
// A plan whose source `describe` sets: a configuration of an engine, or a file. Null: the library does not support
// it, or its workspace is larger than `most` bytes.
std::shared_ptr<dnn_plan> finish_plan(const dnn_target&, const std::function<void(dnn_descriptor&)>& describe,
                                      bool whole, std::int64_t most);
// What is to be tried, the library's first choice first; empty: cuDNN has no way that the options allow.
std::vector<std::shared_ptr<dnn_plan>> find_plans(const dnn_target&, const cuda& options, const conv_on_cuda_params&);
std::shared_ptr<dnn_plan> make_plan(
    cuda_queue&, const conv_on_cuda_params&);  // the fastest, as the options say; from the cache, if that has it
dnn_descriptor make_variant(const dnn_plan&, const conv_on_cuda_params&, const dnn_pointers&, void* workspace);
dnn_descriptor make_variant(std::span<const std::pair<std::int64_t, const void*>> pointers,
                            void* workspace);  // by the tensors' ids

// softmax(scale Q K' + mask) V as one graph; attention_graph.cpp. It also makes the logarithms of the rows' sums, which
// nothing reads: cuDNN 9.19 recognises attention by them.
bool describe_attention(const dnn_target&, const attention_on_cuda_params&, dnn_operations&);
std::vector<dnn_descriptor> attention_ways(const dnn_target&, const cuda& options, const dnn_operations&,
                                           element type);  // those that are allowed, the library's first choice first
std::shared_ptr<dnn_plan> make_plan(cuda_queue&, const attention_on_cuda_params&);  // null: the library has none

// The session's plan for a shape: `cache` keeps those that were made.
template <class P> std::shared_ptr<dnn_plan> find_plan(cuda_queue& q, auto& cache, const P& p) {
    const std::lock_guard lock(cache.mutex);
    for (const auto& [shape, plan] : cache.plans)
        if (shape_of(*std::static_pointer_cast<P>(shape)) == shape_of(p))
            return std::static_pointer_cast<dnn_plan>(plan);
    auto plan = make_plan(q, p);
    if (plan) cache.plans.emplace_back(std::make_shared<P>(p), plan);
    return plan;
}
}  // namespace v1
}  // namespace inlay
