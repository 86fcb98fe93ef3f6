// What Inlay calls of DirectML, Direct3D 12 and DXCore, declared from their public reference (learn.microsoft.com:
// directml.h, d3d12.h, dxcore_interface.h): names, numbers and the order of functions are the interfaces', and no more
// of them is here than is used. Functions of a table that nothing calls have their names alone.
#pragma once
#include <cstddef>
#include <cstdint>

namespace inlay {
inline namespace v1 {
namespace directx {
using HRESULT = std::int32_t;  // negative: it failed
using BOOL = std::int32_t;
using UINT = std::uint32_t;
using UINT64 = std::uint64_t;
struct GUID {
    std::uint32_t first;
    std::uint16_t second, third;
    std::uint8_t rest[8];
    bool operator==(const GUID&) const = default;
};
inline constexpr HRESULT S_OK = 0, E_NOINTERFACE = HRESULT(0x80004002), E_FAIL = HRESULT(0x80004005),
                         E_INVALIDARG = HRESULT(0x80070057), E_OUTOFMEMORY = HRESULT(0x8007000E),
                         DXGI_ERROR_UNSUPPORTED = HRESULT(0x887A0004), DXGI_ERROR_DEVICE_REMOVED = HRESULT(0x887A0005);

// Functions that give a structure get a place for it on Windows, whatever its size, and give it as any function does
// elsewhere.
#ifdef _WIN32
#define INLAY_GIVES(type, name) virtual type* name(type*) = 0
template <class T, class I, class F> T given(I* from, F f) {
    T x{};
    (from->*f)(&x);
    return x;
}
#else
#define INLAY_GIVES(type, name) virtual type name() = 0
template <class T, class I, class F> T given(I* from, F f) { return (from->*f)(); }
#endif
#define INLAY_UNUSED(name) \
    virtual void name() {}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // objects end by Release()

struct IUnknown {
    virtual HRESULT QueryInterface(const GUID&, void**) = 0;
    virtual UINT AddRef() = 0;
    virtual UINT Release() = 0;
};

// --- DXCore: the adapters of a machine
enum class DXCoreAdapterProperty : std::uint32_t {
    DriverVersion = 1,
    DriverDescription = 2,
    DedicatedAdapterMemory = 7,
    IsHardware = 11
};
enum class DXCoreAdapterPreference : std::uint32_t { Hardware = 0, MinimumPower = 1, HighPerformance = 2 };
inline constexpr GUID DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS{
    0x0c9ece4d, 0x2f6e, 0x4f01, {0x8c, 0x96, 0xe8, 0x9e, 0x33, 0x1b, 0x47, 0xb1}},
    DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE{
        0x248e2800, 0xa793, 0x4724, {0xab, 0xaa, 0x23, 0xa6, 0xde, 0x1b, 0xe0, 0x90}};
struct IDXCoreAdapter : IUnknown {
    static constexpr GUID id{0xf0db4c7f, 0xfe5a, 0x42a2, {0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e}};
    INLAY_UNUSED(IsValid);
    virtual bool IsAttributeSupported(const GUID&) = 0;
    virtual bool IsPropertySupported(DXCoreAdapterProperty) = 0;
    virtual HRESULT GetProperty(DXCoreAdapterProperty, std::size_t bytes, void*) = 0;
    virtual HRESULT GetPropertySize(DXCoreAdapterProperty, std::size_t* bytes) = 0;
};
struct IDXCoreAdapterList : IUnknown {
    static constexpr GUID id{0x526c7776, 0x40e9, 0x459b, {0xb7, 0x11, 0xf3, 0x2a, 0xd7, 0x6d, 0xfc, 0x28}};
    virtual HRESULT GetAdapter(std::uint32_t index, const GUID&, void**) = 0;
    virtual std::uint32_t GetAdapterCount() = 0;
    INLAY_UNUSED(IsStale);
    INLAY_UNUSED(GetFactory);
    virtual HRESULT Sort(std::uint32_t count, const DXCoreAdapterPreference*) = 0;
};
struct IDXCoreAdapterFactory : IUnknown {
    static constexpr GUID id{0x78ee5945, 0xc36e, 0x4b13, {0xa6, 0x69, 0x00, 0x5d, 0xd1, 0x1c, 0x0f, 0x06}};
    virtual HRESULT CreateAdapterList(std::uint32_t count, const GUID* attributes, const GUID&, void**) = 0;
};
using dxcore_creator = HRESULT(const GUID&, void** factory);  // DXCoreCreateAdapterFactory

// --- Direct3D 12: memory, lists of commands, queues
inline constexpr int D3D_FEATURE_LEVEL_1_0_CORE = 0x1000, D3D_FEATURE_LEVEL_11_0 = 0xb000;
inline constexpr int D3D12_COMMAND_LIST_TYPE_COMPUTE = 2, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV = 0,
                     D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE = 1;
enum D3D12_HEAP_TYPE : int { D3D12_HEAP_TYPE_DEFAULT = 1, D3D12_HEAP_TYPE_UPLOAD, D3D12_HEAP_TYPE_READBACK };
enum D3D12_RESOURCE_STATES : int {
    D3D12_RESOURCE_STATE_COMMON = 0,
    D3D12_RESOURCE_STATE_UNORDERED_ACCESS = 0x8,
    D3D12_RESOURCE_STATE_COPY_DEST = 0x400,
    D3D12_RESOURCE_STATE_COPY_SOURCE = 0x800,
    D3D12_RESOURCE_STATE_GENERIC_READ = 0xAC3
};
struct D3D12_HEAP_PROPERTIES {
    D3D12_HEAP_TYPE Type;
    int CPUPageProperty, MemoryPoolPreference;
    UINT CreationNodeMask, VisibleNodeMask;
};
struct D3D12_RESOURCE_DESC {
    int Dimension;  // 1: a buffer
    UINT64 Alignment, Width;
    UINT Height;
    std::uint16_t DepthOrArraySize, MipLevels;
    int Format;
    UINT SampleCount, SampleQuality;
    int Layout;  // 1: rows one after another
    int Flags;   // 4: for unordered access
};
struct ID3D12Resource;
struct D3D12_RESOURCE_BARRIER {  // a transition, whose type is 0
    int Type, Flags;
    ID3D12Resource* pResource;
    UINT Subresource;
    D3D12_RESOURCE_STATES StateBefore, StateAfter;
};
struct D3D12_DESCRIPTOR_HEAP_DESC {
    int Type;
    UINT NumDescriptors;
    int Flags;
    UINT NodeMask;
};
struct D3D12_COMMAND_QUEUE_DESC {
    int Type, Priority, Flags;
    UINT NodeMask;
};
struct D3D12_CPU_DESCRIPTOR_HANDLE {
    std::size_t ptr;
};
struct D3D12_GPU_DESCRIPTOR_HANDLE {
    UINT64 ptr;
};
struct D3D12_RANGE {
    std::size_t Begin, End;
};
struct ID3D12Object : IUnknown {
    INLAY_UNUSED(GetPrivateData);
    INLAY_UNUSED(SetPrivateData);
    INLAY_UNUSED(SetPrivateDataInterface);
    INLAY_UNUSED(SetName);
};
struct ID3D12DeviceChild : ID3D12Object {
    INLAY_UNUSED(GetDevice);
};
struct ID3D12Resource : ID3D12DeviceChild {
    static constexpr GUID id{0x696442be, 0xa72e, 0x4059, {0xbc, 0x79, 0x5b, 0x5c, 0x98, 0x04, 0x0f, 0xad}};
    virtual HRESULT Map(UINT part, const D3D12_RANGE* read_range, void**) = 0;
    virtual void Unmap(UINT part, const D3D12_RANGE* written) = 0;
};
struct ID3D12CommandAllocator : ID3D12DeviceChild {
    static constexpr GUID id{0x6102dee4, 0xaf59, 0x4b09, {0xb9, 0x99, 0xb4, 0x4d, 0x73, 0xf0, 0x9b, 0x24}};
};
struct ID3D12Fence : ID3D12DeviceChild {
    static constexpr GUID id{0x0a753dcf, 0xc4d8, 0x4b91, {0xad, 0xf6, 0xbe, 0x5a, 0x60, 0xd9, 0x5a, 0x76}};
    virtual UINT64 GetCompletedValue() = 0;
    virtual HRESULT SetEventOnCompletion(UINT64 value, void* event) = 0;  // no event: it waits
};
struct ID3D12DescriptorHeap : ID3D12DeviceChild {
    static constexpr GUID id{0x8efb471d, 0x616c, 0x4f49, {0x90, 0xf7, 0x12, 0x7b, 0xb7, 0x63, 0xfa, 0x51}};
    INLAY_UNUSED(GetDesc);
    INLAY_GIVES(D3D12_CPU_DESCRIPTOR_HANDLE, GetCPUDescriptorHandleForHeapStart);
    INLAY_GIVES(D3D12_GPU_DESCRIPTOR_HANDLE, GetGPUDescriptorHandleForHeapStart);
};
struct ID3D12CommandList : ID3D12DeviceChild {
    INLAY_UNUSED(GetType);
};
struct ID3D12GraphicsCommandList : ID3D12CommandList {
    static constexpr GUID id{0x5b160d0f, 0xac1b, 0x4185, {0x8b, 0xa8, 0xb3, 0xae, 0x42, 0xa5, 0xa4, 0x55}};
    virtual HRESULT Close() = 0;
    INLAY_UNUSED(Reset);
    INLAY_UNUSED(ClearState);
    INLAY_UNUSED(DrawInstanced);
    INLAY_UNUSED(DrawIndexedInstanced);
    INLAY_UNUSED(Dispatch);
    virtual void CopyBufferRegion(ID3D12Resource* to, UINT64 at, ID3D12Resource* from, UINT64 place, UINT64 bytes) = 0;
    INLAY_UNUSED(CopyTextureRegion);
    INLAY_UNUSED(CopyResource);
    INLAY_UNUSED(CopyTiles);
    INLAY_UNUSED(ResolveSubresource);
    INLAY_UNUSED(IASetPrimitiveTopology);
    INLAY_UNUSED(RSSetViewports);
    INLAY_UNUSED(RSSetScissorRects);
    INLAY_UNUSED(OMSetBlendFactor);
    INLAY_UNUSED(OMSetStencilRef);
    INLAY_UNUSED(SetPipelineState);
    virtual void ResourceBarrier(UINT count, const D3D12_RESOURCE_BARRIER*) = 0;
    INLAY_UNUSED(ExecuteBundle);
    virtual void SetDescriptorHeaps(UINT count, ID3D12DescriptorHeap* const*) = 0;
};
struct ID3D12CommandQueue : ID3D12DeviceChild {
    static constexpr GUID id{0x0ec870a6, 0x5d7e, 0x4c22, {0x8c, 0xfc, 0x5b, 0xaa, 0xe0, 0x76, 0x16, 0xed}};
    INLAY_UNUSED(UpdateTileMappings);
    INLAY_UNUSED(CopyTileMappings);
    virtual void ExecuteCommandLists(UINT count, ID3D12CommandList* const*) = 0;
    INLAY_UNUSED(SetMarker);
    INLAY_UNUSED(BeginEvent);
    INLAY_UNUSED(EndEvent);
    virtual HRESULT Signal(ID3D12Fence*, UINT64 value) = 0;
};
struct ID3D12Device : ID3D12Object {
    static constexpr GUID id{0x189819f1, 0x1db6, 0x4b57, {0xbe, 0x54, 0x18, 0x21, 0x33, 0x9b, 0x85, 0xf7}};
    INLAY_UNUSED(GetNodeCount);
    virtual HRESULT CreateCommandQueue(const D3D12_COMMAND_QUEUE_DESC*, const GUID&, void**) = 0;
    virtual HRESULT CreateCommandAllocator(int type, const GUID&, void**) = 0;
    INLAY_UNUSED(CreateGraphicsPipelineState);
    INLAY_UNUSED(CreateComputePipelineState);
    virtual HRESULT CreateCommandList(UINT nodes, int type, ID3D12CommandAllocator*, void* state, const GUID&,
                                      void**) = 0;
    INLAY_UNUSED(CheckFeatureSupport);
    virtual HRESULT CreateDescriptorHeap(const D3D12_DESCRIPTOR_HEAP_DESC*, const GUID&, void**) = 0;
    INLAY_UNUSED(GetDescriptorHandleIncrementSize);
    INLAY_UNUSED(CreateRootSignature);
    INLAY_UNUSED(CreateConstantBufferView);
    INLAY_UNUSED(CreateShaderResourceView);
    INLAY_UNUSED(CreateUnorderedAccessView);
    INLAY_UNUSED(CreateRenderTargetView);
    INLAY_UNUSED(CreateDepthStencilView);
    INLAY_UNUSED(CreateSampler);
    INLAY_UNUSED(CopyDescriptors);
    INLAY_UNUSED(CopyDescriptorsSimple);
    INLAY_UNUSED(GetResourceAllocationInfo);
    INLAY_UNUSED(GetCustomHeapProperties);
    virtual HRESULT CreateCommittedResource(const D3D12_HEAP_PROPERTIES*, int flags, const D3D12_RESOURCE_DESC*,
                                            D3D12_RESOURCE_STATES, const void* clear, const GUID&, void**) = 0;
    INLAY_UNUSED(CreateHeap);
    INLAY_UNUSED(CreatePlacedResource);
    INLAY_UNUSED(CreateReservedResource);
    INLAY_UNUSED(CreateSharedHandle);
    INLAY_UNUSED(OpenSharedHandle);
    INLAY_UNUSED(OpenSharedHandleByName);
    INLAY_UNUSED(MakeResident);
    INLAY_UNUSED(Evict);
    virtual HRESULT CreateFence(UINT64 first, int flags, const GUID&, void**) = 0;
    virtual HRESULT GetDeviceRemovedReason() = 0;
};
using d3d12_creator = HRESULT(IUnknown* adapter, int least_level, const GUID&, void** device);  // D3D12CreateDevice

// --- DirectML
inline constexpr int DML_FEATURE_LEVEL_5_1 = 0x5100, DML_FEATURE_LEVEL_6_4 = 0x6400,
                     DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT = 0, DML_FEATURE_FEATURE_LEVELS = 1;
struct DML_FEATURE_QUERY_FEATURE_LEVELS {
    UINT RequestedFeatureLevelCount;
    const int* RequestedFeatureLevels;
};
enum DML_EXECUTION_FLAGS : int { DML_EXECUTION_FLAG_NONE = 0, DML_EXECUTION_FLAG_DISABLE_META_COMMANDS = 2 };
struct DML_OPERATOR_DESC;
struct DML_GRAPH_DESC;
struct DML_BINDING_TABLE_DESC;
struct DML_BINDING_DESC;

struct IDMLObject : IUnknown {
    INLAY_UNUSED(GetPrivateData);
    INLAY_UNUSED(SetPrivateData);
    INLAY_UNUSED(SetPrivateDataInterface);
    INLAY_UNUSED(SetName);
};
struct IDMLDeviceChild : IDMLObject {
    INLAY_UNUSED(GetDevice);
};
struct IDMLOperator : IDMLDeviceChild {
    static constexpr GUID id{0x26caae7a, 0x3081, 0x4633, {0x95, 0x81, 0x22, 0x6f, 0xbe, 0x57, 0x69, 0x5d}};
};
struct DML_BINDING_PROPERTIES {
    UINT RequiredDescriptorCount;
    UINT64 TemporaryResourceSize, PersistentResourceSize;
};
struct IDMLDispatchable : IDMLDeviceChild {
    INLAY_GIVES(DML_BINDING_PROPERTIES, GetBindingProperties);
};
struct IDMLCompiledOperator : IDMLDispatchable {
    static constexpr GUID id{0x6b15e56a, 0xbf5c, 0x4902, {0x92, 0xd8, 0xda, 0x3a, 0x65, 0x0a, 0xfe, 0xa4}};
};
struct IDMLOperatorInitializer : IDMLDispatchable {
    static constexpr GUID id{0x427c1113, 0x435c, 0x469c, {0x86, 0x76, 0x4d, 0x5d, 0xd0, 0x72, 0xf8, 0x13}};
};
struct IDMLBindingTable : IDMLDeviceChild {
    static constexpr GUID id{0x29c687dc, 0xde74, 0x4e3b, {0xab, 0x00, 0x11, 0x68, 0xf2, 0xfc, 0x3c, 0xfc}};
    virtual void BindInputs(UINT count, const DML_BINDING_DESC*) = 0;
    virtual void BindOutputs(UINT count, const DML_BINDING_DESC*) = 0;
    virtual void BindTemporaryResource(const DML_BINDING_DESC*) = 0;
    virtual void BindPersistentResource(const DML_BINDING_DESC*) = 0;
};
struct IDMLCommandRecorder : IDMLDeviceChild {
    static constexpr GUID id{0xe6857a76, 0x2e3e, 0x4fdd, {0xbf, 0xf4, 0x5d, 0x2b, 0xa1, 0x0f, 0xb4, 0x53}};
    virtual void RecordDispatch(ID3D12CommandList*, IDMLDispatchable*, IDMLBindingTable*) = 0;
};
struct IDMLDevice1 : IDMLObject {
    static constexpr GUID id{0xa0884f9a, 0xd2be, 0x4355, {0xaa, 0x5d, 0x59, 0x01, 0x28, 0x1a, 0xd1, 0xd2}};
    virtual HRESULT CheckFeatureSupport(int feature, UINT query_bytes, const void* query, UINT bytes, void*) = 0;
    virtual HRESULT CreateOperator(const DML_OPERATOR_DESC*, const GUID&, void**) = 0;
    INLAY_UNUSED(CompileOperator);
    virtual HRESULT CreateOperatorInitializer(UINT count, IDMLCompiledOperator* const*, const GUID&, void**) = 0;
    virtual HRESULT CreateCommandRecorder(const GUID&, void**) = 0;
    virtual HRESULT CreateBindingTable(const DML_BINDING_TABLE_DESC*, const GUID&, void**) = 0;
    INLAY_UNUSED(Evict);
    INLAY_UNUSED(MakeResident);
    virtual HRESULT GetDeviceRemovedReason() = 0;
    INLAY_UNUSED(GetParentDevice);
    virtual HRESULT CompileGraph(const DML_GRAPH_DESC*, DML_EXECUTION_FLAGS, const GUID&, void**) = 0;
};
using dml_creator = HRESULT(ID3D12Device*, int flags, int least_level, const GUID&, void**);  // DMLCreateDevice1
#pragma GCC diagnostic pop
#undef INLAY_UNUSED
#undef INLAY_GIVES

enum DML_BINDING_TYPE : int { DML_BINDING_TYPE_NONE, DML_BINDING_TYPE_BUFFER, DML_BINDING_TYPE_BUFFER_ARRAY };
struct DML_BINDING_DESC {
    DML_BINDING_TYPE Type;
    const void* Desc;
};
struct DML_BUFFER_BINDING {
    ID3D12Resource* Buffer;
    UINT64 Offset, SizeInBytes;
};
struct DML_BUFFER_ARRAY_BINDING {
    UINT BindingCount;
    const DML_BUFFER_BINDING* Bindings;
};
struct DML_BINDING_TABLE_DESC {
    IDMLDispatchable* Dispatchable;
    D3D12_CPU_DESCRIPTOR_HANDLE CPUDescriptorHandle;
    D3D12_GPU_DESCRIPTOR_HANDLE GPUDescriptorHandle;
    UINT SizeInDescriptors;
};
inline constexpr int DML_GRAPH_EDGE_TYPE_INPUT = 1, DML_GRAPH_EDGE_TYPE_OUTPUT = 2,
                     DML_GRAPH_EDGE_TYPE_INTERMEDIATE = 3, DML_GRAPH_NODE_TYPE_OPERATOR = 1;
struct DML_GRAPH_EDGE_DESC {
    int Type;
    const void* Desc;
};
struct DML_INPUT_GRAPH_EDGE_DESC {
    UINT GraphInputIndex, ToNodeIndex, ToNodeInputIndex;
    const char* Name;
};
struct DML_OUTPUT_GRAPH_EDGE_DESC {
    UINT FromNodeIndex, FromNodeOutputIndex, GraphOutputIndex;
    const char* Name;
};
struct DML_INTERMEDIATE_GRAPH_EDGE_DESC {
    UINT FromNodeIndex, FromNodeOutputIndex, ToNodeIndex, ToNodeInputIndex;
    const char* Name;
};
struct DML_OPERATOR_GRAPH_NODE_DESC {
    IDMLOperator* Operator;
    const char* Name;
};
struct DML_GRAPH_NODE_DESC {
    int Type;
    const void* Desc;
};
struct DML_GRAPH_DESC {
    UINT InputCount, OutputCount, NodeCount;
    const DML_GRAPH_NODE_DESC* Nodes;
    UINT InputEdgeCount;
    const DML_GRAPH_EDGE_DESC* InputEdges;
    UINT OutputEdgeCount;
    const DML_GRAPH_EDGE_DESC* OutputEdges;
    UINT IntermediateEdgeCount;
    const DML_GRAPH_EDGE_DESC* IntermediateEdges;
};
}  // namespace directx
}  // namespace v1
}  // namespace inlay
