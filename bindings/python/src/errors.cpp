#include "errors.hpp"

namespace inlay::python {
nb::object exception_of(const error& e, const char* code) {
    return nb::module_::import_("inlayrt._errors")
        .attr("of")(code ? code : name_of(e.code).data(), text(e.text), text(e.node), text(e.op), e.version,
                    text(e.provider), text(e.shapes), text(e.hint));
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
