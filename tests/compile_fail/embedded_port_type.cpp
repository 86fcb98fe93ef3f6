// must print: port_differs<inlay::v1::fixed_text<13>{"image: double"}, inlay::v1::fixed_text<17>{"image: float[1,4]"}>
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.input<"image", float>()[0]);
}
#else
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.input<"image", double>()[0]);
}
#endif
