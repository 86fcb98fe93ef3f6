#include "runtime.hpp"
#include <inlay/support/fault.hpp>

namespace inlay {
inline namespace v1 {
namespace {
thread_local cuda_queue *entered = nullptr,
                        *selected = nullptr;  // the last one, which knows those before it; the one that is worked on

// Of no session, on the legacy default stream.
cuda_queue* default_queue(int device) noexcept try {
    static std::mutex mutex;
    static auto* const queues =
        new std::map<int, cuda_queue*>;  // never destroyed: the driver may end before static objects do
    const std::lock_guard lock(mutex);
    const auto [at, isnew] = queues->try_emplace(device, nullptr);
    if (isnew)
        if (const auto session = cuda{.device_id = device}.open())
            at->second = static_cast<cuda_runtime&>(**session).default_queue().release();
    if (at->second) at->second->widen_workspace();
    return at->second;
} catch (...) {
    return nullptr;
}

class driver_regions final
    : public region_source {  // a pool of the session's own, so that all of it goes back when the session ends
    int device_;
    cudaStream_t stream_ = nullptr;
    cudaMemPool_t pool_ = nullptr;

  public:
    explicit driver_regions(int device) : device_(device) {
        const on_device scope(device);
        cudaMemPoolProps p{};
        p.allocType = cudaMemAllocationTypePinned;
        p.location.type = cudaMemLocationTypeDevice;
        p.location.id = device;
        int pools = 0;
        if (cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device) != cudaSuccess || !pools ||
            cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess ||
            cudaMemPoolCreate(&pool_, &p) != cudaSuccess)
            pool_ = nullptr;
        (void)cudaGetLastError();
    }
    ~driver_regions() override {
        if (stream_) (void)cudaStreamSynchronize(stream_);
        if (pool_) (void)cudaMemPoolDestroy(pool_);
        if (stream_) (void)cudaStreamDestroy(stream_);
        (void)cudaGetLastError();
    }
    void* take(std::size_t bytes) noexcept override {
        const on_device scope(device_);
        void* p = nullptr;
        cudaError_t e = pool_ ? cudaMallocFromPoolAsync(&p, bytes, pool_, stream_) : cudaMalloc(&p, bytes);
        if (e == cudaSuccess && pool_) e = cudaStreamSynchronize(stream_);  // other streams will use it
        if (e == cudaSuccess) return p;
        (void)cudaGetLastError();  // or the next launch would report it
        return nullptr;
    }
    void give_back(void* p) noexcept override {
        (void)(pool_ ? cudaFreeAsync(p, stream_) : cudaFree(p));
        (void)cudaGetLastError();
    }
};
}  // namespace

error unavailable(std::string reason) {
    error e(error_code::provider_unavailable, std::string(cuda::name) + ": " + std::move(reason));
    e.provider = cuda::name;
    e.hint = "inlay devices shows what this machine has";
    return e;
}
cuda_queue* current_queue() noexcept { return selected ? selected : default_queue(0); }
cuda_queue* queue_on(int device) noexcept {
    for (cuda_queue* q = entered; q; q = q->outer())
        if (q->device() == device) return q;
    return default_queue(device);
}

cuda_queue::~cuda_queue() { runtime_->take_back(std::move(stream_)); }
status cuda_queue::failed(cudaError_t e) noexcept {
    (void)cudaGetLastError();
    reason_ = cudaGetErrorString(e);
    return status_of(e);
}
status cuda_queue::enter() noexcept {
    (void)cudaGetDevice(&device_before_);
    outer_ = std::exchange(entered, this);
    selected_before_ = std::exchange(selected, this);
    if (const cudaError_t e = cudaSetDevice(device()); e != cudaSuccess) {
        leave();
        return failed(e);
    }
    if (widen_workspace()) return status::ok;
    leave();
    reason_ = "no device memory for the libraries' workspace";
    return status::out_of_memory;
}
void cuda_queue::leave() noexcept {
    entered = outer_;
    selected = selected_before_;
    (void)cudaSetDevice(device_before_);
}
void cuda_queue::select() noexcept {
    if (std::exchange(selected, this) != this) (void)cudaSetDevice(device());
}
status cuda_queue::wait() noexcept {
    const on_device scope(device());  // a default stream is that of the thread's device
    if (const cudaError_t e = cudaStreamSynchronize(stream_->compute); e != cudaSuccess) return failed(e);
    if (!stream_->faults) return status::ok;
    const auto device_fault = fault(*static_cast<volatile unsigned*>(stream_->faults));
    if (device_fault == fault::none) return status::ok;
    *static_cast<volatile unsigned*>(stream_->faults) = 0;
    reason_ = text_of(device_fault);
    return status::invalid_value;
}
bool cuda_queue::follow(device_queue& earlier) noexcept {
    auto* const before = dynamic_cast<cuda_queue*>(&earlier);
    if (!before) return false;
    cudaError_t e = cudaSuccess;
    {
        const on_device earlier_scope(before->device());
        e = cudaEventRecord(before->stream_->reached, before->stream_->compute);
    }
    const on_device scope(device());
    if (e == cudaSuccess) e = cudaStreamWaitEvent(stream_->compute, before->stream_->reached, 0);
    return e == cudaSuccess || (failed(e), false);
}
bool cuda_queue::copy(void* to, const void* from, std::size_t bytes) noexcept {
    const on_device scope(device());
    const cuda_stream& s = *stream_;
    cudaError_t e = cudaSuccess;
    const auto after = [&](cudaStream_t later, cudaStream_t earlier) {
        if (e == cudaSuccess) e = cudaEventRecord(s.reached, earlier);
        if (e == cudaSuccess) e = cudaStreamWaitEvent(later, s.reached, 0);
    };
    if (s.copies) after(s.copies, s.compute);
    if (e == cudaSuccess) e = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, s.copies ? s.copies : s.compute);
    if (s.copies) after(s.compute, s.copies);
    return e == cudaSuccess || (failed(e), false);
}
bool cuda_queue::widen_workspace() noexcept {
    const std::size_t bytes = runtime_->workspace_bytes();
    if (stream_->workspace_bytes >= bytes) return true;
    void* const p = runtime_->arena->allocate(bytes);
    if (!p) return false;
    stream_->workspaces.push_back(p);
    stream_->workspace_bytes = bytes;
    return true;
}
bool cuda_queue::begin_recording() noexcept {
    const cudaError_t e = cudaStreamBeginCapture(stream_->compute, cudaStreamCaptureModeThreadLocal);
    return e == cudaSuccess || (failed(e), false);
}
std::shared_ptr<void> cuda_queue::end_recording() noexcept try {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t work = nullptr;
    cudaError_t e = cudaStreamEndCapture(stream_->compute, &graph);
    if (e == cudaSuccess && graph) e = cudaGraphInstantiate(&work, graph, 0);
    if (graph) (void)cudaGraphDestroy(graph);
    if (e != cudaSuccess || !work) {
        failed(e);
        return nullptr;
    }
    return {work, [](cudaGraphExec_t w) { (void)cudaGraphExecDestroy(w); }};
} catch (...) {
    return nullptr;
}
status cuda_queue::replay(void* work) noexcept {
    const cudaError_t e = cudaGraphLaunch(static_cast<cudaGraphExec_t>(work), stream_->compute);
    return e == cudaSuccess ? status::ok : failed(e);
}

cuda_runtime::~cuda_runtime() {
    const on_device scope(options.device_id);
    for (auto& s : idle_) {
        (void)cudaStreamSynchronize(s->compute);
        s->dnn.reset();
        for (void* p : s->workspaces) arena->release(p);
        if (s->faults) (void)cudaFreeHost(s->faults);
        if (s->reached) (void)cudaEventDestroy(s->reached);
        if (s->copies) (void)cudaStreamDestroy(s->copies);
        if (s->owns_compute) (void)cudaStreamDestroy(s->compute);
    }
    lt_.reset();
    (void)cudaGetLastError();
}
result<std::unique_ptr<device_queue>> cuda_runtime::make_queue() {
    std::unique_ptr<cuda_stream> s;
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            s = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    if (!s) {
        s = std::make_unique<cuda_stream>();
        const on_device scope(options.device_id);
        cudaError_t e = scope.failed();
        void* word = nullptr;
        if (options.user_compute_stream)
            s->compute = reinterpret_cast<cudaStream_t>(options.user_compute_stream);
        else if (e == cudaSuccess)
            s->owns_compute = (e = cudaStreamCreateWithFlags(&s->compute, cudaStreamNonBlocking)) == cudaSuccess;
        if (e == cudaSuccess && !options.do_copy_in_default_stream)
            e = cudaStreamCreateWithFlags(&s->copies, cudaStreamNonBlocking);
        if (e == cudaSuccess) e = cudaEventCreateWithFlags(&s->reached, cudaEventDisableTiming);
        if (e == cudaSuccess) e = cudaHostAlloc(&word, sizeof(unsigned), cudaHostAllocMapped | cudaHostAllocPortable);
        if (word) {
            s->faults = static_cast<unsigned*>(word);
            *s->faults = 0;
        }
        if (e != cudaSuccess) {
            take_back(std::move(s));
            (void)cudaGetLastError();
            return unavailable(std::string("no stream could be made: ") + cudaGetErrorString(e));
        }
    }
    return std::unique_ptr<device_queue>(std::make_unique<cuda_queue>(shared_from_this(), std::move(s)));
}
std::unique_ptr<cuda_queue> cuda_runtime::default_queue() {
    return std::make_unique<cuda_queue>(shared_from_this(), std::make_unique<cuda_stream>());
}
void cuda_runtime::take_back(std::unique_ptr<cuda_stream> s) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(s));
}
void cuda_runtime::need_workspace(std::size_t bytes) noexcept {
    std::size_t now = workspace_;
    while (now < bytes && !workspace_.compare_exchange_weak(now, bytes)) {
    }
}

result<std::shared_ptr<device_session>> open_runtime(const cuda& options, const std::string& described,
                                                     std::shared_ptr<const plan_cache> cache) {
    const on_device scope(options.device_id);
    const cudaError_t e = scope.failed();
    const bool code = e == cudaSuccess && has_code_for_device();
    (void)cudaGetLastError();
    if (e != cudaSuccess)
        return unavailable(std::string("device ") + std::to_string(options.device_id) +
                           " cannot be used: " + cudaGetErrorString(e));
    if (!code) return unavailable(described + ", for which this program has no code");
    return std::shared_ptr<device_session>(std::make_shared<cuda_runtime>(
        options,
        std::make_shared<cuda_arena>(std::make_unique<driver_regions>(options.device_id), options.gpu_mem_limit,
                                     options.arena_extend_strategy),
        std::move(cache)));
}
}  // namespace v1
}  // namespace inlay
