// Which optional inputs and outputs a node has: `arguments` and `constants` hold no more pointers than the node names.
#pragma once
#include <inlay/sdk/kernel.hpp>

namespace inlay {
inline namespace v1 {
struct presence {
    unsigned inputs = 0, outputs = 0;  // bit k: of input or output k
    constexpr presence() = default;
    constexpr explicit presence(const node_view& n) {
        for (int k = 0; k < 32; ++k) {
            if (n.has_input(k)) inputs |= 1u << k;
            if (n.has_output(k)) outputs |= 1u << k;
        }
    }
    constexpr bool has_in(int k) const { return inputs >> k & 1; }
    constexpr bool has_out(int k) const { return outputs >> k & 1; }
    template <class T> const T* in(const arguments& a, int k) const { return has_in(k) ? a.in<T>(k) : nullptr; }
    template <class T> const T* in(const constants& w, int k) const { return has_in(k) ? w.in<T>(k) : nullptr; }
    template <class T> T* out(const arguments& a, int k) const { return has_out(k) ? a.out<T>(k) : nullptr; }
};
}  // namespace v1
}  // namespace inlay
