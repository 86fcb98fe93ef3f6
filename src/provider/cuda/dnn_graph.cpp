#include "dnn_graph.hpp"
#include "plan_cache.hpp"
#include <limits>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::int64_t alignment = 16, small_workspace = std::int64_t(32) << 20;
constexpr std::size_t most_timed = 16, most_bare = 4;

cudnnDataType_t type_of(element e) {
    return e == element::f16 ? CUDNN_DATA_HALF : e == element::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}
std::array<std::int64_t, 4> strides_of(const dnn_operations::sizes& dims,
                                       bool plain) {  // dims: batch, channels, rows, columns
    const auto [n, c, h, w] = dims;
    return plain ? std::array{c * h * w, h * w, w, std::int64_t(1)} : std::array{h * w * c, std::int64_t(1), w * c, c};
}
dnn_descriptor make_convolution(const conv_on_cuda_params& p) {
    const cudnnDataType_t type = CUDNN_DATA_FLOAT;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    const std::int64_t axes = 2, dilations[] = {p.dilation_h, p.dilation_w}, strides[] = {p.stride_h, p.stride_w},
                       before[] = {p.pad_top, p.pad_left}, after[] = {p.pad_bottom, p.pad_right};
    dnn_descriptor c(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    c.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    c.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    c.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &axes);
    c.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, dilations);
    c.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, strides);
    c.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, before);
    c.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, after);
    c.finalize();
    return c;
}
dnn_descriptor make_pointwise(cudnnPointwiseMode_t mode, const plain_activation* activation) {
    const cudnnDataType_t type = CUDNN_DATA_FLOAT;
    dnn_descriptor d(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    d.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
    d.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &type);
    if (activation && activation->kind == plain_activation::clip &&
        activation->b < double(std::numeric_limits<float>::max()))
        d.set(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, CUDNN_TYPE_DOUBLE, 1, &activation->b);
    d.finalize();
    return d;
}
// The library's name for an activation; false where it has none.
bool mode_of(const plain_activation& a, cudnnPointwiseMode_t& mode) {
    switch (a.kind) {
        case plain_activation::clip: mode = CUDNN_POINTWISE_RELU_FWD; return a.a == 0 && a.b > 0;
        case plain_activation::sigmoid: mode = CUDNN_POINTWISE_SIGMOID_FWD; return true;
        case plain_activation::silu: mode = CUDNN_POINTWISE_SWISH_FWD; return true;
        case plain_activation::gelu: mode = CUDNN_POINTWISE_GELU_FWD; return true;
        case plain_activation::gelu_tanh: mode = CUDNN_POINTWISE_GELU_APPROX_TANH_FWD; return true;
        default: return false;
    }
}

// The convolution with what follows it, or, not `whole`, alone. Values between the parts are floats, as all calculation
// is.
bool describe_convolution(const dnn_target& t, const conv_on_cuda_params& p, bool whole, dnn_operations& g) {
    const auto dims = [&](const conv_on_cuda_params::image& i) {
        return std::array{p.batch, i.channels, i.height, i.width};
    };
    const auto tensor_of = [&](std::int64_t id, const dnn_operations::sizes& d) -> const dnn_descriptor& {
        return g.tensor(p.type, id, d, strides_of(d, p.plain));
    };
    const auto out = dims(p.y());
    cudnnPointwiseMode_t ending{};
    const bool adds = whole && p.has_addend, biased = whole && p.has_bias,
               ends = whole && mode_of(p.activation, ending);
    int left = int(adds) + int(biased) + int(ends);
    const auto result = [&]() -> const dnn_descriptor& {
        return left-- > 0 ? g.inner(element::f32, out, strides_of(out, p.plain)) : tensor_of(dnn_id::y, out);
    };
    const auto& x = tensor_of(dnn_id::x, dims(p.x()));
    const auto& w = tensor_of(dnn_id::w, {p.out_channels, p.channels / p.group, p.kernel_h, p.kernel_w});
    const auto& by = g.add(make_convolution(p));
    const dnn_descriptor* sum = &result();
    dnn_descriptor conv(p.transposed ? CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR
                                     : CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    const auto set = [&](cudnnBackendAttributeName_t forward, cudnnBackendAttributeName_t backward,
                         const auto&... values) { conv.set(p.transposed ? backward : forward, values...); };
    const float alpha = 1, beta = 0;
    set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, x);
    set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, w);
    set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, *sum);
    set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, by);
    set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
        CUDNN_TYPE_FLOAT, 1, &alpha);
    set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, CUDNN_TYPE_FLOAT,
        1, &beta);
    conv.finalize();
    g.operation(std::move(conv));
    const auto point = [&](cudnnPointwiseMode_t mode, const dnn_descriptor* operand,
                           const plain_activation* activation) {
        const auto& y = result();
        g.point(mode, *sum, operand, y, activation);
        sum = &y;
    };
    if (adds)
        point(CUDNN_POINTWISE_ADD, &tensor_of(dnn_id::z, out),
              nullptr);  // before the bias: the order that ready-made kernels have
    if (biased) point(CUDNN_POINTWISE_ADD, &tensor_of(dnn_id::bias, {1, out[1], 1, 1}), nullptr);
    if (ends) point(ending, nullptr, &p.activation);
    return g.finish(t);
}

// Times plans on memory of its own, zeroed.
class stopwatch {
    cuda_queue& q_;
    cudaStream_t stream_;
    cudaEvent_t start_ = nullptr, end_ = nullptr;
    std::vector<void*> blocks_;
    bool good_ = true;
    void* block(std::int64_t bytes) {
        void* p = q_.runtime().arena->allocate(std::size_t(bytes));
        if (p) blocks_.push_back(p);
        good_ = good_ && p && cudaMemsetAsync(p, 0, std::size_t(bytes), stream_) == cudaSuccess;
        return p;
    }
    dnn_pointers at_{};

  public:
    stopwatch(cuda_queue& q, const conv_on_cuda_params& p) : q_(q), stream_(static_cast<cudaStream_t>(q.stream())) {
        good_ = cudaEventCreate(&start_) == cudaSuccess && cudaEventCreate(&end_) == cudaSuccess;
        const std::int64_t size = bits_of(p.type) / 8, out = size * p.elements(p.y());
        at_ = {block(size * p.elements(p.x())), block(size * p.out_channels * p.filter()),
               p.has_bias ? block(size * p.y().channels) : nullptr, p.has_addend ? block(out) : nullptr, block(out)};
    }
    ~stopwatch() {
        (void)cudaStreamSynchronize(stream_);
        for (void* p : blocks_) q_.runtime().arena->release(p);
        if (start_) cudaEventDestroy(start_);
        if (end_) cudaEventDestroy(end_);
        (void)cudaGetLastError();
    }
    bool good() const { return good_; }
    float best_of(const dnn_plan& plan, const conv_on_cuda_params& p, float least) {
        context c;
        c.stream = stream_;
        if (plan.product)
            return best_of(least, [&]() noexcept {
                return plan.product->run(product_of(p), at_.x, at_.w, 0, at_.z, at_.bias, at_.y, c) == status::ok;
            });
        void* const workspace = plan.workspace ? q_.runtime().arena->allocate(std::size_t(plan.workspace)) : nullptr;
        if (plan.workspace && !workspace) return never;
        const dnn_descriptor variant = make_variant(plan, p, at_, workspace);
        const bool more = !plan.whole && (at_.bias || at_.z || p.activation.kind != plain_activation::none) && !p.plain;
        const float best = best_of(least, [&]() noexcept {
            return variant.good() &&
                   cudnn().cudnnBackendExecute(q_.dnn(), plan.plan.get(), variant.get()) == CUDNN_STATUS_SUCCESS &&
                   (!more || finish(c, p.type, at_.y, p.batch * p.y().area(), p.y().channels,
                                    {at_.bias, 0, 1, 1, at_.z}, p.activation) == status::ok);
        });
        (void)cudaStreamSynchronize(stream_);
        if (workspace) q_.runtime().arena->release(workspace);
        return best;
    }

  private:
    static constexpr float never = std::numeric_limits<float>::infinity();
    float milliseconds(const auto& enqueue) {
        float ms = never;
        return cudaEventRecord(start_, stream_) == cudaSuccess && enqueue() &&
                       cudaEventRecord(end_, stream_) == cudaSuccess && cudaEventSynchronize(end_) == cudaSuccess &&
                       cudaEventElapsedTime(&ms, start_, end_) == cudaSuccess
                   ? ms
                   : never;
    }
    // Milliseconds of a launch, of some in a row: of a recorded graph where that can be had, so that what the host
    // takes to launch them is left out. Never, where one launch alone takes three times `least`.
    float best_of(float least, const auto& enqueue) {
        constexpr int times = 3, most_launches = 8;
        constexpr float enough = 0.2f;                                                  // milliseconds
        if (!enqueue() || cudaStreamSynchronize(stream_) != cudaSuccess) return never;  // warms up
        const float once = milliseconds(enqueue);
        if (once > enough && once > 3 * least) return never;
        const int launches = std::clamp(int(enough / once), 1, most_launches);
        const auto several = [&]() noexcept {
            bool good = true;
            for (int i = 0; i < launches; ++i) good = good && enqueue();
            return good;
        };
        std::shared_ptr<void> work;
        if (stream_ && q_.begin_recording()) {
            const bool good = several();
            work = q_.end_recording();
            if (!good) return never;
            if (work) (void)q_.replay(work.get());
        }
        float best = never;
        for (int i = 0; i < times; ++i)
            best = std::min(
                best, milliseconds([&]() noexcept { return work ? q_.replay(work.get()) == status::ok : several(); }));
        return best / float(launches);
    }
};
}  // namespace

const dnn_descriptor& dnn_operations::make_tensor(element kind, std::int64_t id, const sizes& dims,
                                                  const sizes& strides, bool inner, bool number) {
    const cudnnDataType_t type = type_of(kind);
    dnn_descriptor t(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    t.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    t.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims.data());
    t.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides.data());
    t.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
    t.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    t.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &inner);
    if (number) t.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &number);
    t.finalize();
    return add(std::move(t));
}
void dnn_operations::point(cudnnPointwiseMode_t mode, const dnn_descriptor& x, const dnn_descriptor* operand,
                           const dnn_descriptor& y, const plain_activation* activation) {
    const auto& pointwise = add(make_pointwise(mode, activation));
    dnn_descriptor d(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise);
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (operand) d.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *operand);
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    d.finalize();
    operation(std::move(d));
}
bool dnn_operations::finish(const dnn_target& t) {
    graph_ = dnn_descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // of cuDNN 9.19; earlier ones ask for it
    if (t.handle) graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &t.handle);
#pragma GCC diagnostic pop
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::int64_t(operations_.size()),
               operations_.data());
    return good_ && graph_.finalize();
}

std::vector<dnn_descriptor> configurations(const dnn_target& t, const dnn_operations& g, cudnnBackendHeurMode_t mode) {
    dnn_descriptor h(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    h.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, g.graph());
    h.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    if (t.device) h.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *t.device);
    std::vector<dnn_descriptor> configs;
    if (!h.finalize()) return configs;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t n = h.count(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR); n > 0; --n)
        raw.push_back(configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
    std::int64_t count = 0;
    if (!raw.empty() && !h.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::int64_t(raw.size()),
                               count, raw.data()))
        count = 0;
    configs.resize(std::size_t(std::min<std::int64_t>(count, std::int64_t(configs.size()))));
    return configs;
}
// What a way of calculating gives up: tensor cores round floats to TF32, the halves they take as they are; sums in
// changing order differ from run to run.
bool allowed(const dnn_descriptor& configuration, element type, const cuda& o) {
    dnn_descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    std::int64_t n = 0;
    std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
    if (!engine.good() || !configuration.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, n, &raw))
        return false;
    if (!engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, std::int64_t(notes.size()), n,
                    notes.data()))
        return false;
    const bool of_floats = type == element::f32;
    for (std::int64_t i = 0; i < n; ++i) {
        const auto note = notes[std::size_t(i)];
        if (note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC || note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)
            return false;
        if (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && of_floats && !o.use_tf32) return false;
        if (note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS && !(of_floats && o.use_tf32)) return false;
        if (note == CUDNN_NUMERICAL_NOTE_WINOGRAD && o.precision == cuda_precision::strict) return false;
    }
    return true;
}

std::shared_ptr<dnn_plan> finish_plan(const dnn_target& t, const std::function<void(dnn_descriptor&)>& describe,
                                      bool whole, std::int64_t most) {
    auto p = std::make_shared<dnn_plan>();
    p->plan = dnn_descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    if (t.handle) p->plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &t.handle);
#pragma GCC diagnostic pop
    if (t.device) p->plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *t.device);
    describe(p->plan);
    std::int64_t n = 0;
    if (!p->plan.finalize() ||
        !p->plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, n, &p->workspace) ||
        p->workspace > most)
        return nullptr;
    p->whole = whole;
    return p;
}

dnn_descriptor make_variant(std::span<const std::pair<std::int64_t, const void*>> tensors, void* workspace) {
    std::array<std::int64_t, 8> ids{};
    std::array<const void*, 8> pointers{};
    for (std::size_t i = 0; i < tensors.size(); ++i) std::tie(ids[i], pointers[i]) = tensors[i];
    dnn_descriptor v(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    v.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, std::int64_t(tensors.size()), ids.data());
    v.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::int64_t(tensors.size()), pointers.data());
    v.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    v.finalize();
    return v;
}
dnn_descriptor make_variant(const dnn_plan& plan, const conv_on_cuda_params& p, const dnn_pointers& at,
                            void* workspace) {
    std::array<std::pair<std::int64_t, const void*>, 5> tensors{
        {{dnn_id::x, at.x}, {dnn_id::w, at.w}, {dnn_id::y, at.y}}};
    std::size_t count = 3;
    if (plan.whole && p.has_bias) tensors[count++] = {dnn_id::bias, at.bias};
    if (plan.whole && p.has_addend) tensors[count++] = {dnn_id::z, at.z};
    return make_variant(std::span(tensors).first(count), workspace);
}

std::vector<std::shared_ptr<dnn_plan>> find_plans(const dnn_target& t, const cuda& o, const conv_on_cuda_params& p) {
    const std::int64_t most =
        o.cudnn_conv_use_max_workspace ? std::numeric_limits<std::int64_t>::max() : small_workspace;
    const std::size_t plan_limit = o.cudnn_conv_algo_search == conv_algo_search::EXHAUSTIVE ? most_timed : 1;
    std::vector modes{CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK};
    if (o.cudnn_conv_algo_search == conv_algo_search::DEFAULT) modes.erase(modes.begin());
    std::vector<std::shared_ptr<dnn_plan>> plans;
    cudnnPointwiseMode_t mode{};
    const bool one_graph = p.activation.kind == plain_activation::none || mode_of(p.activation, mode);
    for (const bool whole : {true, false}) {  // the convolution alone, where nothing does it all or times are taken
        if ((!plans.empty() && plan_limit == 1) || (whole && !one_graph)) continue;
        const std::size_t most_plans = plans.empty() ? plan_limit : plans.size() + most_bare;
        dnn_operations g;
        if (!describe_convolution(t, p, whole, g)) continue;
        for (const auto m : modes)
            for (const dnn_descriptor& c : configurations(t, g, m)) {
                if (plans.size() == most_plans) break;
                if (!allowed(c, p.type, o)) continue;
                if (auto plan = finish_plan(
                        t, [&](dnn_descriptor& d) { d.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, c); }, whole, most))
                    plans.push_back(std::move(plan));
            }
    }
    return plans;
}
product_shape product_of(const conv_on_cuda_params& p) {
    return {.type = p.type,
            .m = p.batch * p.y().area(),
            .n = p.out_channels,
            .k = p.channels,
            .a_row = p.channels,
            .b_row = p.channels,
            .d_row = p.out_channels,
            .trans_b = true,
            .beta = p.has_addend ? 1.f : 0.f,
            .bias = p.has_bias,
            .activation = p.activation};
}
static std::shared_ptr<dnn_plan> product_plan(cuda_queue& q, const conv_on_cuda_params& p) {
    auto plan = std::make_shared<dnn_plan>();
    if (plan->product.emplace().bind(product_of(p), nullptr, 0, setup{}) != status::ok || !q.widen_workspace())
        return nullptr;
    plan->workspace = std::int64_t(plan->product->workspace());
    return plan;
}
static std::shared_ptr<dnn_plan> time_plans(cuda_queue& q, const conv_on_cuda_params& p, cudnnHandle_t handle) {
    const cuda& o = q.runtime().options;
    const bool searches = o.cudnn_conv_algo_search == conv_algo_search::EXHAUSTIVE;
    // Without being timed the product is taken where tensor cores may not be: cuDNN 9.19 takes two to three times as
    // long on an H100.
    const bool uses_product = p.pointwise() && (searches || (p.type == element::f32 && !o.use_tf32));
    auto product = uses_product ? product_plan(q, p) : nullptr;
    if (product && !searches) return product;
    auto plans = find_plans({handle, nullptr}, o, p);
    if (product) plans.push_back(std::move(product));
    if (plans.size() < 2) return plans.empty() ? nullptr : plans.front();
    stopwatch watch(q, p);
    if (!watch.good()) return plans.front();  // no room to time them
    std::size_t best = 0;
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (const float t = watch.best_of(*plans[i], p, least); t < least) {
            least = t;
            best = i;
        }
    return plans[best];
}
static std::shared_ptr<dnn_plan> first_plan(cuda_queue& q, const attention_on_cuda_params& p, cudnnHandle_t handle) {
    const dnn_target t{handle, nullptr};
    dnn_operations g;
    if (!describe_attention(t, p, g)) return nullptr;
    for (const dnn_descriptor& way : attention_ways(t, q.runtime().options, g, p.type))
        if (auto plan = finish_plan(
                t, [&](dnn_descriptor& d) { d.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, way); }, true,
                std::numeric_limits<std::int64_t>::max()))
            return plan;
    return nullptr;
}
// From the cache, if that has it; else `make` makes it.
template <class P>
static std::shared_ptr<dnn_plan> cached_plan(cuda_queue& q, const P& p,
                                             std::shared_ptr<dnn_plan> (*make)(cuda_queue&, const P&, cudnnHandle_t)) {
    const cudnnHandle_t handle = q.dnn();
    if (!handle) return nullptr;
    const plan_cache* const cache = q.runtime().cache.get();
    if (!cache) return make(q, p, handle);
    const std::string key = cache->key(q.runtime().options, p);
    auto plan = cache->find({handle, nullptr}, key);
    if constexpr (std::same_as<P, conv_on_cuda_params>)
        if (plan && plan->product) plan = product_plan(q, p);
    if (plan) return plan;
    plan = make(q, p, handle);
    if (plan) (void)cache->keep(*plan, key);  // a full disk costs the next process its time, no more
    return plan;
}
std::shared_ptr<dnn_plan> make_plan(cuda_queue& q, const conv_on_cuda_params& p) {
    return cached_plan(q, p, time_plans);
}
std::shared_ptr<dnn_plan> make_plan(cuda_queue& q, const attention_on_cuda_params& p) {
    return cached_plan(q, p, first_plan);
}
}  // namespace v1
}  // namespace inlay
