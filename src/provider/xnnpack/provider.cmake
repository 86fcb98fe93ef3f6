# inlay::xnnpack: built with the headers of XNNPACK and pthreadpool, as Debian has them; the libraries are opened by the program when it
# needs them.
# words: xnnpack XNNPACK pthreadpool xnn
inlay_engine_option(xnnpack "the headers of Debian's libxnnpack-dev and libpthreadpool-dev")
if(SKBUILD)  # programs in Python have the library of executorch
    set(inlay_xnnpack_hints ${inlay_cache}/xnnpack-newer/include)
endif()
find_path(INLAY_XNNPACK_HEADERS xnnpack.h HINTS ${inlay_xnnpack_hints})
find_path(INLAY_PTHREADPOOL_HEADERS pthreadpool.h HINTS ${INLAY_XNNPACK_HEADERS})
inlay_engine_needs(xnnpack INLAY_XNNPACK_HEADERS xnnpack.h INLAY_PTHREADPOOL_HEADERS pthreadpool.h)
inlay_add_engine(xnnpack ${INLAY_XNNPACK_HEADERS} ${INLAY_PTHREADPOOL_HEADERS})
# That of Debian 12 has no caches of packed weights, which came later.
file(STRINGS ${INLAY_XNNPACK_HEADERS}/xnnpack.h inlay_xnnpack_cache REGEX "struct xnn_weights_cache_provider {" LIMIT_COUNT 1)
target_compile_definitions(inlay_xnnpack PRIVATE INLAY_XNNPACK_SHARES_WEIGHTS=$<BOOL:${inlay_xnnpack_cache}>)
if(inlay_xnnpack_cache)
    inlay_found_by_python(INLAY_XNNPACK_LIBRARY executorch/lib/libexecutorch_backend_xnnpack.so)
endif()
