#include "spaces.hpp"
#include <inlay/built_providers.hpp>
#include <dlpack/dlpack.h>

namespace inlay::python {
namespace {
struct known_device {
    std::string_view name;  // of the memory space
    DLDeviceType type;
};
constexpr known_device known_devices[] = {{"host", kDLCPU}, {"cuda", kDLCUDA}};

std::string_view first_part(std::string_view space) { return space.substr(0, space.find(':')); }
}  // namespace

const space& space_of_device_named(std::string_view device, int number) {
    const bool host = device == "cpu" || device == "host";
    const space* match = nullptr;
    if (host)
        match = number == 0 ? &space_of<memory::host> : nullptr;
    else
        match = built_memory(number == 0 ? std::string(device) : std::string(device) + ":" + std::to_string(number));
    if (match) return *match;
    raise({error_code::invalid_argument,
           "inlay: there is no memory of the device `" + std::string(device) + "`, number " + std::to_string(number) +
               ": the host's is `cpu`, number 0; others are those of the providers that this build has"});
}
const space& space_of_device(nb::handle device, int number) {
    if (PyUnicode_Check(device.ptr())) return space_of_device_named(nb::cast<std::string>(device), number);
    if (!nb::isinstance(device, nb::module_::import_("inlayrt").attr("OrtDevice")))
        throw nb::type_error("inlay: a device is a str, or an OrtDevice");
    return space_of_device_named(nb::cast<std::string>(device.attr("_type")), nb::cast<int>(device.attr("_id")));
}
std::string device_name_of(const space& s) {
    return &s == &space_of<memory::host> ? "cpu" : std::string(first_part(s.name));
}
const space& space_of_dlpack(int type, int number) {
    if (type == kDLCUDAHost) return space_of<memory::host>;
    for (const known_device& d : known_devices)
        if (d.type == type) return space_of_device_named(d.name, d.type == kDLCPU ? 0 : number);
    raise({error_code::wrong_memory_space,
           "inlay: DLPack's device " + std::to_string(type) + ":" + std::to_string(number) +
               " is none whose memory this build has; copy the tensor to the host first"});
}
std::pair<int, int> dlpack_device_of(const space& s) {
    for (const known_device& d : known_devices)
        if (d.name == first_part(s.name)) return {d.type, std::max(s.device, 0)};
    raise({error_code::wrong_memory_space,
           "inlay: DLPack has no name for memory in the space `" + std::string(s.name) + "`"});
}
}  // namespace inlay::python
