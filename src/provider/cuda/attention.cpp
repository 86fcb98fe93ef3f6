// Attention of a session by cuDNN: one plan for all nodes of the same shape.
#include "dnn_graph.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
struct attention_pointers {
    const void *q, *k, *v, *mask;
    void* y;
    bool operator==(const attention_pointers&) const = default;
    bool aligned() const {
        return std::ranges::all_of(std::array<const void*, 5>{q, k, v, mask, y},
                                   [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; });
    }
};
}  // namespace
struct bound_attention {
    attention_on_cuda_params shape;  // that the plan was made for
    std::shared_ptr<dnn_plan> plan;
    float scale = 1;
    std::mutex mutex;  // of what follows: the last pointers, which a run that repeats finds again
    attention_pointers at{};
    void* workspace = nullptr;
    dnn_descriptor variant;
};

status bind_attention(const attention_on_cuda_params& p, std::shared_ptr<bound_attention>& to) noexcept try {
    cuda_queue* const q = current_queue();
    if (!q) return status::failed;
    auto b = std::make_shared<bound_attention>();
    b->shape = p;
    b->scale = float(p.scale);
    b->plan = find_plan(*q, q->runtime().attentions, p);
    if (!b->plan) return status::ok;
    q->runtime().need_workspace(std::size_t(b->plan->workspace));
    to = std::move(b);
    return status::ok;
} catch (...) {
    return status::out_of_memory;
}

status run_attention(const attention_on_cuda_params& p, bound_attention& b, const void* q, const void* k, const void* v,
                     const void* mask, void* y, context& c) noexcept try {
    cuda_queue* const queue = current_queue();
    if (!queue || !queue->dnn()) return c.fail("cuDNN cannot be used", status::failed);
    const auto from = [](const void* x, const attention_params::operand& o) {
        return static_cast<const void*>(static_cast<const std::uint16_t*>(x) + o.at);
    };
    const attention_pointers at{from(q, p.q), from(k, p.k), from(v, p.v), mask, y};
    if (!at.aligned()) return status::unsupported;
    std::shared_ptr<dnn_plan> plan = b.plan;
    if (shape_of(p) != shape_of(b.shape)) {  // a shape that became known while it runs
        plan = find_plan(*queue, queue->runtime().attentions, p);
        if (!plan) return status::unsupported;
        queue->runtime().need_workspace(std::size_t(plan->workspace));
        if (!queue->widen_workspace()) return c.fail("no device memory for cuDNN's workspace", status::out_of_memory);
    }
    void* const workspace = queue->workspace();
    const std::lock_guard lock(b.mutex), shared(plan->mutex);
    dnn_descriptor once;
    if (plan != b.plan || !b.variant.good() || b.workspace != workspace || b.at != at) {
        using bound_tensor = std::pair<std::int64_t, const void*>;
        const std::array<bound_tensor, 6> tensors{{{dnn_id::q, at.q},
                                                   {dnn_id::k, at.k},
                                                   {dnn_id::v, at.v},
                                                   {dnn_id::y, at.y},
                                                   {dnn_id::scale, &b.scale},
                                                   {dnn_id::mask, at.mask}}};
        dnn_descriptor variant = make_variant(std::span(tensors).first(p.masked ? 6 : 5), workspace);
        if (!variant.good()) return c.fail("cuDNN does not take the pointers of attention", status::failed);
        if (plan == b.plan) {
            b.variant = std::move(variant);
            b.at = at;
            b.workspace = workspace;
        } else
            once = std::move(variant);
    }
    const cudnnStatus_t s =
        cudnn().cudnnBackendExecute(queue->dnn(), plan->plan.get(), (once.good() ? once : b.variant).get());
    return s == CUDNN_STATUS_SUCCESS ? status::ok : c.fail(cudnn().cudnnGetErrorString(s), status::failed);
} catch (...) {
    return c.fail("no memory", status::out_of_memory);
}
}  // namespace v1
}  // namespace inlay
