# inlay::dml: built with declarations of its own, on any system; DirectML is opened by the program when it needs it.
# words: dml DirectML directml
inlay_engine_option(dml "nothing but a compiler")
inlay_add_engine(dml)
