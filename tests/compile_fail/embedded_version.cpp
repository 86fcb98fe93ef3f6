// must print: schema version not covered (found version 15, nearest is Relu-14)
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
embedded<testing::one_node<"Relu", 14, element::f32>, cpu> net;
#else
embedded<testing::one_node<"Relu", 15, element::f32>, cpu> net;
#endif
