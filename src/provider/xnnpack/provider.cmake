# inlay::xnnpack: built with the headers of XNNPACK and pthreadpool, as Debian has them; the libraries are opened by the program when it
# needs them.
# words: xnnpack XNNPACK pthreadpool xnn
inlay_engine_option(xnnpack "the headers of Debian's libxnnpack-dev and libpthreadpool-dev")
find_path(INLAY_XNNPACK_HEADERS xnnpack.h)
find_path(INLAY_PTHREADPOOL_HEADERS pthreadpool.h HINTS ${INLAY_XNNPACK_HEADERS})
inlay_engine_needs(xnnpack INLAY_XNNPACK_HEADERS xnnpack.h INLAY_PTHREADPOOL_HEADERS pthreadpool.h)
inlay_add_engine(xnnpack ${INLAY_XNNPACK_HEADERS} ${INLAY_PTHREADPOOL_HEADERS})
# That of Debian 12 has no caches of packed weights, which came later.
file(STRINGS ${INLAY_XNNPACK_HEADERS}/xnnpack.h inlay_xnnpack_cache REGEX "struct xnn_weights_cache_provider {" LIMIT_COUNT 1)
target_compile_definitions(inlay_xnnpack PRIVATE INLAY_XNNPACK_SHARES_WEIGHTS=$<BOOL:${inlay_xnnpack_cache}>)
