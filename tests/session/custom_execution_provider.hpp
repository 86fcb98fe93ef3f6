// A provider written as ONNX Runtime's documents have it: Conv and the Relu after it as one fused sub-graph, other
// nodes by kernels from its registry.
#pragma once
#include <inlay/inlay.hpp>
#include <inlay/ort_provider.hpp>
#include <algorithm>
#include <atomic>

namespace onnxruntime = inlay::ort;

namespace custom_ep {
using namespace onnxruntime;
inline constexpr const char* kCustomExecutionProvider = "CustomExecutionProvider";
inline std::atomic<int> computed{0}, compiled{0}, states{0};

class Relu final : public OpKernel {
  public:
    explicit Relu(const OpKernelInfo& info) : OpKernel(info) {}
    Status Compute(OpKernelContext* context) const override {
        ++computed;
        const Tensor* x = context->Input<Tensor>(0);
        Tensor* y = context->Output(0, x->Shape());
        std::ranges::transform(x->DataAsSpan<float>(), y->MutableData<float>(), [](float v) { return v > 0 ? v : 0; });
        return Status::OK();
    }
};
template <class F> class Binary final : public OpKernel {
  public:
    explicit Binary(const OpKernelInfo& info) : OpKernel(info) {}
    Status Compute(OpKernelContext* context) const override {
        ++computed;
        const auto &a = context->RequiredInput<Tensor>(0), &b = context->RequiredInput<Tensor>(1);
        ORT_RETURN_IF_NOT(a.Shape() == b.Shape(), "it does not broadcast ", b.Shape(), " to ", a.Shape());
        Tensor* y = context->Output(0, a.Shape());
        std::ranges::transform(a.DataAsSpan<float>(), b.DataAsSpan<float>(), y->MutableData<float>(), F());
        return Status::OK();
    }
};

// What Compile() knows of a convolution of one channel without padding, and the Relu after it.
struct ConvRelu {
    std::vector<float> weights;
    std::int64_t rows = 0, columns = 0;

    Status Compute(OrtKernelContext* context) const {
        const Ort::KernelContext c(context);
        const auto x = c.GetInput(0);
        const std::vector<std::int64_t> from = x.GetTensorTypeAndShapeInfo().GetShape();
        const std::vector<std::int64_t> to{from[0], 1, from[2] - rows + 1, from[3] - columns + 1};
        const float* in = x.GetTensorData<float>();
        float* out = c.GetOutput(0, to).GetTensorMutableData<float>();
        for (std::int64_t n = 0; n < to[0]; ++n)
            for (std::int64_t i = 0; i < to[2]; ++i)
                for (std::int64_t j = 0; j < to[3]; ++j) {
                    float sum = 0;
                    for (std::int64_t k = 0; k < rows * columns; ++k)
                        sum += weights[size_t(k)] * in[(n * from[2] + i + k / columns) * from[3] + j + k % columns];
                    *out++ = std::max(sum, 0.f);
                }
        return Status::OK();
    }
};

class CustomExecutionProvider : public onnxruntime::IExecutionProvider {
  public:
    explicit CustomExecutionProvider(OrtDevice device)
        : onnxruntime::IExecutionProvider(kCustomExecutionProvider, device) {}

    std::vector<std::unique_ptr<onnxruntime::ComputeCapability>> GetCapability(
        const onnxruntime::GraphViewer& graph_viewer, const IKernelLookup& kernel_lookup) const override {
        std::vector<std::unique_ptr<onnxruntime::ComputeCapability>> result;
        for (onnxruntime::NodeIndex index : graph_viewer.GetNodesInTopologicalOrder()) {
            const onnxruntime::Node& node = *graph_viewer.GetNode(index);
            auto sub_graph = std::make_unique<onnxruntime::IndexedSubGraph>();
            sub_graph->nodes.push_back(index);
            if (IsPlainConv(graph_viewer, node)) {
                const onnxruntime::Node& relu = *node.OutputNodesBegin();
                sub_graph->nodes.push_back(relu.Index());
                auto meta_def = std::make_unique<onnxruntime::IndexedSubGraph::MetaDef>();
                meta_def->name = "ConvRelu";
                meta_def->domain = kMSDomain;
                meta_def->since_version = 1;
                meta_def->inputs = {node.InputDefs()[0]->Name(), node.InputDefs()[1]->Name()};
                meta_def->outputs = {relu.OutputDefs()[0]->Name()};
                sub_graph->SetMetaDef(std::move(meta_def));
            } else if (!kernel_lookup.LookUpKernel(node) || !HasOneShape(node)) {
                continue;
            }
            result.push_back(std::make_unique<onnxruntime::ComputeCapability>(std::move(sub_graph)));
        }
        return result;
    }

    onnxruntime::common::Status Compile(const std::vector<FusedNodeAndGraph>& fused_nodes,
                                        std::vector<onnxruntime::NodeComputeInfo>& node_compute_funcs) override {
        for (const FusedNodeAndGraph& fused : fused_nodes) {
            ++compiled;
            const onnxruntime::Node& node = fused.fused_node;
            const onnxruntime::TensorProto* weights = nullptr;
            ORT_RETURN_IF_NOT(fused.filtered_graph.get().GetInitializedTensor(node.InputDefs()[1]->Name(), weights),
                              "the weights are no initialiser");
            ConvRelu conv;
            conv.rows = weights->dims(2);
            conv.columns = weights->dims(3);
            conv.weights.resize(size_t(conv.rows * conv.columns));
            std::memcpy(conv.weights.data(), weights->raw_data().data(), weights->raw_data().size());
            onnxruntime::NodeComputeInfo info;
            info.create_state_func = [conv](ComputeContext*, FunctionState* state) {
                ++states;
                *state = new ConvRelu(conv);
                return 0;
            };
            info.compute_func = [](FunctionState state, const OrtApi*, OrtKernelContext* context) {
                return static_cast<ConvRelu*>(state)->Compute(context);
            };
            info.release_state_func = [](FunctionState state) {
                --states;
                delete static_cast<ConvRelu*>(state);
            };
            node_compute_funcs.push_back(std::move(info));
        }
        return Status::OK();
    }

    std::shared_ptr<onnxruntime::KernelRegistry> GetKernelRegistry() const override;

  private:
    static bool IsPlainConv(const onnxruntime::GraphViewer& graph, const onnxruntime::Node& node) {
        if (node.OpType() != "Conv" || node.GetOutputEdgesCount() != 1 || node.InputDefs().size() != 2) return false;
        const std::string& weights = node.InputDefs()[1]->Name();
        if (!graph.IsConstantInitializer(weights) || node.InputDefs()[1]->Shape()->dim(0).dim_value() != 1 ||
            node.InputDefs()[1]->Shape()->dim(1).dim_value() != 1 || node.InputDefs()[1]->Shape()->dim_size() != 4)
            return false;
        for (const auto& [name, attribute] : node.GetAttributes())
            if (name != "kernel_shape") return false;
        return node.OutputNodesBegin()->OpType() == "Relu" &&
               graph.GetOutputs()[0]->Name() != node.OutputDefs()[0]->Name();
    }
    static bool HasOneShape(const onnxruntime::Node& node) {
        const TensorShapeProto& y = *node.OutputDefs()[0]->Shape();
        for (const onnxruntime::NodeArg* x : node.InputDefs()) {
            if (x->Shape()->dim_size() != y.dim_size()) return false;
            for (int k = 0; k < y.dim_size(); ++k)
                if (x->Shape()->dim(k).dim_value() != y.dim(k).dim_value()) return false;
        }
        return true;
    }
};
}  // namespace custom_ep

namespace inlay::ort {  // where the documents write `namespace onnxruntime`
inline constexpr const char* kCustomExecutionProvider = custom_ep::kCustomExecutionProvider;
ONNX_OPERATOR_VERSIONED_KERNEL_EX(Relu, kOnnxDomain, 6, 14, kCustomExecutionProvider,
                                  KernelDefBuilder().TypeConstraint("T", DataTypeImpl::GetTensorType<float>()),
                                  custom_ep::Relu);
ONNX_OPERATOR_VERSIONED_TYPED_KERNEL_EX(Add, kOnnxDomain, 7, 14, float, kCustomExecutionProvider,
                                        KernelDefBuilder().TypeConstraint("T", DataTypeImpl::GetTensorType<float>()),
                                        custom_ep::Binary<std::plus<>>);
ONNX_OPERATOR_TYPED_KERNEL_EX(Mul, kOnnxDomain, 14, float, kCustomExecutionProvider,
                              KernelDefBuilder().TypeConstraint("T", DataTypeImpl::GetTensorType<float>()),
                              custom_ep::Binary<std::multiplies<>>);
}  // namespace inlay::ort

inline std::shared_ptr<inlay::ort::KernelRegistry> custom_ep::CustomExecutionProvider::GetKernelRegistry() const {
    static const auto registry = [] {
        using namespace inlay::ort;
        const BuildKernelCreateInfoFn creators[] = {
            BuildKernelCreateInfo<ONNX_OPERATOR_VERSIONED_KERNEL_CLASS_NAME(kCustomExecutionProvider, kOnnxDomain, 6,
                                                                            14, Relu)>,
            BuildKernelCreateInfo<ONNX_OPERATOR_VERSIONED_TYPED_KERNEL_CLASS_NAME(kCustomExecutionProvider, kOnnxDomain,
                                                                                  7, 14, float, Add)>,
            BuildKernelCreateInfo<ONNX_OPERATOR_TYPED_KERNEL_CLASS_NAME(kCustomExecutionProvider, kOnnxDomain, 14,
                                                                        float, Mul)>};
        auto registry = std::make_shared<KernelRegistry>();
        for (const auto build : creators) ORT_THROW_IF_ERROR(registry->Register(build()));
        return registry;
    }();
    return registry;
}
namespace custom_ep {
using custom = inlay::ort::provider_of<CustomExecutionProvider, "CustomExecutionProvider">;
}
