# Headers, and the library that they are of; and for a test, a server of models in a Python environment of its own.
debian=(libcurl4-openssl-dev libcurl4 nlohmann-json3-dev openssl)
install_sdk() {
    say "making a Python environment with mlserver in $cache/remote"
    quietly python3 -m venv --clear "$cache/remote"
    quietly "$cache/remote/bin/python" -m pip --disable-pip-version-check install mlserver==1.7.1 onnxruntime==1.31.1
}
