// Tensors and the other values that go into and come out of a run: sequences, maps and optionals.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "device.hpp"
#include "element.hpp"
#include "error.hpp"
#include "shape.hpp"
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace inlay {
inline namespace v1 {
// A memory space, erased: one object per tag, and per device where several have such memory, so that two are the same
// space if their addresses are.
struct space {
    using queued_copy = bool (*)(void* to, const void* from, std::size_t bytes, void* stream) noexcept;
    std::string_view name;  // "host"; of a device's memory NAME, of that of the device 1 NAME:1
    int device = -1;        // its number; -1: the memory is no device's
    void* (*allocate_on)(std::size_t bytes, int device) noexcept;
    void (*release_on)(void*, int device) noexcept;
    bool (*from_host_on)(void* to, const void* from, std::size_t bytes, int device) noexcept;
    bool (*to_host_on)(void* to, const void* from, std::size_t bytes, int device) noexcept;
    queued_copy from_host_queued = nullptr, to_host_queued = nullptr;  // null: the space has no queues
    error (*refused_on)(std::size_t bytes, int device) = nullptr;      // null: nothing more is known
    queued_copy from_peer_queued = nullptr;  // from another device's memory of this kind; null: by way of the host

    void* allocate(std::size_t bytes) const noexcept { return allocate_on(bytes, device); }
    void release(void* p) const noexcept { release_on(p, device); }
    bool from_host(void* to, const void* from, std::size_t bytes) const noexcept {
        return from_host_on(to, from, bytes, device);
    }
    bool to_host(void* to, const void* from, std::size_t bytes) const noexcept {
        return to_host_on(to, from, bytes, device);
    }
    error refused(std::size_t bytes) const {  // after a null from allocate()
        return refused_on ? refused_on(bytes, device)
                          : error(error_code::out_of_memory, "inlay::tensor: no memory for " + std::to_string(bytes) +
                                                                 " bytes in the space `" + std::string(name) + "`");
    }
};
template <class From, class To> constexpr space::queued_copy queued_copy_of() {
    if constexpr (requires(void* p, const void* q) {
                      { transfer<From, To>::copy(p, q, std::size_t(1), p) }
                      noexcept->std::same_as<bool>;
                  })
        return [](void* to, const void* from, std::size_t bytes, void* stream) noexcept {
            return transfer<From, To>::copy(to, from, bytes, stream);
        };
    else
        return nullptr;
}
template <class Tag> constexpr auto refusal_of_memory() -> error (*)(std::size_t, int) {
    if constexpr (requires(int device) { memory_space<Tag>::refused(std::size_t(1), device); })
        return [](std::size_t bytes, int device) { return memory_space<Tag>::refused(bytes, device); };
    else if constexpr (requires { memory_space<Tag>::refused(std::size_t(1)); })
        return [](std::size_t bytes, int) { return memory_space<Tag>::refused(bytes); };
    else
        return nullptr;
}
// The tag's memory; of devices, that of the device 0.
template <reachable_memory Tag>
inline constexpr space space_of{memory_space<Tag>::name,
                                memory_of_devices<Tag> ? 0 : -1,
                                &memory_on<Tag>::allocate,
                                &memory_on<Tag>::release,
                                &memory_on<Tag>::from_host,
                                &memory_on<Tag>::to_host,
                                queued_copy_of<memory::host, Tag>(),
                                queued_copy_of<Tag, memory::host>(),
                                refusal_of_memory<Tag>(),
                                queued_copy_of<Tag, Tag>()};
const space& space_of_device(const space& first, int device);  // created on first use, and kept
// The memory of one device: space_on<memory::NAME>(1). Whether there is such a device shows on allocation.
template <reachable_memory Tag> const space& space_on(int device) {
    if constexpr (memory_of_devices<Tag>)
        return device == 0 ? space_of<Tag> : space_of_device(space_of<Tag>, device);
    else
        return (void)device, space_of<Tag>;
}

// Element type, shape and memory. It owns its memory (and copies of it share that, as std::shared_ptr does) or borrows
// the caller's.
class tensor {
  public:
    tensor() = default;  // no element type, no memory
    // Owns zeroed (strings: empty) memory, aligned to 64 bytes. `dims` must be known.
    tensor(element type, const shape& dims, const space& location = space_of<memory::host>)
        : tensor(type, dims, location, true) {}
    // The same, but uninitialized: the caller fills it.
    static tensor uninitialized(element type, const shape& dims) {
        return tensor(type, dims, space_of<memory::host>, false);
    }
    template <one_element T> tensor(const shape& dims, std::span<const T> values) : tensor(element_of<T>, dims) {
        if (std::int64_t(values.size()) != elements())
            raise({error_code::shape_mismatch,
                   "inlay::tensor: " + std::to_string(values.size()) + " values for the shape " + to_string(dims)});
        for (std::int64_t i = 0; i < elements(); ++i) store<T>(data_, i, values[std::size_t(i)]);
    }
    template <one_element T>
    tensor(const shape& dims, std::initializer_list<T> values)
        : tensor(dims, std::span<const T>(values.begin(), values.size())) {}
    template <one_element T>
    tensor(const shape& dims, const std::vector<T>& values) requires(!std::same_as<T, bool>)
        : tensor(dims, std::span<const T>(values)) {}

    // The caller's memory, which must outlive the tensor and every copy of it. Elements of less than a byte are packed.
    template <one_element T> static tensor borrow(T* data, const shape& dims) {
        return borrow(element_of<std::remove_const_t<T>>, dims, data);
    }
    static tensor borrow(element type, const shape& dims, const void* data,
                         const space& location = space_of<memory::host>, std::shared_ptr<void> keep = {}) {
        tensor t;
        t.type_ = type;
        t.dims_ = dims;
        t.space_ = &location;
        t.data_ = const_cast<void*>(data);
        t.storage_ = std::move(keep);
        return t;
    }

    element type() const { return type_; }
    const inlay::shape& shape() const { return dims_; }
    const inlay::space& where() const { return *space_; }
    bool on_host() const { return space_ == &space_of<memory::host>; }
    std::int64_t elements() const { return dims_.elements(); }
    std::int64_t bytes() const { return bytes_of(type_, elements()); }
    const void* data() const { return data_; }
    void* data() { return data_; }
    explicit operator bool() const { return type_ != element::undefined; }
    bool sole_owner() const { return storage_.use_count() == 1; }  // no other tensor shares this memory

    // The elements, of the type they have, in host memory; anything else is an error. Not for types of less than a
    // byte: use load<T>().
    template <one_element T>
    requires(packed_bits<T> == 0) std::span<T> as()
    &{
        check(element_of<T>);
        return {static_cast<T*>(data_), std::size_t(elements())};
    }
    template <one_element T>
    requires(packed_bits<T> == 0) std::span<const T> as()
    const& {
        check(element_of<T>);
        return {static_cast<const T*>(data_), std::size_t(elements())};
    }
    template <one_element T>
    requires(packed_bits<T> == 0) std::span<const T> as()
    const&& = delete;  // of a temporary, whose memory may end with it: give it a name

    tensor reshaped(const inlay::shape& dims) const {  // the same memory under another shape of as many elements
        if (dims.elements() != elements())
            raise({error_code::shape_mismatch,
                   "inlay::tensor: " + to_string(dims_) + " cannot be reshaped to " + to_string(dims)});
        tensor t = *this;
        t.dims_ = dims;
        return t;
    }
    tensor clone() const { return copied_to(*space_); }  // memory of its own
    tensor copied_to(const inlay::space& destination) const {
        tensor t(type_, dims_, destination, false);
        const auto size = std::size_t(bytes());
        if (type_ == element::string)
            std::copy_n(static_cast<const std::string*>(data_), elements(), static_cast<std::string*>(t.data_));
        else if (!(t.on_host() ? space_->to_host(t.data_, data_, size)
                   : on_host() ? destination.from_host(t.data_, data_, size)
                               : false))
            raise({error_code::wrong_memory_space, "inlay::tensor: cannot copy from `" + std::string(space_->name) +
                                                       "` to `" + std::string(destination.name) + "`"});
        return t;
    }

  private:
    element type_ = element::undefined;
    inlay::shape dims_{0};
    const inlay::space* space_ = &space_of<memory::host>;
    void* data_ = nullptr;
    std::shared_ptr<void> storage_;
    tensor(element type, const inlay::shape& dims, const inlay::space& location, bool cleared)
        : type_(type), dims_(dims), space_(&location) {
        if (!dims.known())
            raise({error_code::invalid_argument, "inlay::tensor: the shape " + to_string(dims) + " is not known"});
        if (bytes() == too_large)
            raise({error_code::out_of_memory,
                   "inlay::tensor: the shape " + to_string(dims) + " has more elements than any memory has room for"});
        const std::size_t size = std::size_t(bytes());
        void* p = location.allocate(size ? size : 1);
        if (!p) raise(location.refused(size));
        if (type == element::string) {
            auto* first = static_cast<std::string*>(p);
            const std::int64_t n = elements();
            std::uninitialized_value_construct_n(first, n);
            storage_ = std::shared_ptr<void>(p, [n, &location](void* q) {
                std::destroy_n(static_cast<std::string*>(q), n);
                location.release(q);
            });
        } else {
            if (cleared && &location == &space_of<memory::host>) std::memset(p, 0, size);
            storage_ = std::shared_ptr<void>(p, [&location](void* q) { location.release(q); });
        }
        data_ = p;
    }
    void check(element type) const {
        if (type_ != type)
            raise({error_code::type_mismatch, "inlay::tensor: its elements are " + std::string(name_of(type_)) +
                                                  ", not " + std::string(name_of(type))});
        if (!on_host())
            raise({error_code::wrong_memory_space, "inlay::tensor: its memory is in the space `" +
                                                       std::string(space_->name) + "`; copy it to the host first"});
    }
};

// A tensor of memory that something else keeps, so that spans of a temporary one are good.
struct tensor_view : tensor {
    explicit tensor_view(tensor t) : tensor(std::move(t)) {}
    template <one_element T> std::span<T> as() requires(packed_bits<T> == 0) { return tensor::as<T>(); }
    template <one_element T> std::span<const T> as() const requires(packed_bits<T> == 0) { return tensor::as<T>(); }
};

using sequence = std::vector<any_value>;
using map_key = std::variant<std::int64_t, std::string>;
using map = std::map<map_key, any_value>;
struct optional_value;

// A tensor, sequence, map or optional; the latter three share their contents when copied.
class any_value {
    std::variant<tensor, std::shared_ptr<sequence>, std::shared_ptr<map>, std::shared_ptr<optional_value>> v;

  public:
    any_value() = default;
    any_value(tensor t) : v(std::move(t)) {}
    any_value(sequence s) : v(std::make_shared<sequence>(std::move(s))) {}
    any_value(map m) : v(std::make_shared<map>(std::move(m))) {}
    any_value(optional_value o);
    const tensor* as_tensor() const { return std::get_if<0>(&v); }
    const sequence* as_sequence() const {
        auto p = std::get_if<1>(&v);
        return p ? p->get() : nullptr;
    }
    const map* as_map() const {
        auto p = std::get_if<2>(&v);
        return p ? p->get() : nullptr;
    }
    const optional_value* as_optional() const {
        auto p = std::get_if<3>(&v);
        return p ? p->get() : nullptr;
    }
};
struct optional_value {
    std::optional<any_value> contents;
};
inline any_value::any_value(optional_value o) : v(std::make_shared<optional_value>(std::move(o))) {}
}  // namespace v1
}  // namespace inlay

#ifdef INLAY_HEADER_ONLY
#include "impl/tensor.cpp"
#endif
