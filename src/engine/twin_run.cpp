#include "twin_run.hpp"
#include <inlay/twin.hpp>

namespace inlay {
inline namespace v1 {
namespace twins {
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
std::string nodes_of(const step_record& r) {
    if (r.nodes.size() == 1) return "node " + describe(r.nodes.front());
    constexpr std::size_t most = 12;
    std::string text = std::to_string(r.nodes.size()) + " nodes that are one " + r.what + ": ";
    for (std::size_t k = 0; k < std::min(most, r.nodes.size()); ++k) text += (k ? ", " : "") + describe(r.nodes[k]);
    return text + (r.nodes.size() > most ? ", ..." : "");
}
}  // namespace

twin_run::twin_run(const session_core& core, const run_context& c) {
    const graph_view& g = c.plan->graph.view;
    std::vector<shape> inputs;
    for (int id : g.inputs) inputs.push_back(g.values[std::size_t(id)].dims);
    session_options o = core.options;
    o.log_severity_level = int(severity::error);
    o.progress = nullptr;
    for (const provider_handle& h : core.handles) {
        if (!h.twin) continue;
        if (sides_.empty()) first_ = h.name;
        sides_[h.name] = {h.twin, std::make_unique<graph_pieces>(*core.source, std::vector{h.twin->other}, o, inputs)};
    }
}
twin_run::side* twin_run::side_of(const watched_step& s) {
    const std::string provider = s.provider();
    const auto at = sides_.find(provider.empty() ? first_ : provider);
    return at == sides_.end() ? nullptr : &at->second;
}

void twin_run::compute(const side& b, const watched_step& s) {
    std::vector<char> known(b.pieces->graph().values.size(), true);
    for (int k : s.nodes())
        for (int id : s.graph().list(s.graph().nodes[std::size_t(k)].outputs))
            if (id >= 0) known[std::size_t(id)] = false;
    const auto piece = b.pieces->find(step_.outputs, known);
    if (!piece) raise({error_code::invalid_argument, "inlay: twin: the step makes none of its values"});
    std::vector<any_value> inputs;
    std::vector<shape> shapes;
    for (int id : piece->inputs) {
        inputs.push_back(as_plain(s.input(id)));
        const tensor* t = inputs.back().as_tensor();
        shapes.push_back(t ? t->shape() : shape::unknown());
    }
    b.pieces->run(
        *piece, shapes, [&](std::size_t k) { return std::exchange(inputs[k], any_value()); },
        [&](std::span<const any_value> made) {
            for (std::size_t k = 0; k < made.size(); ++k) want_.emplace(piece->outputs[k], copy_of(made[k]));
        });
}
std::unique_ptr<step_watcher> watcher_of(const session_core& core, const run_context& c) {
    return std::make_unique<twin_run>(core, c);
}
bool twin_run::before(const watched_step& s) {
    want_.clear();
    step_ = record_of(s);
    moved_ = {};
    if (step_.nodes.empty()) {
        if (step_.inputs == step_.outputs && step_.inputs.size() == 1)
            moved_ = content_of(s.input(step_.inputs.front()));
        return true;
    }
    const side* b = side_of(s);
    if (b && !step_.random) compute(*b, s);
    return true;
}
bool twin_run::after(const watched_step& s) {
    if (moved_ != content{} && moved_ != content_of(s.output(step_.outputs.front())))
        differ(s, "`" + std::string(s.graph().values[std::size_t(step_.outputs.front())].name) + "` is changed");
    const side* b = want_.empty() ? nullptr : side_of(s);
    for (const auto& [id, want] : want_) {
        const std::string name(s.graph().values[std::size_t(id)].name);
        const comparison c = compared(as_plain(s.output(id)), want, name, b->what->relative, b->what->absolute);
        if (!c.difference.empty())
            differ(s, c.difference + ", as " + b->what->other.name + " makes of the same values");
    }
    return true;
}
void twin_run::differ(const watched_step& s, const std::string& how) const {
    const bool one = step_.nodes.size() == 1;
    error e(error_code::invalid_value, "inlay: twin: " + (step_.nodes.empty() ? "the " + step_.what : nodes_of(step_)) +
                                           (step_.provider.empty() ? "" : " on " + step_.provider) + ", step " +
                                           std::to_string(s.number() + 1) + ": " + how);
    e.provider = step_.provider;
    if (one) {
        e.node = step_.nodes.front().name;
        e.op = s.graph().nodes[std::size_t(s.nodes().front())].op;
        e.version = s.graph().nodes[std::size_t(s.nodes().front())].version;
    }
    e.hint = "`inlay compare` writes what differs as a model of its own, with its inputs";
    raise(std::move(e));
}
}  // namespace twins
}  // namespace v1
}  // namespace inlay
