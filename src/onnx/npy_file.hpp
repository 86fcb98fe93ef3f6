// One NumPy array as the bytes of an .npy file.
#pragma once
#include "proto.hpp"
#include <iosfwd>

namespace inlay {
inline namespace v1 {
namespace loading {
tensor read_npy(const file_bytes&, const limits&);  // raises errors, without the file's name
void write_npy(std::ostream&, const tensor&);       // on the host
}  // namespace loading
}  // namespace v1
}  // namespace inlay
