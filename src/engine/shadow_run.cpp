#include "shadow_run.hpp"
#include <inlay/shadow.hpp>

namespace inlay {
inline namespace v1 {
namespace shadows {
namespace {
// A copy in host memory, in the order of ONNX.
any_value as_plain(const lying_value& v) {
    const tensor* t = v.value.as_tensor();
    if (!t || t->type() == element::string) return v.value;
    tensor plain = tensor::uninitialized(t->type(), t->shape());
    auto* to = static_cast<std::byte*>(plain.data());
    v.read([&](std::span<const std::byte> part) {
        std::memcpy(to, part.data(), part.size());
        to += part.size();
    });
    return plain;
}
// What a step reads, captured before it runs.
class values_before final : public step_values {
    const watched_step& step_;

  public:
    explicit values_before(const watched_step& s) : step_(s) {}
    any_value get(int id) const override { return as_plain(step_.input(id)); }
    shape shape_of(int id) const override {
        const any_value v = step_.input(id).value;
        return v.as_tensor() ? v.as_tensor()->shape() : shape::unknown();
    }
};
std::string nodes_of(const step_record& r) {
    if (r.nodes.size() == 1) return "node " + describe(r.nodes.front());
    constexpr std::size_t most = 12;
    std::string text = std::to_string(r.nodes.size()) + " nodes that are one " + r.kind + ": ";
    for (std::size_t k = 0; k < std::min(most, r.nodes.size()); ++k) text += (k ? ", " : "") + describe(r.nodes[k]);
    return text + (r.nodes.size() > most ? ", ..." : "");
}
}  // namespace

shadow_run::shadow_run(const session_core& core, const run_context& c) {
    const graph_view& g = c.plan->graph.view;
    std::vector<shape> inputs;
    for (int id : g.inputs) inputs.push_back(g.values[std::size_t(id)].dims);
    session_options o = core.setup.options;
    o.log_severity_level = int(severity::error);
    o.progress = nullptr;
    const model& m = *core.source;
    for (const provider_handle& h : core.setup.handles) {
        if (!h.shadow) continue;
        if (sides_.empty()) first_ = h.name;
        sides_[h.name] = {h.shadow,
                          computed_side(m, m, {h.shadow->second}, o, inputs, {g.inputs.begin(), g.inputs.end()})};
    }
}
const shadow_run::side* shadow_run::side_of(const step_record& r) const {
    const auto at = sides_.find(r.provider.empty() ? first_ : r.provider);
    return at == sides_.end() ? nullptr : &at->second;
}
std::unique_ptr<step_watcher> watcher_of(const session_core& core, const run_context& c) {
    return std::make_unique<shadow_run>(core, c);
}
void shadow_run::begin(std::span<const watched_step> steps) {
    for (const watched_step& s : steps) records_.push_back(record_of(s));
    for (const auto& [name, b] : sides_) b.computes->plan(records_);
}
bool shadow_run::before(const watched_step& s) {
    const step_record& r = records_[at_];
    expected_.clear();
    moved_ = {};
    if (r.nodes.empty()) {
        if (r.inputs == r.outputs && r.inputs.size() == 1) moved_ = content_of(s.input(r.inputs.front()));
        return true;
    }
    const side* b = side_of(r);
    if (b && !r.random)
        b->computes->run(at_, values_before(s), [&](const std::map<int, any_value>& results) {
            for (const auto& [id, v] : results) expected_.emplace(id, copy_of(v));
        });
    return true;
}
bool shadow_run::after(const watched_step& s) {
    const step_record& r = records_[at_];
    if (moved_ != content{} && moved_ != content_of(s.output(r.outputs.front())))
        differ(s, "`" + std::string(s.graph().values[std::size_t(r.outputs.front())].name) + "` is changed");
    const side* b = side_of(r);
    for (const auto& [id, expected] : expected_) {
        const std::string name(s.graph().values[std::size_t(id)].name);
        const comparison c =
            compared(as_plain(s.output(id)), expected, name, b->definition->relative, b->definition->absolute);
        if (!c.difference.empty())
            differ(s, c.difference + ", as " + b->definition->second.name + " makes of the same values");
    }
    ++at_;
    return true;
}
void shadow_run::differ(const watched_step& s, const std::string& difference) const {
    const step_record& r = records_[at_];
    error e(error_code::invalid_value, "inlay: shadow run: " + (r.nodes.empty() ? "the " + r.kind : nodes_of(r)) +
                                           (r.provider.empty() ? "" : " on " + r.provider) + ", step " +
                                           std::to_string(r.number + 1) + ": " + difference);
    e.provider = r.provider;
    if (r.nodes.size() == 1) {
        e.node = r.nodes.front().name;
        e.op = s.graph().nodes[std::size_t(s.nodes().front())].op;
        e.version = s.graph().nodes[std::size_t(s.nodes().front())].version;
    }
    e.hint = "`inlay compare` writes what differs as a model of its own, with its inputs";
    raise(std::move(e));
}
}  // namespace shadows
}  // namespace v1
}  // namespace inlay
