// Adapters, the device of a session, and graphs that it compiled and runs. Nothing here knows of models.
#pragma once
#include "library.hpp"
#include "operators.hpp"
#include <array>
#include <mutex>
#include <vector>

namespace inlay {
inline namespace v1 {
struct dml_adapter {
    com_ptr<directx::IDXCoreAdapter> handle{};  // null: what Direct3D takes where none is given
    std::string name = "the default adapter";
    std::string driver{};
    std::int64_t bytes = 0;
    bool is_gpu = true;
};
// Those of hardware; in which order, and whether graphics processors and others are among them.
std::vector<dml_adapter> dml_adapters(directx::DXCoreAdapterPreference, bool gpus, bool npus);

class dml_device {
    com_ptr<directx::ID3D12Device> d3d_;
    com_ptr<directx::ID3D12CommandQueue> queue_;
    com_ptr<directx::IDMLDevice1> dml_;
    com_ptr<directx::IDMLCommandRecorder> recorder_;
    int level_ = 0;
    bool metacommands_;
    std::array<bool, directx::DML_TENSOR_DATA_TYPE_INT64 + 1> types_{};
    std::string name_;
    std::mutex recording_{};

  public:
    dml_device(const dml_adapter&, bool metacommands);  // throws std::runtime_error
    directx::ID3D12Device& d3d() const { return *d3d_; }
    directx::ID3D12CommandQueue& queue() const { return *queue_; }
    directx::IDMLDevice1& dml() const { return *dml_; }
    int level() const { return level_; }  // 0x5100: 5.1
    bool has(directx::DML_TENSOR_DATA_TYPE t) const { return types_[std::size_t(t)]; }
    const std::string& name() const { return name_; }
    directx::DML_EXECUTION_FLAGS flags() const {
        return metacommands_ ? directx::DML_EXECUTION_FLAG_NONE : directx::DML_EXECUTION_FLAG_DISABLE_META_COMMANDS;
    }
    void record(directx::ID3D12CommandList&, directx::IDMLDispatchable&, directx::IDMLBindingTable&);
};

// A graph as CompileGraph takes it, with the operators that it names. Its inputs are those of the region, of which some
// may be read by no node, then the constants.
struct dml_constant {
    const void* data = nullptr;
    std::size_t bytes = 0;
    std::unique_ptr<char[]> storage{};  // where `data` is
};
struct dml_graph {
    std::vector<com_ptr<directx::IDMLOperator>> nodes{};
    std::vector<directx::DML_INPUT_GRAPH_EDGE_DESC> from_inputs{};
    std::vector<directx::DML_INTERMEDIATE_GRAPH_EDGE_DESC> between{};
    std::vector<directx::DML_OUTPUT_GRAPH_EDGE_DESC> to_outputs{};
    std::vector<std::size_t> input_bytes{}, output_bytes{};
    std::vector<dml_constant> constants{};
    bool reads(std::size_t input) const;
};

// Memory of the device, or of the host where the device reads and writes it.
struct dml_buffer {
    com_ptr<directx::ID3D12Resource> resource{};
    char* mapped = nullptr;
    std::size_t bytes = 0;
};
// Parts of one buffer: where each is.
struct dml_places {
    std::vector<std::size_t> at{}, bytes{};
    std::size_t total = 0;
    void add(std::size_t);
};

class dml_program {
    dml_device& device_;
    com_ptr<directx::IDMLCompiledOperator> compiled_;
    directx::DML_BINDING_PROPERTIES needs_{};
    dml_buffer persistent_{};
    dml_places inputs_{}, outputs_{};
    std::vector<char> input_is_read_{};  // of each input, whether a node reads it
    std::size_t constants_ = 0;

    void initialize(const dml_graph&);
    friend class dml_run;

  public:
    dml_program(dml_device&, const dml_graph&);  // throws std::runtime_error
};
// What one run at a time has: memory for its arguments, and commands that are recorded once.
class dml_run {
    const dml_program& program_;
    dml_buffer upload_, in_, out_, readback_, temporary_;
    com_ptr<directx::ID3D12DescriptorHeap> heap_{};
    com_ptr<directx::IDMLBindingTable> table_{};
    com_ptr<directx::ID3D12CommandAllocator> allocator_{};
    com_ptr<directx::ID3D12GraphicsCommandList> list_{};
    com_ptr<directx::ID3D12Fence> fence_{};
    directx::UINT64 runs_ = 0;

    void bind();

  public:
    explicit dml_run(const dml_program&);
    void* input(std::size_t k) const { return upload_.mapped + program_.inputs_.at[k]; }
    const void* output(std::size_t k) const { return readback_.mapped + program_.outputs_.at[k]; }
    void execute();  // throws std::runtime_error
};
}  // namespace v1
}  // namespace inlay
