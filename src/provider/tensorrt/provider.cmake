# inlay::tensorrt: two providers over the interfaces of one family of libraries. It declares what it calls of them itself, for no package has
# their headers; library and driver are opened by the program when it needs them.
# words: tensorrt TensorRT nvinfer
# others' words: enable_cuda_graph NVIDIA
inlay_engine_option(tensorrt "nothing: what it calls is declared in src/provider/tensorrt/interfaces.hpp" READS_ONNX TYPES tensorrt nv_tensorrt_rtx)
inlay_add_engine(tensorrt)
inlay_has_provider_type(nv_tensorrt_rtx)
inlay_found_by_python(INLAY_NV_TENSORRT_RTX_LIBRARY onnxruntime_ep_nv_tensorrt_rtx/libtensorrt_rtx.so.*)
