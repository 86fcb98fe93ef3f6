#include "errors.hpp"

namespace inlay::python {
nb::object exception_of(const error& e, const char* code) {
    return nb::module_::import_("inlay._errors")
        .attr("of")(code ? code : name_of(e.code).data(), nb::str(e.text.c_str(), e.text.size()), e.node.c_str(),
                    e.op.c_str(), e.version, e.provider.c_str(), e.shapes.c_str(), e.hint.c_str());
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
