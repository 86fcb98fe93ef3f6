// must print: narrow
// Options have types: half a thread is none.
#include <inlay/provider/cpu.hpp>

#ifdef WITHOUT_MISUSE
const inlay::cpu options{.threads = 2};
#else
const inlay::cpu options{.threads = 2.5};
#endif
