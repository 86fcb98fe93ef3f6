// DirectML, Direct3D 12 and DXCore for the host, from their public reference, over the evaluator of primitives: what
// the tests of the provider run over. They check their arguments: descriptions, sizes and strides of tensors,
// edges of graphs, bindings, states of buffers, and that memory is there when commands run.
#pragma once
#include "../../evaluator/evaluator.hpp"
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <provider/dml/operators.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace host {
using namespace inlay::directx;
using namespace evaluator;
template <class F> HRESULT answer(F f) try {
    f();
    return S_OK;
} catch (const std::bad_alloc&) {
    return E_OUTOFMEMORY;
} catch (...) {
    return E_INVALIDARG;
}

// What is counted, and ends with its last owner.
template <class Interface> struct object : Interface {
    std::atomic<UINT> holders{1};
    virtual ~object() = default;
    HRESULT QueryInterface(const GUID& id, void** to) override {
        *to = id == Interface::id ? this : nullptr;
        if (!*to) return E_NOINTERFACE;
        AddRef();
        return S_OK;
    }
    UINT AddRef() override { return ++holders; }
    UINT Release() override {
        const UINT left = --holders;
        if (left == 0) delete this;
        return left;
    }
};
template <class T> struct com_reference {  // holds what others made
    T* it = nullptr;
    com_reference() = default;
    com_reference(T* p) : it(p) {
        if (it) it->AddRef();
    }
    com_reference(const com_reference& o) : com_reference(o.it) {}
    com_reference& operator=(com_reference o) {
        std::swap(it, o.it);
        return *this;
    }
    ~com_reference() {
        if (it) it->Release();
    }
    T* operator->() const { return it; }
    explicit operator bool() const { return it != nullptr; }
};
template <class T> HRESULT give(T* instance, const GUID& id, void** to) {
    const HRESULT h = instance->QueryInterface(id, to);
    instance->Release();
    return h;
}

// --- Direct3D 12
struct resource final : object<ID3D12Resource> {
    D3D12_HEAP_TYPE heap;
    std::vector<char> memory;
    bool unordered;
    resource(D3D12_HEAP_TYPE h, std::size_t bytes, bool u) : heap(h), memory(bytes), unordered(u) {}
    HRESULT Map(UINT, const D3D12_RANGE*, void** to) override {
        if (heap == D3D12_HEAP_TYPE_DEFAULT) return E_INVALIDARG;
        *to = memory.data();
        return S_OK;
    }
    void Unmap(UINT, const D3D12_RANGE*) override {}
};
// The states of buffers while commands run: all begin as COMMON, and become what they are first used as.
struct states {
    std::map<const resource*, int> by_resource;
    void use(const resource* r, int as) {
        if (r->heap == D3D12_HEAP_TYPE_UPLOAD) return require(as == D3D12_RESOURCE_STATE_COPY_SOURCE);
        if (r->heap == D3D12_HEAP_TYPE_READBACK) return require(as == D3D12_RESOURCE_STATE_COPY_DEST);
        int& state = by_resource[r];
        if (state == D3D12_RESOURCE_STATE_COMMON) state = as;
        require(state == as);
    }
};
using command = std::function<void(states&)>;
struct command_list final : object<ID3D12GraphicsCommandList> {
    std::vector<command> commands;
    ID3D12DescriptorHeap* heap = nullptr;
    bool closed = false, good = true;
    HRESULT Close() override {
        closed = true;
        return good ? S_OK : E_INVALIDARG;
    }
    void add(command c) {
        good &= !closed;
        commands.push_back(std::move(c));
    }
    void CopyBufferRegion(ID3D12Resource* to, UINT64 at, ID3D12Resource* from, UINT64 place, UINT64 bytes) override {
        auto *t = static_cast<resource*>(to), *f = static_cast<resource*>(from);
        add([=](states& s) {
            require(at + bytes <= t->memory.size() && place + bytes <= f->memory.size());
            s.use(f, D3D12_RESOURCE_STATE_COPY_SOURCE);
            s.use(t, D3D12_RESOURCE_STATE_COPY_DEST);
            std::memcpy(t->memory.data() + at, f->memory.data() + place, bytes);
        });
    }
    void ResourceBarrier(UINT count, const D3D12_RESOURCE_BARRIER* list) override {
        for (UINT k = 0; k < count; ++k)
            add([b = list[k]](states& s) {
                int& state = s.by_resource[static_cast<resource*>(b.pResource)];
                require(b.Type == 0 && b.Flags == 0 && state == b.StateBefore && b.StateAfter != b.StateBefore);
                state = b.StateAfter;
            });
    }
    void SetDescriptorHeaps(UINT count, ID3D12DescriptorHeap* const* heaps) override {
        good &= count == 1;
        heap = heaps[0];
    }
};
struct descriptor_heap final : object<ID3D12DescriptorHeap> {
    UINT count;
    explicit descriptor_heap(UINT n) : count(n) {}
    D3D12_CPU_DESCRIPTOR_HANDLE GetCPUDescriptorHandleForHeapStart() override {
        return {reinterpret_cast<std::size_t>(this)};
    }
    D3D12_GPU_DESCRIPTOR_HANDLE GetGPUDescriptorHandleForHeapStart() override {
        return {reinterpret_cast<std::size_t>(this)};
    }
};

// --- DirectML's operators
// Sets of types, as DirectML 1.15.4 takes them for its operators: dml.windows compares it.
using type_set = unsigned;
constexpr type_set of_type(DML_TENSOR_DATA_TYPE t) { return 1u << unsigned(t); }
inline constexpr type_set f32 = of_type(DML_TENSOR_DATA_TYPE_FLOAT32),
                          floats = f32 | of_type(DML_TENSOR_DATA_TYPE_FLOAT16),
                          u8 = of_type(DML_TENSOR_DATA_TYPE_UINT8), codes = u8 | of_type(DML_TENSOR_DATA_TYPE_INT8),
                          i32 = of_type(DML_TENSOR_DATA_TYPE_INT32), u32 = of_type(DML_TENSOR_DATA_TYPE_UINT32),
                          narrow_signed =
                              of_type(DML_TENSOR_DATA_TYPE_INT8) | of_type(DML_TENSOR_DATA_TYPE_INT16) | i32,
                          narrow = narrow_signed | u8 | of_type(DML_TENSOR_DATA_TYPE_UINT16) | u32,
                          i64 = of_type(DML_TENSOR_DATA_TYPE_INT64),
                          long_ones = i64 | of_type(DML_TENSOR_DATA_TYPE_UINT64), sums = i32 | u32 | long_ones,
                          any = floats | narrow | long_ones;
struct tensor {
    DML_TENSOR_DATA_TYPE type{};
    list sizes, strides;
    std::size_t bytes = 0;  // of what it is in, all of it
    bool owned = false;
    bool is_of(type_set s) const { return (s & of_type(type)) != 0; }
    type_set same() const { return of_type(type); }
    bool packed() const;
    numbers decode(const char*) const;  // in the order of its sizes
    void encode(const numbers&, char*) const;
};
tensor described(dml_tensor);
// An operator, looked at: what it reads and writes, and how.
struct planned {
    std::vector<std::unique_ptr<tensor>> inputs{};  // null: an optional one that is not there
    std::vector<tensor> outputs{};
    std::function<void(const values&, values&)> compute{};

    const tensor& in(dml_tensor t, type_set types = any) {
        inputs.push_back(std::make_unique<tensor>(described(t)));
        require(inputs.back()->is_of(types));
        return *inputs.back();
    }
    const tensor* in_if(dml_tensor t, type_set types = any) {
        if (t) return &in(t, types);
        inputs.emplace_back();
        return nullptr;
    }
    void out(dml_tensor t, type_set types, const list& sizes) {
        outputs.push_back(described(t));
        const tensor& y = outputs.back();
        require(y.packed() && !y.owned && y.is_of(types) && y.sizes == sizes);
    }
    void result(dml_tensor t, type_set types, const primitive& p) {  // the only one
        out(t, types, p.sizes);
        compute = [f = p.compute](const values& in, values& y) { y[0] = f(in); };
    }
};
using planner = void (*)(const void* description, planned&);
using planners = std::map<DML_OPERATOR_TYPE, planner>;
// F, of a description of some kind.
template <auto F> void by(const void* description, planned& p) {
    [&]<class D>(void (*f)(const D&, planned&)) { f(*static_cast<const D*>(description), p); }(F);
}
extern const planners axis_planners, code_planners, index_planners, movement_planners, recurrent_planners,
    window_planners;
bool plan_element_wise(const DML_OPERATOR_DESC&, planned&);  // false: it is none of these
// Of an activation that stands in another operator's description, without tensors.
std::function<double(double)> function_of(const DML_OPERATOR_DESC&);

inline list list_of(const UINT* p, UINT count) {
    require(count == 0 || p);
    return {p, p + count};
}
// From a constant, as bytes of its type.
double number_of(DML_TENSOR_DATA_TYPE, const void*);
}  // namespace host
