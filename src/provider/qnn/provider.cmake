# inlay::qnn: built with nothing but the compiler; the library of a backend is opened by the program when it needs it.
# words: qnn QNN Qualcomm Hexagon HTP
inlay_engine_option(qnn "nothing")
inlay_add_engine(qnn)
