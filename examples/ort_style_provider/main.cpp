// A provider written as ONNX Runtime's documents have it: Conv and the Relu after it as one fused node, and a kernel
// for the remaining Relu. docs/how-to/ort-style-provider.md says how each of these is implemented.
#include <inlay/inlay.hpp>
#include <inlay/ort_provider.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

// >>> ort-style-provider
namespace onnxruntime = inlay::ort;  // the only line that the documents do not have
using namespace onnxruntime;
// <<<

// 1. A kernel, and the registry that has it.
class Relu final : public OpKernel {
  public:
    explicit Relu(const OpKernelInfo& info) : OpKernel(info) {}
    Status Compute(OpKernelContext* context) const override {
        const Tensor* x = context->Input<Tensor>(0);
        Tensor* y = context->Output(0, x->Shape());
        std::ranges::transform(x->DataAsSpan<float>(), y->MutableData<float>(), [](float v) { return v > 0 ? v : 0; });
        return Status::OK();
    }
};
constexpr const char* kCustomExecutionProvider = "CustomExecutionProvider";
ONNX_OPERATOR_KERNEL_EX(Relu, kOnnxDomain, 14, kCustomExecutionProvider,
                        KernelDefBuilder().TypeConstraint("T", DataTypeImpl::GetTensorType<float>()), Relu)

// 2. The compiled form of a Conv and its Relu.
struct ConvRelu {
    std::int64_t pad = 0;

    Status Compute(OrtKernelContext* context) const {
        const Ort::KernelContext c(context);
        const auto x = c.GetInput(0).GetTensorTypeAndShapeInfo().GetShape();
        const auto w = c.GetInput(1).GetTensorTypeAndShapeInfo().GetShape();
        const float *in = c.GetInput(0).GetTensorData<float>(), *weights = c.GetInput(1).GetTensorData<float>();
        const float* bias = c.GetInput(2).GetTensorData<float>();
        const std::int64_t height = x[2] + 2 * pad - w[2] + 1, width = x[3] + 2 * pad - w[3] + 1;
        float* out = c.GetOutput(0, {x[0], w[0], height, width}).GetTensorMutableData<float>();
        for (std::int64_t m = 0; m < x[0] * w[0]; ++m)
            for (std::int64_t i = 0; i < height; ++i)
                for (std::int64_t j = 0; j < width; ++j) {
                    const std::int64_t image = m / w[0] * x[1], filter = m % w[0];
                    *out++ = std::max(bias[filter] + Sum(in + image * x[2] * x[3], x,
                                                         weights + filter * w[1] * w[2] * w[3], w, i - pad, j - pad),
                                      0.f);
                }
        return Status::OK();
    }

  private:
    static float Sum(const float* in, const std::vector<std::int64_t>& x, const float* weights,
                     const std::vector<std::int64_t>& w, std::int64_t top, std::int64_t left) {
        float sum = 0;
        for (std::int64_t k = 0; k < w[1] * w[2] * w[3]; ++k) {
            const std::int64_t row = top + k / w[3] % w[2], column = left + k % w[3];
            if (row < 0 || row >= x[2] || column < 0 || column >= x[3]) continue;
            sum += weights[k] * in[(k / (w[2] * w[3]) * x[2] + row) * x[3] + column];
        }
        return sum;
    }
};

// 3. The provider.
class CustomExecutionProvider : public onnxruntime::IExecutionProvider {
  public:
    explicit CustomExecutionProvider(OrtDevice device)
        : onnxruntime::IExecutionProvider(kCustomExecutionProvider, device) {}

    std::vector<std::unique_ptr<ComputeCapability>> GetCapability(const onnxruntime::GraphViewer& graph,
                                                                  const IKernelLookup& lookup) const override {
        std::vector<std::unique_ptr<ComputeCapability>> result;
        for (const Node& node : graph.Nodes()) {
            auto sub_graph = std::make_unique<IndexedSubGraph>();
            sub_graph->nodes.push_back(node.Index());
            if (node.OpType() == "Conv" && node.GetOutputEdgesCount() == 1 &&
                node.OutputNodesBegin()->OpType() == "Relu") {
                const Node& relu = *node.OutputNodesBegin();
                sub_graph->nodes.push_back(relu.Index());
                auto meta_def = std::make_unique<IndexedSubGraph::MetaDef>();
                meta_def->name = "ConvRelu";
                meta_def->domain = kMSDomain;
                for (const NodeArg* input : node.InputDefs()) meta_def->inputs.push_back(input->Name());
                meta_def->outputs.push_back(relu.OutputDefs()[0]->Name());
                sub_graph->SetMetaDef(std::move(meta_def));
            } else if (!lookup.LookUpKernel(node)) {
                continue;
            }
            result.push_back(std::make_unique<ComputeCapability>(std::move(sub_graph)));
        }
        return result;
    }
    Status Compile(const std::vector<FusedNodeAndGraph>& nodes, std::vector<NodeComputeInfo>& functions) override {
        for (const FusedNodeAndGraph& fused : nodes) {
            ConvRelu conv;
            for (const Node& node : fused.filtered_graph.get().Nodes())
                if (const auto pads = node.GetAttributes().find("pads"); pads != node.GetAttributes().end())
                    conv.pad = pads->second.ints(0);
            NodeComputeInfo info;
            info.create_state_func = [conv](ComputeContext*, FunctionState* state) {
                *state = new ConvRelu(conv);
                return 0;
            };
            info.compute_func = [](FunctionState state, const OrtApi*, OrtKernelContext* context) {
                return static_cast<ConvRelu*>(state)->Compute(context);
            };
            info.release_state_func = [](FunctionState state) { delete static_cast<ConvRelu*>(state); };
            functions.push_back(std::move(info));
        }
        return Status::OK();
    }
    std::shared_ptr<KernelRegistry> GetKernelRegistry() const override {
        auto registry = std::make_shared<KernelRegistry>();
        ORT_THROW_IF_ERROR(registry->Register(
            BuildKernelCreateInfo<ONNX_OPERATOR_KERNEL_CLASS_NAME(kCustomExecutionProvider, kOnnxDomain, 14, Relu)>()));
        return registry;
    }
};

// 4. In a session's list, like any other provider.
// >>> ort-style-provider
using custom = provider_of<CustomExecutionProvider, "CustomExecutionProvider">;
// <<<
// <<<

int main(int count, char** words) {
    const inlay::model model{count > 1 ? words[1] : INLAY_EXAMPLE_DIR "/../digits/digits.onnx"};
    // >>> ort-style-provider
    inlay::session session{model, custom{}, inlay::cpu{.threads = 1}};
    // <<<
    inlay::session plain{model, inlay::cpu{.threads = 1}};
    inlay::tensor image(inlay::element::f32, {1, 1, 8, 8});
    for (int i = 0; i < 64; ++i) image.as<float>()[i] = float(i % 7) / 6;
    const inlay::tensor results = session.run({{"image", image}})[0], reference = plain.run({{"image", image}})[0];
    std::cout << session.plan();

    float largest = 0;
    for (std::int64_t k = 0; k < results.elements(); ++k)
        largest = std::max(largest, std::abs(results.as<float>()[k] - reference.as<float>()[k]));
    std::cout << "largest difference from the CPU's results: " << largest << '\n';
    return session.plan().count(custom::name) == 5 && largest < 1e-5f ? 0 : 1;
}
