// must print: 'inlay::v1::cpu' has no non-static data member named 'thread'
// Options are members, so the compiler knows their names.
#include <inlay/provider/cpu.hpp>

#ifdef WITHOUT_MISUSE
const inlay::cpu four{.threads = 4};
#else
const inlay::cpu four{.thread = 4};
#endif
