// must print: inlay::state<Output, Input>: the model has no output or no input of this name
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
int main() {
    embedded<testing::one_node<"Relu", 14, element::f32>, cpu, state<"y", "x">> net;
    return int(net.run());
}
#else
int main() {
    embedded<testing::one_node<"Relu", 14, element::f32>, cpu, state<"y", "hidden">> net;
    return int(net.run());
}
#endif
