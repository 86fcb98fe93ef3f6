// must print: element type not covered (found uint8, nearest takes float,
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
embedded<testing::one_node<"Relu", 14, element::i8>, cpu> net;
#else
embedded<testing::one_node<"Relu", 14, element::u8>, cpu> net;
#endif
