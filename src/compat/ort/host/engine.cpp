// The documents' provider as an engine: GetCapability() proposes, kernels and Compile() create executables.
#include "claim.hpp"
#include "guarded.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace ort {
namespace {
class kernel_lookup final : public IExecutionProvider::IKernelLookup {
    const opened_provider& of_;

  public:
    explicit kernel_lookup(const opened_provider& of) : of_(of) {}
    const KernelCreateInfo* LookUpKernel(const Node& node) const override {
        const KernelCreateInfo* kernel_info = nullptr;
        (void)why_not(node, kernel_info);
        return kernel_info;
    }
    std::string why_not(const Node& node, const KernelCreateInfo*& kernel_info) const {
        if (!node.GetExecutionProviderType().empty()) return "another provider has it";
        if (!of_.registry) return "it has no kernel registry";
        return of_.registry->TryFindKernel(node, of_.provider->Type(), &kernel_info).ErrorMessage();
    }
    std::string why_not(const Node& node) const {
        const KernelCreateInfo* kernel_info = nullptr;
        return why_not(node, kernel_info);
    }
};
using meta_def = IndexedSubGraph::MetaDef;

// The answer of GetCapability(), with overlaps removed.
class answers {
    const free_nodes& free_;
    const GraphViewer& graph_;
    const kernel_lookup& lookup_;
    region_ends finder_;
    std::vector<char> open_;            // nodes that may still be taken
    std::vector<std::string> reasons_;  // reasons for nodes that a sub-graph named and did not get

    bool is_open(NodeIndex i) const { return i < open_.size() && open_[i]; }
    // Empty: the sub-graph can be taken.
    std::string obstacle(const IndexedSubGraph& s) const {
        for (NodeIndex i : s.nodes)
            if (!is_open(i))
                return "GetCapability() has it in a sub-graph with the node " + std::to_string(i) +
                       ", which is in another one or was not free";
        for (NodeIndex i : s.nodes)
            if (has_other_values(free_.graph.nodes[i])) return "its values are no tensors";
        if (s.GetMetaDef()) return {};
        if (s.nodes.size() > 1) return "GetCapability() has it in a sub-graph of several nodes without a MetaDef";
        return lookup_.why_not(*graph_.GetNode(s.nodes.front()));
    }
    bool has_other_values(const node& n) const {
        bool has_object = false;
        const auto look = [&](int v) {
            has_object = has_object || free_.graph.values[std::size_t(v)].type == element::object;
        };
        for_each_read(free_.graph, n, look);
        for (int v : free_.graph.list(n.outputs))
            if (v >= 0) look(v);
        return has_object;
    }
    bool makes_something(std::span<const int> nodes) { return !finder_.of(nodes).outputs.empty(); }

  public:
    answers(const free_nodes& free, const GraphViewer& graph, const kernel_lookup& lookup)
        : free_(free),
          graph_(graph),
          lookup_(lookup),
          finder_(free.graph),
          open_(free.graph.nodes.size()),
          reasons_(open_.size()) {
        for (int i : free.nodes) open_[std::size_t(i)] = 1;
    }
    // The nodes of a sub-graph, ascending; empty: it is not taken.
    std::vector<int> take(const IndexedSubGraph& s) {
        if (s.nodes.empty()) return {};
        std::string reason = obstacle(s);
        std::vector<int> nodes(s.nodes.begin(), s.nodes.end());
        std::ranges::sort(nodes);
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        if (reason.empty() && !makes_something(nodes)) reason = "its results are constants already";
        if (reason.empty()) {
            for (int i : nodes) open_[std::size_t(i)] = 0;
            return nodes;
        }
        for (NodeIndex i : s.nodes)
            if (is_open(i) && reasons_[i].empty()) reasons_[i] = reason;
        return {};
    }
    void refuse_others(proposals& out) const {
        for (int i : free_.nodes) {
            if (!open_[std::size_t(i)]) continue;
            std::string reason = reasons_[std::size_t(i)];
            if (reason.empty()) {
                reason = "GetCapability() leaves it";
                if (const std::string more = lookup_.why_not(*graph_.GetNode(NodeIndex(i))); !more.empty())
                    reason += ": " + more;
            }
            out.refuse(i, std::move(reason));
        }
    }
};

class adapted_engine final : public engine {
    std::shared_ptr<opened_provider> of_;
    std::mutex lock_;  // the documents' providers are called by one thread
    std::map<std::string, std::shared_ptr<const meta_def>> claims_;  // by their nodes; null: one for a kernel
    int fused_ = 0;

    // Identifies the same nodes with the same values, in any plan.
    static std::string key_of(const graph_view& g, std::span<const int> nodes) {
        std::string key;
        for (int i : nodes) {
            const node& n = g.nodes[std::size_t(i)];
            key += std::to_string(i) + ' ' + std::string(n.op);
            for (range list : {n.inputs, n.outputs})
                for (int v : g.list(list)) key += ' ' + (v < 0 ? "-" : std::string(g.values[std::size_t(v)].name));
            key += '\n';
        }
        return key;
    }

  public:
    explicit adapted_engine(std::shared_ptr<opened_provider> of) : of_(std::move(of)) {}
    void propose(const free_nodes& free, proposals& out) override {
        const std::lock_guard guard(lock_);
        std::vector<int> indices(free.graph.nodes.size());
        for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = int(i);
        const graph_copy whole(free.graph, indices, free.nodes, free.constants, lending::later);
        const kernel_lookup lookup(*of_);
        std::vector<std::unique_ptr<ComputeCapability>> capabilities;
        const Status outcome = guarded("GetCapability()", [&] {
            capabilities = of_->provider->GetCapability(whole.viewer, lookup);
            return Status::OK();
        });
        if (!outcome.IsOK()) {
            for (int i : free.nodes) out.refuse(i, outcome.ErrorMessage());
            return;
        }
        answers answer(free, whole.viewer, lookup);
        for (const auto& c : capabilities) {
            if (!c || !c->sub_graph) continue;
            std::vector<int> nodes = answer.take(*c->sub_graph);
            if (nodes.empty()) continue;
            const meta_def* meta = c->sub_graph->GetMetaDef();
            claims_[key_of(free.graph, nodes)] = meta ? std::make_shared<const meta_def>(*meta) : nullptr;
            out.take(std::move(nodes));
        }
        answer.refuse_others(out);
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        const std::lock_guard guard(lock_);
        const auto claim = claims_.find(key_of(r.graph, r.nodes));
        if (claim == claims_.end())
            return error(error_code::provider_failed, "the region is none of the sub-graphs of GetCapability()");
        if (!claim->second) return compile_kernel(of_, r);
        const std::string name = of_->provider->Type() + "_" + claim->second->name + "_" + std::to_string(fused_++);
        return compile_fused(of_, r, *claim->second, name);
    }
};

// Empty: the provider matches its entry in the list.
std::string mismatch(const IExecutionProvider* p, std::string_view name, int device) {
    if (!p) return "nothing was made";
    if (p->Type() != name) return "its type is `" + p->Type() + "`";
    if (p->GetDeviceId() != device)
        return "its device is " + std::to_string(p->GetDeviceId()) + ", and " + std::to_string(device) +
               " was requested";
    return {};
}
Status find_memory(const std::shared_ptr<IExecutionProvider>& provider, std::shared_ptr<const opened_memory>& result) {
    auto transfer = provider->GetDataTransfer();
    if (!transfer)
        return Status(common::ONNXRUNTIME, common::FAIL, "GetDataTransfer() gives nothing that copies to its memory");
    const auto allocators = provider->CreatePreferredAllocators();
    const OrtDevice device = provider->GetDevice(), host;
    const auto at =
        std::ranges::find_if(allocators, [&](const AllocatorPtr& a) { return a && a->Info().device == device; });
    if (at == allocators.end())
        return Status(common::ONNXRUNTIME, common::FAIL,
                      "CreatePreferredAllocators() has none for the " + device.ToString());
    if (!transfer->CanCopy(host, device) || !transfer->CanCopy(device, host))
        return Status(common::ONNXRUNTIME, common::FAIL,
                      "its IDataTransfer cannot copy between the host and the " + device.ToString());
    auto memory = std::make_shared<opened_memory>();
    memory->provider = provider;
    memory->allocator = *at;
    memory->transfer = std::move(transfer);
    result = std::move(memory);
    return Status::OK();
}
}  // namespace

result<std::shared_ptr<engine>> open_engine(std::string_view name, int device, memory_table* memory,
                                            const std::function<std::shared_ptr<IExecutionProvider>()>& make) {
    auto of = std::make_shared<opened_provider>();
    const Status outcome = guarded("its constructor", [&] {
        of->provider = make();
        if (std::string reason = mismatch(of->provider.get(), name, device); !reason.empty())
            return Status(common::ONNXRUNTIME, common::FAIL, std::move(reason));
        of->registry = of->provider->GetKernelRegistry();
        if (memory) return find_memory(of->provider, of->memory);
        if (of->provider->GetDataTransfer())
            return Status(common::ONNXRUNTIME, common::FAIL,
                          "its GetDataTransfer() copies to memory of its own, which has no tag here");
        return Status::OK();
    });
    if (!outcome.IsOK())
        return error(error_code::provider_unavailable, std::string(name) + ": " + outcome.ErrorMessage());
    if (memory) memory->open(device, of->memory);
    return std::shared_ptr<engine>(std::make_shared<adapted_engine>(std::move(of)));
}
}  // namespace ort
}  // namespace v1
}  // namespace inlay
