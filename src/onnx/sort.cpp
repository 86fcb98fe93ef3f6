// Nodes in topological order: ONNX requires it, converters do not always keep it, and ONNX Runtime does not mind.
#include "proto.hpp"
#include <algorithm>
#include <functional>
#include <queue>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using node_of_name = std::unordered_map<std::string_view, int>;

void each_read(const ::onnx::NodeProto& n, const std::function<bool(std::string_view)>& inside,
               const std::function<void(std::string_view)>& f) {
    for (const std::string& name : n.input())
        if (!name.empty() && !inside(name)) f(std::string_view(name));
    const auto read_by = [&](const ::onnx::GraphProto& g) {
        std::set<std::string_view> local_names;
        for (auto& v : g.input()) local_names.insert(v.name());
        for (auto& t : g.initializer()) local_names.insert(t.name());
        for (auto& body : g.node()) local_names.insert(body.output().begin(), body.output().end());
        const std::function<bool(std::string_view)> is_local = [&](std::string_view name) {
            return local_names.contains(name) || inside(name);
        };
        for (auto& body : g.node()) each_read(body, is_local, f);
        for (auto& v : g.output())
            if (!is_local(v.name())) f(std::string_view(v.name()));
    };
    for (auto& a : n.attribute()) {
        if (a.has_g()) read_by(a.g());
        for (auto& g : a.graphs()) read_by(g);
    }
}
}  // namespace

void each_read(const ::onnx::NodeProto& n, const std::function<void(std::string_view)>& f) {
    each_read(
        n, [](std::string_view) { return false; }, f);
}

// Leaves sorted graphs unchanged, and cycles for the checker to report; other nodes keep their order
// where they can.
void sort_nodes(::onnx::GraphProto& g) {
    const int count = g.node_size();
    node_of_name makers;
    for (int i = 0; i < count; ++i)
        for (const std::string& name : g.node(i).output())
            if (!name.empty()) makers.emplace(name, i);
    std::vector<std::vector<int>> readers(static_cast<std::size_t>(count));
    std::vector<int> missing(std::size_t(count), 0);
    bool sorted = true;
    for (int i = 0; i < count; ++i)
        each_read(g.node(i), [&](std::string_view name) {
            const auto maker = makers.find(name);
            if (maker == makers.end()) return;
            sorted &= maker->second < i;
            readers[std::size_t(maker->second)].push_back(i);
            ++missing[std::size_t(i)];
        });
    if (!sorted) {
        std::priority_queue<int, std::vector<int>, std::greater<>> ready;
        for (int i = 0; i < count; ++i)
            if (missing[std::size_t(i)] == 0) ready.push(i);
        std::vector<int> order;
        while (!ready.empty()) {
            order.push_back(ready.top());
            ready.pop();
            for (int r : readers[std::size_t(order.back())])
                if (--missing[std::size_t(r)] == 0) ready.push(r);
        }
        for (int i = 0; i < count; ++i)
            if (missing[std::size_t(i)] > 0) order.push_back(i);
        const auto places = g.mutable_node()->pointer_begin();
        const std::vector<::onnx::NodeProto*> nodes(places, places + count);
        std::transform(order.begin(), order.end(), places, [&](int i) { return nodes[std::size_t(i)]; });
    }
    for (auto& n : *g.mutable_node())
        for (auto& a : *n.mutable_attribute()) {
            if (a.has_g()) sort_nodes(*a.mutable_g());
            for (auto& body : *a.mutable_graphs()) sort_nodes(body);
        }
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
