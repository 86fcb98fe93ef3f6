// The engine of a provider whose library reads ONNX: it queries the library about sets of nodes, keeps what
// the library parsed of those that it proposes until they are compiled, and compiles, runs and fails in the same way
// for all.
#pragma once
#include "compiled_program.hpp"
#include "library_tensors.hpp"
#include "proposed_regions.hpp"
#include <map>
#include <support/content_hash.hpp>
#include <variant>

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
//   elements: where the ONNX for compile() has those of constants
//   restore(region, bytes): as compile(), of what its saved() gave
// and, where the library compiles without being queried,
//   compile(region, onnx): a shared pointer to what instance() gives objects of, or a result of a compiled_region
// or else
//   parse(onnx): what the library makes of it, which can be moved
//   query(region, parsed): the nodes of the region that it does not support, or throws refused_node where it is not
//   known which
//   compile(region, parsed)
//   queries_elements: whether a query needs the elements of constants, however many they are
// and where it compiles for sizes that are not known, any_shapes. They throw refused_node, or an error where its code
// is not the usual one.
template <class Backend> struct parsed_by { using type = std::monostate; };
template <class Backend>
requires requires(const Backend& b) { b.parse(std::string()); }
struct parsed_by<Backend> {
    using type = decltype(std::declval<const Backend&>().parse(std::string()));
};
constexpr std::size_t most_proposed_bytes = 64 << 20;

template <class Backend, class Serializer = onnx_serializer> class onnx_region_engine final : public engine {
    using parsed_region = typename parsed_by<Backend>::type;
    static constexpr bool queries = !std::same_as<parsed_region, std::monostate>;
    struct proposal {  // one of the two
        std::optional<parsed_region> parsed{};
        std::string onnx{};  // without the elements of constants
    };
    Backend backend_;
    Serializer serialize_;
    proposed_regions<proposal> proposed_;  // whose regions the backend's library made: destroyed before it

    result<std::string> serialized(const region& r) const {
        const attribute_tensors attributes(r);
        return serialize_({r.graph, r.nodes, r.inputs, r.outputs, attributes.empty() ? nullptr : &attributes});
    }
    // Where its constants have few bytes, a region is queried with them: what the library parsed is then compiled.
    bool is_parsed_once(const region& r) const { return bytes_of_constants(r) <= proposed_.most(); }
    // What the proposal of a region depends on. Nothing: such regions cannot be compared.
    std::optional<std::string> key_of(const region& r) const {
        std::optional<std::string> key = structure_of(r);
        if (!key || !is_parsed_once(r)) return key;
        const auto hash = hash_of_constants(r);
        return hash ? std::optional(*key + content_hash::hex(*hash)) : std::nullopt;
    }
    proposal proposed(const region& r) {
        const std::optional<std::string> key = key_of(r);
        std::optional<proposal> entry = key ? proposed_.take(*key) : std::nullopt;
        return entry ? std::move(*entry) : proposal{};
    }
    std::string whole(const region& r, std::string onnx = {}) const {
        if (onnx.empty()) onnx = serialized(r).value_or_raise();
        return with_elements(onnx, r, Backend::elements).value_or_raise();
    }
    auto compiled(const region& r) {
        if constexpr (queries) {
            proposal p = proposed(r);
            return backend_.compile(r, p.parsed ? std::move(*p.parsed) : backend_.parse(whole(r, std::move(p.onnx))));
        } else {
            return backend_.compile(r, whole(r));
        }
    }
    // Of one proposal: sets of nodes, each serialised, parsed and queried once.
    class query_of_sets {
        const onnx_region_engine& engine_;
        const free_nodes& free_;
        region_ends finder_;
        struct answer {
            refused_nodes refusals{};
            proposal proposed{};
        };
        std::map<std::vector<int>, answer> answers_{};

        static std::string or_refused(result<std::string> text) {
            if (!text) refuse(text.why().text);
            return std::move(*text);
        }
        template <class F> auto with_region(std::span<const int> set, F f) {
            const region_values ends = finder_.of(set);
            return f(region{free_.graph, set, ends.inputs, ends.outputs, free_.constants});
        }
        answer queried(const region& r) const {
            answer a;
            a.proposed.onnx = or_refused(engine_.serialized(r));
            const bool once = engine_.is_parsed_once(r), whole = once || Backend::queries_elements;
            auto parsed = engine_.backend_.parse(
                whole ? or_refused(with_elements(a.proposed.onnx, r, elements_in::bytes)) : a.proposed.onnx);
            a.refusals = engine_.backend_.query(r, parsed);
            if (once && a.refusals.empty()) a.proposed = {std::move(parsed), {}};
            return a;
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
                a = with_region(set, [&](const region& r) { return queried(r); });
            } catch (const refused_node& r) {
                a.refusals = one_by_one(set, r.reason);
            }
            return answers_.emplace(set, std::move(a)).first->second.refusals;
        }
        void keep(const std::vector<int>& set, proposed_regions<proposal>& to) {
            with_region(set, [&](const region& r) {
                proposal& p = answers_[set].proposed;
                const std::size_t bytes = p.parsed ? bytes_of_constants(r) : p.onnx.size();
                if (auto key = engine_.key_of(r)) to.keep(std::move(*key), std::move(p), bytes);
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
    explicit onnx_region_engine(Backend b, Serializer s = {}, std::size_t most_kept_bytes = most_proposed_bytes)
        : backend_(std::move(b)), serialize_(std::move(s)), proposed_(most_kept_bytes) {}
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
        return result_of(error_code::unsupported_model, [&]() -> region_result { return region_of(compiled(r)); });
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
