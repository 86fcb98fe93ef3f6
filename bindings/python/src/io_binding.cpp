#include "built/owned_value.hpp"
#include "engine/ports.hpp"
#include "io_binding.hpp"
#include "ort_value.hpp"
#include "spaces.hpp"
#include <inlay/sdk/status_error.hpp>

namespace inlay::python {
io_binding::io_binding(nb::object session)
    : session_(std::move(session)),
      of_(nb::cast<const python_session&>(session_)),
      now_(of_.now()),
      inputs_(now_->inputs().size()) {}

void io_binding::bind_input(std::string_view name, nb::handle object) {
    const taken guard = in_use(running_, "IoBinding");
    const auto ports = now_->inputs();
    const auto k = std::size_t(find_port(ports, name, "input"));
    bound_input to;
    if (ports[k].kind == value_kind::tensor && !value_of_ort_value(object))
        to.value = lasting_tensor_from(object, ports[k].type, "input `" + ports[k].name + "`");
    else
        to.value = value_from(object, ports[k], to.owners);
    shape_check check;
    check_value(ports[k], to.value, check);
    to.has_value = to.fresh = true;
    inputs_[k] = std::move(to);
}
void io_binding::bind_tensor(std::string_view name, tensor t) {
    const taken guard = in_use(running_, "IoBinding");
    const auto ports = now_->inputs();
    const auto k = std::size_t(find_port(ports, name, "input"));
    shape_check check;
    check_value(ports[k], t, check);
    inputs_[k] = {std::move(t), {}, true, true};
}
void io_binding::bind_output(std::string_view name, tensor memory, const space& location) {
    const taken guard = in_use(running_, "IoBinding");
    const auto ports = now_->outputs();
    const auto k = std::size_t(find_port(ports, name, "output"));
    if (memory && memory.type() != ports[k].type)
        raise({error_code::type_mismatch, "inlay: output `" + ports[k].name + "` has elements of type " +
                                              std::string(name_of(ports[k].type)) + ", not " +
                                              std::string(name_of(memory.type()))});
    const auto output = std::ranges::find(outputs_, k, &bound_output::port);
    if (output == outputs_.end())
        outputs_.push_back({k, std::move(memory), &location});
    else
        *output = {k, std::move(memory), &location};
    outputs_fresh_ = true;
    results_.clear();
}
void io_binding::clear_inputs() {
    const taken guard = in_use(running_, "IoBinding");
    for (bound_input& i : inputs_) i = {};
}
void io_binding::clear_outputs() {
    const taken guard = in_use(running_, "IoBinding");
    outputs_.clear();
    results_.clear();
    plan_.reset();  // which would still write them
}

// Bound memory, on either side, needs a binding of the session, which is for tensors; everything else is a plain run.
bool io_binding::needs_plan() const {
    const auto is_tensor = [](const bound_input& i) { return i.value.as_tensor() && *i.value.as_tensor(); };
    const auto on_device = [](const bound_input& i) { return i.value.as_tensor() && !i.value.as_tensor()->on_host(); };
    const auto has_memory = [](const bound_output& o) { return o.memory || o.location != &space_of<memory::host>; };
    return std::ranges::all_of(inputs_, is_tensor) &&
           (std::ranges::any_of(inputs_, on_device) || std::ranges::any_of(outputs_, has_memory));
}
void io_binding::plan_again() {
    const auto ports = now_->inputs();
    std::vector<std::pair<std::string_view, shape>> shapes;
    bool same = plan_.has_value();
    for (std::size_t k = 0; k < ports.size(); ++k) {
        const tensor* t = inputs_[k].value.as_tensor();
        same = same && plan_->input(ports[k].name).shape() == t->shape();
        shapes.emplace_back(ports[k].name, t->shape());
    }
    if (!same) {
        plan_.reset();
        nb::gil_scoped_release released;
        plan_ = now_->bind(shapes);
    }
    for (std::size_t k = 0; k < ports.size(); ++k)
        if (!same || inputs_[k].fresh) {
            plan_->set_input(ports[k].name, *inputs_[k].value.as_tensor());
            inputs_[k].fresh = false;
        }
    if (same && !outputs_fresh_) return;
    for (bound_output& o : outputs_) bind_memory(o);
    outputs_fresh_ = false;
}
void io_binding::bind_memory(bound_output& o) {
    const port& p = now_->outputs()[o.port];
    o.copied = false;
    try {
        o.memory ? plan_->set_output(p.name, o.memory) : plan_->set_output(p.name, *o.location);
    } catch (const error& e) {  // strings, and data-dependent sizes, are written elsewhere first
        if (e.code != error_code::invalid_argument || (!o.memory && o.location != &space_of<memory::host>)) throw;
        o.copied = bool(o.memory);
    }
}
void io_binding::run_planned(const run_settings* settings) {
    plan_again();
    try {
        run_without_gil(settings, [&](const run_options& o) {
            if (const status s = plan_->run(o); s != status::ok)
                raise({code_of(s), "inlay: " + std::string(plan_->why())});
        });
    } catch (const error&) {
        plan_.reset();  // where a provider failed and another takes over, it is bound again
        throw;
    }
    for (const bound_output& o : outputs_) {
        const std::string& name = now_->outputs()[o.port].name;
        const tensor result = plan_->output(name);
        if (o.copied) write_elements(result, o.memory, "output `" + name + "`");
        results_.push_back(o.memory ? o.memory : result.on_host() ? result.clone() : result);
    }
}
void io_binding::run_plainly(const run_settings* settings) {
    std::vector<feed> feeds;
    std::vector<std::string_view> names;
    for (std::size_t k = 0; k < inputs_.size(); ++k)
        if (inputs_[k].has_value) feeds.push_back({now_->inputs()[k].name, inputs_[k].value});
    for (const bound_output& o : outputs_) names.push_back(now_->outputs()[o.port].name);
    const fetched results = run_without_gil(settings, [&](const run_options& o) { return now_->run(feeds, names, o); });
    for (std::size_t k = 0; k < results.size(); ++k) {
        const tensor& memory = outputs_[k].memory;
        if (memory) write_elements(results[k], memory, "output `" + results.name(k) + "`");
        results_.push_back(memory ? any_value(memory) : inlay::owned(results.value(k)));
    }
}
void io_binding::run(const run_settings* settings) {
    const taken guard = in_use(running_, "IoBinding");
    if (outputs_.empty())
        raise({error_code::invalid_argument,
               "inlay: no output is bound; bind_output() names those that the run returns"});
    if (std::shared_ptr<const any_session> now = of_.now(); now != now_) {  // set_providers() created another
        plan_.reset();
        now_ = std::move(now);
    }
    results_.clear();
    needs_plan() ? run_planned(settings) : run_plainly(settings);
}

namespace {
tensor borrowed(nb::handle type, nb::handle dims, std::uintptr_t address, const space& location) {
    const element e =
        PyLong_Check(type.ptr()) ? element_numbered(nb::cast<std::int64_t>(type)) : element_of_dtype(type);
    if (e == element::undefined || e == element::string)
        raise({error_code::type_mismatch, "inlay: memory of such elements cannot be bound by its address"});
    if (!address) raise({error_code::invalid_argument, "inlay: the address of the memory is 0"});
    return tensor::borrow(e, shape_from(dims, "the shape"), reinterpret_cast<void*>(address), location);
}
void bind_input(io_binding& self, nb::handle name, nb::handle device, int number, nb::handle type, nb::handle dims,
                std::uintptr_t address) {
    self.bind_tensor(name_from(name, "the name of an input"),
                     borrowed(type, dims, address, space_of_device(device, number)));
}
void bind_output(io_binding& self, nb::handle name, nb::handle device, int number, nb::handle type, nb::handle dims,
                 std::optional<std::uintptr_t> address) {
    const space& location = space_of_device(device, number);
    const bool memory = address.has_value();
    if (memory && (type.is_none() || dims.is_none()))
        raise({error_code::invalid_argument,
               "inlay: memory that is bound by its address needs an element_type and a shape"});
    self.bind_output(name_from(name, "the name of an output"),
                     memory ? borrowed(type, dims, *address, location) : tensor(), location);
}
nb::list ort_values_of(const io_binding& self) {
    nb::list values;
    for (const any_value& v : self.results()) values.append(nb::cast(ort_value{v}));
    return values;
}
nb::list copies_of(const io_binding& self) {
    nb::list arrays;
    for (const any_value& v : self.results()) {
        const tensor* t = v.as_tensor();
        arrays.append(t ? array_of(t->copied_to(space_of<memory::host>)) : object_of(v));
    }
    return arrays;
}
// Runs end before they return, and copies before a run that reads them: there is nothing to wait for.
void nothing_to_wait_for(const io_binding&) {}
}  // namespace

void add_io_binding(nb::module_& m) {
    nb::class_<io_binding>(
        m, "IoBinding",
        "Inputs and outputs of a session in memory that the caller chooses, for run_with_iobinding().\n\n"
        "One thread at a time. Raises InvalidArgument where a name, type or shape does not fit.")
        .def(nb::init<nb::object>(), nb::arg("session"))
        .def(
            "bind_cpu_input",
            [](io_binding& b, nb::handle name, nb::handle array) {
                b.bind_input(name_from(name, "the name of an input"), array);
            },
            nb::arg("name"), nb::arg("arr_on_cpu"),
            "Each run reads the array's memory as it then is; an array that is not contiguous is copied once, here.")
        .def(
            "bind_ortvalue_input",
            [](io_binding& b, nb::handle name, nb::handle value) {
                b.bind_input(name_from(name, "the name of an input"), value);
            },
            nb::arg("name"), nb::arg("ortvalue"), "Each run reads the OrtValue's memory, on the host or a device.")
        .def("bind_input", &bind_input, nb::arg("name"), nb::arg("device_type"), nb::arg("device_id"),
             nb::arg("element_type"), nb::arg("shape"), nb::arg("buffer_ptr"),
             "Each run reads memory of the caller, which stays there: element_type is a numpy type or ONNX's number,\n"
             "shape the numbers of elements along each axis, buffer_ptr the address of contiguous elements.")
        .def("bind_output", &bind_output, nb::arg("name"), nb::arg("device_type") = "cpu", nb::arg("device_id") = 0,
             nb::arg("element_type").none() = nb::none(), nb::arg("shape").none() = nb::none(),
             nb::arg("buffer_ptr").none() = nb::none(),
             "Each run leaves the result in the memory of the device; with buffer_ptr it writes it to memory of the "
             "caller,\n"
             "for which element_type and shape are those of the result.")
        .def(
            "bind_ortvalue_output",
            [](io_binding& b, nb::handle name, const ort_value& v) {
                b.bind_output(name_from(name, "the name of an output"), v.as_tensor(), v.as_tensor().where());
            },
            nb::arg("name"), nb::arg("ortvalue"),
            "Each run writes the result to the OrtValue's memory; strings, and tensors of data-dependent size, are "
            "copied there.")
        .def("synchronize_inputs", &nothing_to_wait_for,
             "Nothing to wait for: what runs read is there when they begin.")
        .def("synchronize_outputs", &nothing_to_wait_for,
             "Nothing to wait for: what runs write is there when they end.")
        .def("get_outputs", &ort_values_of, nb::sig("def get_outputs(self) -> list[OrtValue]"),
             "The results of the last run, in the order in which they were bound. Those on a device are good until the "
             "next run.")
        .def("copy_outputs_to_cpu", &copies_of, nb::sig("def copy_outputs_to_cpu(self) -> list[typing.Any]"),
             "The same as arrays, copied.")
        .def("clear_binding_inputs", &io_binding::clear_inputs)
        .def("clear_binding_outputs", &io_binding::clear_outputs)
        .def(
            "_run", [](io_binding& b, nb::handle settings) { b.run(settings_from(settings)); },
            nb::arg("run_options").none());
}
}  // namespace inlay::python
