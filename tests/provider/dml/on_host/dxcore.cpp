// DXCore: a machine with two graphics processors, a processor of networks, and one that is software.
#include "host.hpp"
#include <algorithm>

namespace host {
namespace {
struct machine_adapter {
    const char* name;
    bool graphics, hardware;
    int power;  // the less, the less
};
constexpr machine_adapter machine[] = {{"Host graphics 1", true, true, 1},
                                       {"Software", true, false, 0},
                                       {"Host graphics 2", true, true, 2},
                                       {"Host networks", false, true, 0}};
struct adapter final : object<IDXCoreAdapter> {
    const machine_adapter& it;
    explicit adapter(const machine_adapter& m) : it(m) {}
    bool IsAttributeSupported(const GUID& id) override {
        return id == DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE ||
               (id == DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS && it.graphics);
    }
    bool IsPropertySupported(DXCoreAdapterProperty) override { return true; }
    HRESULT GetPropertySize(DXCoreAdapterProperty p, std::size_t* bytes) override {
        *bytes = p == DXCoreAdapterProperty::DriverDescription ? std::strlen(it.name) + 1
                 : p == DXCoreAdapterProperty::IsHardware      ? 1
                                                               : 8;
        return S_OK;
    }
    HRESULT GetProperty(DXCoreAdapterProperty p, std::size_t bytes, void* to) override {
        std::size_t size = 0;
        GetPropertySize(p, &size);
        if (bytes != size) return E_INVALIDARG;
        const UINT64 version = UINT64(31) << 48 | 15, memory = UINT64(1) << 30;
        if (p == DXCoreAdapterProperty::IsHardware)
            *static_cast<bool*>(to) = it.hardware;
        else
            std::memcpy(to,
                        p == DXCoreAdapterProperty::DriverDescription ? static_cast<const void*>(it.name)
                        : p == DXCoreAdapterProperty::DriverVersion   ? &version
                                                                      : &memory,
                        size);
        return S_OK;
    }
};
struct adapter_list final : object<IDXCoreAdapterList> {
    std::vector<machine_adapter> adapters{std::begin(machine), std::end(machine)};
    HRESULT GetAdapter(std::uint32_t k, const GUID& id, void** to) override {
        if (k >= adapters.size()) return E_INVALIDARG;
        for (const machine_adapter& m : machine)
            if (m.name == adapters[k].name) return give(new adapter(m), id, to);
        return E_FAIL;
    }
    std::uint32_t GetAdapterCount() override { return std::uint32_t(adapters.size()); }
    HRESULT Sort(std::uint32_t count, const DXCoreAdapterPreference* by) override {
        if (count != 1) return E_INVALIDARG;
        const int sign = *by == DXCoreAdapterPreference::HighPerformance ? -1
                         : *by == DXCoreAdapterPreference::MinimumPower  ? 1
                                                                         : 0;
        std::ranges::stable_sort(adapters, {}, [&](const machine_adapter& m) { return sign * m.power; });
        return S_OK;
    }
};
struct factory final : object<IDXCoreAdapterFactory> {
    HRESULT CreateAdapterList(std::uint32_t count, const GUID* attributes, const GUID& id, void** to) override {
        const bool is_core_compute = count == 1 && *attributes == DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE;
        return is_core_compute ? give(new adapter_list, id, to) : E_INVALIDARG;
    }
};
}  // namespace
}  // namespace host

extern "C" inlay::directx::HRESULT DXCoreCreateAdapterFactory(const inlay::directx::GUID& id, void** to) {
    return host::give(new host::factory, id, to);
}
