#include "ort_value.hpp"
#include "values.hpp"

namespace inlay::python {
namespace {
// Containers inside containers are walked by recursion, as deep as types nest.
any_value nested_value(nb::handle object, const value_type& type, kept_objects& owners, const std::string& subject);

sequence sequence_from(nb::handle object, const value_type& type, kept_objects& owners, const std::string& subject) {
    if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr()))
        raise({error_code::type_mismatch,
               "inlay: " + subject + " must be a list, as the model expects " + to_string(type)});
    sequence items;
    for (nb::handle item : nb::iter(object)) items.push_back(nested_value(item, type.contents(), owners, subject));
    return items;
}
map map_from(nb::handle object, const value_type& type, kept_objects& owners, const std::string& subject) {
    if (!PyDict_Check(object.ptr()))
        raise({error_code::type_mismatch,
               "inlay: " + subject + " must be a dict, as the model expects " + to_string(type)});
    map entries;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(object.ptr(), &at, &key, &value);) {
        any_value item = nested_value(value, type.contents(), owners, subject);
        if (PyUnicode_Check(key))
            entries.emplace(nb::cast<std::string>(nb::handle(key)), std::move(item));
        else
            entries.emplace(nb::cast<std::int64_t>(nb::int_(nb::handle(key))), std::move(item));
    }
    return entries;
}
any_value nested_value(nb::handle object, const value_type& type, kept_objects& owners, const std::string& subject) {
    if (const any_value* value = value_of_ort_value(object)) return *value;
    if (type.depth == 0) return tensor_from(object, type.type, owners, subject);
    switch (type.kind()) {
        case value_kind::sequence: return sequence_from(object, type, owners, subject);
        case value_kind::map: return map_from(object, type, owners, subject);
        default:
            if (object.is_none()) return optional_value{};
            return optional_value{nested_value(object, type.contents(), owners, subject)};
    }
}

nb::object nested_object(const any_value& v);
nb::object object_of_map(const map& m) {
    nb::dict entries;
    for (const auto& [key, value] : m) {
        const nb::object k = std::holds_alternative<std::string>(key)
                                 ? nb::object(text(std::get<std::string>(key)))
                                 : nb::object(nb::int_(std::get<std::int64_t>(key)));
        const tensor* t = value.as_tensor();
        entries[k] = t && t->shape().rank == 0 ? scalar_of(*t) : nested_object(value);
    }
    return entries;
}
nb::object nested_object(const any_value& v) {
    if (const tensor* t = v.as_tensor()) return array_of(t->clone());  // others may have it too
    if (const map* m = v.as_map()) return object_of_map(*m);
    if (const optional_value* o = v.as_optional()) return o->contents ? nested_object(*o->contents) : nb::none();
    nb::list items;
    for (const any_value& item : *v.as_sequence()) items.append(nested_object(item));
    return items;
}
}  // namespace

any_value value_from(nb::handle object, const port& input, kept_objects& owners) {
    if (input.kind == value_kind::tensor && is_array(object))
        return tensor_of(object, owners, "input `" + input.name + "`");
    return nested_value(object, input.value_type, owners, "input `" + input.name + "`");
}
nb::object object_of(any_value v) {
    if (const tensor* t = v.as_tensor()) return array_of(t->sole_owner() ? *t : t->clone());
    return nested_object(v);
}
}  // namespace inlay::python
