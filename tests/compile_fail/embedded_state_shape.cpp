// must print: inlay::state<Output, Input>: output and input differ in element type or shape
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.run());
}
#else
int main() {
    embedded<testing::two_nodes, cpu, state<"scores", "image">> net;
    return int(net.run());
}
#endif
