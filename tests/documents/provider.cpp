// The execution provider of ONNX Runtime's documents, word for word, in a session. documents/provider.hpp and
// documents/interface.hpp are taken out of them by extract.py when this is built.
#include "../models.hpp"
#include <inlay/inlay.hpp>
#include <inlay/ort_provider.hpp>
using namespace inlay::testing;

#pragma GCC diagnostic ignored "-Wreturn-type"  // the documents leave the body of GetCapability() to the reader
#pragma GCC diagnostic ignored "-Wunused-parameter"
namespace interface {
using inlay::ort::ComputeCapability;
using inlay::ort::GraphViewer;
using IKernelLookup = inlay::ort::IExecutionProvider::IKernelLookup;
#include <documents/interface.hpp>
}  // namespace interface

namespace documents {
using namespace inlay::ort;  // where the documents write `namespace onnxruntime`

// What the documents' class names and does not show.
struct transfer final : IDataTransfer {
    static inline int copies = 0;
    bool CanCopy(const OrtDevice&, const OrtDevice&) const override { return true; }
    Status CopyTensor(const Tensor& from, Tensor& to) const override {
        ++copies;
        std::memcpy(to.MutableDataRaw(), from.DataRaw(), from.SizeInBytes());
        return Status::OK();
    }
};
using CustomDataTransfer = transfer;
struct relu final : OpKernel {
    using OpKernel::OpKernel;
    Status Compute(OpKernelContext* context) const override {
        const Tensor& x = context->RequiredInput<Tensor>(0);
        float* y = context->RequiredOutput(0, x.Shape()).MutableData<float>();
        for (const float v : x.DataAsSpan<float>()) *y++ = v > 0 ? v : 0;
        return Status::OK();
    }
};
static const std::shared_ptr<KernelRegistry> kernel_registry_ = [] {
    auto registry = std::make_shared<KernelRegistry>();
    ORT_THROW_IF_ERROR(
        registry->Register(KernelDefBuilder().SetName("Relu").SinceVersion(14).Provider("CustomExecutionProvider"),
                           [](FuncManager&, const OpKernelInfo& info, std::unique_ptr<OpKernel>& kernel) {
                               kernel = std::make_unique<relu>(info);
                               return Status::OK();
                           }));
    return registry;
}();
#include <documents/provider.hpp>

struct host_allocator final : IAllocator {
    using IAllocator::IAllocator;
    void* Alloc(std::size_t bytes) override { return std::malloc(bytes); }
    void Free(void* p) override { std::free(p); }
};
// With what a user adds to it: the capability, and memory to copy to.
struct completed final : CustomExecutionProvider {
    using CustomExecutionProvider::CustomExecutionProvider;
    std::vector<std::unique_ptr<ComputeCapability>> GetCapability(const GraphViewer& graph,
                                                                  const IKernelLookup& lookup) const override {
        return IExecutionProvider::GetCapability(graph, lookup);
    }
    std::vector<AllocatorPtr> CreatePreferredAllocators() override {
        return {std::make_shared<host_allocator>(OrtMemoryInfo("Custom", OrtDeviceAllocator, GetDevice()))};
    }
};
}  // namespace documents

TEST_CASE("The documents' execution provider is made from its name and a device, and runs what it has kernels for",
          "[documents]") {
    using custom = inlay::ort::provider_of<documents::completed, "CustomExecutionProvider",
                                           inlay::ort::device_memory<"documents">>;
    const inlay::session session{model_of("g (float[3] x) => (float[3] y) { a = Relu(x) y = Neg(a) }"),
                                 custom{.device_id = 2}, inlay::cpu{}};
    const inlay::tensor x({3}, {-1.f, 2.f, 3.f});
    CHECK(floats(session.run({{"x", x}})[0]) == std::vector<float>{0, -2, -3});
    CHECK(line_of(session.plan(), "Relu").provider == "CustomExecutionProvider");
    CHECK(documents::transfer::copies > 0);
}
