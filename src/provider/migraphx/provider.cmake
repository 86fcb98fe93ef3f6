# inlay::migraphx: built with declarations of its own, on any system; AMD's library is opened by the program when it needs it.
# words: migraphx MIGraphX
# others' words: rocm
inlay_engine_option(migraphx "onnx" READS_ONNX)
inlay_add_engine(migraphx)
