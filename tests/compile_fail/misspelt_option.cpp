// must print: 'thread'
// Options are members, so the compiler knows their names.
#include <inlay/provider/cpu.hpp>

#ifdef WITHOUT_MISUSE
const inlay::cpu four{.threads = 4};
#else
const inlay::cpu four{.thread = 4};
#endif
