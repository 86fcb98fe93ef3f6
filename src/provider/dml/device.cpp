#include "device.hpp"
#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace inlay {
inline namespace v1 {
namespace {
using namespace directx;

template <class T> T property(IDXCoreAdapter& a, DXCoreAdapterProperty key, T otherwise) {
    T value{};
    return a.IsPropertySupported(key) && a.GetProperty(key, sizeof value, &value) >= 0 ? value : otherwise;
}
dml_adapter described(com_ptr<IDXCoreAdapter> a) {
    dml_adapter d;
    std::size_t bytes = 0;
    if (a->GetPropertySize(DXCoreAdapterProperty::DriverDescription, &bytes) >= 0 && bytes > 0 && bytes < 4096) {
        std::string text(bytes, '\0');
        if (a->GetProperty(DXCoreAdapterProperty::DriverDescription, bytes, text.data()) >= 0) d.name = text.c_str();
    }
    const auto version = property<std::uint64_t>(*a, DXCoreAdapterProperty::DriverVersion, 0);
    for (int shift : {48, 32, 16, 0}) d.driver += (shift < 48 ? "." : "") + std::to_string(version >> shift & 0xffff);
    d.bytes = std::int64_t(property<std::uint64_t>(*a, DXCoreAdapterProperty::DedicatedAdapterMemory, 0));
    d.is_gpu = a->IsAttributeSupported(DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS);
    d.handle = std::move(a);
    return d;
}

// --- memory
dml_buffer buffer_of(ID3D12Device& device, D3D12_HEAP_TYPE heap, std::size_t bytes) {
    const bool on_device = heap == D3D12_HEAP_TYPE_DEFAULT;
    const D3D12_HEAP_PROPERTIES properties{heap, 0, 0, 1, 1};
    const std::size_t size = std::max<std::size_t>(bytes, 16);
    const D3D12_RESOURCE_DESC d{1, 0, size, 1, 1, 1, 0, 1, 0, 1, on_device ? 4 : 0};
    const D3D12_RESOURCE_STATES state = on_device                        ? D3D12_RESOURCE_STATE_COMMON
                                        : heap == D3D12_HEAP_TYPE_UPLOAD ? D3D12_RESOURCE_STATE_GENERIC_READ
                                                                         : D3D12_RESOURCE_STATE_COPY_DEST;
    dml_buffer b;
    b.resource = com_made<ID3D12Resource>("memory for a buffer", [&](const GUID& id, void** p) {
        return device.CreateCommittedResource(&properties, 0, &d, state, nullptr, id, p);
    });
    b.bytes = size;
    if (on_device) return b;
    void* mapped = nullptr;
    check_hresult("memory of a buffer", b.resource->Map(0, nullptr, &mapped));
    b.mapped = static_cast<char*>(mapped);
    return b;
}
D3D12_RESOURCE_BARRIER transition(const dml_buffer& b, D3D12_RESOURCE_STATES from, D3D12_RESOURCE_STATES to) {
    return {0, 0, b.resource.get(), 0, from, to};
}
DML_BUFFER_BINDING whole(const dml_buffer& b) { return {b.resource.get(), 0, b.bytes}; }
DML_BINDING_DESC binding_of(const DML_BUFFER_BINDING& b) { return {DML_BINDING_TYPE_BUFFER, &b}; }

// --- what is recorded
struct recording {
    com_ptr<ID3D12CommandAllocator> allocator;
    com_ptr<ID3D12GraphicsCommandList> list;
    explicit recording(ID3D12Device& d)
        : allocator(com_made<ID3D12CommandAllocator>("an allocator of commands",
                                                     [&](const GUID& id, void** p) {
                                                         return d.CreateCommandAllocator(
                                                             D3D12_COMMAND_LIST_TYPE_COMPUTE, id, p);
                                                     })),
          list(com_made<ID3D12GraphicsCommandList>("a list of commands", [&](const GUID& id, void** p) {
              return d.CreateCommandList(0, D3D12_COMMAND_LIST_TYPE_COMPUTE, allocator.get(), nullptr, id, p);
          })) {}
};
com_ptr<ID3D12Fence> new_fence(ID3D12Device& d) {
    return com_made<ID3D12Fence>("a fence", [&](const GUID& id, void** p) { return d.CreateFence(0, 0, id, p); });
}
// Until the device has done the list.
void run_list(const dml_device& d, ID3D12GraphicsCommandList* list, ID3D12Fence& fence, UINT64 value) {
    ID3D12CommandList* const lists[] = {list};
    d.queue().ExecuteCommandLists(1, lists);
    check_hresult("the queue", d.queue().Signal(&fence, value));
    if (fence.GetCompletedValue() < value) check_hresult("the fence", fence.SetEventOnCompletion(value, nullptr));
    check_hresult("the device", d.d3d().GetDeviceRemovedReason());
}
com_ptr<ID3D12DescriptorHeap> heap_of(ID3D12Device& d, UINT descriptors) {
    const D3D12_DESCRIPTOR_HEAP_DESC desc{D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, std::max(descriptors, 1u),
                                          D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0};
    return com_made<ID3D12DescriptorHeap>(
        "descriptors", [&](const GUID& id, void** p) { return d.CreateDescriptorHeap(&desc, id, p); });
}
com_ptr<IDMLBindingTable> table_of(IDMLDevice1& d, IDMLDispatchable* dispatchable, ID3D12DescriptorHeap* heap,
                                   UINT count) {
    const DML_BINDING_TABLE_DESC desc{
        dispatchable,
        given<D3D12_CPU_DESCRIPTOR_HANDLE>(heap, &ID3D12DescriptorHeap::GetCPUDescriptorHandleForHeapStart),
        given<D3D12_GPU_DESCRIPTOR_HANDLE>(heap, &ID3D12DescriptorHeap::GetGPUDescriptorHandleForHeapStart),
        std::max(count, 1u)};
    return com_made<IDMLBindingTable>("a table of bindings",
                                      [&](const GUID& id, void** p) { return d.CreateBindingTable(&desc, id, p); });
}
DML_BINDING_PROPERTIES needs_of(IDMLDispatchable* d) {
    return given<DML_BINDING_PROPERTIES>(d, &IDMLDispatchable::GetBindingProperties);
}

template <class Edge> std::vector<DML_GRAPH_EDGE_DESC> edges_of(int type, const std::vector<Edge>& list) {
    std::vector<DML_GRAPH_EDGE_DESC> edges;
    for (const Edge& e : list) edges.push_back({type, &e});
    return edges;
}
com_ptr<IDMLCompiledOperator> compiled(dml_device& d, const dml_graph& g) {
    std::vector<DML_OPERATOR_GRAPH_NODE_DESC> operators;
    for (const auto& n : g.nodes) operators.push_back({n.get(), nullptr});
    std::vector<DML_GRAPH_NODE_DESC> nodes;
    for (const auto& o : operators) nodes.push_back({DML_GRAPH_NODE_TYPE_OPERATOR, &o});
    const auto in = edges_of(DML_GRAPH_EDGE_TYPE_INPUT, g.from_inputs),
               out = edges_of(DML_GRAPH_EDGE_TYPE_OUTPUT, g.to_outputs),
               between = edges_of(DML_GRAPH_EDGE_TYPE_INTERMEDIATE, g.between);
    const DML_GRAPH_DESC desc{UINT(g.input_bytes.size() + g.constants.size()),
                              UINT(g.output_bytes.size()),
                              UINT(nodes.size()),
                              nodes.data(),
                              UINT(in.size()),
                              in.data(),
                              UINT(out.size()),
                              out.data(),
                              UINT(between.size()),
                              between.data()};
    return com_made<IDMLCompiledOperator>("DirectML cannot compile the graph", [&](const GUID& id, void** p) {
        return d.dml().CompileGraph(&desc, d.flags(), id, p);
    });
}
}  // namespace

std::vector<dml_adapter> dml_adapters(DXCoreAdapterPreference order, bool gpus, bool npus) {
    std::vector<dml_adapter> adapters;
    if (!directx_libraries().create_factory) {
        if (gpus) adapters.emplace_back();
        return adapters;
    }
    const auto factory = com_made<IDXCoreAdapterFactory>("the list of adapters", directx_libraries().create_factory);
    const auto list = com_made<IDXCoreAdapterList>("the list of adapters", [&](const GUID& id, void** p) {
        return factory->CreateAdapterList(1, &DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE, id, p);
    });
    (void)list->Sort(1, &order);  // an older DXCore has it as it comes
    for (std::uint32_t k = 0; k < list->GetAdapterCount(); ++k) {
        auto a = com_made<IDXCoreAdapter>("an adapter",
                                          [&](const GUID& id, void** p) { return list->GetAdapter(k, id, p); });
        if (!property<bool>(*a, DXCoreAdapterProperty::IsHardware, true)) continue;
        dml_adapter d = described(std::move(a));
        if (d.is_gpu ? gpus : npus) adapters.push_back(std::move(d));
    }
    return adapters;
}

dml_device::dml_device(const dml_adapter& a, bool metacommands) : metacommands_(metacommands), name_(a.name) {
    const directx_functions& f = directx_libraries();
    d3d_ = com_made<ID3D12Device>("Direct3D 12 has no device", [&](const GUID& id, void** p) {
        return f.create_device(a.handle.get(), a.is_gpu ? D3D_FEATURE_LEVEL_11_0 : D3D_FEATURE_LEVEL_1_0_CORE, id, p);
    });
    const D3D12_COMMAND_QUEUE_DESC queue{D3D12_COMMAND_LIST_TYPE_COMPUTE, 0, 0, 0};
    queue_ = com_made<ID3D12CommandQueue>(
        "a queue", [&](const GUID& id, void** p) { return d3d_->CreateCommandQueue(&queue, id, p); });
    dml_ = com_made<IDMLDevice1>("DirectML has no device of feature level 5.1", [&](const GUID& id, void** p) {
        return f.create_dml(d3d_.get(), 0, DML_FEATURE_LEVEL_5_1, id, p);
    });
    recorder_ = com_made<IDMLCommandRecorder>(
        "a recorder of commands", [&](const GUID& id, void** p) { return dml_->CreateCommandRecorder(id, p); });
    for (std::size_t t = DML_TENSOR_DATA_TYPE_FLOAT32; t < types_.size(); ++t) {
        const auto type = DML_TENSOR_DATA_TYPE(t);
        BOOL supported = 0;
        types_[t] = dml_->CheckFeatureSupport(DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, sizeof type, &type,
                                              sizeof supported, &supported) >= 0 &&
                    supported;
    }
    constexpr int levels[] = {0x5100, 0x5200, 0x6000, 0x6100, 0x6200, 0x6300, DML_FEATURE_LEVEL_6_4};
    // A library that does not know one of them answers nothing: the list gets shorter until it does.
    for (UINT count = std::size(levels); count > 0 && level_ == 0; --count) {
        const DML_FEATURE_QUERY_FEATURE_LEVELS query{count, levels};
        int best = 0;
        if (dml_->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof best, &best) >= 0)
            level_ = best;
    }
}
void dml_device::record(ID3D12CommandList& list, IDMLDispatchable& dispatchable, IDMLBindingTable& table) {
    const std::lock_guard one_at_a_time(recording_);
    recorder_->RecordDispatch(&list, &dispatchable, &table);
}

bool dml_graph::reads(std::size_t input) const {
    return std::ranges::any_of(from_inputs, [&](const auto& e) { return e.GraphInputIndex == input; });
}
void dml_places::add(std::size_t size) {
    constexpr std::size_t line = 256;
    at.push_back(total);
    bytes.push_back((size + 3) / 4 * 4);  // as tensors are counted
    total += (size + line - 1) / line * line;
}

dml_program::dml_program(dml_device& d, const dml_graph& g)
    : device_(d), compiled_(compiled(d, g)), needs_(needs_of(compiled_.get())), constants_(g.constants.size()) {
    for (std::size_t k = 0; k < g.input_bytes.size(); ++k) {
        inputs_.add(g.input_bytes[k]);
        input_is_read_.push_back(g.reads(k));
    }
    for (std::size_t b : g.output_bytes) outputs_.add(b);
    if (needs_.PersistentResourceSize > 0)
        persistent_ = buffer_of(d.d3d(), D3D12_HEAP_TYPE_DEFAULT, needs_.PersistentResourceSize);
    initialize(g);
}
// Constants are given to DirectML once, which keeps them in its own layout.
void dml_program::initialize(const dml_graph& g) {
    dml_places places;
    for (const dml_constant& c : g.constants) places.add(c.bytes);
    ID3D12Device& d3d = device_.d3d();
    const dml_buffer upload = buffer_of(d3d, D3D12_HEAP_TYPE_UPLOAD, places.total),
                     device_buffer = buffer_of(d3d, D3D12_HEAP_TYPE_DEFAULT, places.total);
    for (std::size_t k = 0; k < g.constants.size(); ++k)
        std::memcpy(upload.mapped + places.at[k], g.constants[k].data, g.constants[k].bytes);
    IDMLCompiledOperator* const operators[] = {compiled_.get()};
    const auto initializer = com_made<IDMLOperatorInitializer>("an initializer", [&](const GUID& id, void** p) {
        return device_.dml().CreateOperatorInitializer(1, operators, id, p);
    });
    const DML_BINDING_PROPERTIES needs = needs_of(initializer.get());
    const auto heap = heap_of(d3d, needs.RequiredDescriptorCount);
    const auto table = table_of(device_.dml(), initializer.get(), heap.get(), needs.RequiredDescriptorCount);
    std::vector<DML_BUFFER_BINDING> buffers(inputs_.at.size());  // those of a run are not bound
    for (std::size_t k = 0; k < g.constants.size(); ++k)
        buffers.push_back({device_buffer.resource.get(), places.at[k], places.bytes[k]});
    const DML_BUFFER_ARRAY_BINDING array{UINT(buffers.size()), buffers.data()};
    const DML_BINDING_DESC in{DML_BINDING_TYPE_BUFFER_ARRAY, &array};
    table->BindInputs(1, &in);
    const DML_BUFFER_BINDING persistent = whole(persistent_);
    const DML_BINDING_DESC out = persistent_.resource ? binding_of(persistent) : DML_BINDING_DESC{};
    table->BindOutputs(1, &out);
    dml_buffer temporary;
    if (needs.TemporaryResourceSize > 0) {
        temporary = buffer_of(d3d, D3D12_HEAP_TYPE_DEFAULT, needs.TemporaryResourceSize);
        const DML_BUFFER_BINDING used = whole(temporary);
        const DML_BINDING_DESC desc = binding_of(used);
        table->BindTemporaryResource(&desc);
    }
    const recording r(d3d);
    r.list->CopyBufferRegion(device_buffer.resource.get(), 0, upload.resource.get(), 0, upload.bytes);
    const auto written =
        transition(device_buffer, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    r.list->ResourceBarrier(1, &written);
    ID3D12DescriptorHeap* const heaps[] = {heap.get()};
    r.list->SetDescriptorHeaps(1, heaps);
    device_.record(*r.list, *initializer, *table);
    check_hresult("the commands", r.list->Close());
    run_list(device_, r.list.get(), *new_fence(d3d), 1);
}

dml_run::dml_run(const dml_program& p)
    : program_(p),
      upload_(buffer_of(p.device_.d3d(), D3D12_HEAP_TYPE_UPLOAD, p.inputs_.total)),
      in_(buffer_of(p.device_.d3d(), D3D12_HEAP_TYPE_DEFAULT, p.inputs_.total)),
      out_(buffer_of(p.device_.d3d(), D3D12_HEAP_TYPE_DEFAULT, p.outputs_.total)),
      readback_(buffer_of(p.device_.d3d(), D3D12_HEAP_TYPE_READBACK, p.outputs_.total)),
      heap_(heap_of(p.device_.d3d(), p.needs_.RequiredDescriptorCount)),
      table_(table_of(p.device_.dml(), p.compiled_.get(), heap_.get(), p.needs_.RequiredDescriptorCount)),
      fence_(new_fence(p.device_.d3d())) {
    bind();
    recording r(p.device_.d3d());
    allocator_ = std::move(r.allocator);
    list_ = std::move(r.list);
    list_->CopyBufferRegion(in_.resource.get(), 0, upload_.resource.get(), 0, upload_.bytes);
    const auto written = transition(in_, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    list_->ResourceBarrier(1, &written);
    ID3D12DescriptorHeap* const heaps[] = {heap_.get()};
    list_->SetDescriptorHeaps(1, heaps);
    p.device_.record(*list_, *p.compiled_, *table_);
    const auto barrier = transition(out_, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
    list_->ResourceBarrier(1, &barrier);
    list_->CopyBufferRegion(readback_.resource.get(), 0, out_.resource.get(), 0, readback_.bytes);
    check_hresult("the commands", list_->Close());
}
void dml_run::bind() {
    std::vector<DML_BUFFER_BINDING> in, out;
    for (std::size_t k = 0; k < program_.inputs_.at.size(); ++k)
        in.push_back({in_.resource.get(), program_.inputs_.at[k], program_.inputs_.bytes[k]});
    for (std::size_t k = 0; k < program_.outputs_.at.size(); ++k)
        out.push_back({out_.resource.get(), program_.outputs_.at[k], program_.outputs_.bytes[k]});
    std::vector<DML_BINDING_DESC> inputs, outputs;
    for (std::size_t k = 0; k < in.size(); ++k)
        inputs.push_back(program_.input_is_read_[k] ? binding_of(in[k]) : DML_BINDING_DESC{});
    inputs.resize(inputs.size() + program_.constants_);  // DirectML has them
    for (const DML_BUFFER_BINDING& b : out) outputs.push_back(binding_of(b));
    table_->BindInputs(UINT(inputs.size()), inputs.data());
    table_->BindOutputs(UINT(outputs.size()), outputs.data());
    if (program_.needs_.TemporaryResourceSize > 0) {
        temporary_ = buffer_of(program_.device_.d3d(), D3D12_HEAP_TYPE_DEFAULT, program_.needs_.TemporaryResourceSize);
        const DML_BUFFER_BINDING used = whole(temporary_);
        const DML_BINDING_DESC desc = binding_of(used);
        table_->BindTemporaryResource(&desc);
    }
    if (program_.persistent_.resource) {
        const DML_BUFFER_BINDING persistent = whole(program_.persistent_);
        const DML_BINDING_DESC desc = binding_of(persistent);
        table_->BindPersistentResource(&desc);
    }
}
void dml_run::execute() { run_list(program_.device_, list_.get(), *fence_, ++runs_); }
}  // namespace v1
}  // namespace inlay
