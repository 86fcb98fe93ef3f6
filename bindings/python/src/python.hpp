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
}
