// One session on one GPU: its options, memory and streams. What kernels need of it, they ask of the queue whose work
// the thread does; a thread that runs a session on several GPUs has entered a queue of each.
#pragma once
#include "arena.hpp"
#include <cuda_runtime_api.h>

struct cublasLtContext;  // what the handles of the libraries point to
struct cudnnContext;

namespace inlay {
inline namespace v1 {
class cuda_runtime;
class plan_cache;
struct cuda_stream {                                   // kept between runs
    cudaStream_t compute = nullptr, copies = nullptr;  // copies: null where they go with the rest
    cudaEvent_t reached = nullptr;
    bool owns_compute = false;  // not the user's
    unsigned* faults = nullptr;
    std::shared_ptr<cudnnContext> dnn;
    std::vector<void*> workspaces;  // the last is the largest; what was recorded may still use the others
    std::size_t workspace_bytes = 0;
};
class cuda_queue final : public device_queue {
  public:
    cuda_queue(std::shared_ptr<cuda_runtime> r, std::unique_ptr<cuda_stream> s)
        : runtime_(std::move(r)), stream_(std::move(s)) {}
    ~cuda_queue() override;
    void* stream() const noexcept override { return stream_->compute; }
    unsigned* faults() const noexcept override { return stream_->faults; }
    status enter() noexcept override;
    void leave() noexcept override;
    void select() noexcept override;
    status wait() noexcept override;
    bool follow(device_queue& earlier) noexcept override;  // of any GPU
    std::string_view why() const noexcept override { return reason_; }
    bool begin_recording() noexcept override;
    std::shared_ptr<void> end_recording() noexcept override;
    status replay(void*) noexcept override;

    cuda_runtime& runtime() const noexcept { return *runtime_; }
    int device() const noexcept;
    const space& memory() const noexcept { return space_on<memory::cuda>(device()); }
    cuda_queue* outer() const noexcept { return outer_; }               // that the thread had entered before
    bool copy(void* to, const void* from, std::size_t bytes) noexcept;  // in the order of the stream
    cudnnContext* dnn() noexcept;                                       // null: it cannot be used
    void* workspace() const noexcept { return stream_->workspaces.empty() ? nullptr : stream_->workspaces.back(); }
    std::size_t workspace_bytes() const noexcept { return stream_->workspace_bytes; }
    bool widen_workspace() noexcept;  // to what the session's plans need
  private:
    std::shared_ptr<cuda_runtime> runtime_;
    std::unique_ptr<cuda_stream> stream_;
    cuda_queue *outer_ = nullptr, *selected_before_ = nullptr;
    int device_before_ = 0;
    std::string_view reason_;
    status failed(cudaError_t) noexcept;
};
class cuda_runtime final : public device_session, public std::enable_shared_from_this<cuda_runtime> {
  public:
    const cuda options;
    const std::shared_ptr<cuda_arena> arena;
    const std::shared_ptr<const plan_cache> cache;  // null: plans are not kept
    struct {
        std::mutex mutex;
        std::vector<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>> plans;
    } convolutions, attentions;  // by shape, as find_plan() keeps them

    cuda_runtime(const cuda& o, std::shared_ptr<cuda_arena> a, std::shared_ptr<const plan_cache> c)
        : options(o), arena(std::move(a)), cache(std::move(c)) {}
    ~cuda_runtime() override;
    result<std::unique_ptr<device_queue>> make_queue() override;
    bool records() const noexcept override;
    cublasLtContext* lt() noexcept;                   // null: it cannot be used
    void need_workspace(std::size_t bytes) noexcept;  // of some plan
    std::size_t workspace_bytes() const noexcept { return workspace_; }
    void take_back(std::unique_ptr<cuda_stream>) noexcept;
    std::unique_ptr<cuda_queue> default_queue();  // on the legacy default stream
  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<cuda_stream>> idle_;
    std::shared_ptr<cublasLtContext> lt_;
    std::atomic<std::size_t> workspace_{0};
};
inline int cuda_queue::device() const noexcept { return runtime_->options.device_id; }
class on_device {  // while it lives, the thread's calls of CUDA are for this device
    int before_ = 0, device_;
    cudaError_t failed_;

  public:
    explicit on_device(int device) noexcept : device_(device), failed_(cudaGetDevice(&before_)) {
        if (failed_ == cudaSuccess) failed_ = cudaSetDevice(device);
    }
    on_device(const on_device&) = delete;
    on_device& operator=(const on_device&) = delete;
    ~on_device() {
        if (before_ != device_) (void)cudaSetDevice(before_);
    }
    cudaError_t failed() const noexcept { return failed_; }
};
cuda_queue* current_queue() noexcept;  // of the session whose work the thread does, else the default stream of device
                                       // 0; null where CUDA cannot be used
cuda_queue* queue_on(int device) noexcept;  // that the thread has entered, else the default stream of that device; null
                                            // where it cannot be used
status status_of(cudaError_t) noexcept;
error unavailable(std::string reason);
// For options that were checked: what describes the device, in words, where the program has no code for it.
result<std::shared_ptr<device_session>> open_runtime(const cuda& options, const std::string& described,
                                                     std::shared_ptr<const plan_cache> cache);
bool has_code_for_device() noexcept;  // of the current device; finish.cu
}  // namespace v1
}  // namespace inlay
