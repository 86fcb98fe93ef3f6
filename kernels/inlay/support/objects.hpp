// Strings, and values that are no tensors, as kernels read and create them: such kernels call the heap, and may run out
// of memory.
#pragma once
#include "movable.hpp"
#include <inlay/tensor.hpp>
#include <new>

namespace inlay {
inline namespace v1 {
// f() creates values; its exceptions become the status of the run.
template <class F> status make_values([[maybe_unused]] context& c, F f) noexcept {
#ifdef __cpp_exceptions
    try {
        return f();
    } catch (const std::bad_alloc&) {
        return c.fail("no memory for the result", status::out_of_memory);
    } catch (const error&) {  // of a tensor
        return c.fail("no memory for the result", status::out_of_memory);
    }
#else
    return f();
#endif
}

inline constexpr std::string_view no_memory_left = "its result needs more memory than limits::run_bytes leaves";
inline std::int64_t bytes_of_texts(const std::string* s, std::int64_t count) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += std::int64_t(s[i].size());
    return sum;
}
// The memory of a tensor's copy within a container, and what a container of `count` values takes besides them.
inline std::int64_t bytes_of_copy(element type, const shape& dims, const void* data) {
    constexpr std::int64_t allocations = 128;
    const std::int64_t count = dims.elements();
    return allocations + bytes_of(type, count) +
           (type == element::string ? bytes_of_texts(static_cast<const std::string*>(data), count) : 0);
}
inline std::int64_t bytes_of_container(std::size_t count) { return std::int64_t((count + 1) * sizeof(any_value)); }

// An argument that is a tensor of any type, in params.
struct tensor_argument {
    element type = element::undefined;
    shape dims{};
    static constexpr tensor_argument input(const node_view& n, int k) {
        return n.has_input(k) ? tensor_argument{n.input(k).type, n.input(k).dims} : tensor_argument{};
    }
    bool take_copy(context& c, const void* data) const { return c.take(bytes_of_copy(type, dims, data)); }
    tensor copy(const void* data) const { return tensor::borrow(type, dims, data).clone(); }  // memory of its own
    std::int64_t integer(const void* data, std::int64_t i = 0) const {                        // of an i32 or i64
        return type == element::i32 ? static_cast<const std::int32_t*>(data)[i]
                                    : static_cast<const std::int64_t*>(data)[i];
    }
};
// Elements of any type of whole bytes.
inline void copy_elements(element type, void* y, std::int64_t i, const void* x, std::int64_t j, std::int64_t count) {
    if (type == element::string) return movable<std::string>::copy(y, i, x, j, count);
    const std::int64_t size = bits_of(type) / 8;
    if (count > 0)
        std::memcpy(static_cast<std::byte*>(y) + i * size, static_cast<const std::byte*>(x) + j * size,
                    std::size_t(count * size));
}
// All elements of a tensor of any type.
inline status copy_all(context& c, element type, void* y, const void* x, std::int64_t count) {
    return make_values(c, [&] {
        const bool packed = bits_of(type) < 8;
        copy_elements(packed ? element::u8 : type, y, 0, x, 0, packed ? bytes_of(type, count) : count);
        return status::ok;
    });
}
// Output k, of unknown shape, becomes a copy of t.
inline status give_copy(context& c, int k, const tensor& t, element type) {
    if (!t.on_host() || t.type() != type) return c.fail("a tensor is of another type, or not in the host's memory");
    if (type == element::string && !c.take(bytes_of_texts(static_cast<const std::string*>(t.data()), t.elements())))
        return c.fail(no_memory_left, status::out_of_memory);
    void* y = c.output<std::byte>(k, t.shape());
    if (!y) return c.fail("no memory for the result", status::out_of_memory);
    return copy_all(c, type, y, t.data(), t.elements());
}

// The known part of the type of input k: its containers, where it is no tensor.
constexpr value_type type_of_input(const node_view& n, int k) {
    return n.has_input(k) ? n.graph.type_of(n.input_id(k)) : value_type{};
}
constexpr element contents_of_input(const node_view& n, int k) {  // of a container of tensors; else not known
    const value_type t = type_of_input(n, k);
    return t.depth == 0 ? element::undefined : t.depth > 1 ? element::object : t.type;
}
}  // namespace v1
}  // namespace inlay
