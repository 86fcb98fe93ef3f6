// A header of ACL 20.08 has a namespace `requires`, which is a keyword since C++20: it is read here under another name,
// before the headers that include it, and what its macro says is said without the namespace.
#pragma once
#include <type_traits>
#define requires requires_of_acl
#include <arm_compute/core/utils/misc/Requires.h>
#undef requires
#undef REQUIRES_TA
#define REQUIRES_TA(...) typename = std::enable_if_t<(__VA_ARGS__)>
