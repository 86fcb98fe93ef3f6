// Values that are no tensors, as kernels read and make them: such kernels call the heap, and may run out of memory.
#pragma once
#include "movable.hpp"
#include <inlay/tensor.hpp>
#include <new>

namespace inlay {
inline namespace v1 {
// f() makes values; what it throws becomes the status of the run.
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

// An argument that is a tensor of any type, in params.
struct tensor_argument {
    element type = element::undefined;
    shape dims{};
    static constexpr tensor_argument input(const node_view& n, int k) {
        return n.has_input(k) ? tensor_argument{n.input(k).type, n.input(k).dims} : tensor_argument{};
    }
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
// Output k, of unknown shape, becomes a copy of t.
inline status give_copy(context& c, int k, const tensor& t, element type) {
    if (!t.on_host() || t.type() != type) return c.fail("a tensor is of another type, or not in the host's memory");
    void* y = c.output<std::byte>(k, t.shape());
    if (!y) return c.fail("no memory for the result", status::out_of_memory);
    if (type == element::string)
        copy_elements(type, y, 0, t.data(), 0, t.elements());
    else if (t.bytes() > 0)
        std::memcpy(y, t.data(), std::size_t(t.bytes()));
    return status::ok;
}

// What is known of the type of input k: its containers, where it is no tensor.
constexpr value_type type_of_input(const node_view& n, int k) {
    return n.has_input(k) ? n.graph.type_of(n.input_id(k)) : value_type{};
}
constexpr element contents_of_input(const node_view& n, int k) {  // of a container of tensors; else not known
    const value_type t = type_of_input(n, k);
    return t.depth == 0 ? element::undefined : t.depth > 1 ? element::object : t.type;
}
}  // namespace v1
}  // namespace inlay
