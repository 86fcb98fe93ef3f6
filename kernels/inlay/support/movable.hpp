// How kernels that only move elements touch memory: one instance per element size, strings and packed elements
// included.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <cstring>

namespace inlay {
inline namespace v1 {
// For kernels that do not touch the elements of a constraint at all: any tensor.
struct any_element {};
template <>
inline constexpr element_set elements_of<any_element> = {((1u << int(element::object)) - 1) &
                                                         ~(1u << int(element::undefined))};

// Every tensor, by size, but those of elements of less than a byte.
inline constexpr auto whole_byte_types = each_type<raw<8>, raw<16>, raw<32>, raw<64>, raw<128>, std::string>;

// Elements of a type of movable_types, by position. Packed ones must be written in ascending order: the first of a byte
// clears the others.
template <class T> struct movable {
    static constexpr std::int64_t bytes(std::int64_t count) { return count * std::int64_t(sizeof(T)); }
    static void move(void* y, std::int64_t i, const void* x, std::int64_t j) {
        static_cast<T*>(y)[i] = static_cast<const T*>(x)[j];
    }
    static void copy(void* y, std::int64_t i, const void* x, std::int64_t j, std::int64_t count) {
        std::copy_n(static_cast<const T*>(x) + j, count, static_cast<T*>(y) + i);
    }
};
template <int Bits> struct movable<raw<Bits>> {
    static constexpr std::int64_t bytes(std::int64_t count) { return (count * Bits + 7) / 8; }
    static void move(void* y, std::int64_t i, const void* x, std::int64_t j) {
        constexpr std::int64_t size = Bits / 8;
        if constexpr (Bits >= 8)
            std::memcpy(static_cast<std::byte*>(y) + i * size, static_cast<const std::byte*>(x) + j * size, size);
        else {
            const unsigned code =
                static_cast<const std::uint8_t*>(x)[j * Bits / 8] >> (j * Bits % 8) & ((1u << Bits) - 1);
            auto& byte = static_cast<std::uint8_t*>(y)[i * Bits / 8];
            const int shift = int(i * Bits % 8);
            byte = std::uint8_t(shift ? byte | code << shift : code);
        }
    }
    static void copy(void* y, std::int64_t i, const void* x, std::int64_t j, std::int64_t count) {
        constexpr std::int64_t size = Bits / 8;
        if constexpr (Bits >= 8) {
            if (count)
                std::memcpy(static_cast<std::byte*>(y) + i * size, static_cast<const std::byte*>(x) + j * size,
                            std::size_t(count * size));
        } else
            for (std::int64_t e = 0; e < count; ++e) move(y, i + e, x, j + e);
    }
};

// Copies into dense y the elements of dims that are `from` apart in x, the first of them at `offset`.
template <class T>
void copy_strided(void* y, const void* x, std::int64_t offset, const shape& dims, const shape& from) {
    shape at = shape::of_rank(dims.rank, 0);
    for (std::int64_t i = 0, count = dims.elements(); i < count; ++i) {
        movable<T>::move(y, i, x, offset);
        for (int a = dims.rank - 1; a >= 0; --a) {
            offset += from[a];
            if (++at[a] < dims[a]) break;
            offset -= from[a] * dims[a];
            at[a] = 0;
        }
    }
}

// Below: for shape rules, whose numbers come from unchecked models.
inline constexpr std::int64_t most_elements = std::int64_t(1) << 54;  // their bytes still fit
// n * by and n + by into n, none of them negative; false where that does not fit. (Builtins need not be constexpr.)
constexpr bool multiplied(std::int64_t& n, std::int64_t by) {
    return !(by && n > std::numeric_limits<std::int64_t>::max() / by) && (n *= by, true);
}
constexpr bool increased(std::int64_t& n, std::int64_t by) {
    return n <= std::numeric_limits<std::int64_t>::max() - by && (n += by, true);
}
constexpr bool countable(const shape& s) {  // as if no dimension were zero, so that strides fit too
    std::int64_t n = 1;
    for (std::int64_t d : s)
        if (d > 0 && (!multiplied(n, d) || n > most_elements)) return false;
    return true;
}
// Integers that older schemas keep in an attribute and newer ones in input k.
struct integers_given {
    bool present = false, is_known = false;
    std::span<const std::int64_t> values{};
};
constexpr integers_given integers_of(const node_view& n, std::string_view attribute, int k) {
    if (n.has_input(k)) {
        const auto values = n.input_integers(k);
        return {true, values.has_value(), values ? *values : std::span<const std::int64_t>{}};
    }
    if (n.has(attribute)) return {true, true, n.integers(attribute)};
    return {};
}
// Axes that a list names, each once.
struct named_axes {
    std::array<bool, max_rank> has{};
    constexpr verdict add(std::int64_t number, int rank, int& axis) {  // axis: what was given, in [0, rank)
        axis = normal_axis(number, rank);
        if (axis < 0) return no("an axis is out of range");
        if (has[axis]) return no("an axis is given twice");
        has[axis] = true;
        return yes();
    }
};
}  // namespace v1
}  // namespace inlay
