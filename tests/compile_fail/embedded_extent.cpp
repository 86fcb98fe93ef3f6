// must print: port_differs<inlay::v1::fixed_text<27>{"scores: float, elements: 10"}
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.output<"scores", float, 3>()[0]);
}
#else
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.output<"scores", float, 10>()[0]);
}
#endif
