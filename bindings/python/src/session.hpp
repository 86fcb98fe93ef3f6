// A session of Python's: the objects that run, and what set_providers() may replace while they run.
#pragma once
#include "operator_library.hpp"
#include "python.hpp"
#include "run_options.hpp"
#include "values.hpp"
#include <inlay/built_providers.hpp>
#include <memory>

namespace inlay::python {
class python_session {
    model model_;
    session_options options_;
    operator_domains operators_;
    std::atomic<std::shared_ptr<const any_session>> now_;

  public:
    python_session(model m, std::vector<provider_choice>, session_options, operator_domains);
    void set_providers(std::vector<provider_choice>);
    const model& source() const { return model_; }
    std::shared_ptr<const any_session> now() const { return now_; }  // runs keep the one that they began with
};

// The feeds of a run: a dict of names and arrays, lists, dicts or OrtValues. Names are the model's, or owned: other
// threads may change the dict, or the list of names, during the run.
struct run_feeds {
    std::vector<feed> entries;
    kept_objects owners;
    run_feeds(nb::handle dict, std::span<const port> inputs);
};
// The names of a list, which must be among the outputs; of None or an empty list, none.
std::vector<std::string_view> names_from(nb::handle list_or_none, std::span<const port> outputs);
// `subject` and its name as UTF-8, borrowed from the object. Raises TypeError.
std::string_view name_from(nb::handle, const char* subject);
nb::list objects_of(const fetched&);
const run_settings* settings_from(nb::handle run_options_or_none);
void add_session(nb::module_&);
}  // namespace inlay::python
