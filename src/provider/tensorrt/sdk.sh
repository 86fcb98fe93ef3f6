# The library of TensorRT RTX and its reader of ONNX, as ONNX Runtime's plugin brings them. TensorRT itself is in no package.
python_packages=(onnxruntime-ep-nv-tensorrt-rtx-cu13==0.5.0)
