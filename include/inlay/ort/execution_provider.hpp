// The documents' execution provider: which nodes it supports, its kernels, and functions of what it compiles.
#pragma once
#include "kernel.hpp"

namespace inlay {
inline namespace v1 {
namespace ort {
enum class OperatorStatus { EXPERIMENTAL, STABLE };
struct IndexedSubGraph {
    struct MetaDef {
        std::string name, domain;
        int since_version = 1;
        OperatorStatus status = OperatorStatus::EXPERIMENTAL;
        std::vector<std::string> inputs, outputs;  // of the fused node; constants may be among the inputs
        std::vector<std::string> constant_initializers;
        NodeAttributes attributes;
        std::string doc_string;
    };
    std::vector<NodeIndex> nodes;

    void SetMetaDef(std::unique_ptr<MetaDef>&& meta_def) { meta_def_ = std::move(meta_def); }
    const MetaDef* GetMetaDef() const { return meta_def_.get(); }
    MetaDef* GetMutableMetaDef() { return meta_def_.get(); }

  private:
    std::unique_ptr<MetaDef> meta_def_;
};
struct ComputeCapability {
    std::unique_ptr<IndexedSubGraph> sub_graph;
    ComputeCapability() = default;
    explicit ComputeCapability(std::unique_ptr<IndexedSubGraph> g) : sub_graph(std::move(g)) {}
};

// What a compiled function is called with: opaque in the documents' C API, wrapped by Ort::KernelContext.
using OrtKernelContext = OpKernelContext;
struct OrtApi {};
using FunctionState = void*;
using AllocatorHandle = void*;
struct ComputeContext {
    void* (*allocate_func)(AllocatorHandle, size_t alignment, size_t bytes);
    void (*release_func)(AllocatorHandle, void*);
    AllocatorHandle allocator_handle;
    const char* node_name;  // of the fused node
};
struct NodeComputeInfo {
    std::function<int(ComputeContext*, FunctionState*)> create_state_func;  // not 0: it failed
    std::function<Status(FunctionState, const OrtApi*, OrtKernelContext*)> compute_func;
    std::function<void(FunctionState)> release_state_func;
};

class IExecutionProvider {
    const std::string type_;

  protected:
    OrtDevice default_device_;
    explicit IExecutionProvider(const std::string& type, OrtDevice device = OrtDevice())
        : type_(type), default_device_(device) {}

  public:
    IExecutionProvider(const IExecutionProvider&) = delete;
    virtual ~IExecutionProvider() = default;

    class IKernelLookup {
      public:
        // Null: the provider's registry has no kernel for the node, or another provider has the node.
        virtual const KernelCreateInfo* LookUpKernel(const Node& node) const = 0;

      protected:
        ~IKernelLookup() = default;
    };
    struct FusedNodeAndGraph {
        const std::reference_wrapper<Node> fused_node;
        const std::reference_wrapper<GraphViewer> filtered_graph;  // gone after Compile()
    };

    // Sub-graphs that it claims: several nodes, or one, with a MetaDef, which it compiles; one without, which it has a
    // kernel for. Of those that overlap the first is assigned.
    virtual std::vector<std::unique_ptr<ComputeCapability>> GetCapability(const GraphViewer& graph,
                                                                          const IKernelLookup& lookup) const {
        std::vector<std::unique_ptr<ComputeCapability>> capabilities;
        for (const Node& node : graph.Nodes())
            if (lookup.LookUpKernel(node)) {
                capabilities.push_back(std::make_unique<ComputeCapability>(std::make_unique<IndexedSubGraph>()));
                capabilities.back()->sub_graph->nodes = {node.Index()};
            }
        return capabilities;
    }
    virtual std::shared_ptr<KernelRegistry> GetKernelRegistry() const { return nullptr; }
    // Null: it works on the host's memory.
    virtual std::unique_ptr<IDataTransfer> GetDataTransfer() const { return nullptr; }
    virtual std::vector<AllocatorPtr> CreatePreferredAllocators() { return {}; }
    // Called with one sub-graph at a time, for each set of input shapes.
    virtual Status Compile(const std::vector<FusedNodeAndGraph>&, std::vector<NodeComputeInfo>&) {
        return Status(common::ONNXRUNTIME, common::NOT_IMPLEMENTED, type_ + " does not compile sub-graphs");
    }
    // Waits for all queued work: called after each call, where it has memory of its own.
    virtual Status Sync() const { return Status::OK(); }
    // false: calls come one at a time.
    virtual bool ConcurrentRunSupported() const { return true; }
    virtual int GetDeviceId() const { return default_device_.Id(); }
    const OrtDevice& GetDevice() const { return default_device_; }
    const std::string& Type() const { return type_; }
};

// The documents' C++ API, as far as compiled functions read their arguments with it; the program's classes are ::Ort's.
namespace Ort {
class TensorTypeAndShapeInfo {
    const Tensor& tensor_;

  public:
    explicit TensorTypeAndShapeInfo(const Tensor& tensor) : tensor_(tensor) {}
    std::vector<std::int64_t> GetShape() const {
        return {tensor_.Shape().GetDims().begin(), tensor_.Shape().GetDims().end()};
    }
    size_t GetElementCount() const { return size_t(tensor_.Shape().Size()); }
    std::int32_t GetElementType() const { return tensor_.GetElementType(); }
};
class ConstValue {
    const Tensor* tensor_;

  public:
    explicit ConstValue(const Tensor* tensor) : tensor_(tensor) {}
    explicit operator bool() const { return tensor_ != nullptr; }
    TensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const { return TensorTypeAndShapeInfo(*tensor_); }
    template <class T> const T* GetTensorData() const { return tensor_->Data<T>(); }
    const void* GetTensorRawData() const { return tensor_->DataRaw(); }
};
class UnownedValue {
    Tensor* tensor_;

  public:
    explicit UnownedValue(Tensor* tensor) : tensor_(tensor) {}
    explicit operator bool() const { return tensor_ != nullptr; }
    TensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const { return TensorTypeAndShapeInfo(*tensor_); }
    template <class T> T* GetTensorMutableData() const { return tensor_->MutableData<T>(); }
    void* GetTensorMutableRawData() const { return tensor_->MutableDataRaw(); }
};
class KernelContext {
    OrtKernelContext* context_;

  public:
    explicit KernelContext(OrtKernelContext* context) : context_(context) {}
    size_t GetInputCount() const { return size_t(context_->InputCount()); }
    size_t GetOutputCount() const { return size_t(context_->OutputCount()); }
    ConstValue GetInput(size_t k) const { return ConstValue(context_->Input<Tensor>(int(k))); }
    UnownedValue GetOutput(size_t k, const std::int64_t* dims, size_t count) const {
        return UnownedValue(context_->Output(int(k), TensorShape(dims, count)));
    }
    UnownedValue GetOutput(size_t k, const std::vector<std::int64_t>& dims) const {
        return GetOutput(k, dims.data(), dims.size());
    }
};
}  // namespace Ort
}  // namespace ort
}  // namespace v1
}  // namespace inlay
