// must print: inlay::embedded: two executors are given
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

#ifdef WITHOUT_MISUSE
embedded<testing::two_nodes, cpu, serial> net;
#else
embedded<testing::two_nodes, cpu, serial, serial> net;
#endif
