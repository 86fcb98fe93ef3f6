// must print: {"outputs scores: float[1,3]"}
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.output<"scores">()[0]);
}
#else
int main() {
    embedded<testing::two_nodes, cpu> net;
    return int(net.output<"score">()[0]);
}
#endif
