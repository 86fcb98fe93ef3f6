# inlay::qnn: built with nothing but the compiler; the library of a backend is opened by the program when it needs it.
# words: qnn QNN Qualcomm Hexagon HTP
inlay_engine_option(qnn "nothing")
inlay_add_engine(qnn)
inlay_found_by_python(INLAY_QNN_LIBRARY onnxruntime_qnn/)
# For its tests.
file(GLOB inlay_qnn_hints ${inlay_cache}/venv/lib/python3*/site-packages/onnxruntime_qnn)
find_path(INLAY_QNN_FOLDER libQnnHtp.so HINTS ${inlay_qnn_hints})
