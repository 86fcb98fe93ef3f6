// must print: no_such_port<inlay::v1::fixed_text<3>{"img"}, inlay::v1::fixed_text<24>{"inputs image: float[1,4]"}>
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.input<"image">()[0]);
}
#else
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.input<"img">()[0]);
}
#endif
