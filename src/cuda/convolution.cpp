// Convolutions of a session: weights in the library's order, and one plan for all nodes of the same shape.
#include "dnn_graph.hpp"
#include <inlay/kernels/cuda/depthwise.hpp>
#include <inlay/kernels/cuda/finish.hpp>

namespace inlay::inline v1 {
namespace {
struct bound_convolution {
    conv_on_cuda_params shape;  // that the plan was made for
    std::shared_ptr<dnn_plan> plan;  // none for depthwise convolutions
    tensor weights;
    std::mutex mutex;           // of what follows: the last pointers, which a run that repeats finds again
    dnn_pointers at{};
    void* workspace = nullptr;
    dnn_descriptor variant;
};
bool same_shape(const conv_on_cuda_params& a, const conv_on_cuda_params& b) { return shape_of(a) == shape_of(b); }
std::shared_ptr<dnn_plan> find_plan(cuda_queue& q, const conv_on_cuda_params& p) {
    auto& known = q.runtime().convolutions;
    const std::lock_guard lock(known.mutex);
    for (const auto& [shape, plan] : known.plans) if (same_shape(*std::static_pointer_cast<conv_on_cuda_params>(shape), p)) return std::static_pointer_cast<dnn_plan>(plan);
    auto plan = make_plan(q, p);
    if (plan) known.plans.emplace_back(std::make_shared<conv_on_cuda_params>(p), plan);
    return plan;
}
}  // namespace

template <bool Fused> status conv_on_cuda<Fused>::bind_on_cuda(const params& p, const void* weights, std::shared_ptr<void>& to) noexcept try {
    cuda_queue* const q = current_queue();
    if (!q) return status::failed;
    auto b = std::make_shared<bound_convolution>();
    b->shape = p;
    if (!p.depthwise()) {
        b->plan = find_plan(*q, p);
        if (!b->plan) return status::unsupported;
        q->runtime().need_workspace(std::size_t(b->plan->workspace));
    }
    // From [out][channel][tap], on the device, to [out][tap][channel]; depthwise to [tap][out].
    const std::int64_t channels = p.channels / p.group, taps = p.kernel_h * p.kernel_w;
    tensor packed(p.type, {p.out_channels, taps, channels});
    const tensor given = tensor::borrow(p.type, {p.out_channels, channels, taps}, weights, space_of<memory::cuda>).copied_to(space_of<memory::host>);
    const auto pack = [&]<class Bits>(Bits) {
        const auto* const from = static_cast<const Bits*>(given.data());
        auto* const order = static_cast<Bits*>(packed.data());
        if (p.plain) std::copy_n(from, given.elements(), order);
        else if (p.depthwise()) for (std::int64_t o = 0; o < p.out_channels; ++o) for (std::int64_t t = 0; t < taps; ++t) order[t * p.out_channels + o] = from[o * taps + t];
        else for (std::int64_t o = 0; o < p.out_channels; ++o) for (std::int64_t c = 0; c < channels; ++c) for (std::int64_t t = 0; t < taps; ++t)
            order[(o * taps + t) * channels + c] = from[(o * channels + c) * taps + t];
    };
    if (bits_of(p.type) == 16) pack(std::uint16_t());
    else pack(std::uint32_t());
    b->weights = packed.copied_to(space_of<memory::cuda>);
    to = std::move(b);
    return status::ok;
} catch (const error& e) { return e.code == error_code::out_of_memory || e.code == error_code::out_of_memory_limit ? status::out_of_memory : status::failed; } catch (...) { return status::out_of_memory; }

template <bool Fused> status conv_on_cuda<Fused>::run_on_cuda(const params& p, void* bound, const void* x, const void* bias, const void* z, void* y, context& c) noexcept try {
    cuda_queue* const q = current_queue();
    bound_convolution& b = *static_cast<bound_convolution*>(bound);
    if (p.depthwise())
        return depthwise_on_cuda{p.type, p.batch, p.channels, p.height, p.width, p.out_height, p.out_width, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w, p.pad_top, p.pad_left, p.last}
            .run(x, b.weights.data(), bias, z, y, c);
    if (!q || !q->dnn()) return c.fail("cuDNN cannot be used", status::failed);
    std::shared_ptr<dnn_plan> plan = b.plan;
    if (!same_shape(p, b.shape)) {  // a shape that became known while it runs
        plan = find_plan(*q, p);
        if (!plan) return c.fail("cuDNN has no way to calculate this convolution", status::failed);
        q->runtime().need_workspace(std::size_t(plan->workspace));
        if (!q->widen_workspace()) return c.fail("no device memory for cuDNN's workspace", status::out_of_memory);
    }
    const dnn_pointers at{x, b.weights.data(), bias, z, y};
    {
        const std::lock_guard own(b.mutex), shared(plan->mutex);
        const bool again = plan == b.plan && b.variant.good() && b.workspace == q->workspace() && at.x == b.at.x && at.bias == b.at.bias && at.z == b.at.z && at.y == b.at.y;
        dnn_descriptor once;
        if (!again) {
            dnn_descriptor made = make_variant(*plan, p, at, q->workspace());
            if (!made.good()) return c.fail("cuDNN does not take the pointers of a convolution", status::failed);
            if (plan == b.plan) { b.variant = std::move(made); b.at = at; b.workspace = q->workspace(); } else once = std::move(made);
        }
        const cudnnStatus_t s = cudnn().cudnnBackendExecute(q->dnn(), plan->plan.get(), (once.good() ? once : b.variant).get());
        if (s != CUDNN_STATUS_SUCCESS) return c.fail(cudnn().cudnnGetErrorString(s), status::failed);
    }
    if (plan->whole || (!bias && !z && p.last.kind == plain_activation::none)) return status::ok;
    const std::int64_t area = p.out_height * p.out_width, image = p.out_channels * area;
    if (!p.plain) return finish(c, p.type, y, p.batch * area, p.out_channels, {bias, 0, 1, 1, z}, p.last);
    for (std::int64_t i = 0; i < p.batch; ++i) {  // a row per channel
        const std::int64_t at = i * image * bits_of(p.type) / 8;
        if (const status s = finish(c, p.type, static_cast<std::byte*>(y) + at, p.out_channels, area, {bias, 1, 0, 1, z ? static_cast<const std::byte*>(z) + at : nullptr}, p.last); s != status::ok) return s;
    }
    return status::ok;
} catch (...) { return c.fail("no memory", status::out_of_memory); }

template struct conv_on_cuda<false>;
template struct conv_on_cuda<true>;
}  // namespace inlay::inline v1
