# inlay::openvino: built with the C headers of OpenVINO, as PyPI's package openvino has them; its library is opened by the program when
# it needs it.
# words: openvino OpenVINO
inlay_engine_option(openvino "the headers of PyPI's package openvino" READS_ONNX)
file(GLOB inlay_openvino_hints ${inlay_cache}/venv/lib/python3*/site-packages/openvino)
find_path(INLAY_OPENVINO_HEADERS openvino/c/openvino.h HINTS ${inlay_openvino_hints} PATH_SUFFIXES include)
inlay_engine_needs(openvino INLAY_OPENVINO_HEADERS openvino/c/openvino.h)
inlay_add_engine(openvino ${INLAY_OPENVINO_HEADERS})
inlay_found_by_python(INLAY_OPENVINO_LIBRARY openvino/libs/libopenvino_c.so.*)
