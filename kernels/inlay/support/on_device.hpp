// INLAY_ON_DEVICE marks functions that the threads of a device call as well as plain loops. A build that compiles for
// such a device defines it as that compiler wants the mark; it says nothing to others. Functions that are constexpr
// need none.
#pragma once
#ifndef INLAY_ON_DEVICE
#define INLAY_ON_DEVICE
#endif
