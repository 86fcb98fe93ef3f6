// One NumPy array as the bytes of an .npy file.
#pragma once
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
tensor read_npy(const file_bytes&, const limits&);  // raises errors, without the file's name

struct npy_contents {
    std::string head;                 // everything before `data`; strings are inside it
    std::span<const std::byte> data;  // the tensor's own
};
npy_contents npy_of(const tensor&);  // on the host
}  // namespace loading
}  // namespace v1
}  // namespace inlay
