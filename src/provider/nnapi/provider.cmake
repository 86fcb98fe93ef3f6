# inlay::nnapi: built with declarations of its own, on any system; Android's library is opened by the program when it needs it.
# words: nnapi NNAPI NeuralNetworks neuralnetworks
inlay_engine_option(nnapi "nothing but a compiler")
inlay_add_engine(nnapi)
