#include "subgraph_run.hpp"

namespace inlay {
inline namespace v1 {
shape shape_of(const any_value& v) { return v.as_tensor() ? v.as_tensor()->shape() : shape::unknown(); }
std::int64_t size_of(const any_value& v) {
    std::int64_t sum = std::int64_t(sizeof(any_value));
    if (const tensor* t = v.as_tensor()) {
        if (t->type() == element::string)
            for (const std::string& s : t->as<std::string>()) sum += std::int64_t(s.size());
        return sum + t->bytes();
    }
    if (const sequence* items = v.as_sequence())
        for (const any_value& item : *items) sum += size_of(item);
    if (const map* entries = v.as_map())
        for (const auto& [key, content] : *entries) sum += size_of(content);
    if (const optional_value* o = v.as_optional(); o && o->contents) sum += size_of(*o->contents);
    return sum;
}

subgraph_run::subgraph_run(const session_setup& setup, graph_bodies& bodies, run_context& c, const exec_step& e,
                           const run_options& o)
    : setup_(setup),
      bodies_(bodies),
      c_(c),
      e_(e),
      o_(o),
      g_(c.plan->graph.view),
      s_(c.plan->plan.steps[std::size_t(e.step)]),
      n_(g_.nodes[std::size_t(s_.unit)]),
      view_{g_, n_},
      out(std::size_t(n_.outputs.count)),
      unstacked(out.size()) {
    for (int k = 0; k < s_.inputs.count; ++k)
        (k < n_.inputs.count ? in_ : captured_).push_back(c.value_at(e.in + std::size_t(k)));
}
void subgraph_run::refuse(std::string_view reason) const { raise_for_node(error_code::invalid_value, g_, n_, reason); }
const tensor& subgraph_run::tensor_in(const any_value& v) const {
    if (!v.as_tensor()) refuse("an input that must be a tensor is none");
    return *v.as_tensor();
}
bool subgraph_run::has_body(std::string_view name) const {
    const attribute* a = view_.find(name);
    return a && a->kind == attribute_kind::graph;
}
session_core& subgraph_run::body_named(std::string_view name) const {
    if (!has_body(name)) refuse("it has no body");
    return bodies_.at(s_.unit, int(view_.find(name)->integer));
}
std::vector<any_value> subgraph_run::call(session_core& body, std::vector<any_value> arguments) const {
    std::int64_t left = c_.bytes_left;
    for (const any_value& v : arguments) left -= size_of(v);
    arguments.insert(arguments.end(), captured_.begin(), captured_.end());
    std::vector<const any_value*> pointers;
    for (const any_value& v : arguments) pointers.push_back(&v);
    if (pointers.size() != body.graph.view.inputs.size()) refuse("its body takes another number of inputs");
    std::vector<int> outputs(body.graph.view.outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k] = int(k);
    std::vector<any_value> results(outputs.size());
    body.run(pointers, outputs, results, o_, left, c_.timed.empty() ? nullptr : c_.timed[std::size_t(e_.step)], nullptr,
             &c_.executed);
    return results;
}
void subgraph_run::take_bytes(std::int64_t bytes) const { c_.take_bytes(bytes); }
context subgraph_run::base() const { return setup_.base(o_); }
void subgraph_run::end_if_stopped(const context& x) const {
    if (x.stopped()) raise({code_of(x.end_of_run()), describe_node(n_) + ": the run was ended"});
}
}  // namespace v1
}  // namespace inlay
