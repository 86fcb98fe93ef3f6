// DirectML, Direct3D 12 and DXCore for the host, from their public reference and by plain loops: what the tests of the
// provider run over. They check what is asked of them: descriptions, sizes and strides of tensors, edges of graphs,
// bindings, states of buffers, and that memory is there when commands run.
#pragma once
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <provider/dml/operators.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace host {
using namespace inlay::directx;
struct bad_argument {};
inline void require(bool good) {
    if (!good) throw bad_argument();
}
template <class F> HRESULT answer(F f) try {
    f();
    return S_OK;
} catch (const std::bad_alloc&) {
    return E_OUTOFMEMORY;
} catch (...) {
    return E_INVALIDARG;
}

// What is counted, and ends with the last one who holds it.
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
template <class T> struct held {  // holds what others made
    T* it = nullptr;
    held() = default;
    held(T* p) : it(p) {
        if (it) it->AddRef();
    }
    held(const held& o) : held(o.it) {}
    held& operator=(held o) {
        std::swap(it, o.it);
        return *this;
    }
    ~held() {
        if (it) it->Release();
    }
    T* operator->() const { return it; }
    explicit operator bool() const { return it != nullptr; }
};
template <class T> HRESULT give(T* made, const GUID& id, void** to) {
    const HRESULT h = made->QueryInterface(id, to);
    made->Release();
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
    std::map<const resource*, int> known;
    void use(const resource* r, int as) {
        if (r->heap == D3D12_HEAP_TYPE_UPLOAD) return require(as == D3D12_RESOURCE_STATE_COPY_SOURCE);
        if (r->heap == D3D12_HEAP_TYPE_READBACK) return require(as == D3D12_RESOURCE_STATE_COPY_DEST);
        int& state = known[r];
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
                int& state = s.known[static_cast<resource*>(b.pResource)];
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
using numbers = std::vector<double>;  // integers beyond 2^53 are not exact here
using list = std::vector<std::int64_t>;
struct tensor {
    DML_TENSOR_DATA_TYPE type{};
    list sizes, strides;
    std::size_t bytes = 0;  // of what it is in, all of it
    bool owned = false;
    std::int64_t elements() const {
        std::int64_t all = 1;
        for (std::int64_t s : sizes) all *= s;
        return all;
    }
    bool packed() const;
    numbers decode(const char*) const;  // in the order of its sizes
    void encode(const numbers&, char*) const;
};
tensor described(dml_tensor);
// An operator, looked at: what it reads and writes, and how.
struct planned {
    std::vector<std::unique_ptr<tensor>> inputs{};  // null: an optional one that is not there
    std::vector<tensor> outputs{};
    std::function<void(const std::vector<numbers>&, std::vector<numbers>&)> compute{};

    const tensor& in(dml_tensor t) {
        inputs.push_back(std::make_unique<tensor>(described(t)));
        return *inputs.back();
    }
    const tensor* in_if(dml_tensor t) {
        if (t) return &in(t);
        inputs.emplace_back();
        return nullptr;
    }
    tensor out(dml_tensor t) {
        outputs.push_back(described(t));
        require(outputs.back().packed() && !outputs.back().owned);
        return outputs.back();
    }
    void one_result(std::function<numbers(const std::vector<numbers>&)> f) {
        compute = [f](const auto& in, auto& out) { out[0] = f(in); };
    }
};
// Sets of types, as DirectML 1.15.4 takes them for its operators: dml.windows asks it.
using type_set = unsigned;
constexpr type_set of_type(DML_TENSOR_DATA_TYPE t) { return 1u << unsigned(t); }
inline constexpr type_set floats = of_type(DML_TENSOR_DATA_TYPE_FLOAT32) | of_type(DML_TENSOR_DATA_TYPE_FLOAT16),
                          u8 = of_type(DML_TENSOR_DATA_TYPE_UINT8), codes = u8 | of_type(DML_TENSOR_DATA_TYPE_INT8),
                          i32 = of_type(DML_TENSOR_DATA_TYPE_INT32),
                          narrow_signed =
                              of_type(DML_TENSOR_DATA_TYPE_INT8) | of_type(DML_TENSOR_DATA_TYPE_INT16) | i32,
                          narrow = narrow_signed | u8 | of_type(DML_TENSOR_DATA_TYPE_UINT16) |
                                   of_type(DML_TENSOR_DATA_TYPE_UINT32),
                          i64 = of_type(DML_TENSOR_DATA_TYPE_INT64),
                          long_ones = i64 | of_type(DML_TENSOR_DATA_TYPE_UINT64),
                          sums = i32 | of_type(DML_TENSOR_DATA_TYPE_UINT32) | long_ones,
                          any = floats | narrow | long_ones;
inline bool is_of(const tensor& t, type_set s) { return (s & of_type(t.type)) != 0; }
inline bool is_float(const tensor& t) { return is_of(t, floats); }
bool plan_codes(const DML_OPERATOR_DESC&, planned&);
bool plan_element_wise(const DML_OPERATOR_DESC&, planned&);  // false: it is none of these
bool plan_index(const DML_OPERATOR_DESC&, planned&);
bool plan_movement(const DML_OPERATOR_DESC&, planned&);
bool plan_recurrent(const DML_OPERATOR_DESC&, planned&);
bool plan_window(const DML_OPERATOR_DESC&, planned&);
bool plan_reduction(const DML_OPERATOR_DESC&, planned&);
inline planned plan_of(const DML_OPERATOR_DESC& d) {
    planned p;
    require(plan_element_wise(d, p) || plan_codes(d, p) || plan_index(d, p) || plan_movement(d, p) ||
            plan_recurrent(d, p) || plan_window(d, p) || plan_reduction(d, p));
    return p;
}

inline list list_of(const UINT* p, UINT count) {
    require(count == 0 || p);
    return {p, p + count};
}
// From a constant, as bytes of its type.
double number_of(DML_TENSOR_DATA_TYPE, const void*);
// Calls f(index of each axis) for all elements, in order.
template <class F> void for_each_index(const list& sizes, F f) {
    std::int64_t left = 1;
    for (std::int64_t s : sizes) left *= s;
    for (list at(sizes.size(), 0); left > 0; --left) {
        f(at);
        for (std::size_t i = sizes.size(); i-- > 0;) {
            if (++at[i] < sizes[i]) break;
            at[i] = 0;
        }
    }
}
inline std::size_t place(const list& sizes, const list& at) {
    std::int64_t k = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) k = k * sizes[i] + at[i];
    return std::size_t(k);
}
// Of sizes of which some are 1 where those of `at` are more.
inline std::size_t broadcast_place(const list& sizes, const list& at) {
    std::int64_t k = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) k = k * sizes[i] + (sizes[i] == 1 ? 0 : at[i]);
    return std::size_t(k);
}
}  // namespace host
