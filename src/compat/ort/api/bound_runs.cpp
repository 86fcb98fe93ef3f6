#include "built/copy_elements.hpp"
#include "errors.hpp"
#include "session.hpp"
#include <inlay/sdk/status_error.hpp>
#include <algorithm>

namespace Ort::detail {
namespace {
using inlay::error_code;
using inlay::tensor;

bool takes_tensors_only(const inlay::session_base& session) {
    const auto is_tensor = [](const inlay::port& p) { return p.kind == inlay::value_kind::tensor; };
    return std::ranges::all_of(session.inputs(), is_tensor) && std::ranges::all_of(session.outputs(), is_tensor);
}
// Every input once: a binding would reuse the previous value for a missing one.
void check_names(const inlay::session_base& session, std::span<const named_value> inputs) {
    const auto ports = session.inputs();
    for (const inlay::port& p : ports)
        if (std::ranges::count(inputs, p.name, &named_value::name) != 1)
            raise(ORT_INVALID_ARGUMENT, "Ort: the input `" + p.name + "` is given " +
                                            std::to_string(std::ranges::count(inputs, p.name, &named_value::name)) +
                                            " times; a run needs it once");
    for (const named_value& in : inputs)
        if (std::ranges::find(ports, in.name, &inlay::port::name) == ports.end())
            raise(ORT_INVALID_ARGUMENT, "Ort: the model has no input `" + std::string(in.name) + "`");
}
}  // namespace

void copy_into(const tensor& memory, const inlay::any_value& result, std::string_view name) {
    const tensor* from = result.as_tensor();
    if (!from) raise(ORT_INVALID_ARGUMENT, "Ort: the output `" + std::string(name) + "` is no tensor");
    if (from->type() != memory.type() || from->shape() != memory.shape())
        raise(ORT_INVALID_ARGUMENT, "Ort: the output `" + std::string(name) + "` is " +
                                        std::string(name_of(from->type())) + " " + to_string(from->shape()) +
                                        ", and the value that is given for it is " +
                                        std::string(name_of(memory.type())) + " " + to_string(memory.shape()));
    if (memory.data() != from->data() && !inlay::copy_elements(*from, memory))
        raise(ORT_EP_FAIL, "Ort: the output `" + std::string(name) + "` could not be copied to its memory");
}

bound_runs::bound_runs(const inlay::session_base& session, std::span<const named_value> inputs) : session_(session) {
    if (!takes_tensors_only(session)) return;
    check_names(session, inputs);
    std::vector<std::pair<std::string_view, inlay::shape>> shapes;
    for (const named_value& in : inputs) {
        const tensor* t = in.value.as_tensor();
        if (!t) return;  // a run reports what is wrong
        shapes_.emplace_back(in.name, t->shape());
        shapes.emplace_back(in.name, t->shape());
    }
    binding_.emplace(session.bind(shapes));
}
bool bound_runs::fits(std::span<const named_value> inputs) const {
    if (!binding_ || inputs.size() != shapes_.size()) return false;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const tensor* t = inputs[k].value.as_tensor();
        if (!t || inputs[k].name != shapes_[k].first || t->shape() != shapes_[k].second) return false;
    }
    return true;
}
// False: one of them has a data-dependent size.
bool bound_runs::bind_outputs(std::span<const wanted_output> outputs) {
    for (const wanted_output& out : outputs) {
        if (!out.memory && (!out.space || out.space == &inlay::space_of<inlay::memory::host>)) continue;
        try {
            if (out.memory)
                binding_->set_output(out.name, out.memory);
            else
                binding_->set_output(out.name, *out.space);
        } catch (const inlay::error& e) {
            if (e.code != error_code::invalid_argument ||
                std::ranges::find(session_.outputs(), out.name, &inlay::port::name) == session_.outputs().end())
                throw;
            return false;
        }
    }
    return true;
}
void bound_runs::run_plain(std::span<const named_value> inputs, std::span<const wanted_output> outputs,
                           const inlay::run_options& options) {
    std::vector<inlay::feed> feeds;
    for (const named_value& in : inputs) feeds.push_back({in.name, in.value});
    std::vector<std::string_view> names;
    for (const wanted_output& out : outputs) names.push_back(out.name);
    fetched_ = session_.run(feeds, names, options);
    for (std::size_t k = 0; k < outputs.size(); ++k)
        if (outputs[k].memory) copy_into(outputs[k].memory, fetched_.value(k), outputs[k].name);
}
void bound_runs::run(std::span<const named_value> inputs, std::span<const wanted_output> outputs, bool fresh,
                     const inlay::run_options& options) {
    plain_ = !binding_ || copies_;
    if (!plain_ && fresh) {
        for (const named_value& in : inputs) binding_->set_input(in.name, *in.value.as_tensor());
        plain_ = copies_ = !bind_outputs(outputs);
        if (copies_) forget_outputs(outputs);
    }
    if (plain_) return run_plain(inputs, outputs, options);
    const inlay::status s = binding_->run(options);
    if (s != inlay::status::ok) inlay::raise({inlay::code_of(s), std::string(binding_->why())});
}
bool bound_runs::profile(std::span<const named_value> inputs, const inlay::run_options& options,
                         run_recorder& recorder) {
    if (!binding_) return false;
    plain_ = false;
    for (const named_value& in : inputs) binding_->set_input(in.name, *in.value.as_tensor());
    const auto began = std::chrono::steady_clock::now();
    recorder.add(binding_->profile(1, options), began);
    return true;
}
inlay::any_value bound_runs::output(std::size_t k, const wanted_output& requested) const {
    if (requested.memory) return requested.memory;
    if (!plain_) return tensor(binding_->output(requested.name));
    const tensor* t = fetched_.value(k).as_tensor();
    const bool elsewhere = t && requested.space && &t->where() != requested.space;
    return elsewhere ? inlay::any_value(t->copied_to(*requested.space)) : fetched_.value(k);
}
void bound_runs::forget_outputs(std::span<const wanted_output> outputs) {
    for (const wanted_output& out : outputs)
        if (binding_ && (out.memory || out.space)) try {
                binding_->set_output(out.name, inlay::space_of<inlay::memory::host>);
            } catch (const inlay::error&) {  // it could not be bound: then nothing is bound
                continue;
            }
}
}  // namespace Ort::detail
