#include "errors.hpp"
#include "session.hpp"
#include <algorithm>

using namespace Ort::detail;

static void check_port(std::span<const inlay::port> ports, std::string_view name, const char* kind) {
    if (std::ranges::find(ports, name, &inlay::port::name) == ports.end())
        raise(ORT_INVALID_ARGUMENT, std::string("Ort: the model has no ") + kind + " `" + std::string(name) + "`");
}
void OrtIoBinding::bind_input(const char* name, const inlay::any_value& value) {
    check_port(session_.session->inputs(), need_text(name, "an input's name"), "input");
    const auto at = std::ranges::find(inputs_, name, [](const auto& in) { return in.first; });
    if (at == inputs_.end())
        inputs_.emplace_back(name, value);
    else
        at->second = value;
    fresh_ = true;
}
void OrtIoBinding::bind_output(output o) {
    check_port(session_.session->outputs(), o.name, "output");
    forget_outputs();
    const auto at = std::ranges::find(outputs_, o.name, &output::name);
    if (at == outputs_.end())
        outputs_.push_back(std::move(o));
    else
        *at = std::move(o);
}
void OrtIoBinding::clear_inputs() {
    inputs_.clear();
    fresh_ = true;
}
void OrtIoBinding::clear_outputs() {
    forget_outputs();
    outputs_.clear();
}
void OrtIoBinding::forget_outputs() {
    if (runs_) runs_->forget_outputs(requests_);
    requests_.clear();
    fresh_ = true;
    ran_ = false;
}
void OrtIoBinding::prepare() {
    named_.clear();
    requests_.clear();
    for (const auto& [name, value] : inputs_) named_.push_back({name, value});
    for (const output& o : outputs_) requests_.push_back({o.name, o.memory, o.space});
    if (requests_.empty()) raise(ORT_INVALID_ARGUMENT, "Ort: the binding has no output; BindOutput() names them");
    if (!runs_ || !runs_->fits(named_)) runs_ = std::make_shared<bound_runs>(*session_.session, named_);
}
void OrtIoBinding::run(const OrtRunOptions* options) {
    const run_scope scope(options);
    const inlay::run_options run_options{.stop = options ? &options->stop : nullptr, .deadline = {}};
    const bool fresh = std::exchange(fresh_, true);  // where this fails, everything is bound again
    if (fresh) prepare();
    if (session_.recorder.on()) session_.warn_once("runs of an IoBinding are not in the profile");
    runs_->run(named_, requests_, fresh, run_options);
    fresh_ = false;
    ran_ = true;
}
std::vector<inlay::any_value> OrtIoBinding::results() const {
    std::vector<inlay::any_value> values;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        if (!outputs_[k].memory && !ran_)
            raise(ORT_INVALID_ARGUMENT,
                  "Ort: the binding did not run since the output `" + outputs_[k].name + "` was bound");
        if (outputs_[k].memory) {
            values.push_back(outputs_[k].memory);
            continue;
        }
        const inlay::any_value result = runs_->output(k, requests_[k]);
        const inlay::tensor* t = result.as_tensor();
        if (!t) {
            values.push_back(result);
            continue;
        }
        // The result lives in memory of the runs, which the value keeps alive, with the threads of their session.
        struct owners {
            std::shared_ptr<environment> env;
            std::shared_ptr<bound_runs> runs;
            inlay::tensor result;
        };
        auto keep = std::make_shared<owners>(owners{session_.env, runs_, *t});
        values.push_back(inlay::tensor::borrow(t->type(), t->shape(), t->data(), t->where(), std::move(keep)));
    }
    return values;
}

namespace Ort {
namespace detail {
void OrtRelease(OrtIoBinding* b) noexcept { delete b; }

template <class T> static T& binding_behind(T* p) { return need(p, "IoBinding"); }
template <class T> std::vector<std::string> ConstIoBindingImpl<T>::GetOutputNames() const {
    std::vector<std::string> names;
    for (const auto& o : binding_behind(this->p_).outputs()) names.push_back(o.name);
    return names;
}
template <class T> std::vector<Value> ConstIoBindingImpl<T>::GetOutputValues() const {
    return guarded([&] {
        std::vector<Value> values;
        for (inlay::any_value& v : binding_behind(this->p_).results()) values.push_back(value_of(std::move(v)));
        return values;
    });
}
template struct ConstIoBindingImpl<OrtIoBinding>;
template struct ConstIoBindingImpl<Unowned<OrtIoBinding>>;
template struct ConstIoBindingImpl<Unowned<const OrtIoBinding>>;

template <class T> void IoBindingImpl<T>::BindInput(const char* name, const Value& value) {
    const OrtValue* v = value;
    guarded([&] { binding_behind(this->p_).bind_input(name, need(v, "Value").value); });
}
template <class T> void IoBindingImpl<T>::BindOutput(const char* name, const Value& value) {
    guarded([&] {
        binding_behind(this->p_).bind_output({need_text(name, "an output's name"), tensor_of(value), nullptr});
    });
}
template <class T> void IoBindingImpl<T>::BindOutput(const char* name, const OrtMemoryInfo* info) {
    guarded([&] {
        binding_behind(this->p_).bind_output({need_text(name, "an output's name"), {}, need(info, "MemoryInfo").space});
    });
}
template <class T> void IoBindingImpl<T>::ClearBoundInputs() { binding_behind(this->p_).clear_inputs(); }
template <class T> void IoBindingImpl<T>::ClearBoundOutputs() {
    guarded([&] { binding_behind(this->p_).clear_outputs(); });
}
template struct IoBindingImpl<OrtIoBinding>;
template struct IoBindingImpl<Unowned<OrtIoBinding>>;
}  // namespace detail

IoBinding::IoBinding(Session& session)
    : IoBindingImpl(detail::guarded([&] {
          OrtSession* const p = session;
          return new OrtIoBinding(detail::need(p, "Session"));
      })) {}
}  // namespace Ort
