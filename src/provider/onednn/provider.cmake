# inlay::onednn: built with the C headers of oneDNN, as PyPI's package onednn-devel-cpu-gomp has them; the library is opened by the program
# when it needs it.
# words: onednn oneDNN dnnl
inlay_engine_option(onednn "the headers of PyPI's package onednn-devel-cpu-gomp")
find_path(INLAY_ONEDNN_HEADERS oneapi/dnnl/dnnl.h HINTS ${inlay_cache}/venv/include)
inlay_engine_needs(onednn INLAY_ONEDNN_HEADERS oneapi/dnnl/dnnl.h)
inlay_add_engine(onednn ${INLAY_ONEDNN_HEADERS})
inlay_found_by_python(INLAY_ONEDNN_LIBRARY ../../libdnnl.so.3)
