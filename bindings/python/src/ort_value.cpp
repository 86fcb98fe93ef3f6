#include "built/copy_elements.hpp"
#include "dlpack.hpp"
#include "ort_value.hpp"
#include "spaces.hpp"
#include "values.hpp"

namespace inlay::python {
const tensor& ort_value::as_tensor() const {
    if (const tensor* t = value.as_tensor()) return *t;
    raise({error_code::type_mismatch, "inlay: this OrtValue holds no tensor; python() gives what it holds"});
}
const any_value* value_of_ort_value(nb::handle h) {
    return nb::isinstance<ort_value>(h) ? &nb::cast<const ort_value&>(h).value : nullptr;
}
void write_elements(const tensor& from, tensor to, std::string_view subject) {
    if (from.type() != to.type() || from.shape() != to.shape())
        raise({from.type() != to.type() ? error_code::type_mismatch : error_code::shape_mismatch,
               "inlay: " + std::string(subject) + " has " + std::string(name_of(from.type())) +
                   to_string(from.shape()) + " for memory of " + std::string(name_of(to.type())) +
                   to_string(to.shape())});
    if (!copy_elements(from, std::move(to)))
        raise({error_code::provider_failed, "inlay: the device's memory could not be written"});
}

namespace {
tensor on_host(const tensor& t) { return t.on_host() ? t : t.copied_to(space_of<memory::host>); }

// A type is one that NumPy accepts, or ONNX's number of it.
element element_from(nb::handle type) {
    if (!PyLong_Check(type.ptr())) return element_of_dtype(type);
    const element e = element_numbered(nb::cast<std::int64_t>(type));
    if (e == element::undefined)
        raise({error_code::invalid_argument,
               "inlay: ONNX has no element type with the number " + nb::cast<std::string>(nb::str(type))});
    return e;
}
// Of a device by its name, or by that of its kind and the number of its vendor.
const space& space_of_vendor(nb::handle device, int number, int vendor) {
    if (vendor < 0) return space_of_device(device, number);
    const nb::object named = nb::module_::import_("inlayrt").attr("OrtDevice").attr("make")(device, number, vendor);
    return space_of_device(named, number);
}
ort_value from_numpy(nb::handle array, nb::handle device, int number, int vendor) {
    const space& location = space_of_vendor(device, number, vendor);
    const tensor t = lasting_tensor_from(array, element::undefined, "the array");
    return {&location == &space_of<memory::host> ? t : t.copied_to(location)};
}
// The array's bytes as elements of another type: for types that NumPy lacks.
ort_value from_numpy_as(nb::handle array, nb::handle type) {
    const element target_type = element_from(type);
    const tensor t = lasting_tensor_from(array, element::undefined, "the array");
    if (t.type() == target_type) return {t};
    if (bits_of(t.type()) != bits_of(target_type) || t.type() == element::string || target_type == element::string)
        raise({error_code::type_mismatch, "inlay: elements of " + std::string(name_of(t.type())) +
                                              " cannot be read as " + std::string(name_of(target_type)) +
                                              ", which has another size"});
    const auto keep = std::make_shared<tensor>(t);
    return {tensor::borrow(target_type, t.shape(), t.data(), t.where(), keep)};
}
ort_value from_shape_and_type(nb::handle dims, nb::handle type, nb::handle device, int number, int vendor,
                              nb::handle info) {
    const nb::object named =
        info.is_none() ? nb::borrow(device) : nb::module_::import_("inlayrt._memory").attr("device_of")(info);
    const space& location = info.is_none() ? space_of_vendor(device, number, vendor) : space_of_device(named, number);
    return {tensor(element_from(type), shape_from(dims, "the shape"), location)};
}
// Memory of the caller, which `keep` owns.
ort_value from_address(std::uintptr_t address, nb::handle type, nb::handle dims, nb::handle device, nb::object keep) {
    const element e = element_from(type);
    if (!address || e == element::string)
        raise({error_code::invalid_argument, "inlay: a tensor over memory needs its address, and is not of strings"});
    const std::shared_ptr<void> owner(keep.release().ptr(), [](void* object) {
        nb::gil_scoped_acquire gil;
        Py_DECREF(static_cast<PyObject*>(object));
    });
    return {tensor::borrow(e, shape_from(dims, "the shape"), reinterpret_cast<void*>(address),
                           space_of_device(device, 0), owner)};
}
nb::bytes bytes_of(const ort_value& self) {
    const tensor t = on_host(self.as_tensor());
    if (t.type() == element::string) raise({error_code::type_mismatch, "inlay: a tensor of strings has no bytes"});
    return nb::bytes(t.data(), std::size_t(t.bytes()));
}
void write_bytes(ort_value& self, nb::bytes bytes) {
    const tensor& to = self.as_tensor();
    if (to.type() == element::string || std::size_t(to.bytes()) != bytes.size())
        raise({error_code::invalid_argument,
               "inlay: " + std::to_string(bytes.size()) + " bytes for a tensor of " + std::to_string(to.bytes())});
    write_elements(tensor::borrow(to.type(), to.shape(), const_cast<char*>(bytes.c_str())), to, "the bytes");
}
void update_inplace(ort_value& self, nb::handle array) {
    const tensor& to = self.as_tensor();
    if (const any_value* source = value_of_ort_value(array))
        return write_elements(on_host(ort_value{*source}.as_tensor()), to, "update_inplace()");
    kept_objects owners;
    write_elements(tensor_from(array, to.type(), owners, "the array"), to, "update_inplace()");
}
std::string type_text(const any_value& v) {
    if (const tensor* t = v.as_tensor()) return "tensor(" + std::string(name_of(t->type())) + ")";
    if (const sequence* s = v.as_sequence()) return "seq(" + (s->empty() ? "?" : type_text(s->front())) + ")";
    if (const map* m = v.as_map()) {
        if (m->empty()) return "map(?,?)";
        const bool text = std::holds_alternative<std::string>(m->begin()->first);
        return std::string(text ? "map(string," : "map(int64,") + type_text(m->begin()->second) + ")";
    }
    const auto& contents = v.as_optional()->contents;
    return "optional(" + (contents ? type_text(*contents) : "?") + ")";
}
bool has_value(const ort_value& v) {
    if (const tensor* t = v.value.as_tensor()) return bool(*t);
    return !v.value.as_optional() || v.value.as_optional()->contents;
}
nb::object dlpack(const ort_value& self, nb::kwargs options) {
    for (const auto& [name, value] : options) {
        const auto key = nb::cast<std::string>(name);
        if (value.is_none() || key == "stream" || key == "max_version") continue;  // runs end before they return
        if (key == "copy" && !nb::cast<bool>(value)) continue;
        if (key == "dl_device" && value.equal(dlpack_device(self.as_tensor()))) continue;
        throw nb::buffer_error(("inlay: __dlpack__ does not support `" + key + "`").c_str());
    }
    return dlpack_of(self.as_tensor());
}

nb::object as_array(const ort_value& self, nb::handle dtype, nb::handle copy) {
    return nb::module_::import_("numpy").attr("array")(array_of(on_host(self.as_tensor())), dtype,
                                                       nb::arg("copy") = copy);
}

void add_making(nb::class_<ort_value>& c) {
    c.def_static("ortvalue_from_numpy", &from_numpy, nb::arg("numpy_obj"), nb::arg("device_type") = "cpu",
                 nb::arg("device_id") = 0, nb::arg("vendor_id") = -1,
                 "A tensor over the array's memory where it is contiguous and the device is the CPU; else a copy.")
        .def_static("ortvalue_from_numpy_with_onnx_type", &from_numpy_as, nb::arg("data"), nb::arg("onnx_element_type"),
                    "The array's bytes as elements of another type of the same size: 16 for bfloat16 over uint16.")
        .def_static("ortvalue_from_shape_and_type", &from_shape_and_type, nb::arg("shape"), nb::arg("element_type"),
                    nb::arg("device_type") = "cpu", nb::arg("device_id") = 0, nb::arg("vendor_id") = -1,
                    nb::arg("memory_info").none() = nb::none(),
                    "A tensor of its own memory; zeros, if the device is the CPU.\n\n"
                    "element_type: a numpy type, or ONNX's number of the type.\n"
                    "memory_info: an OrtMemoryInfo, which then says where the memory is.")
        .def_static("ortvalue_from_address", &from_address, nb::arg("address"), nb::arg("element_type"),
                    nb::arg("shape"), nb::arg("device"), nb::arg("keep"),
                    "A tensor over contiguous memory of a device, as long as which `keep` lives.")
        .def_static(
            "ort_value_from_sparse_tensor",
            [](nb::handle sparse) { return nb::module_::import_("inlayrt._sparse").attr("SparseOrtValue")(sparse); },
            nb::arg("sparse_tensor"),
            nb::sig("def ort_value_from_sparse_tensor(sparse_tensor: typing.Any) -> OrtValue"),
            "A value that holds a SparseTensor; a model that it is fed to reads the dense one.")
        .def_static(
            "from_dlpack", [](nb::handle h, bool) { return ort_value{tensor_of_dlpack(h)}; }, nb::arg("data"),
            nb::arg("is_bool_tensor") = false,
            "A tensor over the memory of another library's: of an object with __dlpack__, or a capsule.");
}
// The interface for other libraries, and for ONNX Runtime's own Python code.
void add_interchange(nb::class_<ort_value>& c) {
    c.def_prop_ro(
         "_ortvalue", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def _ortvalue(self) -> OrtValue"))
        .def(
            "_get_c_value", [](nb::handle self) { return nb::borrow(self); },
            nb::sig("def _get_c_value(self) -> OrtValue"),
            "The value: there is no other inside, as ONNX Runtime's has.")
        .def(
            "to_dlpack", [](const ort_value& v) { return dlpack_of(v.as_tensor()); }, "A capsule over the same memory.")
        .def("__array__", &as_array, nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none(),
             nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any"))
        .def("__dlpack__", &dlpack, nb::sig("def __dlpack__(self, **options: typing.Any) -> typing.Any"))
        .def(
            "__dlpack_device__", [](const ort_value& v) { return dlpack_device(v.as_tensor()); },
            nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
}
}  // namespace

void add_ort_value(nb::module_& m) {
    m.def("is_dlpack_uint8_tensor", &holds_bytes, nb::arg("capsule"),
          "Whether a capsule of DLPack holds uint8, which older libraries give for bool. It is not taken.");
    nb::class_<ort_value> c(m, "OrtValue", "A value that stays where it is between runs, on the host or a device.");
    add_making(c);
    c.def(
        "__init__",
        [](ort_value* self, const ort_value& value, nb::handle, nb::handle) { new (self) ort_value(value); },
        nb::arg("ortvalue"), nb::arg("numpy_obj").none() = nb::none(), nb::arg("session").none() = nb::none(),
        "The same value again: the memory is shared. The other arguments are ONNX Runtime's, and change nothing.");
    c.def(
         "numpy", [](const ort_value& v) { return array_of(on_host(v.as_tensor())); },
         nb::sig("def numpy(self) -> numpy.typing.NDArray[typing.Any]"),
         "The tensor as an array: over the same memory on the CPU, copied from a device.")
        .def(
            "python",
            [](const ort_value& v) {
                return v.value.as_tensor() ? array_of(on_host(v.as_tensor())) : object_of(v.value);
            },
            nb::sig("def python(self) -> typing.Any"),
            "What the value holds as run() would give it: an array, a list, a dict or None.")
        .def("update_inplace", &update_inplace, nb::arg("np_arr"),
             "Writes an array, or another OrtValue, of the same type and shape into the tensor's memory.")
        .def("_bytes", &bytes_of)
        .def("_write_bytes", &write_bytes, nb::arg("bytes"))
        .def(
            "as_sparse_tensor",
            [](const ort_value&) -> nb::object {
                raise({error_code::type_mismatch, "inlay: this OrtValue does not contain a SparseTensor"});
            },
            nb::sig("def as_sparse_tensor(self) -> typing.Any"),
            "Raises InvalidArgument, but of a value that ort_value_from_sparse_tensor() made.")
        .def(
            "shape", [](const ort_value& v) { return nb::list(tuple_of(v.as_tensor().shape())); },
            nb::sig("def shape(self) -> list[int]"))
        .def(
            "data_type", [](const ort_value& v) { return type_text(v.value); }, "As ONNX writes it: \"tensor(float)\".")
        .def(
            "element_type", [](const ort_value& v) { return int(v.as_tensor().type()); }, "ONNX's number of the type.")
        .def("device_name", [](const ort_value& v) { return device_name_of(v.as_tensor().where()); })
        .def("device_id", [](const ort_value& v) { return std::max(v.as_tensor().where().device, 0); })
        .def(
            "data_ptr", [](const ort_value& v) { return reinterpret_cast<std::uintptr_t>(v.as_tensor().data()); },
            "The address of the first element, in the device's memory.")
        .def("tensor_size_in_bytes", [](const ort_value& v) { return v.as_tensor().bytes(); })
        .def("has_value", &has_value, "False of an optional that holds nothing.")
        .def("is_tensor", [](const ort_value& v) { return v.value.as_tensor() != nullptr; })
        .def("is_tensor_sequence", [](const ort_value& v) { return v.value.as_sequence() != nullptr; })
        .def(
            "is_sparse_tensor", [](const ort_value&) { return false; }, "Always False: sparse tensors are made dense.");
    add_interchange(c);
}
}  // namespace inlay::python
