// must print: no_provider_for<inlay::v1::fixed_text<4>{"only"}, inlay::v1::fixed_text<21>{"ai.onnx Relu-14 uint8"}, inlay::v1::fixed_text<135>{"CPUExecutionProvider: element type not covered (found uint8, nearest takes float, int8, int16, int32, int64, float16, double, bfloat16)"}>
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
embedded<testing::one_node<"Relu", 14, element::i8>, cpu> net;
#else
embedded<testing::one_node<"Relu", 14, element::u8>, cpu> net;
#endif
