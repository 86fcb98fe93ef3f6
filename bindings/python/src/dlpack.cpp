#include "dlpack.hpp"
#include "spaces.hpp"
#include <inlay/dlpack.hpp>

namespace inlay::python {
namespace {
constexpr const char* unused = "dltensor";     // the capsule's name until a consumer takes the tensor,
constexpr const char* used = "used_dltensor";  // and from then on
}  // namespace

bool has_dlpack(nb::handle h) { return PyCapsule_IsValid(h.ptr(), unused) || nb::hasattr(h, "__dlpack__"); }
tensor tensor_of_dlpack(nb::handle h) {
    const nb::object capsule = PyCapsule_CheckExact(h.ptr()) ? nb::borrow(h) : nb::object(h.attr("__dlpack__")());
    auto* const managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), unused));
    if (!managed) throw nb::python_error();  // it is no such capsule, or its tensor was taken
    const DLDevice device = managed->dl_tensor.device;
    const space& location = space_of_dlpack(device.device_type, device.device_id);
    if (PyCapsule_SetName(capsule.ptr(), used)) throw nb::python_error();
    return from_dlpack(managed, location);
}
bool holds_bytes(nb::handle capsule) {
    const auto* const managed = static_cast<const DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), unused));
    if (!managed) throw nb::python_error();
    const DLDataType type = managed->dl_tensor.dtype;
    return type.code == kDLUInt && type.bits == 8 && type.lanes == 1;
}
nb::object dlpack_of(const tensor& t) {
    const auto [type, number] = dlpack_device_of(t.where());
    DLManagedTensor* const managed = to_dlpack(t, {DLDeviceType(type), number});
    PyObject* const capsule = PyCapsule_New(managed, unused, [](PyObject* c) {
        if (!PyCapsule_IsValid(c, unused)) return;  // its consumer will call the deleter
        auto* const left = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(c, unused));
        left->deleter(left);
    });
    if (!capsule) {
        managed->deleter(managed);
        throw nb::python_error();
    }
    return nb::steal(capsule);
}
nb::tuple dlpack_device(const tensor& t) {
    const auto [type, number] = dlpack_device_of(t.where());
    return nb::make_tuple(type, number);
}
}  // namespace inlay::python
