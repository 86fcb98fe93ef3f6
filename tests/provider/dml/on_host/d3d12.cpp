// Direct3D 12: devices, memory, lists of commands that run when the queue gets them.
#include "host.hpp"
#include <mutex>
#include <set>

namespace host {
namespace {
std::atomic<bool> lost{false};

struct allocator final : object<ID3D12CommandAllocator> {};
struct fence final : object<ID3D12Fence> {
    std::atomic<UINT64> value;
    explicit fence(UINT64 first) : value(first) {}
    UINT64 GetCompletedValue() override { return value; }
    HRESULT SetEventOnCompletion(UINT64 target, void*) override { return value >= target ? S_OK : E_FAIL; }
};
struct queue final : object<ID3D12CommandQueue> {
    std::mutex one_list;
    std::atomic<bool> failed{false};
    void ExecuteCommandLists(UINT count, ID3D12CommandList* const* lists) override {
        const std::lock_guard lock(one_list);
        for (UINT k = 0; k < count; ++k) {
            auto* const l = static_cast<command_list*>(static_cast<ID3D12GraphicsCommandList*>(lists[k]));
            states s;
            const HRESULT result = answer([&] {
                require(l->closed);
                for (const command& c : l->commands) c(s);
            });
            if (result != S_OK) failed = true;
        }
    }
    HRESULT Signal(ID3D12Fence* f, UINT64 value) override {
        static_cast<fence*>(f)->value = value;
        return S_OK;
    }
};
struct device final : object<ID3D12Device> {
    com_reference<queue> only;  // a device whose commands failed is gone
    HRESULT CreateCommandQueue(const D3D12_COMMAND_QUEUE_DESC* d, const GUID& id, void** to) override {
        if (d->Type != D3D12_COMMAND_LIST_TYPE_COMPUTE) return E_INVALIDARG;
        auto* const q = new queue;
        only = com_reference<queue>(q);
        return give(q, id, to);
    }
    HRESULT CreateCommandAllocator(int type, const GUID& id, void** to) override {
        return type == D3D12_COMMAND_LIST_TYPE_COMPUTE ? give(new allocator, id, to) : E_INVALIDARG;
    }
    HRESULT CreateCommandList(UINT, int type, ID3D12CommandAllocator* a, void*, const GUID& id, void** to) override {
        return a && type == D3D12_COMMAND_LIST_TYPE_COMPUTE ? give(new command_list, id, to) : E_INVALIDARG;
    }
    HRESULT CreateDescriptorHeap(const D3D12_DESCRIPTOR_HEAP_DESC* d, const GUID& id, void** to) override {
        const bool good = d->Type == D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV && d->NumDescriptors > 0 &&
                          d->Flags == D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
        return good ? give(new descriptor_heap(d->NumDescriptors), id, to) : E_INVALIDARG;
    }
    HRESULT CreateCommittedResource(const D3D12_HEAP_PROPERTIES* h, int flags, const D3D12_RESOURCE_DESC* d,
                                    D3D12_RESOURCE_STATES state, const void* clear, const GUID& id,
                                    void** to) override {
        const bool buffer = d->Dimension == 1 && d->Width > 0 && d->Height == 1 && d->DepthOrArraySize == 1 &&
                            d->MipLevels == 1 && d->Format == 0 && d->SampleCount == 1 && d->Layout == 1;
        const D3D12_RESOURCE_STATES first = h->Type == D3D12_HEAP_TYPE_DEFAULT  ? D3D12_RESOURCE_STATE_COMMON
                                            : h->Type == D3D12_HEAP_TYPE_UPLOAD ? D3D12_RESOURCE_STATE_GENERIC_READ
                                                                                : D3D12_RESOURCE_STATE_COPY_DEST;
        const bool unordered = d->Flags == 4;
        if (!buffer || flags || clear || state != first || (unordered && h->Type != D3D12_HEAP_TYPE_DEFAULT))
            return E_INVALIDARG;
        void* object = nullptr;
        const HRESULT status = answer([&] { object = new resource(h->Type, d->Width, unordered); });
        return object ? give(static_cast<resource*>(object), id, to) : status;
    }
    HRESULT CreateFence(UINT64 first, int, const GUID& id, void** to) override {
        return give(new fence(first), id, to);
    }
    HRESULT GetDeviceRemovedReason() override {
        return lost || (only && only->failed) ? DXGI_ERROR_DEVICE_REMOVED : S_OK;
    }
};
}  // namespace
}  // namespace host

extern "C" inlay::directx::HRESULT D3D12CreateDevice(inlay::directx::IUnknown* adapter, int level,
                                                     const inlay::directx::GUID& id, void** to) {
    using namespace host;
    if (!adapter || (level != D3D_FEATURE_LEVEL_11_0 && level != D3D_FEATURE_LEVEL_1_0_CORE))
        return DXGI_ERROR_UNSUPPORTED;
    return give(new device, id, to);
}
extern "C" void host_lose_devices(bool lost) { host::lost = lost; }
