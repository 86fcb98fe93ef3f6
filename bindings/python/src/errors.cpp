#include "errors.hpp"

namespace inlay::python {
nb::object exception_of(const error& e, const char* code) {
    return nb::module_::import_("inlayrt._errors")
        .attr("of")(code ? code : name_of(e.code).data(), text(e.text), text(e.node), text(e.op), e.version,
                    text(e.provider), text(e.shapes), text(e.hint));
}
void raise_of_reading(const error& e) {
    const char* code = e.code == error_code::not_found ? "no_such_file"
                       : e.code == error_code::stopped ? "load_stopped"
                                                       : name_of(e.code).data();
    const nb::object raised = exception_of(e, code);
    PyErr_SetObject(raised.type().ptr(), raised.ptr());
    throw nb::python_error();
}
void add_errors(nb::module_&) {
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const error& e) {
            const nb::object raised = exception_of(e);
            PyErr_SetObject(raised.type().ptr(), raised.ptr());
        }
    });
}
}  // namespace inlay::python
