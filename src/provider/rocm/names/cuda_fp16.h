// In the place of the header of that name.
#pragma once
#include <hip/hip_fp16.h>
