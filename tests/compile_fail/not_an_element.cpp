// must print: one_element
// A tensor's elements are read as the C++ type of an ONNX element.
#include <inlay/tensor.hpp>

#ifdef WITHOUT_MISUSE
using wanted = std::int64_t;
#else
using wanted = long double;
#endif
auto use(const inlay::tensor& t) { return t.as<wanted>(); }
