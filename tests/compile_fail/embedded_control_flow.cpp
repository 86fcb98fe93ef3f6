// must print: If, Loop and Scan need inlay::session
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
embedded<testing::one_node<"Relu", 14, element::f32>, cpu> net;
#else
embedded<testing::one_node<"If", 16, element::boolean>, cpu> net;
#endif
