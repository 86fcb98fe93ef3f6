// Shapes, in ONNX order; a layout changes addresses, never dims.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "checked_size.hpp"
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace inlay {
inline namespace v1 {
inline constexpr int max_rank = 8;

struct shape {
    std::array<std::int64_t, max_rank>
        dims{};    // negative: not known yet; -1 has no name, -2 - k is the graph's symbol k
    int rank = 0;  // -1: not even the rank is known

    constexpr shape() = default;
    constexpr shape(std::initializer_list<std::int64_t> list) : rank(int(list.size())) {
        int i = 0;
        for (std::int64_t d : list) dims[i++] = d;
    }
    static constexpr shape unknown() {
        shape s;
        s.rank = -1;
        return s;
    }
    static constexpr shape of_rank(int rank, std::int64_t dim = 1) {
        shape s;
        s.rank = rank;
        for (int i = 0; i < rank; ++i) s.dims[i] = dim;
        return s;
    }

    constexpr std::int64_t operator[](int i) const { return dims[i]; }
    constexpr std::int64_t& operator[](int i) { return dims[i]; }
    constexpr const std::int64_t* begin() const { return dims.data(); }
    constexpr const std::int64_t* end() const { return dims.data() + (rank > 0 ? rank : 0); }
    constexpr void push_back(std::int64_t d) { dims[rank++] = d; }  // the caller has checked rank < max_rank
    constexpr bool known() const {
        if (rank < 0) return false;
        for (int i = 0; i < rank; ++i)
            if (dims[i] < 0) return false;
        return true;
    }
    // Product of dims [first, end), only of known shapes: 1 for none, too_large where 64 bits do not hold it.
    constexpr std::int64_t elements(int first = 0, int end = max_rank) const {
        std::int64_t n = 1;
        for (int i = first; i < end && i < rank; ++i) n = checked_product(n, dims[i]);
        return n;
    }
    friend constexpr bool operator==(const shape& a, const shape& b) {
        if (a.rank != b.rank) return false;
        for (int i = 0; i < a.rank; ++i)
            if (a.dims[i] != b.dims[i]) return false;
        return true;
    }
};
// The same shape, known or by name: a dimension without a name equals nothing.
constexpr bool same_dims(const shape& a, const shape& b) {
    for (std::int64_t d : a)
        if (d == -1) return false;
    return a.rank >= 0 && a == b;
}
inline std::string to_string(const shape& s) {  // [1,3,?,224]
    if (s.rank < 0) return "[...]";
    std::string text = "[";
    for (int i = 0; i < s.rank; ++i) {
        if (i) text += ',';
        text += s[i] < 0 ? std::string("?") : std::to_string(s[i]);
    }
    return text + "]";
}

// The common shape of two operands (ONNX multidirectional broadcasting); false where they do not agree.
constexpr bool broadcast(const shape& a, const shape& b, shape& result) {
    if (a.rank < 0 || b.rank < 0) {
        result = shape::unknown();
        return true;
    }
    shape y = shape::of_rank(a.rank > b.rank ? a.rank : b.rank);
    for (int i = 1; i <= y.rank; ++i) {
        const std::int64_t p = i <= a.rank ? a[a.rank - i] : 1, q = i <= b.rank ? b[b.rank - i] : 1;
        if (p != q && p >= 0 && q >= 0 && p != 1 && q != 1) return false;
        y[y.rank - i] = p == 1                                  ? q
                        : q == 1 || p == q || (p >= 0 && q < 0) ? p
                        : p < 0 && q >= 0                       ? q
                                                                : -1;  // of two unknown ones either may be 1
    }
    result = y;
    return true;
}
}  // namespace v1
}  // namespace inlay
