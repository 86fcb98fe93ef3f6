// Constants on their way to the device.
#pragma once
#include <inlay/tensor.hpp>

namespace inlay {
inline namespace v1 {
tensor upload(const tensor&);  // a copy in the memory of the queue whose work the thread does; throws an error
}  // namespace v1
}  // namespace inlay
