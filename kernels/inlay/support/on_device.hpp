// INLAY_ON_DEVICE marks functions that the threads of a device call as well as reference kernels. A build that compiles
// for such a device defines it as that compiler's mark; it is empty for others. Functions that are constexpr
// need none.
#pragma once
#ifndef INLAY_ON_DEVICE
#define INLAY_ON_DEVICE
#endif
