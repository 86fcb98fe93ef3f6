# inlay::tvm: built with the C header of TVM's interface, as PyPI's package apache-tvm-ffi has it; the libraries are opened by the program
# when it needs them.
# words: tvm TVM
inlay_engine_option(tvm "the headers of PyPI's package apache-tvm-ffi")
file(GLOB inlay_tvm_hints ${inlay_cache}/venv/lib/python3*/site-packages/tvm_ffi)
find_path(INLAY_TVM_HEADERS tvm/ffi/c_api.h HINTS ${inlay_tvm_hints} PATH_SUFFIXES include)
inlay_engine_needs(tvm INLAY_TVM_HEADERS tvm/ffi/c_api.h)
inlay_add_engine(tvm ${INLAY_TVM_HEADERS})
inlay_found_by_python(INLAY_TVM_LIBRARY tvm_ffi/lib/ tvm/lib/)
