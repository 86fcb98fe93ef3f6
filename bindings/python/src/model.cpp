#include "arrays.hpp"
#include "errors.hpp"
#include "model.hpp"
#include "operator_library.hpp"
#include "passes/passes.hpp"
#include "run_options.hpp"

namespace inlay::python {
namespace {
template <class F> model read(const std::vector<operator_library>& libraries, F load) {
    watch_for_interrupts();
    try {
        nb::gil_scoped_release released;
        const operator_domains operators = domains_of(libraries);
        const foreign_operators brought(Ort::detail::types_of(operators));
        return load().value_or_raise();
    } catch (const error& e) {
        raise_of_reading(e);
    }
}
model_options options_from(bool optimize, std::vector<std::string> without, std::map<std::string, std::int64_t> sizes,
                           const std::string& origin, nb::object progress, nb::object cancel) {
    model_options o;
    o.optimize = optimize;
    o.without = std::move(without);
    o.free_dimension_overrides = std::move(sizes);
    o.origin = origin;
    o.progress = progress_to(std::move(progress), std::move(cancel));
    return o;
}
void make_from_file(model* self, const std::string& path, bool optimize, std::vector<std::string> without,
                    std::map<std::string, std::int64_t> sizes, nb::object progress, nb::object cancel,
                    const std::vector<operator_library>& operators) {
    const model_options o =
        options_from(optimize, std::move(without), std::move(sizes), {}, std::move(progress), std::move(cancel));
    new (self) model(read(operators, [&] { return model::try_load(std::filesystem::path(path), o); }));
}
void make_from_bytes(model* self, nb::bytes file, bool optimize, std::vector<std::string> without,
                     std::map<std::string, std::int64_t> sizes, const std::string& origin, nb::object progress,
                     nb::object cancel, const std::vector<operator_library>& operators) {
    const model_options o =
        options_from(optimize, std::move(without), std::move(sizes), origin, std::move(progress), std::move(cancel));
    const auto bytes = std::as_bytes(std::span(file.c_str(), file.size()));
    new (self) model(read(operators, [&] { return model::try_load(bytes, o); }));
}

// A dimension is a number, the name that the model has for it, or None.
nb::list shape_of(const port& p) {
    nb::list dims;
    for (int i = 0; i < p.shape.rank; ++i) {
        const std::string& name = p.dim_names[std::size_t(i)];
        if (p.shape[i] >= 0)
            dims.append(p.shape[i]);
        else if (name.empty())
            dims.append(nb::none());
        else
            dims.append(text(name));
    }
    return dims;
}
nb::list ports_of(std::span<const port> ports) {
    nb::list descriptions;
    for (const port& p : ports) descriptions.append(nb::make_tuple(text(p.name), shape_of(p), text(p.type_text)));
    return descriptions;
}
nb::dict describe(const model& m) {
    nb::dict description, meta, opsets;
    for (const auto& [key, value] : m.metadata()) meta[text(key)] = text(value);
    for (const opset& o : m.opsets()) opsets[text(o.domain)] = o.version;
    description["producer_name"] = text(m.producer_name());
    description["producer_version"] = text(m.producer_version());
    description["graph_name"] = text(m.graph_name());
    description["domain"] = text(m.domain());
    description["description"] = text(m.doc_string());
    description["version"] = m.model_version();
    description["ir_version"] = m.ir_version();
    description["opsets"] = opsets;
    description["custom_metadata_map"] = meta;
    return description;
}
}  // namespace

namespace {
// Owned by sessions, and destroyed with the last of them, maybe without the GIL.
std::shared_ptr<nb::object> kept_object(nb::object object) {
    return {new nb::object(std::move(object)), [](nb::object* o) {
                nb::gil_scoped_acquire gil;
                delete o;
            }};
}
}  // namespace
progress_function progress_to(nb::object function, nb::object cancel) {
    const std::atomic<bool>& canceled = nb::cast<const run_settings&>(cancel).flag();
    const auto keeper = kept_object(std::move(cancel));
    if (function.is_none())
        return [keeper, &canceled](stage, std::int64_t, std::int64_t) {
            raise_if_interrupted();
            return !canceled;
        };
    const auto callback = kept_object(std::move(function));
    return [callback, keeper, &canceled](stage s, std::int64_t count, std::int64_t total) {
        raise_if_interrupted();
        if (canceled) return false;
        nb::gil_scoped_acquire gil;
        return nb::cast<bool>((*callback)(text(name_of(s)), count, total));
    };
}

void add_model(nb::module_& m) {
    m.def(
        "pass_names",
        [] {
            std::vector<std::string> names;
            for (const pass& p : all_passes()) names.emplace_back(p.name);
            return names;
        },
        "The passes that rewrite a model when it is loaded, in their order.");
    nb::class_<model>(m, "Model", "An ONNX model, read once; sessions share it, with its packed weights.")
        .def("__init__", &make_from_file, nb::arg("path"), nb::kw_only(), nb::arg("optimize"), nb::arg("without"),
             nb::arg("sizes"), nb::arg("progress").none(), nb::arg("cancel"), nb::arg("operators"))
        .def("__init__", &make_from_bytes, nb::arg("file"), nb::kw_only(), nb::arg("optimize"), nb::arg("without"),
             nb::arg("sizes"), nb::arg("origin"), nb::arg("progress").none(), nb::arg("cancel"), nb::arg("operators"))
        .def(
            "inputs", [](const model& self) { return ports_of(self.inputs()); },
            nb::sig("def inputs(self) -> list[tuple[str, list[int | str | None], str]]"))
        .def(
            "outputs", [](const model& self) { return ports_of(self.outputs()); },
            nb::sig("def outputs(self) -> list[tuple[str, list[int | str | None], str]]"))
        .def("describe", &describe, nb::sig("def describe(self) -> dict[str, typing.Any]"),
             "What the file states of itself, by the names of ModelMetadata.")
        .def("warnings", [](const model& self) {
            return std::vector<std::string>(self.warnings().begin(), self.warnings().end());
        });
}
}  // namespace inlay::python
