// The engine of a provider whose library reads ONNX: it queries the library about sets of nodes, keeps the ONNX of
// those that it proposes until they are compiled, and compiles, runs and fails in the same way for all.
#pragma once
#include "compiled_program.hpp"
#include "library_tensors.hpp"
#include "proposed_regions.hpp"
#include <map>

namespace inlay {
inline namespace v1 {
namespace lowering {
// Nodes that a library does not support, each with the reason.
using refused_nodes = std::vector<std::pair<int, std::string>>;
struct onnx_serializer {
    result<std::string> operator()(const region& r) const { return to_onnx(r); }
};
// A backend has
//   node_refusal(graph): a function that returns why a node_view is not even tried; empty: it is
//   identity(), as engines have it
//   compile(region, onnx): a shared pointer to what instance() gives objects of, or a result of a compiled_region
//   restore(region, bytes): the same of what its saved() gave
//   elements: where the ONNX for compile() has those of constants
// and, where the library can be queried before it compiles,
//   query(region, onnx): the nodes of the region that it does not support, or throws refused_node where it is not
//   known which; queries_elements: whether the ONNX for that has the elements of constants
//   any_shapes: whether it compiles for sizes that are not known.
// They throw refused_node, or an error where its code is not the usual one.
template <class Backend, class Serializer = onnx_serializer> class onnx_region_engine final : public engine {
    Backend backend_;
    Serializer serialize_;
    proposed_regions proposed_;
    static constexpr bool queries = requires(const Backend& b, const region& r) { b.query(r, std::string()); };

    result<std::string> serialized(const region& r) const {
        const attribute_tensors attributes(r);
        return serialize_({r.graph, r.nodes, r.inputs, r.outputs, attributes.empty() ? nullptr : &attributes});
    }
    // Of one proposal: sets of nodes, each serialised and queried once.
    class query_of_sets {
        const onnx_region_engine& engine_;
        const free_nodes& free_;
        region_ends finder_;
        struct answer {
            refused_nodes refusals{};
            std::string onnx{};
        };
        std::map<std::vector<int>, answer> answers_{};

        template <class F> auto with_region(std::span<const int> set, F f) {
            const region_values ends = finder_.of(set);
            const constant_source* const constants = Backend::queries_elements ? free_.constants : nullptr;
            return f(region{free_.graph, set, ends.inputs, ends.outputs, constants});
        }
        refused_nodes queried(const region& r, std::string& onnx) const {
            auto serialized = engine_.serialized(r);
            if (!serialized) refuse(serialized.why().text);
            onnx = std::move(*serialized);
            if (!r.constants) return engine_.backend_.query(r, onnx);
            const auto whole = with_elements(onnx, r, elements_in::bytes);
            if (!whole) refuse(whole.why().text);
            return engine_.backend_.query(r, *whole);
        }
        // Where it is not known which node it is, each is queried alone; if each alone is supported, all are refused.
        refused_nodes one_by_one(std::span<const int> set, const std::string& reason) {
            refused_nodes refusals;
            if (set.size() > 1)
                for (const int i : set)
                    for (const auto& [node, text] : refused_of({i})) refusals.emplace_back(node, text);
            if (refusals.empty())
                for (const int i : set) refusals.emplace_back(i, reason);
            return refusals;
        }

      public:
        query_of_sets(const onnx_region_engine& e, const free_nodes& f) : engine_(e), free_(f), finder_(f.graph) {}
        const refused_nodes& refused_of(const std::vector<int>& set) {
            const auto entry = answers_.find(set);
            if (entry != answers_.end()) return entry->second.refusals;
            answer a;
            try {
                a.refusals = with_region(set, [&](const region& r) { return queried(r, a.onnx); });
            } catch (const refused_node& r) {
                a.refusals = one_by_one(set, r.reason);
            }
            return answers_.emplace(set, std::move(a)).first->second.refusals;
        }
        void keep(const std::vector<int>& set, proposed_regions& to) {
            with_region(set, [&](const region& r) {
                if (auto structure = structure_of(r)) to.keep(std::move(*structure), std::move(answers_[set].onnx));
            });
        }
    };
    // Sets that the library supports as a whole.
    std::vector<std::vector<int>> taken(const free_nodes& free, std::vector<int> nodes, proposals& out) {
        query_of_sets query(*this, free);
        for (;;) {
            std::vector<std::vector<int>> sets = convex_sets(free.graph, nodes);
            bool all_supported = true;
            for (const std::vector<int>& set : sets)
                for (const auto& [node, reason] : query.refused_of(set)) {
                    all_supported = false;
                    if (std::erase(nodes, node) > 0) out.refuse(node, reason);
                }
            if (!all_supported) continue;
            for (const std::vector<int>& set : sets) query.keep(set, proposed_);
            return sets;
        }
    }

  public:
    explicit onnx_region_engine(Backend b, Serializer s = {}) : backend_(std::move(b)), serialize_(std::move(s)) {}
    void propose(const free_nodes& free, proposals& out) override {
        std::vector<int> nodes;
        {
            const auto refusal = backend_.node_refusal(free.graph);
            for (const int i : free.nodes)
                if (std::string reason = refusal(node_view{free.graph, free.graph.nodes[std::size_t(i)]});
                    reason.empty())
                    nodes.push_back(i);
                else
                    out.refuse(i, std::move(reason));
        }
        if constexpr (queries)
            for (std::vector<int>& set : taken(free, std::move(nodes), out)) out.take(std::move(set));
        else
            for (std::vector<int>& set : convex_sets(free.graph, nodes)) out.take(std::move(set));
    }
    region_result compile(const region& r) override {
        std::optional<std::string> onnx, structure = structure_of(r);
        if (structure) onnx = proposed_.take(*structure);
        if (!onnx) {
            auto serialized = this->serialized(r);
            if (!serialized) return serialized.why();
            onnx = std::move(*serialized);
        }
        const auto whole = with_elements(*onnx, r, Backend::elements);
        if (!whole) return whole.why();
        return result_of(error_code::unsupported_model,
                         [&]() -> region_result { return region_of(backend_.compile(r, *whole)); });
    }
    region_result compile_for_any_shapes(const region& r) override {
        if constexpr (requires { Backend::any_shapes; })
            return compile(r);
        else
            return engine::compile_for_any_shapes(r);
    }
    region_result restore(const region& r, std::string_view bytes) override {
        return result_of(error_code::provider_failed,
                         [&]() -> region_result { return region_of(backend_.restore(r, bytes)); });
    }
    std::vector<std::pair<std::string, std::string>> identity() const override { return backend_.identity(); }
};
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
