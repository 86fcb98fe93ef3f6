# What the test dml.windows needs: a compiler for Windows, Wine with Direct3D 12 over a Vulkan of the processor, and DirectML
# itself, which the Windows package of ONNX Runtime carries; it goes to $cache/dml/windows.
debian=(g++-mingw-w64-x86-64-posix wine wine64 xvfb mesa-vulkan-drivers libvkd3d1)
install_sdk() {
    local work=$cache/dml/windows
    mkdir -p "$work"
    pip download --no-deps --only-binary=:all: --platform win_amd64 --python-version 3.12 -d "$work" onnxruntime-directml==1.24.4
    quietly python3 -m zipfile -e "$work"/onnxruntime_directml-*.whl "$work"
    mv "$work/onnxruntime/capi/DirectML.dll" "$work/DirectML.dll"
    rm -rf "$work"/onnxruntime*
}
