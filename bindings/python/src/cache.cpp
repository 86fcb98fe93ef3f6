#include "cache.hpp"
#include "in_use.hpp"

namespace inlay::python {
namespace {
struct python_cache {
    std::shared_ptr<const any_session> session;  // that created it
    kv_cache rows;
    one_at_a_time running{};

    python_cache(std::shared_ptr<const any_session> s, std::int64_t room)
        : session(std::move(s)), rows(session->make_cache(room)) {}
};
constexpr const char* cache_name = "cache";

nb::list run(const python_session& self, nb::handle names, nb::handle feeds, python_cache& cache, nb::handle settings) {
    const taken guard = in_use(cache.running, cache_name);
    const auto now = self.now();
    if (now != cache.session)
        raise({error_code::invalid_argument,
               "inlay: the cache is of another session, or of this one before set_providers()"});
    const run_feeds inputs(feeds, now->inputs());
    const auto output_names = names_from(names, now->outputs());
    const fetched results = run_without_gil(settings_from(settings), [&](const run_options& o) {
        return now->run(inputs.entries, cache.rows, output_names, o);
    });
    return objects_of(results);
}
void assign(python_cache& self, nb::handle pasts) {
    const taken guard = in_use(self.running, cache_name);
    const run_feeds inputs(pasts, self.session->inputs());
    self.rows.assign(inputs.entries);
}
void keep(python_cache& self, std::int64_t rows) {
    const taken guard = in_use(self.running, cache_name);
    self.rows.keep(rows);
}
nb::object past(python_cache& self, const std::string& name) {
    const taken guard = in_use(self.running, cache_name);
    return object_of(self.rows.past(name));
}
nb::list pairs(python_cache& self) {
    const taken guard = in_use(self.running, cache_name);
    nb::list tuples;
    for (const kv_cache::pair& p : self.rows.pairs())
        tuples.append(nb::make_tuple(text(p.past), text(p.present), p.in_place, text(p.reason)));
    return tuples;
}
}  // namespace

void add_cache(nb::module_& m, nb::class_<python_session>& session) {
    nb::class_<python_cache>(
        m, "Cache",
        "What a decoder keeps from run to run: the rows of inputs that the model gives back with "
        "more rows.\n\nOf the session that made it; one run at a time. A run that fails leaves the "
        "rows that were there.")
        .def_prop_ro(
            "rows", [](const python_cache& c) { return c.rows.rows(); },
            "Held, along the axis that grows: tokens, of a decoder.")
        .def_prop_ro(
            "room", [](const python_cache& c) { return c.rows.room(); }, "Rows at most.")
        .def("keep", &keep, nb::arg("rows"), "Keeps the first rows and forgets the others.")
        .def(
            "assign", &assign, nb::arg("pasts"),
            "The rows of these arrays, by the names of inputs, in place of all that is held: every one, of one length.")
        .def("past", &past, nb::arg("input"), nb::sig("def past(self, input: str) -> numpy.typing.NDArray[typing.Any]"),
             "A copy of the rows held of an input, as an array.")
        .def("pairs", &pairs, nb::sig("def pairs(self) -> list[tuple[str, str, bool, str]]"),
             "For each input that is held (input, output, in_place, why): in_place, if the last run copied no old row; "
             "else why it did.");
    session
        .def(
            "make_cache", [](const python_session& s, std::int64_t rows) { return new python_cache(s.now(), rows); },
            nb::arg("rows"),
            "A Cache for every input that the model gives back with more rows, with room for so many; memory is taken "
            "at "
            "the first run.")
        .def("run_with_cache", &run, nb::arg("output_names").none(), nb::arg("input_feed"), nb::arg("cache"),
             nb::arg("run_options").none() = nb::none(),
             nb::sig("def run_with_cache(self, output_names: typing.Sequence[str] | None, input_feed: "
                     "typing.Mapping[str, typing.Any], cache: Cache, run_options: RunOptions | None = None) -> "
                     "list[typing.Any]"),
             "As run(); the cache stands for the inputs that it holds, and has their new rows afterwards. Outputs that "
             "it "
             "holds are not among the results.");
}
}  // namespace inlay::python
