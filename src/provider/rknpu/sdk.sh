# The compiler and its simulator of the chips, in a Python environment of its own: they want an older numpy, onnx and protobuf.
install_sdk() {
    say "making a Python environment with rknn-toolkit2 in $cache/rknpu"
    quietly python3 -m venv --clear "$cache/rknpu"
    quietly "$cache/rknpu/bin/python" -m pip --disable-pip-version-check install --no-deps rknn-toolkit2==2.5.0
    quietly "$cache/rknpu/bin/python" -m pip --disable-pip-version-check install numpy==1.26.4 onnx==1.18.0 protobuf==4.25.9 \
        onnxruntime==1.23.2 opencv-python-headless==4.11.0.86 fast-histogram psutil ruamel.yaml scipy tqdm
}
