// A source with both interfaces: programs over sessions, and providers as ONNX Runtime's documents have it.
#include "programs.hpp"
#include <inlay/ort_provider.hpp>

namespace inlay::ort {
// Within the namespace of the documents' classes, Ort:: is what compiled functions read their arguments with, and ::Ort
// has the program's classes.
static std::size_t inputs_of(OrtKernelContext* context) { return Ort::KernelContext(context).GetInputCount(); }
static ::Ort::MemoryInfo host() { return ::Ort::MemoryInfo::CreateCpu(::OrtArenaAllocator, ::OrtMemTypeDefault); }
}  // namespace inlay::ort

TEST_CASE("Both interfaces of ONNX Runtime stand in one source", "[ort]") {
    inlay::ort::OpKernelContext context(std::vector<std::optional<inlay::ort::Tensor>>(2), {});
    CHECK(inlay::ort::inputs_of(&context) == 2);
    CHECK(inlay::ort::host().GetAllocatorName() == "Cpu");
}
