// must print: ai.onnx Frobnicate-1 float
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
embedded<testing::one_node<"Sigmoid", 13, element::f32>, cpu> net;
#else
embedded<testing::one_node<"Frobnicate", 1, element::f32>, cpu> net;
#endif
