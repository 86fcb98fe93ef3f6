#include "errors.hpp"
#include "type_info.hpp"
#include "value.hpp"
#include <algorithm>
#include <limits>
#include <mutex>

struct map_rows {
    std::once_flag once{};
    inlay::tensor keys{}, values{};
};

namespace Ort {
namespace detail {
void OrtRelease(OrtValue* v) noexcept { delete v; }

Value value_of(inlay::any_value v) {
    // An optional with contents is its contents, as in ONNX Runtime.
    if (const inlay::optional_value* o = v.as_optional(); o && o->contents) return value_of(*o->contents);
    auto handle = std::make_unique<OrtValue>(OrtValue{std::move(v)});
    if (handle->value.as_map()) handle->rows = std::make_shared<map_rows>();
    return Value(handle.release());
}
const inlay::tensor& tensor_of(const OrtValue* v) {
    const inlay::tensor* t = need(v, "Value").value.as_tensor();
    if (!t) raise(ORT_INVALID_ARGUMENT, "Ort: this Value is no tensor");
    return *t;
}
static const inlay::tensor& host_tensor(const OrtValue* v) {
    const inlay::tensor& t = tensor_of(v);
    if (!t.on_host())
        raise(ORT_INVALID_ARGUMENT, "Ort: the tensor is in the memory `" + std::string(t.where().name) +
                                        "`, whose elements the host cannot read");
    return t;
}
inlay::shape shape_of(const std::int64_t* dims, std::size_t rank) {
    if (rank > std::size_t(inlay::max_rank))
        raise(ORT_NOT_IMPLEMENTED, "Ort: a tensor of " + std::to_string(rank) + " dimensions; Inlay has at most " +
                                       std::to_string(inlay::max_rank));
    if (rank > 0 && !dims) raise(ORT_INVALID_ARGUMENT, "Ort: the shape of a tensor is a null pointer");
    inlay::shape s;
    std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 32;  // no element has more than 32 bytes
    for (std::size_t k = 0; k < rank; ++k) {
        if (dims[k] < 0 || dims[k] > largest)
            raise(ORT_INVALID_ARGUMENT, "Ort: a tensor cannot have the dimension " + std::to_string(dims[k]));
        largest /= std::max<std::int64_t>(dims[k], 1);
        s.push_back(dims[k]);
    }
    return s;
}

// Strings ------------------------------------------------------------------------------------------------------------
static std::span<std::string> strings_of(const OrtValue* v) {
    inlay::tensor t = host_tensor(v);
    if (t.type() != inlay::element::string)
        raise(ORT_INVALID_ARGUMENT,
              "Ort: the tensor's elements are " + std::string(name_of(t.type())) + ", not strings");
    return {static_cast<std::string*>(t.data()), std::size_t(t.elements())};
}
static std::string& string_at(const OrtValue* v, std::size_t index) {
    const auto strings = strings_of(v);
    if (index >= strings.size())
        raise(ORT_INVALID_ARGUMENT,
              "Ort: there is no string " + std::to_string(index) + " in a tensor of " + std::to_string(strings.size()));
    return strings[index];
}
static void need_room(std::size_t buffer_bytes, std::size_t text_bytes) {
    if (buffer_bytes < text_bytes)
        raise(ORT_INVALID_ARGUMENT, "Ort: the buffer has " + std::to_string(buffer_bytes) +
                                        " bytes, the strings take " + std::to_string(text_bytes));
}

// Elements -----------------------------------------------------------------------------------------------------------
static void check_elements(const inlay::tensor& t, ElementRequest requested) {
    if (element_type(t.type()) == requested.type) return;
    const bool packed = inlay::bits_of(t.type()) < 8;
    const bool same_size = std::size_t(inlay::bits_of(t.type())) == requested.bytes * 8;
    if (t.type() != inlay::element::string && requested.integer && (requested.bytes == 1 || (same_size && !packed)))
        return;
    std::string text = "Ort: the tensor's elements are " + std::string(name_of(t.type()));
    if (t.type() == inlay::element::string)
        text += ": GetStringTensorElement() reads them";
    else
        text += ", not the requested ones, of " + std::to_string(requested.bytes) + " bytes";
    raise(ORT_INVALID_ARGUMENT, text);
}
template <class T> void* ConstValueImpl<T>::elements(ElementRequest requested) const {
    inlay::tensor t = tensor_of(this->p_);
    check_elements(t, requested);
    return t.data();
}
template <class T>
void* ConstValueImpl<T>::element_at(ElementRequest requested, const std::vector<std::int64_t>& location) const {
    inlay::tensor t = host_tensor(this->p_);
    check_elements(t, requested);
    const inlay::shape& dims = t.shape();
    std::int64_t at = 0;
    bool inside = location.size() == std::size_t(dims.rank) && inlay::bits_of(t.type()) == int(requested.bytes * 8);
    for (int k = 0; inside && k < dims.rank; ++k) {
        inside = location[std::size_t(k)] >= 0 && location[std::size_t(k)] < dims[k];
        at = at * dims[k] + location[std::size_t(k)];
    }
    if (!inside) raise(ORT_INVALID_ARGUMENT, "Ort: there is no such element in a tensor of shape " + to_string(dims));
    return static_cast<std::byte*>(t.data()) + std::size_t(at) * requested.bytes;
}

template <class T> bool ConstValueImpl<T>::IsTensor() const { return need(this->p_, "Value").value.as_tensor(); }
template <class T> bool ConstValueImpl<T>::HasValue() const { return !need(this->p_, "Value").value.as_optional(); }
template <class T> std::size_t ConstValueImpl<T>::GetCount() const {
    const inlay::any_value& v = need(this->p_, "Value").value;
    if (const inlay::sequence* s = v.as_sequence()) return s->size();
    if (v.as_map()) return 2;
    raise(ORT_INVALID_ARGUMENT, "Ort: GetCount() of a Value that is neither a sequence nor a map");
}

static inlay::tensor keys_of(const inlay::map& m) {
    const inlay::shape row{std::int64_t(m.size())};
    std::vector<std::int64_t> numbers;
    std::vector<std::string> words;
    for (const auto& [key, value] : m) {
        if (const auto* number = std::get_if<std::int64_t>(&key))
            numbers.push_back(*number);
        else
            words.push_back(std::get<std::string>(key));
    }
    return words.empty() ? inlay::tensor(row, numbers) : inlay::tensor(row, words);
}
// The scalars of a map as one row.
static inlay::tensor values_of(const inlay::map& m) {
    if (m.empty()) return inlay::tensor(inlay::element::f32, {0});
    const inlay::tensor* first = m.begin()->second.as_tensor();
    inlay::tensor row;
    std::int64_t k = 0;
    for (const auto& [key, value] : m) {
        const inlay::tensor* scalar = value.as_tensor();
        if (!first || !scalar || scalar->elements() != 1 || scalar->type() != first->type() ||
            inlay::bits_of(scalar->type()) < 8)
            raise(ORT_NOT_IMPLEMENTED, "Ort: the map's values are no single elements of one type");
        if (!row) row = inlay::tensor(first->type(), {std::int64_t(m.size())});
        if (scalar->type() == inlay::element::string)
            static_cast<std::string*>(row.data())[k] = *static_cast<const std::string*>(scalar->data());
        else
            std::memcpy(static_cast<std::byte*>(row.data()) + k * scalar->bytes(), scalar->data(),
                        std::size_t(scalar->bytes()));
        ++k;
    }
    return row;
}
template <class T> Value ConstValueImpl<T>::GetValue(int index, OrtAllocator*) const {
    return guarded([&] {
        const inlay::any_value& v = need(this->p_, "Value").value;
        if (index < 0 || std::size_t(index) >= GetCount())
            raise(ORT_INVALID_ARGUMENT,
                  "Ort: there is no value " + std::to_string(index) + " in a Value of " + std::to_string(GetCount()));
        if (const inlay::sequence* s = v.as_sequence()) return value_of((*s)[std::size_t(index)]);
        map_rows& rows = *this->p_->rows;
        std::call_once(rows.once, [&] {
            rows.values = values_of(*v.as_map());
            rows.keys = keys_of(*v.as_map());
        });
        return value_of(index == 0 ? rows.keys : rows.values);
    });
}

template <class T> std::size_t ConstValueImpl<T>::GetStringTensorDataLength() const {
    std::size_t bytes = 0;
    for (const std::string& s : strings_of(this->p_)) bytes += s.size();
    return bytes;
}
template <class T>
void ConstValueImpl<T>::GetStringTensorContent(void* buffer, std::size_t bytes, std::size_t* offsets,
                                               std::size_t count) const {
    const auto strings = strings_of(this->p_);
    need_room(bytes, GetStringTensorDataLength());
    if (count < strings.size())
        raise(ORT_INVALID_ARGUMENT, "Ort: room for " + std::to_string(count) + " offsets, and there are " +
                                        std::to_string(strings.size()) + " strings");
    std::size_t at = 0;
    for (std::size_t k = 0; k < strings.size(); ++k) {
        offsets[k] = at;
        std::ranges::copy(strings[k], static_cast<char*>(buffer) + at);
        at += strings[k].size();
    }
}
template <class T> std::size_t ConstValueImpl<T>::GetStringTensorElementLength(std::size_t index) const {
    return string_at(this->p_, index).size();
}
template <class T>
void ConstValueImpl<T>::GetStringTensorElement(std::size_t bytes, std::size_t index, void* buffer) const {
    const std::string& s = string_at(this->p_, index);
    need_room(bytes, s.size());
    std::ranges::copy(s, static_cast<char*>(buffer));
}
template <class T> std::string ConstValueImpl<T>::GetStringTensorElement(std::size_t index) const {
    return string_at(this->p_, index);
}

template <class T> const void* ConstValueImpl<T>::GetTensorRawData() const { return tensor_of(this->p_).data(); }
template <class T> std::size_t ConstValueImpl<T>::GetTensorSizeInBytes() const {
    return std::size_t(tensor_of(this->p_).bytes());
}
template <class T> TypeInfo ConstValueImpl<T>::GetTypeInfo() const {
    return guarded([&] { return type_info_of(need(this->p_, "Value").value); });
}
template <class T> TensorTypeAndShapeInfo ConstValueImpl<T>::GetTensorTypeAndShapeInfo() const {
    return TensorTypeAndShapeInfo(new OrtTensorTypeAndShapeInfo(tensor_info(tensor_of(this->p_))));
}
template <class T> ConstMemoryInfo ConstValueImpl<T>::GetTensorMemoryInfo() const {
    return ConstMemoryInfo{&info_of(tensor_of(this->p_).where())};
}
template struct ConstValueImpl<OrtValue>;
template struct ConstValueImpl<Unowned<OrtValue>>;
template struct ConstValueImpl<Unowned<const OrtValue>>;

template <class T> void* ValueImpl<T>::GetTensorMutableRawData() {
    inlay::tensor t = tensor_of(this->p_);
    return t.data();
}
template <class T> void ValueImpl<T>::FillStringTensor(const char* const* texts, std::size_t count) {
    const auto strings = strings_of(this->p_);
    if (count != strings.size())
        raise(ORT_INVALID_ARGUMENT,
              "Ort: " + std::to_string(count) + " strings for a tensor of " + std::to_string(strings.size()));
    for (std::size_t k = 0; k < count; ++k) strings[k] = need_text(texts[k], "a string of a tensor");
}
template <class T> void ValueImpl<T>::FillStringTensorElement(const char* text, std::size_t index) {
    string_at(this->p_, index) = need_text(text, "a string of a tensor");
}
template <class T> char* ValueImpl<T>::GetResizedStringTensorElementBuffer(std::size_t index, std::size_t bytes) {
    std::string& s = string_at(this->p_, index);
    s.resize(bytes);
    return s.data();
}
template struct ValueImpl<OrtValue>;
template struct ValueImpl<Unowned<OrtValue>>;

// A borrowed buffer has space for all elements, and is no array of strings, which only its owner could construct.
static inlay::tensor borrowed(inlay::element type, const inlay::shape& dims, void* data, std::size_t bytes,
                              const inlay::space& space, std::shared_ptr<void> keep) {
    if (type == inlay::element::string)
        raise(ORT_INVALID_ARGUMENT,
              "Ort: strings have no memory of the program's; make the tensor with an allocator, "
              "and FillStringTensor()");
    const auto tensor_bytes = std::size_t(inlay::bytes_of(type, dims.elements()));
    if (bytes < tensor_bytes)
        raise(ORT_INVALID_ARGUMENT, "Ort: a tensor of " + std::string(name_of(type)) + " and shape " + to_string(dims) +
                                        " takes " + std::to_string(tensor_bytes) + " bytes, and " +
                                        std::to_string(bytes) + " are given");
    if (!data && tensor_bytes > 0) raise(ORT_INVALID_ARGUMENT, "Ort: the memory of a tensor is a null pointer");
    return inlay::tensor::borrow(type, dims, data, space, std::move(keep));
}
}  // namespace detail

Value Value::CreateTensor(const OrtMemoryInfo* info, void* data, std::size_t bytes, const std::int64_t* shape,
                          std::size_t rank, ONNXTensorElementDataType type) {
    return detail::guarded([&] {
        const OrtMemoryInfo& memory_info = detail::need(info, "MemoryInfo");
        return detail::value_of(detail::borrowed(detail::element_of_type(type), detail::shape_of(shape, rank), data,
                                                 bytes, *memory_info.space, {}));
    });
}
Value Value::CreateTensor(OrtAllocator* deleter, void* data, std::size_t bytes, const std::int64_t* shape,
                          std::size_t rank, ONNXTensorElementDataType type) {
    return detail::guarded([&] {
        OrtAllocator& from = detail::need(deleter, "allocator");
        inlay::tensor t = detail::borrowed(detail::element_of_type(type), detail::shape_of(shape, rank), data, bytes,
                                           detail::memory_of(from), {});
        // Only now, so that the memory stays the caller's where this fails.
        std::shared_ptr<void> keep(data, [&from](void* p) {
            if (p) from.Free(&from, p);
        });
        return detail::value_of(inlay::tensor::borrow(t.type(), t.shape(), data, t.where(), std::move(keep)));
    });
}
Value Value::CreateTensor(OrtAllocator* allocator, const std::int64_t* shape, std::size_t rank,
                          ONNXTensorElementDataType type) {
    return detail::guarded([&] {
        OrtAllocator& from = detail::need(allocator, "allocator");
        const inlay::element e = detail::element_of_type(type);
        const inlay::shape dims = detail::shape_of(shape, rank);
        if (e == inlay::element::string) return detail::value_of(inlay::tensor(e, dims));
        const auto bytes = std::size_t(inlay::bytes_of(e, dims.elements()));
        const inlay::space& space = detail::memory_of(from);
        std::shared_ptr<void> memory = detail::allocated(from, bytes);
        if (&space == &inlay::space_of<inlay::memory::host> && memory) std::memset(memory.get(), 0, bytes);
        void* const data = memory.get();
        return detail::value_of(inlay::tensor::borrow(e, dims, data, space, std::move(memory)));
    });
}
Value Value::CreateSequence(const std::vector<Value>& values) {
    return detail::guarded([&] {
        inlay::sequence elements;
        for (const Value& v : values) elements.push_back(detail::need(v.p_, "Value").value);
        return detail::value_of(std::move(elements));
    });
}
// Element k of a row, as a scalar of its own.
static inlay::tensor scalar_at(const inlay::tensor& row, std::int64_t k) {
    inlay::tensor scalar(row.type(), inlay::shape{});
    if (row.type() == inlay::element::string)
        *static_cast<std::string*>(scalar.data()) = static_cast<const std::string*>(row.data())[k];
    else
        std::memcpy(scalar.data(), static_cast<const std::byte*>(row.data()) + k * scalar.bytes(),
                    std::size_t(scalar.bytes()));
    return scalar;
}
Value Value::CreateMap(const Value& keys, const Value& values) {
    return detail::guarded([&] {
        const inlay::tensor &k = detail::host_tensor(keys), &v = detail::host_tensor(values);
        const bool words = k.type() == inlay::element::string;
        if (!words && k.type() != inlay::element::i64)
            detail::raise(ORT_INVALID_ARGUMENT, "Ort: the keys of a map are strings or integers of 64 bits, not " +
                                                    std::string(name_of(k.type())));
        if (k.elements() != v.elements() || inlay::bits_of(v.type()) < 8)
            detail::raise(ORT_INVALID_ARGUMENT, "Ort: a map of " + std::to_string(k.elements()) + " keys and " +
                                                    std::to_string(v.elements()) + " values of " +
                                                    std::string(name_of(v.type())));
        inlay::map entries;
        for (std::int64_t i = 0; i < k.elements(); ++i) {
            inlay::map_key key;
            if (words)
                key = static_cast<const std::string*>(k.data())[i];
            else
                key = static_cast<const std::int64_t*>(k.data())[i];
            entries.insert_or_assign(std::move(key), scalar_at(v, i));
        }
        return detail::value_of(std::move(entries));
    });
}
}  // namespace Ort
