# inlay::acl: opens libinlay_acl_module when it is needed, which is linked with the Arm Compute Library and calls it.
# words: acl arm_compute
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    inlay_lacks_provider(acl "the Arm Compute Library is for Arm's processors, and this program is not")
    return()
endif()
inlay_engine_option(acl "Debian's libarm-compute-dev" MODULE)
find_path(INLAY_ACL_HEADERS arm_compute/runtime/Scheduler.h)
find_library(INLAY_ACL_LIBRARY arm_compute)
find_library(INLAY_ACL_CORE_LIBRARY arm_compute_core)
inlay_engine_needs(acl INLAY_ACL_HEADERS arm_compute/runtime/Scheduler.h INLAY_ACL_LIBRARY "the library arm_compute" INLAY_ACL_CORE_LIBRARY "the library arm_compute_core")
inlay_add_engine(acl)
inlay_add_engine_module(acl HEADERS ${INLAY_ACL_HEADERS} LIBRARIES ${INLAY_ACL_LIBRARY} ${INLAY_ACL_CORE_LIBRARY})
target_sources(inlay_acl_module PRIVATE ${PROJECT_SOURCE_DIR}/src/lowering/weights.cpp)
