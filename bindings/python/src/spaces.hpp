// Memory spaces by the names that Python's programs have for devices: ("cpu", 0), ("NAME", 1).
#pragma once
#include "python.hpp"
#include <inlay/tensor.hpp>
#include <utility>

namespace inlay::python {
// "cpu" and "host" are the host's memory; other names are of providers' memory. Raises invalid_argument.
const space& space_of_device(nb::handle device, int number);  // a name, or an OrtDevice, which has a number itself
const space& space_of_device_named(std::string_view device, int number);
std::string device_name_of(const space&);  // "cpu", "NAME"; the number is space::device

// DLPack's device type and number. Raises wrong_memory_space where this build, or DLPack, has no such memory.
const space& space_of_dlpack(int type, int number);
std::pair<int, int> dlpack_device_of(const space&);
}  // namespace inlay::python
