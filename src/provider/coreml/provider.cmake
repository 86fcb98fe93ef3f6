# inlay::coreml: writes Core ML's packages by code of its own, so that it needs no library to be built, and none to run.
# words: coreml CoreML
inlay_engine_option(coreml "nothing")
inlay_add_engine(coreml)
