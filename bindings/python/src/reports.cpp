#include "compile/spelling.hpp"
#include "compile/write_model.hpp"
#include "platform/output_file.hpp"
#include "reports.hpp"
#include <inlay/model_file.hpp>
#include <inlay/report_json.hpp>
#include <sstream>

namespace inlay::python {
namespace {
using named_shapes = std::vector<std::pair<std::string_view, shape>>;

named_shapes shapes_from(nb::handle dict) {
    named_shapes shapes;
    for (const auto& [name, dims] : nb::borrow<nb::dict>(dict)) {
        const std::string_view input = name_from(name, "the name of an input");
        shapes.emplace_back(input, shape_from(dims, "the shape of `" + std::string(input) + "`"));
    }
    return shapes;
}
// Plans may have to be computed first, which takes as long as at a session's first run.
nb::tuple plan(const python_session& self, nb::handle shapes) {
    const named_shapes input_shapes = shapes.is_none() ? named_shapes{} : shapes_from(shapes);
    const plan_report report = [&] {
        nb::gil_scoped_release released;
        return input_shapes.empty() ? self.now()->plan() : self.now()->plan(input_shapes);
    }();
    std::ostringstream out;
    out << report;
    return nb::make_tuple(text(out.str()), text(json_of(report)));
}
nb::str memory(const python_session& self, nb::handle shapes) {
    const named_shapes input_shapes = shapes.is_none() ? named_shapes{} : shapes_from(shapes);
    const std::string json = [&] {
        nb::gil_scoped_release released;
        return json_of(input_shapes.empty() ? self.now()->memory() : self.now()->memory(input_shapes));
    }();
    return text(json);
}

// A binding with the feeds as its inputs; it supports tensors only.
binding bound_to(const any_session& session, const run_feeds& feeds) {
    named_shapes shapes;
    for (const feed& f : feeds.entries) {
        const tensor* t = f.value.as_tensor();
        if (!t)
            raise({error_code::invalid_argument, "inlay: input `" + std::string(f.name) +
                                                     "` is no tensor; steps are timed in runs on tensors alone"});
        shapes.emplace_back(f.name, t->shape());
    }
    binding bound = session.bind(shapes);
    for (const feed& f : feeds.entries) bound.set_input(f.name, *f.value.as_tensor());
    return bound;
}
// Of several runs, after one that is not timed: (JSON of the steps, JSON for Chrome's trace viewer and Perfetto).
nb::tuple profile(const python_session& self, nb::handle feeds, int runs, nb::handle settings) {
    const auto now = self.now();
    const run_feeds inputs(feeds, now->inputs());
    if (runs < 1) raise({error_code::invalid_argument, "inlay: a profile is of one run at least"});
    const run_profile timed = run_without_gil(settings_from(settings), [&](const run_options& o) {
        binding bound = bound_to(*now, inputs);
        (void)bound.profile(1, o);
        return bound.profile(runs, o);
    });
    return nb::make_tuple(text(json_of(timed)), text(trace_of(timed)));
}
// One run with its results, as run() returns them, and the JSON of its steps.
nb::tuple timed_run(const python_session& self, nb::handle names, nb::handle feeds, nb::handle settings) {
    const auto now = self.now();
    const run_feeds inputs(feeds, now->inputs());
    std::vector<std::string_view> output_names = names_from(names, now->outputs());
    if (output_names.empty())
        for (const port& p : now->outputs()) output_names.push_back(p.name);
    binding bound = [&] {
        nb::gil_scoped_release released;
        return bound_to(*now, inputs);
    }();
    const run_profile timed =
        run_without_gil(settings_from(settings), [&](const run_options& o) { return bound.profile(1, o); });
    nb::list results;
    for (std::string_view name : output_names) results.append(object_of(tensor(bound.output(name)).clone()));
    return nb::make_tuple(results, text(trace_of(timed)));
}

using size_bounds = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;
nb::dict compile(const python_session& self, const std::string& name, const std::string& folder,
                 const size_bounds& sizes, const std::string& weights, const std::string& precision_name,
                 const std::string& source) {
    if (!spelling::is_identifier(name))
        raise({error_code::invalid_argument, "inlay: `" + name +
                                                 "` cannot be the name of a C++ type; it has letters, "
                                                 "digits and single underscores, a letter first, and is no keyword"});
    compile_options o{name, source, {}, {}, {}};
    for (const auto& [dimension, bounds] : sizes) o.sizes.push_back({dimension, bounds.first, bounds.second});
    constexpr std::pair<std::string_view, weights_place> places[] = {
        {"embed", weights_place::embedded}, {"file", weights_place::file}, {"mapped", weights_place::mapped}};
    const auto place = std::ranges::find(places, weights, &std::pair<std::string_view, weights_place>::first);
    if (place == std::end(places))
        raise({error_code::invalid_option, "inlay: weights cannot be `" + weights + "`; it is embed, file or mapped"});
    o.place = place->second;
    if (!from_text(precision_name, o.precision))
        raise({error_code::invalid_option,
               "inlay: precision cannot be `" + precision_name + "`; it is standard, strict or bfloat16"});
    const written_model output = [&] {
        nb::gil_scoped_release released;
        return write_model_type(freeze(self.source(), o.sizes), o, folder);
    }();
    nb::dict summary;
    summary["header"] = output.header.string();
    summary["weight_bytes"] = output.weight_bytes;
    summary["changed"] = output.changed;
    return summary;
}
nb::dict save(const python_session& self, const std::string& file, bool embed, bool keep_original, nb::handle shapes) {
    const named_shapes input_shapes = shapes.is_none() ? named_shapes{} : shapes_from(shapes);
    const saved_session output = [&] {
        nb::gil_scoped_release released;
        return self.now()->save(file, {embed, keep_original, false}, input_shapes);
    }();
    nb::dict summary;
    summary["regions"] = output.regions;
    summary["bytes"] = output.bytes;
    summary["left_out"] = output.left_out;
    return summary;
}
void write_optimized(const python_session& self, const std::string& from, const std::string& to) {
    nb::gil_scoped_release released;
    update_file(to, model_file(self.source(), from));
}
}  // namespace

void add_reports(nb::class_<python_session>& c) {
    c.def("_plan", &plan, nb::arg("shapes").none(),
          nb::sig("def _plan(self, shapes: dict[str, typing.Sequence[int]] | None) -> tuple[str, str]"))
        .def("_memory", &memory, nb::arg("shapes").none(),
             nb::sig("def _memory(self, shapes: dict[str, typing.Sequence[int]] | None) -> str"))
        .def("_profile", &profile, nb::arg("feeds"), nb::arg("runs"), nb::arg("run_options").none(),
             nb::sig("def _profile(self, feeds: typing.Mapping[str, typing.Any], runs: int, run_options: RunOptions | "
                     "None) -> tuple[str, str]"))
        .def("_timed_run", &timed_run, nb::arg("output_names").none(), nb::arg("input_feed"),
             nb::arg("run_options").none(),
             nb::sig("def _timed_run(self, output_names: typing.Sequence[str] | None, input_feed: typing.Mapping[str, "
                     "typing.Any], run_options: RunOptions | None) -> tuple[list[typing.Any], str]"))
        .def("_compile", &compile, nb::arg("name"), nb::arg("folder"), nb::arg("sizes"), nb::arg("weights"),
             nb::arg("precision"), nb::arg("source"),
             nb::sig("def _compile(self, name: str, folder: str, sizes: dict[str, tuple[int, int]], weights: str, "
                     "precision: str, source: str) -> dict[str, typing.Any]"))
        .def("_save", &save, nb::arg("file"), nb::arg("embed"), nb::arg("keep_original"), nb::arg("shapes").none(),
             nb::sig("def _save(self, file: str, embed: bool, keep_original: bool, shapes: dict[str, "
                     "typing.Sequence[int]] | None) -> dict[str, typing.Any]"))
        .def("_write_optimized", &write_optimized, nb::arg("model_path"), nb::arg("file"));
}
}  // namespace inlay::python
