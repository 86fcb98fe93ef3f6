#include "ort_value.hpp"
#include "values.hpp"

namespace inlay::python {
namespace {
// Containers inside containers are walked by recursion, as deep as types nest.
any_value nested_value(nb::handle object, const value_type& type, kept_objects& kept, const std::string& what);

sequence sequence_from(nb::handle object, const value_type& type, kept_objects& kept, const std::string& what) {
    if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr()))
        raise({error_code::type_mismatch, "inlay: " + what + " must be a list, as the model wants " + to_string(type)});
    sequence all;
    for (nb::handle one : nb::iter(object)) all.push_back(nested_value(one, type.contents(), kept, what));
    return all;
}
map map_from(nb::handle object, const value_type& type, kept_objects& kept, const std::string& what) {
    if (!PyDict_Check(object.ptr()))
        raise({error_code::type_mismatch, "inlay: " + what + " must be a dict, as the model wants " + to_string(type)});
    map all;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(object.ptr(), &at, &key, &value);) {
        any_value one = nested_value(value, type.contents(), kept, what);
        if (PyUnicode_Check(key))
            all.emplace(nb::cast<std::string>(nb::handle(key)), std::move(one));
        else
            all.emplace(nb::cast<std::int64_t>(nb::int_(nb::handle(key))), std::move(one));
    }
    return all;
}
any_value nested_value(nb::handle object, const value_type& type, kept_objects& kept, const std::string& what) {
    if (const any_value* value = value_of_ort_value(object)) return *value;
    if (type.depth == 0) return tensor_from(object, type.type, kept, what);
    switch (type.kind()) {
        case value_kind::sequence: return sequence_from(object, type, kept, what);
        case value_kind::map: return map_from(object, type, kept, what);
        default:
            if (object.is_none()) return optional_value{};
            return optional_value{nested_value(object, type.contents(), kept, what)};
    }
}

nb::object nested_object(const any_value& v);
nb::object object_of_map(const map& m) {
    nb::dict all;
    for (const auto& [key, value] : m) {
        const nb::object k = std::holds_alternative<std::string>(key)
                                 ? nb::object(text(std::get<std::string>(key)))
                                 : nb::object(nb::int_(std::get<std::int64_t>(key)));
        const tensor* t = value.as_tensor();
        all[k] = t && t->shape().rank == 0 ? scalar_of(*t) : nested_object(value);
    }
    return all;
}
nb::object nested_object(const any_value& v) {
    if (const tensor* t = v.as_tensor()) return array_of(t->clone());  // others may have it too
    if (const map* m = v.as_map()) return object_of_map(*m);
    if (const optional_value* o = v.as_optional()) return o->contents ? nested_object(*o->contents) : nb::none();
    nb::list all;
    for (const any_value& one : *v.as_sequence()) all.append(nested_object(one));
    return all;
}
}  // namespace

any_value value_from(nb::handle object, const port& wanted, kept_objects& kept) {
    if (wanted.kind == value_kind::tensor && is_array(object))
        return tensor_of(object, kept, "input `" + wanted.name + "`");
    return nested_value(object, wanted.value_type, kept, "input `" + wanted.name + "`");
}
nb::object object_of(any_value v) {
    if (const tensor* t = v.as_tensor()) return array_of(t->sole_owner() ? *t : t->clone());
    return nested_object(v);
}
}  // namespace inlay::python
