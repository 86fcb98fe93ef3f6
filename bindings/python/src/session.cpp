#include "built/owned_value.hpp"
#include "built/session_texts.hpp"
#include "cache.hpp"
#include "engine/ports.hpp"
#include "errors.hpp"
#include "model.hpp"
#include "ort_value.hpp"
#include "providers.hpp"
#include "reports.hpp"
#include "session.hpp"

namespace inlay::python {
python_session::python_session(model m, std::vector<provider_choice> list, session_options o,
                               operator_domains operators)
    : model_(std::move(m)), options_(std::move(o)), operators_(std::move(operators)) {
    set_providers(std::move(list));
}
void python_session::set_providers(std::vector<provider_choice> list) {
    watch_for_interrupts();
    try {
        nb::gil_scoped_release released;
        if (!operators_.empty()) {
            if (list.empty()) list.emplace_back(std::string(cpu::name));
            list.push_back(provider_of(operators_, model_, options_.log_severity_level, options_.log));
        }
        now_ = std::make_shared<const any_session>(model_, std::move(list), options_, built_providers());
    } catch (const error& e) {
        if (e.code != error_code::stopped) throw;
        const nb::object raised = exception_of(e, "load_stopped");
        PyErr_SetObject(raised.type().ptr(), raised.ptr());
        throw nb::python_error();
    }
}

std::string_view name_from(nb::handle h, const char* subject) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_Check(h.ptr()) ? PyUnicode_AsUTF8AndSize(h.ptr(), &size) : nullptr;
    if (text) return {text, std::size_t(size)};
    if (PyErr_Occurred()) throw nb::python_error();
    throw nb::type_error((std::string("inlay: ") + subject + " must be a str").c_str());
}
// A list of arrays, or a single array, as users of other libraries write it.
[[noreturn]] static void refuse_feeds(nb::handle object, std::span<const port> inputs) {
    std::string names;
    for (const port& p : inputs) names += (names.empty() ? "'" : ", '") + p.name + "': ...";
    throw nb::type_error(("inlay: input_feed is a dict of values by the names of the inputs, {" + names + "}, not a " +
                          nb::cast<std::string>(nb::str(object.type().attr("__name__"))))
                             .c_str());
}
run_feeds::run_feeds(nb::handle object, std::span<const port> inputs) {
    nb::object dict = nb::borrow(object);
    if (!PyDict_Check(object.ptr())) {
        if (!nb::hasattr(object, "keys")) refuse_feeds(object, inputs);
        dict = nb::handle(reinterpret_cast<PyObject*>(&PyDict_Type))(object);
        owners.push_back(dict);
    }
    entries.reserve(std::size_t(PyDict_Size(dict.ptr())));
    owners.reserve(entries.capacity() + 1);
    const nb::ft_object_guard alone(dict);
    PyObject *key, *value;
    std::size_t next = 0;  // most dicts have the model's order
    for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &key, &value);) {
        const nb::object held_key = nb::borrow(key), held_value = nb::borrow(value);
        std::string_view name = name_from(key, "the name of an input");
        const bool in_order = next < inputs.size() && inputs[next].name == name;
        const auto input =
            in_order ? inputs.begin() + std::ptrdiff_t(next) : std::ranges::find(inputs, name, &port::name);
        ++next;
        static const port unknown{};  // the run reports that the name is unknown
        if (input == inputs.end())
            owners.push_back(held_key);
        else
            name = input->name;
        entries.push_back({name, value_from(value, input == inputs.end() ? unknown : *input, owners)});
    }
}
std::vector<std::string_view> names_from(nb::handle list, std::span<const port> outputs) {
    std::vector<std::string_view> output_names;
    if (PyUnicode_Check(list.ptr())) throw nb::type_error("inlay: the names of outputs are a list of str, or None");
    if (!list.is_none())
        for (nb::handle name : nb::iter(list)) {
            const int k = find_port(outputs, name_from(name, "the name of an output"), "output");
            output_names.push_back(outputs[std::size_t(k)].name);
        }
    return output_names;
}
nb::list objects_of(const fetched& results) {
    nb::list objects;
    for (const auto& [name, value] : results) objects.append(object_of(value));
    return objects;
}
const run_settings* settings_from(nb::handle h) {
    if (h.is_none()) return nullptr;
    return &nb::cast<const run_settings&>(h);
}

namespace {
std::string quoted(const std::vector<std::string_view>& names) {
    std::string list;
    for (std::string_view name : names) list += (list.empty() ? "'" : ", '") + std::string(name) + "'";
    return "[" + list + "]";
}
// Worded as programs for ONNX Runtime expect it.
void require_all(const run_feeds& feeds, std::span<const port> inputs) {
    if (feeds.entries.size() >= inputs.size()) return;  // the run reports unknown names
    std::vector<std::string_view> fed, missing;
    for (const feed& f : feeds.entries) fed.push_back(f.name);
    for (const port& p : inputs)
        if (p.kind != value_kind::optional && std::ranges::find(fed, p.name) == fed.end()) missing.push_back(p.name);
    if (!missing.empty())
        raise({error_code::invalid_argument,
               "inlay: Required inputs (" + quoted(missing) + ") are missing from input feed (" + quoted(fed) + ")"});
}
// A run whose options have active adapters is done in Python, by the method of that name.
nb::object adapted(const python_session& self, const char* method, nb::handle names, nb::handle feeds,
                   nb::handle settings) {
    if (settings.is_none() || !nb::len_hint(nb::getattr(settings, "_adapters", nb::tuple()))) return {};
    return nb::find(self).attr(method)(names, feeds, settings);
}
nb::list run(const python_session& self, nb::handle names, nb::handle feeds, nb::handle settings) {
    if (nb::object results = adapted(self, "_run_adapted", names, feeds, settings); results.is_valid())
        return nb::list(results);
    const std::shared_ptr<const any_session> now = self.now();
    const run_feeds inputs(feeds, now->inputs());
    require_all(inputs, now->inputs());
    const auto output_names = names_from(names, now->outputs());
    const fetched results = run_without_gil(
        settings_from(settings), [&](const run_options& o) { return now->run(inputs.entries, output_names, o); });
    return objects_of(results);
}
nb::list run_with_ort_values(const python_session& self, nb::handle names, nb::handle feeds, nb::handle settings) {
    if (nb::object results = adapted(self, "_run_adapted_values", names, feeds, settings); results.is_valid())
        return nb::list(results);
    const std::shared_ptr<const any_session> now = self.now();
    run_feeds inputs(feeds, now->inputs());
    require_all(inputs, now->inputs());
    for (feed& f : inputs.entries)
        if (const tensor* t = f.value.as_tensor(); t && *t && !t->on_host())
            f.value = t->copied_to(space_of<memory::host>);  // IoBinding leaves it where it is
    const auto output_names = names_from(names, now->outputs());
    const fetched results = run_without_gil(
        settings_from(settings), [&](const run_options& o) { return now->run(inputs.entries, output_names, o); });
    nb::list values;
    for (const auto& [name, value] : results) values.append(nb::cast(ort_value{inlay::owned(value)}));
    return values;
}
fallback fallback_from(const std::string& policy, std::vector<std::string> operators) {
    if (policy == "implicit_cpu") return fallback::implicit_cpu();
    if (policy == "never") return fallback::never();
    if (policy == "any") return fallback::any();
    if (policy == "only") return fallback::only(std::move(operators));
    raise({error_code::invalid_option,
           "inlay: fallback cannot be `" + policy + "`; it is implicit_cpu, never, any or only"});
}
partition_by partition_from(const std::string& text) {
    for (partition_by p : {partition_by::order, partition_by::cost})
        if (name_of(p) == text) return p;
    raise({error_code::invalid_option, "inlay: partition cannot be `" + text + "`; it is order or cost"});
}
std::function<void(severity, std::string_view)> log_to(nb::object function) {
    if (function.is_none()) return {};
    const std::shared_ptr<nb::object> callback(new nb::object(std::move(function)), [](nb::object* o) {
        nb::gil_scoped_acquire gil;
        delete o;
    });
    return [callback](severity level, std::string_view text) {
        nb::gil_scoped_acquire gil;
        try {
            (*callback)(int(level), python::text(text));
        } catch (nb::python_error& e) {
            e.discard_as_unraisable("inlay: the function that receives the log");
        }
    };
}
void make(python_session* self, const model& m, nb::handle providers, std::optional<int> threads,
          const std::string& policy, std::vector<std::string> may_fall, const std::string& partition,
          const std::string& determinism, bool plan_only, bool refuse_contexts, int plans, int log_severity_level,
          nb::object log, nb::object progress, nb::object cancel, const std::vector<operator_library>& operators) {
    session_options o;
    o.fallback = fallback_from(policy, std::move(may_fall));
    o.partition = partition_from(partition);
    if (!from_text(determinism, o.determinism))
        raise({error_code::invalid_option,
               "inlay: determinism cannot be `" + determinism + "`; it is " + std::string(determinism_texts)});
    o.intra_op_num_threads = threads;
    o.plans = plans;
    o.plan_only = plan_only;
    o.contexts = refuse_contexts ? context_policy::refuse : context_policy::recompile;
    o.log_severity_level = log_severity_level;
    o.log = log_to(std::move(log));
    o.progress = progress_to(std::move(progress), std::move(cancel));
    new (self) python_session(m, choices_from(providers), std::move(o), domains_of(operators));
}
nb::dict provider_options(const python_session& self) {
    nb::dict options_by_provider;
    for (const auto& [name, options] : self.now()->provider_options())
        if (!is_provider_of_operators(name)) options_by_provider[text(name)] = dict_of(options);
    return options_by_provider;
}
std::vector<std::string> provider_names(const python_session& self) {
    std::vector<std::string> names = self.now()->providers();
    std::erase_if(names, is_provider_of_operators);
    return names;
}
}  // namespace

void add_session(nb::module_& m) {
    nb::class_<python_session> c(m, "Session", nb::dynamic_attr());
    c.def("__init__", &make, nb::arg("model"), nb::arg("providers"), nb::kw_only(), nb::arg("threads").none(),
          nb::arg("fallback"), nb::arg("may_fall"), nb::arg("partition"), nb::arg("determinism"), nb::arg("plan_only"),
          nb::arg("refuse_contexts"), nb::arg("plans"), nb::arg("log_severity_level"), nb::arg("log").none(),
          nb::arg("progress").none(), nb::arg("cancel"), nb::arg("operators"))
        .def(
            "run", &run, nb::arg("output_names").none(), nb::arg("input_feed"),
            nb::arg("run_options").none() = nb::none(),
            nb::sig(
                "def run(self, output_names: typing.Sequence[str] | None, input_feed: typing.Mapping[str, typing.Any], "
                "run_options: RunOptions | None = None) -> list[typing.Any]"),
            "Runs the model; the GIL is released meanwhile, and runs of several threads go on at once.\n\n"
            "output_names: the outputs wanted, in that order; None means all.\n"
            "input_feed: by name, for tensors a numpy array of the element type that the model has, or what numpy "
            "makes one\n"
            "    of, or a tensor of a library that knows DLPack, or an OrtValue; contiguous arrays are not copied.\n"
            "    For a sequence a list, for a map a dict, for an empty optional None.\n"
            "Returns arrays, lists, dicts and None in the same way; arrays of numbers lie over the memory that the run "
            "wrote.\n\n"
            "Raises InvalidArgument (also a ValueError) for names, types, shapes and values that do not fit, Fail "
            "where\n"
            "run_options end the run, KeyboardInterrupt for Ctrl-C in the main thread, EPFail where a provider fails.")
        .def(
            "run_with_ort_values", &run_with_ort_values, nb::arg("output_names").none(),
            nb::arg("input_dict_ort_values"), nb::arg("run_options").none() = nb::none(),
            nb::sig("def run_with_ort_values(self, output_names: typing.Sequence[str] | None, input_dict_ort_values: "
                    "typing.Mapping[str, OrtValue], run_options: RunOptions | None = None) -> list[OrtValue]"),
            "As run(), with OrtValues; those in a device's memory are copied to the host first, and results are on the "
            "host. io_binding() leaves them where they are.")
        .def("set_choices", [](python_session& self, nb::handle list) { self.set_providers(choices_from(list)); })
        .def("get_providers", &provider_names, "The names of the session's providers; their order is the priority.")
        .def("get_provider_options", &provider_options,
             nb::sig("def get_provider_options(self) -> dict[str, dict[str, str]]"),
             "Every option of each provider with its value, as text.")
        .def(
            "release_memory",
            [](const python_session& self) {
                const std::shared_ptr<const any_session> now = self.now();
                nb::gil_scoped_release released;
                now->release_memory();
            },
            "Gives back the memory that runs are kept ready with, which is that of the largest run; later ones take it "
            "again. Runs that go on keep theirs.")
        .def(
            "instruction_set", [](const python_session& self) { return std::string(name_of(self.now()->level())); },
            "Of the processor that the kernels use: \"sse2\", \"avx2\", ...");
    add_cache(m, c);
    add_reports(c);
}
}  // namespace inlay::python
