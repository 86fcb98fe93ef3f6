// IoBinding: inputs and outputs in memory that the caller chooses, kept from run to run.
#pragma once
#include "in_use.hpp"
#include "python.hpp"
#include "session.hpp"

namespace inlay::python {
class io_binding {
    struct bound_input {
        any_value value;
        kept_objects owners;  // owns the memory that the value borrows
        bool has_value = false, fresh = false;
    };
    struct bound_output {
        std::size_t port;
        tensor memory;  // empty: `location` names the memory for the result
        const space* location;
        bool copied = false;  // copied to `memory` after the run, for no step can write there
    };
    nb::object session_;  // owns what `of_` points to
    const python_session& of_;
    std::shared_ptr<const any_session> now_;  // that `plan_` is of
    std::optional<binding> plan_{};
    std::vector<bound_input> inputs_;
    std::vector<bound_output> outputs_{};
    std::vector<any_value> results_{};
    bool outputs_fresh_ = false;
    one_at_a_time running_{};

    bool needs_plan() const;
    void plan_again();
    void bind_memory(bound_output&);
    void run_planned(const run_settings*);
    void run_plainly(const run_settings*);

  public:
    io_binding(nb::object session);
    void bind_input(std::string_view name, nb::handle value);
    void bind_tensor(std::string_view name, tensor t);
    void bind_output(std::string_view name, tensor memory, const space& location);
    void clear_inputs();
    void clear_outputs();
    void run(const run_settings*);
    const std::vector<any_value>& results() const { return results_; }
};
void add_io_binding(nb::module_&);
}  // namespace inlay::python
