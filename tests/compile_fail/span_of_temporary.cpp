// must print: deleted
// A temporary tensor gives no span: its memory may end with it.
#include <inlay/tensor.hpp>

inlay::tensor made();
#ifdef WITHOUT_MISUSE
const inlay::tensor tensor = made();
const auto elements = tensor.as<float>();
#else
const auto elements = made().as<float>();
#endif
