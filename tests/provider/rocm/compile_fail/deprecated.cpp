// must print: ROCMExecutionProvider is deprecated
// Compiled with -Werror=deprecated-declarations.
#include <inlay/provider/rocm.hpp>

#ifdef WITHOUT_MISUSE
const inlay::rocm_provider first{.device_id = 1};
#else
const inlay::rocm first{.device_id = 1};
#endif
