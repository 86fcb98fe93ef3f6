// DirectML: operators, graphs of them, tables of bindings, and what is recorded to initialize and to run a graph.
#include "host.hpp"
#include <inlay/element.hpp>
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace host {
namespace {
std::atomic<int> compiled_operators[256];  // of all compiled graphs, by type
std::atomic<bool> no_float16{false};

std::size_t bytes_of(DML_TENSOR_DATA_TYPE t) {
    switch (t) {
        case DML_TENSOR_DATA_TYPE_UINT8:
        case DML_TENSOR_DATA_TYPE_INT8: return 1;
        case DML_TENSOR_DATA_TYPE_FLOAT16:
        case DML_TENSOR_DATA_TYPE_UINT16:
        case DML_TENSOR_DATA_TYPE_INT16: return 2;
        case DML_TENSOR_DATA_TYPE_UINT64:
        case DML_TENSOR_DATA_TYPE_INT64: return 8;
        default: return 4;
    }
}
planned plan_of(const DML_OPERATOR_DESC& d) {
    planned p;
    for (const planners* table :
         {&axis_planners, &code_planners, &index_planners, &movement_planners, &recurrent_planners, &window_planners})
        if (const auto at = table->find(d.Type); at != table->end()) {
            at->second(d.Desc, p);
            return p;
        }
    require(plan_element_wise(d, p));
    return p;
}
struct dml_operator final : object<IDMLOperator> {
    DML_OPERATOR_TYPE type;
    planned plan;
    dml_operator(DML_OPERATOR_TYPE t, planned p) : type(t), plan(std::move(p)) {}
};

// --- a compiled graph
struct from {
    enum { nothing, input, node } kind = nothing;
    std::size_t index = 0, output = 0;
};
struct graph_node {
    com_reference<dml_operator> op;
    std::vector<from> inputs;
};
struct compiled final : object<IDMLCompiledOperator> {
    std::vector<graph_node> nodes;
    std::vector<std::size_t> order;
    std::size_t inputs = 0;
    std::vector<from> outputs;
    std::vector<std::size_t> input_bytes;  // the most that a node reads; 0: none does
    std::vector<char> owned;
    std::vector<std::size_t> persistent_at;  // of an owned input, in the persistent memory
    std::size_t persistent_bytes = 0;
    std::size_t input_count() const { return inputs; }

    explicit compiled(const DML_GRAPH_DESC& g) : inputs(g.InputCount), outputs(g.OutputCount) {
        for (UINT k = 0; k < g.NodeCount; ++k) {
            require(g.Nodes[k].Type == DML_GRAPH_NODE_TYPE_OPERATOR);
            auto* const op =
                static_cast<dml_operator*>(static_cast<const DML_OPERATOR_GRAPH_NODE_DESC*>(g.Nodes[k].Desc)->Operator);
            nodes.push_back({com_reference<dml_operator>(op), std::vector<from>(op->plan.inputs.size())});
        }
        for (UINT k = 0; k < g.InputEdgeCount; ++k) {
            require(g.InputEdges[k].Type == DML_GRAPH_EDGE_TYPE_INPUT);
            const auto& e = *static_cast<const DML_INPUT_GRAPH_EDGE_DESC*>(g.InputEdges[k].Desc);
            require(e.GraphInputIndex < inputs);
            connect(e.ToNodeIndex, e.ToNodeInputIndex, {from::input, e.GraphInputIndex, 0});
        }
        for (UINT k = 0; k < g.IntermediateEdgeCount; ++k) {
            require(g.IntermediateEdges[k].Type == DML_GRAPH_EDGE_TYPE_INTERMEDIATE);
            const auto& e = *static_cast<const DML_INTERMEDIATE_GRAPH_EDGE_DESC*>(g.IntermediateEdges[k].Desc);
            connect(e.ToNodeIndex, e.ToNodeInputIndex, {from::node, e.FromNodeIndex, e.FromNodeOutputIndex});
        }
        for (UINT k = 0; k < g.OutputEdgeCount; ++k) {
            require(g.OutputEdges[k].Type == DML_GRAPH_EDGE_TYPE_OUTPUT);
            const auto& e = *static_cast<const DML_OUTPUT_GRAPH_EDGE_DESC*>(g.OutputEdges[k].Desc);
            from& to = outputs.at(e.GraphOutputIndex);
            require(to.kind == from::nothing);
            to = {from::node, e.FromNodeIndex, e.FromNodeOutputIndex};
            (void)output(to);
        }
        check();
        sort();
        for (const graph_node& n : nodes) ++compiled_operators[n.op->type];
    }
    const tensor& output(const from& f) const { return nodes.at(f.index).op->plan.outputs.at(f.output); }
    void connect(std::size_t node, std::size_t input, from f) {
        from& to = nodes.at(node).inputs.at(input);
        require(to.kind == from::nothing);
        to = f;
    }
    void check() {
        input_bytes.assign(inputs, 0);
        owned.assign(inputs, -1);
        for (const graph_node& n : nodes)
            for (std::size_t k = 0; k < n.inputs.size(); ++k) {
                const tensor* const t = n.op->plan.inputs[k].get();
                const from& f = n.inputs[k];
                require((t != nullptr) == (f.kind != from::nothing));
                if (!t) continue;
                if (f.kind == from::node) {  // another shape of as much memory, or of less
                    require(!t->owned && t->type == output(f).type && t->bytes <= output(f).bytes);
                    continue;
                }
                input_bytes[f.index] = std::max(input_bytes[f.index], t->bytes);
                require(owned[f.index] < 0 || owned[f.index] == char(t->owned));
                owned[f.index] = char(t->owned);
            }
        for (const from& f : outputs) require(f.kind == from::node);
        for (std::size_t k = 0; k < inputs; ++k) {
            persistent_at.push_back(persistent_bytes);
            if (owned[k] == 1) persistent_bytes += (input_bytes[k] + 15) / 16 * 16;
        }
    }
    void sort() {
        std::vector<char> is_sorted(nodes.size(), 0);
        while (order.size() < nodes.size()) {
            const std::size_t before = order.size();
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const bool ready = std::ranges::all_of(
                    nodes[i].inputs, [&](const from& f) { return f.kind != from::node || is_sorted[f.index]; });
                if (is_sorted[i] || !ready) continue;
                is_sorted[i] = 1;
                order.push_back(i);
            }
            require(order.size() > before);  // there is no circle
        }
    }
    DML_BINDING_PROPERTIES GetBindingProperties() override {
        return {UINT(inputs + outputs.size() + 1), nodes.size() > 1 ? 64u : 0u, persistent_bytes};
    }
    void run(const std::vector<const char*>& in, const std::vector<char*>& out) const;
};
void compiled::run(const std::vector<const char*>& in, const std::vector<char*>& out) const {
    std::vector<std::vector<std::vector<char>>> node_results(nodes.size());
    for (const std::size_t i : order) {
        const planned& p = nodes[i].op->plan;
        values arguments, results(p.outputs.size());
        for (std::size_t k = 0; k < p.inputs.size(); ++k) {
            const from& f = nodes[i].inputs[k];
            arguments.push_back(!p.inputs[k] ? numbers()
                                             : p.inputs[k]->decode(f.kind == from::input
                                                                       ? in[f.index]
                                                                       : node_results[f.index][f.output].data()));
        }
        p.compute(arguments, results);
        for (std::size_t k = 0; k < results.size(); ++k) {
            require(std::int64_t(results[k].size()) == elements(p.outputs[k].sizes));
            node_results[i].emplace_back(p.outputs[k].bytes);
            p.outputs[k].encode(results[k], node_results[i].back().data());
        }
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const std::vector<char>& bytes = node_results[outputs[k].index][outputs[k].output];
        std::memcpy(out[k], bytes.data(), bytes.size());
    }
}
struct initializer final : object<IDMLOperatorInitializer> {
    com_reference<compiled> target;
    explicit initializer(compiled* c) : target(c) {}
    DML_BINDING_PROPERTIES GetBindingProperties() override { return {3, 32, 0}; }
};

// --- bindings
struct bound {
    com_reference<resource> buffer;
    UINT64 offset = 0, bytes = 0;
    char* memory(states& s, std::size_t least) const {
        require(bool(buffer) && bytes >= least && offset % 16 == 0 && offset + bytes <= buffer->memory.size());
        require(buffer->unordered);
        s.use(buffer.it, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
        return buffer->memory.data() + offset;
    }
};
bound bound_to(const DML_BUFFER_BINDING& b) { return {static_cast<resource*>(b.Buffer), b.Offset, b.SizeInBytes}; }
std::vector<bound> bound_by(UINT count, const DML_BINDING_DESC* list) {
    std::vector<bound> bindings;
    for (UINT k = 0; k < count; ++k)
        if (list[k].Type == DML_BINDING_TYPE_NONE)
            bindings.emplace_back();
        else if (list[k].Type == DML_BINDING_TYPE_BUFFER)
            bindings.push_back(bound_to(*static_cast<const DML_BUFFER_BINDING*>(list[k].Desc)));
        else {
            const auto& array = *static_cast<const DML_BUFFER_ARRAY_BINDING*>(list[k].Desc);
            for (UINT i = 0; i < array.BindingCount; ++i) bindings.push_back(bound_to(array.Bindings[i]));
        }
    return bindings;
}
struct binding_table final : object<IDMLBindingTable> {
    IDMLDispatchable* dispatchable;
    descriptor_heap* heap;
    UINT descriptors;
    std::vector<bound> inputs, outputs, temporary, persistent;
    explicit binding_table(const DML_BINDING_TABLE_DESC& d)
        : dispatchable(d.Dispatchable),
          heap(reinterpret_cast<descriptor_heap*>(d.CPUDescriptorHandle.ptr)),
          descriptors(d.SizeInDescriptors) {
        require(heap && d.GPUDescriptorHandle.ptr == d.CPUDescriptorHandle.ptr && descriptors <= heap->count);
        require(descriptors >= dispatchable->GetBindingProperties().RequiredDescriptorCount);
    }
    void BindInputs(UINT n, const DML_BINDING_DESC* l) override { inputs = bound_by(n, l); }
    void BindOutputs(UINT n, const DML_BINDING_DESC* l) override { outputs = bound_by(n, l); }
    void BindTemporaryResource(const DML_BINDING_DESC* l) override { temporary = bound_by(1, l); }
    void BindPersistentResource(const DML_BINDING_DESC* l) override { persistent = bound_by(1, l); }
    char* at(const std::vector<bound>& buffers, states& s, std::size_t bytes) const {
        require(bytes == 0 || buffers.size() == 1);
        return bytes == 0 ? nullptr : buffers[0].memory(s, bytes);
    }
};
void initialize(const initializer& i, const binding_table& t, states& s) {
    const compiled& c = *i.target.it;
    require(t.inputs.size() == c.input_count() && t.outputs.size() == 1);
    (void)t.at(t.temporary, s, 32);
    char* const persistent = t.at(t.outputs, s, c.persistent_bytes);
    for (std::size_t k = 0; k < c.input_count(); ++k) {
        if (c.owned[k] == 1)
            std::memcpy(persistent + c.persistent_at[k], t.inputs[k].memory(s, c.input_bytes[k]), c.input_bytes[k]);
        else
            require(!t.inputs[k].buffer);
    }
}
void dispatch(const compiled& c, const binding_table& t, states& s) {
    require(t.inputs.size() == c.input_count() && t.outputs.size() == c.outputs.size());
    if (c.nodes.size() > 1) (void)t.at(t.temporary, s, 64);
    const char* const persistent = t.at(t.persistent, s, c.persistent_bytes);
    std::vector<const char*> in;
    std::vector<char*> out;
    for (std::size_t k = 0; k < c.input_count(); ++k) {
        const bool bound = c.owned[k] == 0;
        require(bound == bool(t.inputs[k].buffer));
        in.push_back(bound ? t.inputs[k].memory(s, c.input_bytes[k]) : persistent + c.persistent_at[k]);
    }
    for (std::size_t k = 0; k < c.outputs.size(); ++k)
        out.push_back(t.outputs[k].memory(s, c.output(c.outputs[k]).bytes));
    c.run(in, out);
}
struct recorder final : object<IDMLCommandRecorder> {
    void RecordDispatch(ID3D12CommandList* to, IDMLDispatchable* dispatchable, IDMLBindingTable* bindings) override {
        auto* const l = static_cast<command_list*>(static_cast<ID3D12GraphicsCommandList*>(to));
        auto* const t = static_cast<binding_table*>(bindings);
        l->good &= t->dispatchable == dispatchable && l->heap == t->heap;
        if (auto* const i = dynamic_cast<initializer*>(dispatchable))
            l->add([=](states& s) { initialize(*i, *t, s); });
        else
            l->add([c = dynamic_cast<compiled*>(dispatchable), t](states& s) { dispatch(*c, *t, s); });
    }
};
struct device final : object<IDMLDevice1> {
    com_reference<ID3D12Device> d3d;
    explicit device(ID3D12Device* d) : d3d(d) {}
    HRESULT CheckFeatureSupport(int feature, UINT query_bytes, const void* query, UINT bytes, void* to) override {
        if (feature == DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT) {
            if (query_bytes != sizeof(DML_TENSOR_DATA_TYPE) || bytes != sizeof(BOOL)) return E_INVALIDARG;
            const auto type = *static_cast<const DML_TENSOR_DATA_TYPE*>(query);
            *static_cast<BOOL*>(to) =
                (any & of_type(type)) != 0 && (type != DML_TENSOR_DATA_TYPE_FLOAT16 || !no_float16);
            return S_OK;
        }
        if (feature != DML_FEATURE_FEATURE_LEVELS || query_bytes != sizeof(DML_FEATURE_QUERY_FEATURE_LEVELS) ||
            bytes != sizeof(int))
            return E_INVALIDARG;
        const auto& q = *static_cast<const DML_FEATURE_QUERY_FEATURE_LEVELS*>(query);
        int best = 0;
        for (UINT k = 0; k < q.RequestedFeatureLevelCount; ++k) {
            if (q.RequestedFeatureLevels[k] > 0x6200) return E_INVALIDARG;  // one that it does not know
            best = std::max(best, q.RequestedFeatureLevels[k]);
        }
        *static_cast<int*>(to) = best;
        return S_OK;
    }
    template <class F> HRESULT made(const GUID& id, void** to, F f) {
        HRESULT h = E_FAIL;
        const HRESULT failed = answer([&] { h = give(f(), id, to); });
        return failed != S_OK ? failed : h;
    }
    HRESULT CreateOperator(const DML_OPERATOR_DESC* d, const GUID& id, void** to) override {
        return made(id, to, [&] { return new dml_operator(d->Type, plan_of(*d)); });
    }
    HRESULT CreateOperatorInitializer(UINT n, IDMLCompiledOperator* const* l, const GUID& id, void** to) override {
        return n == 1 ? give(new initializer(static_cast<compiled*>(l[0])), id, to) : E_INVALIDARG;
    }
    HRESULT CreateCommandRecorder(const GUID& id, void** to) override { return give(new recorder, id, to); }
    HRESULT CreateBindingTable(const DML_BINDING_TABLE_DESC* d, const GUID& id, void** to) override {
        return made(id, to, [&] { return new binding_table(*d); });
    }
    HRESULT GetDeviceRemovedReason() override { return d3d->GetDeviceRemovedReason(); }
    HRESULT CompileGraph(const DML_GRAPH_DESC* g, DML_EXECUTION_FLAGS, const GUID& id, void** to) override {
        return made(id, to, [&] { return new compiled(*g); });
    }
};
}  // namespace

bool tensor::packed() const {
    std::int64_t step = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (strides[i] != step) return false;
        step *= sizes[i];
    }
    return true;
}
namespace {
// f(a null pointer to what holds an element of this type)
template <class F> auto with_type(DML_TENSOR_DATA_TYPE t, F f) {
    switch (t) {
        case DML_TENSOR_DATA_TYPE_FLOAT32: return f(static_cast<float*>(nullptr));
        case DML_TENSOR_DATA_TYPE_FLOAT16: return f(static_cast<inlay::float16*>(nullptr));
        case DML_TENSOR_DATA_TYPE_UINT8: return f(static_cast<std::uint8_t*>(nullptr));
        case DML_TENSOR_DATA_TYPE_UINT16: return f(static_cast<std::uint16_t*>(nullptr));
        case DML_TENSOR_DATA_TYPE_UINT32: return f(static_cast<std::uint32_t*>(nullptr));
        case DML_TENSOR_DATA_TYPE_UINT64: return f(static_cast<std::uint64_t*>(nullptr));
        case DML_TENSOR_DATA_TYPE_INT8: return f(static_cast<std::int8_t*>(nullptr));
        case DML_TENSOR_DATA_TYPE_INT16: return f(static_cast<std::int16_t*>(nullptr));
        case DML_TENSOR_DATA_TYPE_INT32: return f(static_cast<std::int32_t*>(nullptr));
        case DML_TENSOR_DATA_TYPE_INT64: return f(static_cast<std::int64_t*>(nullptr));
    }
    throw mismatch();
}
// Integers are cut off, and wrap around as those of 64 bits do.
std::int64_t whole(double v) {
    constexpr double most = 9223372036854774784.;  // the last one below 2^63
    return std::isnan(v) ? 0 : std::int64_t(std::clamp(v, -most, most));
}
}  // namespace
numbers tensor::decode(const char* from) const {
    return with_type(type, [&]<class T>(T*) {
        numbers values;
        for_each_index(sizes, [&](const list& at) {
            std::int64_t k = 0;
            for (std::size_t i = 0; i < at.size(); ++i) k += at[i] * strides[i];
            values.push_back(double(reinterpret_cast<const T*>(from)[k]));
        });
        return values;
    });
}
void tensor::encode(const numbers& from, char* to) const {
    with_type(type, [&]<class T>(T*) {
        for (std::size_t k = 0; k < from.size(); ++k)
            if constexpr (std::is_integral_v<T>)
                reinterpret_cast<T*>(to)[k] = static_cast<T>(whole(from[k]));
            else
                reinterpret_cast<T*>(to)[k] = T(float(from[k]));
    });
}
double number_of(DML_TENSOR_DATA_TYPE t, const void* bytes) {
    return with_type(t, [&]<class T>(T*) {
        T v;
        std::memcpy(static_cast<void*>(&v), bytes, sizeof v);
        return double(v);
    });
}
tensor described(dml_tensor t) {
    require(t && t->Type == DML_TENSOR_TYPE_BUFFER && t->Desc);
    const auto& d = *static_cast<const DML_BUFFER_TENSOR_DESC*>(t->Desc);
    require(d.DimensionCount >= 1 && d.DimensionCount <= DML_TENSOR_DIMENSION_COUNT_MAX1 && d.Sizes && d.Strides);
    tensor result{d.DataType, list_of(d.Sizes, d.DimensionCount), list_of(d.Strides, d.DimensionCount),
                  d.TotalTensorSizeInBytes, (d.Flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0};
    std::int64_t last_index = 0;
    for (std::size_t i = 0; i < result.sizes.size(); ++i) {
        require(result.sizes[i] > 0);
        last_index += (result.sizes[i] - 1) * result.strides[i];
    }
    require(result.is_of(any) && result.bytes % 4 == 0 &&
            result.bytes >= std::size_t(last_index + 1) * bytes_of(result.type));
    return result;
}
}  // namespace host

extern "C" inlay::directx::HRESULT DMLCreateDevice1(inlay::directx::ID3D12Device* d3d, int flags, int level,
                                                    const inlay::directx::GUID& id, void** to) {
    return d3d && flags == 0 && level <= 0x6200 ? host::give(new host::device(d3d), id, to)
                                                : inlay::directx::E_INVALIDARG;
}
extern "C" void host_forgo_float16(bool forgo) { host::no_float16 = forgo; }
// For the tests: since the last call, how many operators of this type were compiled.
extern "C" int host_operators(int type) { return host::compiled_operators[type].exchange(0); }
