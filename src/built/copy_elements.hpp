// Elements from one tensor's memory to another's.
#pragma once
#include <inlay/tensor.hpp>
#include <algorithm>
#include <cstring>

namespace inlay {
inline namespace v1 {
// Both have the same type and shape; one of them is on the host, where their memory may overlap. False: a device's
// memory could not be read or written.
inline bool copy_elements(const tensor& from, tensor to) {
    const auto size = std::size_t(from.bytes());
    if (size == 0) return true;
    if (from.type() == element::string) {
        std::copy_n(static_cast<const std::string*>(from.data()), from.elements(),
                    static_cast<std::string*>(to.data()));
        return true;
    }
    if (!to.on_host()) return to.where().from_host(to.data(), from.data(), size);
    if (!from.on_host()) return from.where().to_host(to.data(), from.data(), size);
    std::memmove(to.data(), from.data(), size);
    return true;
}
}  // namespace v1
}  // namespace inlay
