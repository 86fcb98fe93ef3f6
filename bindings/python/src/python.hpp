// nanobind, with the conversions that any file here may need: a file without one of them would convert in another way,
// and the linker would keep either for all.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace inlay::python {
namespace nb = nanobind;

// Names and texts of models are whatever bytes the file has: invalid UTF-8 becomes lone surrogates, as in names of
// files.
inline nb::str text(std::string_view s) {
    PyObject* unicode = PyUnicode_DecodeUTF8(s.data(), Py_ssize_t(s.size()), "surrogateescape");
    if (!unicode) throw nb::python_error();
    return nb::steal<nb::str>(unicode);
}
}  // namespace inlay::python
