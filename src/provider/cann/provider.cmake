# inlay::cann: built with the headers of CANN, as PyPI's package torch-npu has them; Huawei's libraries are opened by the program when it
# needs them.
# words: cann CANN Ascend
inlay_engine_option(cann "the headers of PyPI's package torch-npu" READS_ONNX)
file(GLOB inlay_cann_hints ${inlay_cache}/venv/lib/python3*/site-packages/torch_npu/include/third_party/acl/inc)
find_path(INLAY_CANN_HEADERS acl/acl.h HINTS ${inlay_cann_hints})
inlay_engine_needs(cann INLAY_CANN_HEADERS acl/acl.h)
inlay_add_engine(cann ${INLAY_CANN_HEADERS})
