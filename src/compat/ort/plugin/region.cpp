#include "claim.hpp"
#include "engine/session_parts.hpp"
#include "region.hpp"
#include <algorithm>
#include <cstring>

namespace inlay::ep {
namespace {
model load(const runtime& ort, const OrtGraph* graph, const OrtNode* fused) {
    const node_ends ends = ends_of(ort, fused);
    piece p{graph, ort.list<const OrtNode*>(graph_node_count, graph_nodes, graph)};
    p.names = names_of(ort, p.nodes);
    p.inputs.emplace();
    for (const auto* v : ends.inputs) p.inputs->insert(name_of(ort, v));
    p.outputs.emplace();
    for (const auto* v : ends.outputs) p.outputs->push_back(name_of(ort, v));
    message m = message_of(ort, p, elements::copied);
    model_options o = unchanged();
    o.optimize = true;
    return loading::load_message(std::move(m.model), std::move(m.left), o).value_or_raise();
}
std::vector<int> positions(const runtime& ort, std::span<const port> ports, std::span<const OrtValueInfo* const> of) {
    std::vector<int> indices;
    for (const port& p : ports) {
        const auto at = std::ranges::find_if(of, [&](const OrtValueInfo* v) { return name_of(ort, v) == p.name; });
        if (at == of.end()) raise({error_code::invalid_model, "inlay: the fused node lacks `" + p.name + "`"});
        indices.push_back(int(at - of.begin()));
    }
    return indices;
}
}  // namespace

void region::session::set_memory(binding& b, std::span<const tensor> inputs, std::span<const tensor> outputs) {
    parts::set_memory(b, inputs, outputs);
}
void region::session::raise_failure(const binding& b, status s) { parts::raise_failure(b, s); }
region::region(const runtime& ort, const OrtGraph* graph, const OrtNode* fused, std::vector<provider_handle> list,
               session_options o)
    : ort_(ort), session_(load(ort, graph, fused), std::move(list), o) {
    const node_ends ends = ends_of(ort, fused);
    input_ports_ = positions(ort, session_.inputs(), ends.inputs);
    output_ports_ = positions(ort, session_.outputs(), ends.outputs);
}

std::list<region::bound> region::take(const std::vector<shape>& inputs) {
    std::list<bound> slot;
    {
        const std::lock_guard lock(lock_);
        const auto at = std::ranges::find(free_, inputs, &bound::inputs);
        if (at != free_.end()) {
            slot.splice(slot.end(), free_, at);
            return slot;
        }
    }
    const auto ports = session_.inputs();
    std::vector<std::pair<std::string_view, shape>> shapes;
    for (std::size_t k = 0; k < ports.size(); ++k) shapes.emplace_back(ports[k].name, inputs[k]);
    bound& b = slot.emplace_back(bound{session_.bind(shapes), inputs, {}, {}});
    for (const port& p : session_.outputs()) {
        const tensor t = b.run.output(p.name);
        b.late.push_back(!t || !t.shape().known() || t.type() == element::string);
        b.outputs.push_back(t.shape());
    }
    return slot;
}
void region::give_back(std::list<bound> slot) noexcept {
    constexpr std::size_t most = 8;  // as many as a session caches plans; each has memory of its own
    const std::lock_guard lock(lock_);
    free_.splice(free_.begin(), slot);
    while (free_.size() > most) slot.splice(slot.end(), free_, std::prev(free_.end()));
}

tensor region::input(const OrtKernelContext* c, std::size_t k, std::vector<shape>& shapes) const {
    const port& p = session_.inputs()[k];
    const auto* v = ort_.get<const OrtValue*>(kernel_input, c, std::size_t(input_ports_[k]));
    if (!v) raise({error_code::invalid_argument, "inlay: the input `" + p.name + "` of the region is not there"});
    const tensor_type t = tensor_type_of(ort_, v);
    shapes.push_back(shape_of(t, "the input `" + p.name + "`"));
    if (t.type == element::string) return tensor_of_strings(ort_, v, shapes.back());
    return tensor::borrow(t.type, shapes.back(), ort_.get<const void*>(tensor_data, v));
}
OrtValue* region::output(OrtKernelContext* c, std::size_t k, const shape& dims) const {
    return ort_.get<OrtValue*>(kernel_output, c, std::size_t(output_ports_[k]), dims.begin(), std::size_t(dims.rank));
}
void region::run(OrtKernelContext* c) {
    const auto inputs = session_.inputs(), outputs = session_.outputs();
    std::vector<tensor> input_tensors;
    std::vector<shape> shapes;
    for (std::size_t k = 0; k < inputs.size(); ++k) input_tensors.push_back(input(c, k, shapes));
    std::list<bound> slot = take(shapes);
    bound& b = slot.front();
    std::vector<tensor> to(outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k)
        if (!b.late[k])
            to[k] = tensor::borrow(outputs[k].type, b.outputs[k],
                                   ort_.get<void*>(tensor_mutable_data, output(c, k, b.outputs[k])));
    session::set_memory(b.run, input_tensors, to);
    if (const status s = b.run.run(); s != status::ok) session::raise_failure(b.run, s);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (!b.late[k]) continue;
        const tensor t = b.run.output(outputs[k].name);
        OrtValue* copy = output(c, k, t.shape());
        if (t.type() == element::string)
            write_strings(ort_, t, copy);
        else if (t.bytes())
            std::memcpy(ort_.get<void*>(tensor_mutable_data, copy), t.data(), std::size_t(t.bytes()));
    }
    give_back(std::move(slot));
}
}  // namespace inlay::ep
