#include "claim.hpp"
#include "engine/refusals.hpp"
#include "engine/session_graph.hpp"
#include "engine/session_setup.hpp"
#include "onnx/schemas.hpp"
#include "slower.hpp"
#include <unordered_map>

namespace inlay::ep {
model_options unchanged() {
    model_options o;
    o.optimize = false;
    o.limits.run_bytes = std::numeric_limits<std::int64_t>::max();  // ONNX Runtime's user decides
    return o;
}

namespace {
class examiner {
    const runtime& ort_;
    const OrtGraph* graph_;
    const std::vector<provider_handle> list_;
    const bool every_node_;
    std::vector<const OrtNode*> nodes_;
    std::vector<std::string> names_;
    std::vector<node_ends> ends_;
    std::vector<std::string> reasons_;  // why not; empty: the node is claimed
    std::vector<std::string> slower_;   // it is claimed with `every_node` only, for this reason

    std::string text(const OrtNode* n, const api<asked<const OrtNode*, const char**>>& f) const {
        const char* t = ort_.get<const char*>(f, n);
        return t ? t : "";
    }
    std::string domain_of(const OrtNode* n) const {
        std::string domain = text(n, node_domain);
        return domain == "ai.onnx" ? std::string() : domain;
    }
    bool is_tensor(const OrtValueInfo* v) const {
        const auto* type = ort_.get<const OrtTypeInfo*>(value_type_info, v);
        return type && ort_.get<ort_kind>(kind_of_type, type) == ort_kind::tensor;
    }
    // Refusals that are known without creating a model.
    std::string refusal(std::size_t i) const {
        if (const std::string provider = text(nodes_[i], node_provider); !provider.empty())
            return "it is on " + provider;
        const std::string op = text(nodes_[i], node_operator);
        const std::string domain = domain_of(nodes_[i]);
        const int version = ort_.get<int>(node_since_version, nodes_[i]);
        const auto is_it = [&](const entry& e) { return e.name == op && e.domain == domain; };
        const bool has_kernel =
            loading::has_operator(op, version, domain) || std::ranges::any_of(list_.front().kernels->entries, is_it);
        if (op == "EPContext" || !has_kernel)
            return "Inlay has no operator " + (domain.empty() ? "" : domain + ".") + op + " of version " +
                   std::to_string(version);
        for (const auto& values : {ends_[i].inputs, ends_[i].implicit, ends_[i].outputs})
            for (const auto* v : values)
                if (const std::string name = name_of(ort_, v); !name.empty() && !is_tensor(v))
                    return "`" + name + "` is no tensor; only tensors enter and leave a region of Inlay's";
        return {};
    }
    // Of a node of a loaded model: why no provider runs it, or a node of its bodies; empty: one does.
    std::string refusal(const graph_view& g, const assignment& a, std::size_t i) const {
        const node& n = g.nodes[i];
        if (a.owners[i] == owner::nobody) return refusal_text(a.verdicts[i * list_.size()], g, n, list_.front());
        for (const attribute& at :
             g.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count))) {
            if (at.kind != attribute_kind::graph) continue;
            const graph_view& body = g.subgraphs[std::size_t(at.integer)];
            const assignment of_body = assigned(body);
            for (std::size_t k = 0; k < body.nodes.size(); ++k)
                if (const std::string reason = refusal(body, of_body, k); !reason.empty())
                    return "`" + std::string(body.nodes[k].name) + "` of its body `" + std::string(at.name) +
                           "`: " + reason;
        }
        return {};
    }
    assignment assigned(const graph_view& g) const {
        const fallback policy = fallback::never();
        const erased_providers list(list_, policy, std::vector<char>(list_.size()));
        return partition(g, list);
    }
    // Queries the model's nodes; false: something is refused, and it is unknown which node of the graph it is.
    bool ask(const model& m, std::span<const std::size_t> indices) {
        session_options o;
        o.intra_op_num_threads = 1;
        const session_setup setup(o, list_, m.view());
        session_graph query_graph(m.graph(), m.view(), setup.handles);
        query_graph.view.precision = setup.precision;
        const graph_view& g = query_graph.view;
        const assignment a = assigned(g);
        std::unordered_map<std::string_view, std::size_t> by_name;
        for (std::size_t i : indices) by_name.emplace(names_[i], i);
        for (std::size_t k = 0; k < g.nodes.size(); ++k) {
            const std::string reason = refusal(g, a, k);
            const auto at = by_name.find(g.nodes[k].name);
            if (reason.empty()) {
                if (at != by_name.end())
                    slower_[at->second] = slower_kernel(*list_.front().kernels, node_view{g, g.nodes[k]});
                continue;
            }
            if (indices.size() == 1)
                reasons_[indices.front()] = reason;
            else if (at == by_name.end())
                return false;
            else
                reasons_[at->second] = reason;
        }
        return true;
    }
    // Nodes that cannot be queried together are queried in halves.
    void ask(std::span<const std::size_t> indices) {
        if (indices.empty()) return;
        piece p{graph_};
        for (std::size_t i : indices) {
            p.nodes.push_back(nodes_[i]);
            p.names.push_back(names_[i]);
        }
        try {
            message m = message_of(ort_, p, elements::lent);
            const model loaded =
                loading::load_message(std::move(m.model), std::move(m.left), unchanged()).value_or_raise();
            if (ask(loaded, indices)) return;
        } catch (const error& e) {
            if (indices.size() == 1) {
                reasons_[indices.front()] = e.text;
                return;
            }
        }
        ask(indices.first(indices.size() / 2));
        ask(indices.subspan(indices.size() / 2));
    }
    struct body_refusal {
        std::string reason{};  // nothing of the body is claimed; empty: its nodes are looked at
        bool whole = false;    // the enclosing node is claimed, with its bodies
    };
    // ONNX Runtime queries bodies first, and exposes no more than the node that has them.
    body_refusal refusal_of_body() const {
        const auto* parent = ort_.get<const OrtNode*>(graph_parent_node, graph_);
        if (!parent) return {};
        examiner around(ort_, graph_, list_.front(), every_node_);
        around.nodes_ = {parent};
        around.examine();
        const std::string name = "`" + around.names_.front() + "` (" + text(parent, node_operator) + ")";
        if (around.reasons_.front().empty()) return {"it is part of " + name + ", which Inlay takes as a whole", true};
        // Where that is a function, ONNX Runtime moves its body elsewhere, and cannot with nodes that were fused.
        if (!is_control_flow(domain_of(parent), text(parent, node_operator)))
            return {"it is in a body of " + name + ", and only bodies of If, Loop and Scan are looked into"};
        return {};
    }
    void examine() {
        names_ = names_of(ort_, nodes_);
        for (const OrtNode* n : nodes_) ends_.push_back(ends_of(ort_, n));
        slower_.resize(nodes_.size());
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (reasons_.push_back(refusal(i)); reasons_.back().empty()) open.push_back(i);
        // Refused nodes leave values of unknown type that others read: these are queried again, with the types that
        // ONNX Runtime has for them.
        for (std::size_t before = open.size() + 1; !open.empty() && open.size() < before;) {
            before = open.size();
            ask(open);
            std::erase_if(open, [&](std::size_t i) { return !reasons_[i].empty(); });
        }
        if (every_node_) return;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (reasons_[i].empty()) reasons_[i] = slower_[i];
    }
    // By the number of changes between claimed and other nodes on the longest path to each: nodes of one number have
    // nothing else between them.
    std::vector<std::vector<const OrtNode*>> regions() const {
        std::unordered_map<std::string, std::size_t> maker;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            for (const auto* v : ends_[i].outputs)
                if (std::string name = name_of(ort_, v); !name.empty()) maker.emplace(std::move(name), i);
        std::vector<int> level(nodes_.size());
        std::map<int, std::vector<const OrtNode*>> by_level;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {  // in the order of their dependencies
            const bool is_claimed = reasons_[i].empty();
            level[i] = is_claimed ? 0 : 1;
            for (const auto& values : {ends_[i].inputs, ends_[i].implicit})
                for (const auto* v : values)
                    if (const auto at = maker.find(name_of(ort_, v)); at != maker.end())
                        level[i] = std::max(level[i], level[at->second] + (reasons_[at->second].empty() != is_claimed));
            if (is_claimed) by_level[level[i]].push_back(nodes_[i]);
        }
        std::vector<std::vector<const OrtNode*>> levels;
        for (auto& [number, list] : by_level) levels.push_back(std::move(list));
        return levels;
    }

  public:
    examiner(const runtime& ort, const OrtGraph* graph, const provider_handle& provider, bool every_node)
        : ort_(ort), graph_(graph), list_{provider}, every_node_(every_node) {}
    claim run() {
        nodes_ = ort_.list<const OrtNode*>(graph_node_count, graph_nodes, graph_);
        claim c;
        c.nodes = nodes_.size();
        const body_refusal body = refusal_of_body();
        if (body.whole) return {};  // reported with the node that is taken
        if (body.reason.empty())
            examine();
        else {
            names_ = names_of(ort_, nodes_);
            ends_.resize(nodes_.size());
            reasons_.assign(nodes_.size(), body.reason);
        }
        c.regions = regions();
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!reasons_[i].empty()) c.left.push_back({names_[i], text(nodes_[i], node_operator), reasons_[i]});
        return c;
    }
};
}  // namespace

std::string claim::text() const {
    constexpr std::size_t shown = 5;
    std::string t = "Inlay takes " + std::to_string(nodes - left.size()) + " of " + std::to_string(nodes) +
                    " nodes, in " + std::to_string(regions.size()) + (regions.size() == 1 ? " region" : " regions");
    for (std::size_t k = 0; k < std::min(shown, left.size()); ++k)
        t += "; `" + left[k].name + "` (" + left[k].op + "): " + left[k].reason;
    if (left.size() > shown) t += "; and " + std::to_string(left.size() - shown) + " more";
    return t;
}
claim claim_of(const runtime& ort, const OrtGraph* graph, const provider_handle& provider, bool every_node) {
    return examiner(ort, graph, provider, every_node).run();
}
}  // namespace inlay::ep
