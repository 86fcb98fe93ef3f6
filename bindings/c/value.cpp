// Tensors, sequences, maps and optionals.
#include "handles.hpp"

namespace inlay::c {
namespace {
element type_given(std::int32_t type) {
    if (type <= INLAY_TYPE_UNDEFINED || type >= std::int32_t(element::object))
        raise({error_code::type_mismatch, "inlay: " + std::to_string(type) +
                                              " is no type of a tensor's elements; they are 1 to " +
                                              std::to_string(int(element::object) - 1) + ", as ONNX numbers them"});
    return element(type);
}
std::size_t alignment_of(element type) {  // as C requires for one element
    switch (type) {
        case element::c64: return alignof(float);
        case element::c128: return alignof(double);
        default: return std::size_t(std::max<std::int64_t>(1, bytes_of(type, 1)));
    }
}
inlay_any_value* made(any_value v) { return new inlay_any_value{std::move(v)}; }
const tensor* tensor_of(const inlay_any_value* v) { return v ? v->value.as_tensor() : nullptr; }
std::string* string_at(const inlay_any_value* v, std::int64_t index) {
    const tensor* const t = tensor_of(v);
    if (!t || t->type() != element::string || index < 0 || index >= t->elements()) return nullptr;
    return static_cast<std::string*>(const_cast<void*>(t->data())) + index;
}
std::vector<any_value> items_given(inlay_any_value* const* items, std::int64_t count) {
    std::vector<any_value> values;
    for (const inlay_any_value* item : list_given(items, count, "items"))
        values.push_back(given(item, "items[]").value);
    return values;
}
map_key key_at(const tensor& keys, std::int64_t index) {
    if (keys.type() == element::i64) return keys.as<std::int64_t>()[std::size_t(index)];
    return keys.as<std::string>()[std::size_t(index)];
}
[[noreturn]] void raise_no_item(std::int64_t index, std::int64_t count) {
    raise({error_code::not_found,
           "inlay: there is no item " + std::to_string(index) + "; the value has " + std::to_string(count)});
}
const any_value& item_at(const inlay_any_value& v, std::int64_t index) {
    const std::int64_t count = inlay_value_count(&v);
    if (v.value.as_tensor())
        raise({error_code::type_mismatch, "inlay: a tensor has no items; inlay_value_data() gives its elements"});
    if (index < 0 || index >= count) raise_no_item(index, count);
    if (const sequence* s = v.value.as_sequence()) return (*s)[std::size_t(index)];
    if (const map* m = v.value.as_map()) return std::next(m->begin(), index)->second;
    return *v.value.as_optional()->contents;
}
}  // namespace

shape shape_given(const std::int64_t* dims, std::int32_t rank) {
    if (rank < 0 || rank > max_rank)
        raise({error_code::invalid_argument,
               "inlay: the rank " + std::to_string(rank) + " is not one of 0 to " + std::to_string(max_rank)});
    shape s;
    constexpr std::int64_t most = std::int64_t(1) << 54;  // so that the number of bits fits, too
    std::int64_t elements = 1;
    for (const std::int64_t d : list_given(dims, rank, "dims")) {
        if (d < 0) raise({error_code::invalid_argument, "inlay: the dimension " + std::to_string(d) + " is negative"});
        elements = checked_product(elements, std::max<std::int64_t>(d, 1));
        if (elements > most)
            raise({error_code::limit_exceeded, "inlay: a tensor of these dimensions has too many elements"});
        s.push_back(d);
    }
    return s;
}
const space& memory_given(const char* name) {
    if (!name) return space_of<memory::host>;
    if (const space* const s = built_memory(name)) return *s;
    error e(error_code::not_found, "inlay: there is no memory `" + std::string(name) + "` in this build");
    e.hint = "it is host, or what plans call the memory of a provider's device";
    raise(std::move(e));
}
const tensor& tensor_given(const inlay_any_value* v, const char* name) {
    const tensor* const t = given(v, name).value.as_tensor();
    const bool exists = t && *t;  // LCOV_EXCL_LINE: no function gives a handle of a tensor without memory
    if (!exists) raise({error_code::type_mismatch, std::string("inlay: the argument `") + name + "` is no tensor"});
    return *t;
}
std::vector<feed> feeds_given(const char* const* names, inlay_any_value* const* values, std::int64_t count) {
    const auto all_names = list_given(names, count, "names");
    const auto all_values = list_given(values, count, "values");
    std::vector<feed> feeds;
    for (std::size_t k = 0; k < all_values.size(); ++k)
        feeds.push_back({text_given(all_names[k], "names[]"), given(all_values[k], "values[]").value});
    return feeds;
}
}  // namespace inlay::c
using namespace inlay::c;
using inlay::element, inlay::error_code, inlay::tensor, inlay::any_value;
using inlay::raise;

inlay_failure* inlay_value_new(std::int32_t type, const std::int64_t* dims, std::int32_t rank, const char* memory,
                               inlay_any_value** value) {
    return guarded([&] {
        given(value, "value");
        const element of = type_given(type);
        const inlay::space& location = memory_given(memory);
        // LCOV_EXCL_START: needs a device's memory
        if (of == element::string && &location != &inlay::space_of<inlay::memory::host>)
            raise({error_code::wrong_memory_space, "inlay: strings are in the memory of the host only"});
        // LCOV_EXCL_STOP
        *value = made(tensor(of, shape_given(dims, rank), location));
    });
}
inlay_failure* inlay_value_borrow(std::int32_t type, const std::int64_t* dims, std::int32_t rank, void* data,
                                  std::int64_t bytes, const char* memory, inlay_any_value** value) {
    return guarded([&] {
        given(value, "value");
        const element of = type_given(type);
        if (of == element::string)
            raise({error_code::type_mismatch, "inlay: strings cannot be borrowed; make a tensor of them and set each"});
        const inlay::shape shape = shape_given(dims, rank);
        const std::int64_t needed = bytes_of(of, shape.elements());
        if (bytes < needed)
            raise({error_code::shape_mismatch, "inlay: the tensor " + to_string(shape) + " of " +
                                                   std::string(name_of(of)) + " takes " + std::to_string(needed) +
                                                   " bytes, and there are " + std::to_string(bytes)});
        if (needed > 0) (void)given(static_cast<std::byte*>(data), "data");
        if (reinterpret_cast<std::uintptr_t>(data) % alignment_of(of) != 0)
            raise({error_code::invalid_argument, "inlay: elements of " + std::string(name_of(of)) +
                                                     " have to be at a multiple of " +
                                                     std::to_string(alignment_of(of)) + " bytes"});
        *value = made(tensor::borrow(of, shape, data, memory_given(memory)));
    });
}
inlay_failure* inlay_value_sequence(inlay_any_value* const* items, std::int64_t count, inlay_any_value** value) {
    return guarded([&] {
        given(value, "value");
        *value = made(inlay::sequence(items_given(items, count)));
    });
}
inlay_failure* inlay_value_map(const inlay_any_value* keys, inlay_any_value* const* items, std::int64_t count,
                               inlay_any_value** value) {
    return guarded([&] {
        given(value, "value");
        const tensor& all_keys = tensor_given(keys, "keys");
        const std::vector<any_value> all_items = items_given(items, count);
        if (all_keys.type() != element::i64 && all_keys.type() != element::string)
            raise({error_code::type_mismatch,
                   "inlay: keys of a map are int64 or strings, not " + std::string(name_of(all_keys.type()))});
        if (all_keys.shape() != inlay::shape{count})
            raise({error_code::shape_mismatch, "inlay: the keys have shape " + to_string(all_keys.shape()) + " for " +
                                                   std::to_string(count) + " items"});
        inlay::map made_map;
        for (std::int64_t k = 0; k < count; ++k)
            if (!made_map.emplace(key_at(all_keys, k), all_items[std::size_t(k)]).second)
                raise({error_code::invalid_argument,
                       "inlay: the key at " + std::to_string(k) + " stands twice in the map"});
        *value = made(std::move(made_map));
    });
}
inlay_failure* inlay_value_optional(const inlay_any_value* item, inlay_any_value** value) {
    return guarded([&] {
        given(value, "value");
        inlay::optional_value o;
        if (item) o.contents = item->value;
        *value = made(std::move(o));
    });
}
inlay_failure* inlay_value_copy(const inlay_any_value* value, const char* memory, inlay_any_value** copy) {
    return guarded([&] {
        given(copy, "copy");
        *copy = made(tensor_given(value, "value").copied_to(memory_given(memory)));
    });
}

std::int32_t inlay_value_kind(const inlay_any_value* v) {
    if (!v) return -1;
    return v->value.as_tensor()     ? INLAY_KIND_TENSOR
           : v->value.as_sequence() ? INLAY_KIND_SEQUENCE
           : v->value.as_map()      ? INLAY_KIND_MAP
                                    : INLAY_KIND_OPTIONAL;
}
std::int32_t inlay_value_type(const inlay_any_value* v) {
    const tensor* const t = tensor_of(v);
    return !v ? -1 : t ? std::int32_t(t->type()) : INLAY_TYPE_UNDEFINED;
}
std::int32_t inlay_value_rank(const inlay_any_value* v) {
    const tensor* const t = tensor_of(v);
    return t ? t->shape().rank : -1;
}
const std::int64_t* inlay_value_dims(const inlay_any_value* v) {
    const tensor* const t = tensor_of(v);
    return t ? t->shape().dims.data() : nullptr;
}
const char* inlay_value_memory(const inlay_any_value* v) {
    const tensor* const t = tensor_of(v);
    return t ? t->where().name.data() : nullptr;
}
std::int64_t inlay_value_bytes(const inlay_any_value* v) {
    const tensor* const t = tensor_of(v);
    return t && t->type() != element::string ? t->bytes() : -1;
}
void* inlay_value_data(inlay_any_value* v) {
    const tensor* const t = tensor_of(v);
    return t && t->type() != element::string ? const_cast<void*>(t->data()) : nullptr;
}
std::int64_t inlay_value_count(const inlay_any_value* v) {
    if (!v) return -1;
    if (const tensor* const t = tensor_of(v)) return t->elements();
    if (const inlay::sequence* s = v->value.as_sequence()) return std::int64_t(s->size());
    if (const inlay::map* m = v->value.as_map()) return std::int64_t(m->size());
    return v->value.as_optional()->contents ? 1 : 0;
}
const char* inlay_value_string(const inlay_any_value* v, std::int64_t index, std::int64_t* size) {
    const std::string* const text = string_at(v, index);
    if (text && size) *size = std::int64_t(text->size());
    return text ? text->c_str() : nullptr;
}
inlay_failure* inlay_value_set_string(inlay_any_value* value, std::int64_t index, const char* text, std::int64_t size) {
    return guarded([&] {
        const tensor& t = tensor_given(value, "value");
        if (t.type() != element::string)
            raise({error_code::type_mismatch,
                   "inlay: the elements are " + std::string(name_of(t.type())) + ", not strings"});
        std::string* const at = string_at(value, index);
        if (!at) raise_no_item(index, t.elements());
        *at = size == -1 ? std::string(text_given(text, "text"))
                         : std::string(list_given(text, size, "text").data(), std::size_t(size));
    });
}
inlay_failure* inlay_value_item(const inlay_any_value* value, std::int64_t index, inlay_any_value** item) {
    return guarded([&] {
        given(item, "item");
        *item = made(item_at(given(value, "value"), index));
    });
}
inlay_failure* inlay_value_key(const inlay_any_value* map, std::int64_t index, inlay_any_value** key) {
    return guarded([&] {
        given(key, "key");
        const inlay::map* const m = given(map, "map").value.as_map();
        if (!m) raise({error_code::type_mismatch, "inlay: only maps have keys"});
        if (index < 0 || std::size_t(index) >= m->size()) raise_no_item(index, std::int64_t(m->size()));
        const inlay::map_key& at = std::next(m->begin(), index)->first;
        *key = made(std::visit([](const auto& k) { return tensor(inlay::shape{}, {k}); }, at));
    });
}
void inlay_value_free(inlay_any_value* v) { delete v; }
