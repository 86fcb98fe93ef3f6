// Python's objects as the values of ONNX, and back: arrays, lists, dicts and None for tensors, sequences, maps and
// empty optionals.
#pragma once
#include "arrays.hpp"
#include "python.hpp"
#include <inlay/model.hpp>

namespace inlay::python {
any_value value_from(nb::handle object, const port& input, kept_objects& owners);
// Of a run's results: tensors without other owners are not copied.
nb::object object_of(any_value);
}  // namespace inlay::python
