#include "arrays.hpp"
#include "errors.hpp"
#include "io_binding.hpp"
#include "model.hpp"
#include "operator_library.hpp"
#include "ort_value.hpp"
#include "providers.hpp"
#include "quantize.hpp"
#include "run_options.hpp"
#include "session.hpp"
#include "tool.hpp"

NB_MODULE(_inlayrt, m) {
    using namespace inlay::python;
    m.doc() = "What the package inlayrt is made of; use that package.";
    import_numpy();
    add_errors(m);
    add_run_options(m);
    add_providers(m);
    add_operator_library(m);
    add_model(m);
    add_ort_value(m);
    add_session(m);
    add_io_binding(m);
    add_quantize(m);
    add_tool(m);
    m.def("version", [] { return INLAY_VERSION; });
}
