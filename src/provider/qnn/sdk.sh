# The backends of QNN, among them the simulator of its tensor processor for x86-64; onnxruntime's plugin comes with them.
python_packages=(onnxruntime-qnn==2.7.0)
