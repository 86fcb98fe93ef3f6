#include "arrays.hpp"
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include "dlpack.hpp"
#include <numpy/arrayobject.h>
#include <optional>

namespace inlay::python {
namespace {
// Types of NumPy's own, by its numbers.
element element_of_number(int number) {
    switch (number) {
        case NPY_BOOL: return element::boolean;
        case NPY_BYTE: return element::i8;
        case NPY_UBYTE: return element::u8;
        case NPY_SHORT: return element::i16;
        case NPY_USHORT: return element::u16;
        case NPY_INT: return element::i32;
        case NPY_UINT: return element::u32;
        case NPY_LONG: return sizeof(long) == 8 ? element::i64 : element::i32;
        case NPY_ULONG: return sizeof(long) == 8 ? element::u64 : element::u32;
        case NPY_LONGLONG: return element::i64;
        case NPY_ULONGLONG: return element::u64;
        case NPY_HALF: return element::f16;
        case NPY_FLOAT: return element::f32;
        case NPY_DOUBLE: return element::f64;
        case NPY_CFLOAT: return element::c64;
        case NPY_CDOUBLE: return element::c128;
        case NPY_OBJECT:
        case NPY_UNICODE:
        case NPY_STRING:
        case NPY_VOID:
        case NPY_VSTRING: return element::string;
        default: return element::undefined;
    }
}
int number_of(element e) {  // NPY_NOTYPE: NumPy has none of its own
    constexpr int numbers[element_count] = {NPY_NOTYPE, NPY_FLOAT,  NPY_UBYTE,  NPY_BYTE,    NPY_USHORT, NPY_SHORT,
                                            NPY_INT,    NPY_INT64,  NPY_OBJECT, NPY_BOOL,    NPY_HALF,   NPY_DOUBLE,
                                            NPY_UINT,   NPY_UINT64, NPY_CFLOAT, NPY_CDOUBLE, NPY_NOTYPE, NPY_NOTYPE,
                                            NPY_NOTYPE, NPY_NOTYPE, NPY_NOTYPE, NPY_NOTYPE,  NPY_NOTYPE, NPY_NOTYPE,
                                            NPY_NOTYPE, NPY_NOTYPE, NPY_NOTYPE, NPY_NOTYPE};
    return numbers[int(e)];
}
// The types that the package ml_dtypes adds to NumPy.
struct added_type {
    element type;
    const char* name;
};
constexpr added_type added_types[] = {
    {element::bf16, "bfloat16"},
    {element::f8e4m3fn, "float8_e4m3fn"},
    {element::f8e4m3fnuz, "float8_e4m3fnuz"},
    {element::f8e5m2, "float8_e5m2"},
    {element::f8e5m2fnuz, "float8_e5m2fnuz"},
    {element::f8e8m0, "float8_e8m0fnu"},
    {element::f4e2m1, "float4_e2m1fn"},
    {element::i4, "int4"},
    {element::u4, "uint4"},
    {element::i2, "int2"},
    {element::u2, "uint2"},
};
[[noreturn]] void refuse(error_code code, std::string_view subject, const std::string& reason) {
    raise({code, "inlay: " + std::string(subject) + " " + reason});
}
nb::object owned(PyObject* p) {  // a new reference, or null with Python's error
    if (!p) throw nb::python_error();
    return nb::steal(p);
}
element element_of_descriptor(PyArray_Descr* d) {
    if (d->type_num < NPY_USERDEF) return element_of_number(d->type_num);
    const std::string name = nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(d)).attr("name"));
    for (const added_type& t : added_types)
        if (name == t.name) return t.type;
    return element::undefined;
}
std::string name_of_descriptor(PyArray_Descr* d) {
    return nb::cast<std::string>(nb::str(nb::handle(reinterpret_cast<PyObject*>(d))));
}

// ml_dtypes stores an element of less than a byte in a byte of its own; a tensor's are packed, lowest bits first.
void pack(const std::uint8_t* from, std::uint8_t* to, std::int64_t n, int bits) {
    const int mask = (1 << bits) - 1;
    for (std::int64_t i = 0; i < n; ++i) {
        const int shift = int(i * bits % 8);
        std::uint8_t& byte = to[i * bits / 8];
        byte = std::uint8_t((byte & ~(mask << shift)) | (from[i] & mask) << shift);
    }
}
void unpack(const std::uint8_t* from, std::uint8_t* to, std::int64_t n, int bits, bool with_sign) {
    const int mask = (1 << bits) - 1;
    for (std::int64_t i = 0; i < n; ++i) {
        const int code = from[i * bits / 8] >> (i * bits % 8) & mask;
        to[i] = std::uint8_t(with_sign && code >> (bits - 1) ? code - (1 << bits) : code);
    }
}

std::string text_of(nb::handle object, std::string_view subject) {
    if (PyUnicode_Check(object.ptr())) {
        const nb::object bytes = owned(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogateescape"));
        return {PyBytes_AsString(bytes.ptr()), std::size_t(PyBytes_Size(bytes.ptr()))};
    }
    if (PyBytes_Check(object.ptr())) return {PyBytes_AsString(object.ptr()), std::size_t(PyBytes_Size(object.ptr()))};
    refuse(error_code::type_mismatch, subject,
           "holds objects of type " + nb::cast<std::string>(nb::str(object.type().attr("__name__"))) +
               "; an array of objects is a tensor of strings, of str or bytes alone");
}
tensor strings_of(PyArrayObject* a, const shape& dims, std::string_view subject) {
    tensor t(element::string, dims);
    const nb::object objects =
        owned(PyArray_FromArray(a, PyArray_DescrFromType(NPY_OBJECT), NPY_ARRAY_CARRAY | NPY_ARRAY_FORCECAST));
    auto* const from = static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(objects.ptr())));
    const auto to = t.as<std::string>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = text_of(from[i], subject);
    return t;
}
shape shape_of(PyArrayObject* a, std::string_view subject) {
    if (PyArray_NDIM(a) > max_rank)
        refuse(error_code::shape_mismatch, subject,
               "has " + std::to_string(PyArray_NDIM(a)) + " dimensions; at most " + std::to_string(max_rank) +
                   " are supported");
    shape dims;
    for (int i = 0; i < PyArray_NDIM(a); ++i) dims.push_back(PyArray_DIM(a, i));
    return dims;
}
nb::object array_of_strings(const tensor& t, int rank, npy_intp* dims) {
    nb::object array = owned(PyArray_SimpleNew(rank, dims, NPY_OBJECT));
    auto* const to = static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
    const auto from = t.as<std::string>();
    for (std::size_t i = 0; i < from.size(); ++i) {
        nb::object item = text(from[i]);
        Py_XDECREF(to[i]);
        to[i] = item.release().ptr();
    }
    return array;
}
nb::object over_memory(const tensor& t, int rank, npy_intp* dims, PyArray_Descr* type) {
    auto keep = std::make_unique<tensor>(t);
    const nb::object owner = owned(PyCapsule_New(keep.get(), nullptr, [](PyObject* capsule) {
        delete static_cast<tensor*>(PyCapsule_GetPointer(capsule, nullptr));
    }));
    void* const memory = keep.release()->data();
    nb::object array =
        owned(PyArray_NewFromDescr(&PyArray_Type, type, rank, dims, nullptr, memory, NPY_ARRAY_CARRAY, nullptr));
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array.ptr()), owner.inc_ref().ptr()))
        throw nb::python_error();
    return array;
}
}  // namespace

void import_numpy() {
    if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
}
bool is_array(nb::handle h) { return PyArray_Check(h.ptr()); }

tensor tensor_of(nb::handle array, kept_objects& owners, std::string_view subject) {
    auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
    const element type = element_of_descriptor(PyArray_DESCR(a));
    if (type == element::undefined)
        refuse(error_code::type_mismatch, subject,
               "has the NumPy type " + name_of_descriptor(PyArray_DESCR(a)) + ", which ONNX does not have");
    const shape dims = shape_of(a, subject);
    if (type == element::string) return strings_of(a, dims, subject);
    if (PyArray_ISCARRAY_RO(a)) {
        owners.push_back(nb::borrow(array));
    } else {
        owners.push_back(owned(
            PyArray_CheckFromAny(array.ptr(), nullptr, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED, nullptr)));
        a = reinterpret_cast<PyArrayObject*>(owners.back().ptr());
    }
    if (bits_of(type) >= 8) return tensor::borrow(type, dims, PyArray_DATA(a));
    tensor packed(type, dims);
    pack(static_cast<const std::uint8_t*>(PyArray_DATA(a)), static_cast<std::uint8_t*>(packed.data()), dims.elements(),
         bits_of(type));
    return packed;
}
tensor tensor_from(nb::handle object, element element_type, kept_objects& owners, std::string_view subject) {
    if (is_array(object)) return tensor_of(object, owners, subject);
    if (has_dlpack(object)) return tensor_of_dlpack(object);
    const nb::object type =
        element_type == element::undefined || element_type == element::object || element_type == element::string
            ? nb::object()
            : dtype_of(element_type);
    auto* const descriptor = reinterpret_cast<PyArray_Descr*>(type.is_valid() ? type.inc_ref().ptr() : nullptr);
    const nb::object array = owned(PyArray_FromAny(object.ptr(), descriptor, 0, 0, NPY_ARRAY_CARRAY_RO, nullptr));
    return tensor_of(array, owners, subject);
}
tensor lasting_tensor_from(nb::handle object, element element_type, std::string_view subject) {
    kept_objects owners;
    const tensor t = tensor_from(object, element_type, owners, subject);
    if (owners.empty() || t.data() != PyArray_DATA(reinterpret_cast<PyArrayObject*>(owners.back().ptr()))) return t;
    const std::shared_ptr<void> keep(owners.back().inc_ref().ptr(), [](void* array) {
        nb::gil_scoped_acquire gil;
        Py_DECREF(static_cast<PyObject*>(array));
    });
    return tensor::borrow(t.type(), t.shape(), t.data(), t.where(), keep);
}
nb::object array_of(const tensor& t) {
    npy_intp dims[max_rank];
    const int rank = t.shape().rank;
    for (int i = 0; i < rank; ++i) dims[i] = t.shape()[i];
    if (t.type() == element::string) return array_of_strings(t, rank, dims);
    if (const int number = number_of(t.type()); number != NPY_NOTYPE)
        return over_memory(t, rank, dims, PyArray_DescrFromType(number));
    const nb::object type = dtype_of(t.type());
    auto* const descriptor = reinterpret_cast<PyArray_Descr*>(type.inc_ref().ptr());
    if (bits_of(t.type()) >= 8) return over_memory(t, rank, dims, descriptor);
    nb::object array = owned(PyArray_NewFromDescr(&PyArray_Type, descriptor, rank, dims, nullptr, nullptr, 0, nullptr));
    unpack(static_cast<const std::uint8_t*>(t.data()),
           static_cast<std::uint8_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr()))), t.elements(),
           bits_of(t.type()), t.type() == element::i4 || t.type() == element::i2);
    return array;
}
nb::object scalar_of(const tensor& t) { return array_of(t).attr("item")(); }

element element_of_dtype(nb::handle dtype) {
    PyArray_Descr* d = nullptr;
    if (!PyArray_DescrConverter(dtype.ptr(), &d)) throw nb::python_error();
    const nb::object keep = nb::steal(reinterpret_cast<PyObject*>(d));
    const element e = element_of_descriptor(d);
    if (e == element::undefined)
        raise({error_code::type_mismatch, "inlay: ONNX has no elements of the NumPy type " + name_of_descriptor(d)});
    return e;
}
nb::object dtype_of(element e) {
    if (const int number = number_of(e); number != NPY_NOTYPE)
        return owned(reinterpret_cast<PyObject*>(PyArray_DescrFromType(number)));
    for (const added_type& t : added_types)
        if (t.type == e) {
            nb::object package;
            try {
                package = nb::module_::import_("ml_dtypes");
            } catch (nb::python_error&) {
                throw nb::import_error(("inlay: NumPy has no type for ONNX's " + std::string(name_of(e)) +
                                        "; install the package ml_dtypes, or take the value as an OrtValue")
                                           .c_str());
            }
            return nb::module_::import_("numpy").attr("dtype")(package.attr(t.name));
        }
    raise({error_code::type_mismatch, "inlay: NumPy has no type for " + std::string(name_of(e))});
}
shape shape_from(nb::handle sequence, std::string_view subject) {
    shape dims;
    for (nb::handle d : nb::iter(sequence)) {
        if (dims.rank == max_rank)
            refuse(error_code::shape_mismatch, subject, "has more than " + std::to_string(max_rank) + " dimensions");
        const auto size = nb::cast<std::int64_t>(nb::int_(d));
        if (size < 0) refuse(error_code::shape_mismatch, subject, "has a negative dimension");
        dims.push_back(size);
    }
    return dims;
}
nb::tuple tuple_of(const shape& dims) {
    nb::list sizes;
    for (std::int64_t d : dims) sizes.append(d);
    return nb::tuple(sizes);
}
}  // namespace inlay::python
