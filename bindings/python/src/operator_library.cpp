#include "compat/ort/api/library_api.hpp"
#include "compat/ort/api/session.hpp"
#include "errors.hpp"
#include "operator_library.hpp"
#include <algorithm>

namespace inlay::python {
namespace {
// An exception of Ort::, as an error of Inlay.
template <class F> auto translated(F f) {
    try {
        return f();
    } catch (const Ort::Exception& e) {
        const bool missing = e.GetOrtErrorCode() == ORT_NO_SUCHFILE;
        const bool unsupported = e.GetOrtErrorCode() == ORT_NOT_IMPLEMENTED;
        std::string text = e.what();
        if (text.starts_with("Ort: ")) text.replace(0, 3, "inlay");
        raise({missing       ? error_code::not_found
               : unsupported ? error_code::unsupported_model
                             : error_code::invalid_argument,
               std::move(text)});
    }
}
// The log of kernels, which belongs to an environment there.
struct kernel_log {
    log_function log;
    Ort::detail::environment environment;

    kernel_log(int level, log_function to)
        : log(std::move(to)), environment(OrtLoggingLevel(level), "", log ? &write : nullptr, this) {}
    static void write(void* self, OrtLoggingLevel level, const char*, const char*, const char*, const char* text) {
        static_cast<kernel_log*>(self)->log(severity(level), text);
    }
};
}  // namespace

operator_library::operator_library(const std::string& file) : options_(std::make_shared<OrtSessionOptions>()) {
    translated([&] { Ort::detail::register_library(*options_, file); });
}
operator_domains domains_of(const std::vector<operator_library>& libraries) {
    operator_domains domains;
    for (const operator_library& library : libraries)
        domains.insert(domains.end(), library.domains().begin(), library.domains().end());
    return domains;
}
provider_choice provider_of(const operator_domains& domains, const model& m, int log_severity_level, log_function log) {
    const auto owner = std::make_shared<kernel_log>(std::clamp(log_severity_level, 0, 4), std::move(log));
    const std::shared_ptr<const Ort::detail::environment> environment(owner, &owner->environment);
    return translated([&] {
        return Ort::detail::custom_provider(
            domains, m, std::make_shared<const Ort::detail::session_log>(environment, "inlay", std::nullopt));
    });
}
bool is_provider_of_operators(std::string_view name) { return name == Ort::detail::custom_provider_name; }

void add_operator_library(nb::module_& m) {
    nb::class_<operator_library>(m, "OperatorLibrary",
                                 "A library of operators for ONNX Runtime's C interface, opened for good.\n\n"
                                 "Raises NoSuchFile where it cannot be opened, and InvalidArgument where it is none.")
        .def(
            "__init__",
            [](operator_library* self, const std::string& path) {
                try {
                    new (self) operator_library(path);
                } catch (const error& e) {
                    raise_of_reading(e);
                }
            },
            nb::arg("path"));
}
}  // namespace inlay::python
