# inlay::xnnpack: built with the headers of XNNPACK and pthreadpool, as Debian has them; the libraries are opened by the program when it
# needs them.
# words: xnnpack XNNPACK pthreadpool xnn
option(INLAY_XNNPACK "Build inlay::xnnpack, the provider of XNNPACK (needs the headers of Debian's libxnnpack-dev and libpthreadpool-dev)" ${INLAY_ENGINES})
if(NOT INLAY_XNNPACK)
    inlay_lacks_provider(xnnpack "this program was built without it; configure with -DINLAY_XNNPACK=ON")
    return()
endif()
find_path(INLAY_XNNPACK_HEADERS xnnpack.h)
find_path(INLAY_PTHREADPOOL_HEADERS pthreadpool.h)
if(NOT INLAY_XNNPACK_HEADERS OR NOT INLAY_PTHREADPOOL_HEADERS)
    message(FATAL_ERROR "inlay: INLAY_XNNPACK is ON, but xnnpack.h and pthreadpool.h were not both found; scripts/setup --provider xnnpack installs them, or set INLAY_XNNPACK_HEADERS and INLAY_PTHREADPOOL_HEADERS")
endif()
inlay_add_library(xnnpack src/provider/xnnpack/*.cpp)
add_library(inlay::xnnpack ALIAS inlay_xnnpack)
target_include_directories(inlay_xnnpack SYSTEM PRIVATE ${INLAY_XNNPACK_HEADERS} ${INLAY_PTHREADPOOL_HEADERS})
target_link_libraries(inlay_xnnpack PUBLIC inlay_onnx PRIVATE ${CMAKE_DL_LIBS})
inlay_has_provider(xnnpack TYPE xnnpack HEADER inlay/provider/xnnpack.hpp)
