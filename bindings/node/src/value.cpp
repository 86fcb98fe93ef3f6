#include "value.hpp"
#include <algorithm>
#include <array>
#include <cstring>

namespace inlay_node {
namespace {
struct element_type {
    const char* name;
    std::int32_t number;
    napi_typedarray_type array;
    int bits;   // of an element of the tensor
    int bytes;  // of an element of the array
};
constexpr element_type element_types[] = {
    {"float32", INLAY_TYPE_FLOAT, napi_float32_array, 32, 4},
    {"uint8", INLAY_TYPE_UINT8, napi_uint8_array, 8, 1},
    {"int8", INLAY_TYPE_INT8, napi_int8_array, 8, 1},
    {"uint16", INLAY_TYPE_UINT16, napi_uint16_array, 16, 2},
    {"int16", INLAY_TYPE_INT16, napi_int16_array, 16, 2},
    {"int32", INLAY_TYPE_INT32, napi_int32_array, 32, 4},
    {"int64", INLAY_TYPE_INT64, napi_bigint64_array, 64, 8},
    {"bool", INLAY_TYPE_BOOL, napi_uint8_array, 8, 1},
    {"float16", INLAY_TYPE_FLOAT16, napi_uint16_array, 16, 2},
    {"float64", INLAY_TYPE_DOUBLE, napi_float64_array, 64, 8},
    {"uint32", INLAY_TYPE_UINT32, napi_uint32_array, 32, 4},
    {"uint64", INLAY_TYPE_UINT64, napi_biguint64_array, 64, 8},
    {"complex64", INLAY_TYPE_COMPLEX64, napi_float32_array, 64, 4},
    {"complex128", INLAY_TYPE_COMPLEX128, napi_float64_array, 128, 8},
    {"bfloat16", INLAY_TYPE_BFLOAT16, napi_uint16_array, 16, 2},
    {"float8e4m3fn", INLAY_TYPE_FLOAT8E4M3FN, napi_uint8_array, 8, 1},
    {"float8e4m3fnuz", INLAY_TYPE_FLOAT8E4M3FNUZ, napi_uint8_array, 8, 1},
    {"float8e5m2", INLAY_TYPE_FLOAT8E5M2, napi_uint8_array, 8, 1},
    {"float8e5m2fnuz", INLAY_TYPE_FLOAT8E5M2FNUZ, napi_uint8_array, 8, 1},
    {"float8e8m0", INLAY_TYPE_FLOAT8E8M0, napi_uint8_array, 8, 1},
    {"uint4", INLAY_TYPE_UINT4, napi_uint8_array, 4, 1},
    {"int4", INLAY_TYPE_INT4, napi_int8_array, 4, 1},
    {"float4e2m1", INLAY_TYPE_FLOAT4E2M1, napi_uint8_array, 4, 1},
    {"uint2", INLAY_TYPE_UINT2, napi_uint8_array, 2, 1},
    {"int2", INLAY_TYPE_INT2, napi_int8_array, 2, 1},
};
constexpr const char* name_of_strings = "string";
constexpr int deepest = 8;                                     // containers within containers
constexpr std::int64_t most_elements = std::int64_t(1) << 48;  // so that the number of bits fits

const element_type* type_named(const std::string& name) {
    const auto* const type =
        std::find_if(std::begin(element_types), std::end(element_types), [&](auto& t) { return name == t.name; });
    return type == std::end(element_types) ? nullptr : type;
}
const element_type* type_numbered(std::int32_t number) {
    const auto* const type =
        std::find_if(std::begin(element_types), std::end(element_types), [&](auto& t) { return number == t.number; });
    return type == std::end(element_types) ? nullptr : type;
}
std::string text_of(const std::vector<std::int64_t>& dims) {
    std::string text = "[";
    for (const std::int64_t d : dims) text += (text.size() > 1 ? "," : "") + std::to_string(d);
    return text + "]";
}
std::int64_t elements_in(napi_env env, const std::vector<std::int64_t>& dims, const std::string& subject) {
    std::int64_t elements = 1;
    bool is_empty = false;
    for (const std::int64_t d : dims) {
        is_empty = is_empty || d == 0;
        if (d > 0 && elements > most_elements / d)
            throw_range_error(env, "inlay: " + subject + " of " + text_of(dims) + " has too many elements");
        elements *= std::max<std::int64_t>(d, 1);
    }
    return is_empty ? 0 : elements;
}
void check_length(napi_env env, std::size_t length, std::int64_t needed, const std::vector<std::int64_t>& dims,
                  const std::string& subject) {
    if (length == std::size_t(needed)) return;
    throw_range_error(env, "inlay: the dims " + text_of(dims) + " of " + subject + " do not match its data length: " +
                               std::to_string(needed) + " elements, and there are " + std::to_string(length));
}
bool is_resizable(napi_env env, napi_value buffer) {
    const napi_value flag = property(env, buffer, "resizable");  // later versions of JavaScript have it
    bool resizable = false;
    if (type_of(env, flag) == napi_boolean) check(env, napi_get_value_bool(env, flag, &resizable));
    return resizable;
}

struct view {  // of a typed array
    napi_typedarray_type type = napi_int8_array;
    std::size_t length = 0;
    void* data = nullptr;
    napi_value buffer = nullptr;
};
view view_of(napi_env env, napi_value array, const std::string& subject) {
    bool is_array = false;
    check(env, napi_is_typedarray(env, array, &is_array));
    if (!is_array) throw_type_error(env, "inlay: the data of " + subject + " must be a typed array");
    view v;
    std::size_t offset = 0;
    check(env, napi_get_typedarray_info(env, array, &v.type, &v.length, &v.data, &v.buffer, &offset));
    return v;
}
}  // namespace

struct given_value::parts {
    int kind = INLAY_KIND_TENSOR;
    std::string subject{};
    const element_type* type = nullptr;  // null: strings
    std::vector<std::int64_t> dims{};
    std::int64_t elements = 0;
    napi_value data = nullptr;
    bool copied = false;
    std::vector<std::string> strings{};
    std::vector<given_value> items{};  // of a map, its keys first

    void read_strings(napi_env env) {
        const std::vector<napi_value> texts = elements_of(env, data, "the data of " + subject);
        check_length(env, texts.size(), elements, dims, subject);
        for (const napi_value text : texts) strings.push_back(string_of(env, text, "an element of " + subject));
    }
    void read_tensor(napi_env env, napi_value value) {
        if (type_of(env, value) != napi_object) throw_type_error(env, "inlay: " + subject + " must be a Tensor");
        const std::string name = string_of(env, property(env, value, "type"), "the type of " + subject);
        type = type_named(name);
        if (!type && name != name_of_strings)
            throw_type_error(env, "inlay: there is no type `" + name + "` of elements");
        dims = dims_of(env, property(env, value, "dims"), "the dims of " + subject);
        elements = elements_in(env, dims, subject);
        data = property(env, value, "data");
        if (type) {
            copied = !guard_memory(env, data, subject);
        } else {
            read_strings(env);
        }
    }
    value_handle make_strings(napi_env) const {
        auto value = inlay_node::make<value_handle>(inlay_value_new, std::int32_t(INLAY_TYPE_STRING), dims.data(),
                                                    std::int32_t(dims.size()), nullptr);
        for (std::size_t k = 0; k < strings.size(); ++k)
            check(inlay_value_set_string(value.get(), std::int64_t(k), strings[k].data(),
                                         std::int64_t(strings[k].size())));
        return value;
    }
    // The memory, checked: of the type's array, attached, and as long as the shape is.
    view checked_memory(napi_env env) const {
        const view v = view_of(env, data, subject);
        bool detached = false;
        check(env, napi_is_detached_arraybuffer(env, v.buffer, &detached));
        if (detached) throw_type_error(env, "inlay: the ArrayBuffer of " + subject + " is detached");
        const bool is_clamped = v.type == napi_uint8_clamped_array && type->array == napi_uint8_array;
        if (v.type != type->array && !is_clamped)
            throw_type_error(env, "inlay: the data of " + subject + " is not the typed array for " + type->name);
        const std::int64_t unit = type->bytes * 8;
        check_length(env, v.length, (elements * type->bits + unit - 1) / unit, dims, subject);
        if (type->number == INLAY_TYPE_BOOL) {
            const auto* const flags = static_cast<const std::uint8_t*>(v.data);
            if (std::any_of(flags, flags + v.length, [](std::uint8_t flag) { return flag > 1; }))
                throw_range_error(env, "inlay: the elements of " + subject + ", which are bool, must be 0 or 1");
        }
        return v;
    }
    value_handle make_tensor(napi_env env, napi_value pins) const {
        const view v = checked_memory(env);
        const auto rank = std::int32_t(dims.size());
        const std::size_t bytes = v.length * std::size_t(type->bytes);
        if (copied) {
            auto value = inlay_node::make<value_handle>(inlay_value_new, type->number, dims.data(), rank, nullptr);
            if (bytes > 0) std::memcpy(inlay_value_data(value.get()), v.data, bytes);
            return value;
        }
        append(env, pins, data);
        return inlay_node::make<value_handle>(inlay_value_borrow, type->number, dims.data(), rank, v.data,
                                              std::int64_t(bytes), nullptr);
    }
    value_handle make_container(napi_env env, napi_value pins) const {
        std::vector<value_handle> handles;
        std::vector<inlay_any_value*> pointers;
        for (const given_value& item : items) {
            handles.push_back(item.make(env, pins));
            pointers.push_back(handles.back().get());
        }
        const auto count = std::int64_t(pointers.size());
        if (kind == INLAY_KIND_SEQUENCE)
            return inlay_node::make<value_handle>(inlay_value_sequence, pointers.data(), count);
        if (kind == INLAY_KIND_OPTIONAL)
            return inlay_node::make<value_handle>(inlay_value_optional, count > 0 ? pointers[0] : nullptr);
        return inlay_node::make<value_handle>(inlay_value_map, pointers[0], pointers.data() + 1, count - 1);
    }
    void read_items(napi_env env, napi_value value, int depth) {
        for (const napi_value item : elements_of(env, property(env, value, "items"), "the items of " + subject))
            items.push_back(read(env, item, subject + "[" + std::to_string(items.size()) + "]", depth + 1));
    }
    void read_container(napi_env env, napi_value value, const std::string& name, int depth) {
        if (name == "sequence") {
            kind = INLAY_KIND_SEQUENCE;
            read_items(env, value, depth);
        } else if (name == "map") {
            kind = INLAY_KIND_MAP;
            items.push_back(read(env, property(env, value, "keys"), "the keys of " + subject, deepest));
            read_items(env, value, depth);
        } else if (name == "optional") {
            kind = INLAY_KIND_OPTIONAL;
            const napi_value item = property(env, value, "item");
            if (!is_absent(env, item)) items.push_back(read(env, item, subject, depth + 1));
        } else {
            throw_type_error(env, "inlay: " + subject + " has no kind `" + name + "`");
        }
    }
};

given_value::given_value(std::shared_ptr<parts> p) : parts_(std::move(p)) {}
given_value given_value::read(napi_env env, napi_value value, const std::string& subject, int depth) {
    if (depth > deepest) throw_range_error(env, "inlay: " + subject + " has too many containers within each other");
    auto p = std::make_shared<parts>();
    p->subject = subject;
    const napi_valuetype type = type_of(env, value);
    const napi_value kind = type == napi_object ? property(env, value, "kind") : undefined(env);
    if (type_of(env, kind) == napi_string) {
        p->read_container(env, value, string_of(env, kind, "the kind of " + subject), depth);
    } else {
        p->read_tensor(env, value);
    }
    return given_value(std::move(p));
}
value_handle given_value::make(napi_env env, napi_value pins) const {
    if (parts_->kind != INLAY_KIND_TENSOR) return parts_->make_container(env, pins);
    return parts_->type ? parts_->make_tensor(env, pins) : parts_->make_strings(env);
}
bool given_value::is_borrowed(napi_env) const {
    return parts_->kind == INLAY_KIND_TENSOR && parts_->type && !parts_->copied;
}
bool guard_memory(napi_env env, napi_value typed_array, const std::string& subject) {
    const view v = view_of(env, typed_array, subject);
    bool is_buffer = false;
    check(env, napi_is_arraybuffer(env, v.buffer, &is_buffer));
    if (!is_buffer) return true;  // shared memory, which is never detached and only grows
    if (is_resizable(env, v.buffer)) return false;
    napi_value mark = nullptr, result = nullptr;
    check(env, napi_get_reference_value(env, environment_of(env).mark_untransferable, &mark));
    check(env, napi_call_function(env, undefined(env), mark, 1, &v.buffer, &result));
    return true;
}
bool is_detached(napi_env env, napi_value typed_array) {
    bool detached = false;
    check(env, napi_is_detached_arraybuffer(env, view_of(env, typed_array, "an input").buffer, &detached));
    return detached;
}

namespace {
napi_value strings_of(napi_env env, const inlay_any_value* value) {
    const std::int64_t count = inlay_value_count(value);
    const napi_value list = array_value(env, std::size_t(count));
    for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t size = 0;
        const char* const text = inlay_value_string(value, k, &size);
        set(env, list, std::size_t(k), text_value(env, {text, std::size_t(size)}));
    }
    return list;
}
// An ArrayBuffer over the memory of the value, which is freed with it; where node allows none, a copy.
napi_value buffer_over(napi_env env, value_handle value) {
    void* const data = inlay_value_data(value.get());
    const auto bytes = std::size_t(inlay_value_bytes(value.get()));
    const auto free_value = [](napi_env, void*, void* handle) {
        inlay_value_free(static_cast<inlay_any_value*>(handle));
    };
    napi_value buffer = nullptr;
    if (bytes > 0 && napi_create_external_arraybuffer(env, data, bytes, free_value, value.get(), &buffer) == napi_ok) {
        value.release();
        return buffer;
    }
    void* copy = nullptr;
    check(env, napi_create_arraybuffer(env, bytes, &copy, &buffer));
    if (bytes > 0) std::memcpy(copy, data, bytes);
    return buffer;
}
napi_value tensor_to_javascript(napi_env env, value_handle value) {
    if (std::string_view(inlay_value_memory(value.get())) != "host")
        value = make<value_handle>(inlay_value_copy, value.get(), nullptr);
    const std::int32_t rank = inlay_value_rank(value.get()), number = inlay_value_type(value.get());
    const napi_value object = object_value(env), dims = array_value(env, std::size_t(rank));
    for (std::int32_t k = 0; k < rank; ++k)
        set(env, dims, std::size_t(k), number_value(env, double(inlay_value_dims(value.get())[k])));
    set(env, object, "dims", dims);
    set(env, object, "type", type_name(env, number));
    if (number == INLAY_TYPE_STRING) {
        set(env, object, "data", strings_of(env, value.get()));
        return object;
    }
    const element_type& type = *type_numbered(number);
    const std::size_t length = std::size_t(inlay_value_bytes(value.get())) / std::size_t(type.bytes);
    napi_value array = nullptr;
    const napi_value buffer = buffer_over(env, std::move(value));
    check(env, napi_create_typedarray(env, type.array, length, buffer, 0, &array));
    set(env, object, "data", array);
    return object;
}
napi_value items_to_javascript(napi_env env, const inlay_any_value* value,
                               inlay_failure* (*item)(const inlay_any_value*, std::int64_t, inlay_any_value**)) {
    const std::int64_t count = inlay_value_count(value);
    const napi_value list = array_value(env, std::size_t(count));
    for (std::int64_t k = 0; k < count; ++k)
        set(env, list, std::size_t(k), value_to_javascript(env, make<value_handle>(item, value, k)));
    return list;
}
}  // namespace

napi_value type_name(napi_env env, std::int32_t number) {
    if (number == INLAY_TYPE_STRING) return text_value(env, name_of_strings);
    const element_type* const type = type_numbered(number);
    if (!type)
        throw_error(env, "type_mismatch",
                    "inlay: this package does not know the type of elements numbered " + std::to_string(number));
    return text_value(env, type->name);
}
napi_value value_to_javascript(napi_env env, value_handle value) {
    const std::int32_t kind = inlay_value_kind(value.get());
    if (kind == INLAY_KIND_TENSOR) return tensor_to_javascript(env, std::move(value));
    const napi_value object = object_value(env);
    if (kind == INLAY_KIND_OPTIONAL) {
        set(env, object, "kind", text_value(env, "optional"));
        if (inlay_value_count(value.get()) > 0)
            set(env, object, "item",
                value_to_javascript(env, make<value_handle>(inlay_value_item, value.get(), std::int64_t(0))));
        return object;
    }
    set(env, object, "kind", text_value(env, kind == INLAY_KIND_MAP ? "map" : "sequence"));
    set(env, object, "items", items_to_javascript(env, value.get(), inlay_value_item));
    if (kind == INLAY_KIND_MAP) set(env, object, "keys", items_to_javascript(env, value.get(), inlay_value_key));
    return object;
}
}  // namespace inlay_node
