#include "providers.hpp"

namespace inlay::python {
std::vector<provider_choice> choices_from(nb::handle list) {
    std::vector<provider_choice> choices;
    for (nb::handle entry : nb::iter(list)) {
        option_list options;
        const nb::object texts = entry[1], provider = entry[0];
        for (const auto& [name, text] : nb::borrow<nb::dict>(texts))
            options.emplace_back(nb::cast<std::string>(name), nb::cast<std::string>(text));
        if (nb::isinstance<plugin>(provider))
            choices.push_back(nb::cast<const plugin&>(provider).with(std::move(options)));
        else
            choices.emplace_back(nb::cast<std::string>(provider), std::move(options));
    }
    return choices;
}
nb::dict dict_of(const option_list& options) {
    nb::dict texts;
    for (const auto& [name, text] : options) texts[python::text(name)] = python::text(text);
    return texts;
}
static std::vector<std::string> names_of_built() {
    std::vector<std::string> names;
    for (const provider_factory& f : built_providers()) names.emplace_back(f.name);
    return names;
}
static nb::dict defaults_of_built() {
    nb::dict defaults;
    for (const provider_factory& f : built_providers()) defaults[text(f.name)] = dict_of(f.defaults());
    return defaults;
}
static nb::dict status_of_built() {
    nb::dict statuses;
    for (const provider_factory& f : built_providers()) {
        nb::dict entry;
        entry["status"] = text(name_of(f.status));
        entry["checked_on"] = text(name_of(f.checked_on));
        statuses[text(f.name)] = entry;
    }
    return statuses;
}
static nb::object name_of_built(const std::string& text_of_user) {
    for (const provider_factory& f : built_providers())
        if (names_provider(text_of_user, f.name) ||
            (!f.short_name.empty() && names_provider(text_of_user, f.short_name)))
            return text(f.name);
    return nb::none();
}
void add_providers(nb::module_& m) {
    m.def("built_providers", &names_of_built, "The providers of this build, as ONNX Runtime spells their names.");
    m.def("usable_providers", &usable_providers,
          "Those of the build that a session can have here: an engine whose library is not here is left out.");
    m.def("provider_defaults", &defaults_of_built, nb::sig("def provider_defaults() -> dict[str, dict[str, str]]"),
          "The options of each provider of this build, with their default values.");
    m.def(
        "provider_status", &status_of_built, nb::sig("def provider_status() -> dict[str, dict[str, str]]"),
        "Of each provider of this build its \"status\", that of the provider of its name in ONNX Runtime, and what it "
        "was \"checked_on\": its \"device\", a \"simulator\", its vendor's \"library\" without the device, or an "
        "\"own stand-in\".");
    m.def("names_provider", &names_provider, nb::arg("text"), nb::arg("name"),
          "Whether `text` stands for the provider of that name: \"cpu\" and \"CPUExecutionProvider\" are the same.");
    m.def(
        "has_memory", [](const std::string& name) { return name == "cpu" || built_memory(name) != nullptr; },
        nb::arg("name"), "Whether this build has a provider of the device whose memory has that name.");
    m.def("provider_named", &name_of_built, nb::arg("text"), nb::sig("def provider_named(text: str) -> str | None"),
          "The name of this build's provider that `text` stands for, short names too; None: there is none.");
    nb::class_<plugin>(
        m, "Plugin",
        "A provider in a shared library of its own, made against inlay/plugin.h.\n\n"
        "It stands in a list of providers as itself, or as (plugin, options).\n"
        "Raises NotFound where there is no such file, and EPFail where it is no plugin for this version.")
        .def(nb::init<const std::string&>(), nb::arg("path"))
        .def_prop_ro("path", &plugin::path)
        .def_prop_ro("name", &plugin::name, "As in InferenceSession.get_providers().")
        .def_prop_ro("version", &plugin::version, "Of the library, as it says; may be empty.")
        .def_prop_ro(
            "options", [](const plugin& p) { return dict_of(p.options()); },
            nb::sig("def options(self) -> dict[str, str]"), "With their default values.");
}
}  // namespace inlay::python
