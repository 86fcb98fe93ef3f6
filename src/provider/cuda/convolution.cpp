// Convolutions of a session: weights in the library's order, and one plan for all nodes of the same shape.
#include "dnn_graph.hpp"
#include "rounding.hpp"
#include <inlay/cuda/support/depthwise.hpp>
#include <inlay/cuda/support/finish.hpp>

namespace inlay {
inline namespace v1 {
struct bound_convolution {
    conv_on_cuda_params shape;       // that the plan was made for
    element operands;                // X is rounded to it, W was, and the library makes it
    std::shared_ptr<dnn_plan> plan;  // none for depthwise convolutions
    tensor weights;
    std::mutex mutex;  // of what follows: the last pointers, which a run that repeats finds again
    dnn_pointers at{};
    void* workspace = nullptr;
    dnn_descriptor variant;
};
namespace {
// What the library is called for: of rounded operands the convolution alone, as it has no engine that makes floats of
// them.
conv_on_cuda_params asked(const conv_on_cuda_params& p, element operands) {
    conv_on_cuda_params q = p;
    if (operands == p.type) return q;
    q.type = operands;
    q.has_bias = q.has_addend = false;
    q.activation = {};
    return q;
}
std::size_t room_for(const conv_on_cuda_params& p, element operands, const conv_on_cuda_params::image& of) {
    return operands == p.type ? 0 : rounded_bytes(p.elements(of));
}
}  // namespace

status bind_convolution(const conv_on_cuda_params& p, const void* weights, const setup& u,
                        std::shared_ptr<bound_convolution>& to) noexcept try {
    cuda_queue* const q = current_queue();
    if (!q) return status::failed;
    auto b = std::make_shared<bound_convolution>();
    b->shape = p;
    b->operands = p.depthwise() ? p.type : q->runtime().options.operands(p.type);
    if (!p.depthwise()) {
        b->plan = find_plan(*q, q->runtime().convolutions, asked(p, b->operands));
        if (!b->plan) return status::unsupported;
        q->runtime().need_workspace(room_for(p, b->operands, p.x()) + room_for(p, b->operands, p.y()) +
                                    std::size_t(b->plan->workspace));
    }
    // From [out][channel][tap] to [out][tap][channel]; depthwise to [tap][out].
    const std::int64_t channels = p.channels / p.group, taps = p.kernel_h * p.kernel_w;
    tensor packed(b->operands, {p.out_channels, taps, channels});
    const auto pack = [&]<class From, class To>(From, To) {
        const auto* const from = static_cast<const From*>(weights);
        auto* const order = static_cast<To*>(packed.data());
        const auto move = [&](std::int64_t at, std::int64_t source) { order[at] = static_cast<To>(from[source]); };
        if (p.plain)
            for (std::int64_t i = 0; i < packed.elements(); ++i) move(i, i);
        else if (p.depthwise())
            for (std::int64_t o = 0; o < p.out_channels; ++o)
                for (std::int64_t t = 0; t < taps; ++t) move(t * p.out_channels + o, o * taps + t);
        else
            for (std::int64_t o = 0; o < p.out_channels; ++o)
                for (std::int64_t c = 0; c < channels; ++c)
                    for (std::int64_t t = 0; t < taps; ++t)
                        move((o * taps + t) * channels + c, (o * channels + c) * taps + t);
    };
    if (bits_of(p.type) == 16)
        pack(std::uint16_t(), std::uint16_t());
    else if (b->operands == element::f16)
        pack(float(), float16());
    else if (b->operands == element::bf16)
        pack(float(), bfloat16());
    else
        pack(float(), float());
    b->weights = packed.copied_to(q->memory());
    to = std::move(b);
    return status::ok;
} catch (const error& e) {
    if (u.failure) *u.failure = e;
    return e.code == error_code::out_of_memory || e.code == error_code::out_of_memory_limit ? status::out_of_memory
                                                                                            : status::failed;
} catch (...) {
    return status::out_of_memory;
}

// The library's graph, which remembers the pointers of the last run.
static status execute(cuda_queue& q, bound_convolution& b, const std::shared_ptr<dnn_plan>& plan,
                      const conv_on_cuda_params& of_library, const dnn_pointers& at, void* workspace, context& c) {
    const std::lock_guard lock(b.mutex), shared(plan->mutex);
    const bool again = plan == b.plan && b.variant.good() && b.workspace == workspace && at.x == b.at.x &&
                       at.bias == b.at.bias && at.z == b.at.z && at.y == b.at.y;
    dnn_descriptor once;
    if (!again) {
        dnn_descriptor variant = make_variant(*plan, of_library, at, workspace);
        if (!variant.good()) return c.fail("cuDNN does not take the pointers of a convolution", status::failed);
        if (plan == b.plan) {
            b.variant = std::move(variant);
            b.at = at;
            b.workspace = workspace;
        } else
            once = std::move(variant);
    }
    const cudnnStatus_t s =
        cudnn().cudnnBackendExecute(q.dnn(), plan->plan.get(), (once.good() ? once : b.variant).get());
    if (s != CUDNN_STATUS_SUCCESS) return c.fail(cudnn().cudnnGetErrorString(s), status::failed);
    return status::ok;
}
status run_convolution(const conv_on_cuda_params& p, bound_convolution& b, const void* x, const void* bias,
                       const void* z, void* y, context& c) noexcept try {
    cuda_queue* const q = current_queue();
    if (p.depthwise())
        return depthwise_on_cuda{p.type,       p.batch,    p.channels, p.height,    p.width,    p.out_height,
                                 p.out_width,  p.kernel_h, p.kernel_w, p.stride_h,  p.stride_w, p.dilation_h,
                                 p.dilation_w, p.pad_top,  p.pad_left, p.activation}
            .run(x, b.weights.data(), bias, z, y, c);
    if (!q || !q->dnn()) return c.fail("cuDNN cannot be used", status::failed);
    std::shared_ptr<dnn_plan> plan = b.plan;
    const conv_on_cuda_params of_library = asked(p, b.operands);
    const std::size_t room_x = room_for(p, b.operands, p.x()), room_y = room_for(p, b.operands, p.y());
    if (shape_of(p) != shape_of(b.shape)) {  // a shape that became known while it runs
        plan = find_plan(*q, q->runtime().convolutions, of_library);
        if (!plan) return c.fail("cuDNN has no way to calculate this convolution", status::failed);
        q->runtime().need_workspace(room_x + room_y + std::size_t(plan->workspace));
        if (!q->widen_workspace()) return c.fail("no device memory for cuDNN's workspace", status::out_of_memory);
    }
    std::byte* workspace = static_cast<std::byte*>(q->workspace());
    void* output = y;
    if (room_x) {
        if (const status s = round_on_device(c, x, p.elements(p.x()), b.operands, workspace); s != status::ok) return s;
        x = std::exchange(workspace, workspace + room_x);
        output = std::exchange(workspace, workspace + room_y);
    }
    const dnn_pointers at{x, b.weights.data(), bias, z, output};
    if (plan->product) {
        const bool ends = output == y;  // else what the library makes is to be widened first
        const status s = plan->product->run(product_of(of_library), at.x, at.w, 0, ends ? z : nullptr,
                                            ends ? bias : nullptr, output, c, {}, room_x + room_y);
        if (s != status::ok) return s;
    } else if (const status s = execute(*q, b, plan, of_library, at, workspace, c); s != status::ok)
        return s;
    if (output != y)
        if (const status s = widen_on_device(c, output, p.elements(p.y()), b.operands, y); s != status::ok) return s;
    if ((plan->whole && output == y) || (!bias && !z && p.activation.kind == plain_activation::none)) return status::ok;
    const std::int64_t channels = p.y().channels, area = p.y().area(), image = channels * area;
    if (!p.plain) return finish(c, p.type, y, p.batch * area, channels, {bias, 0, 1, 1, z}, p.activation);
    for (std::int64_t i = 0; i < p.batch; ++i) {  // a row per channel
        const std::int64_t at = i * image * bits_of(p.type) / 8;
        if (const status s = finish(c, p.type, static_cast<std::byte*>(y) + at, channels, area,
                                    {bias, 1, 0, 1, z ? static_cast<const std::byte*>(z) + at : nullptr}, p.activation);
            s != status::ok)
            return s;
    }
    return status::ok;
} catch (...) {
    return c.fail("no memory", status::out_of_memory);
}
}  // namespace v1
}  // namespace inlay
