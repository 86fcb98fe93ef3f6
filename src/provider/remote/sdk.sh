# Headers, and the library that they are of; and for tests, two servers of models, each in a Python environment of its own.
debian=(libcurl4-openssl-dev libcurl4 nlohmann-json3-dev openssl)
install_sdk() {
    local server
    rm -rf "$cache/remote"
    for server in mlserver==1.7.1 kserve==0.21.0; do
        say "making a Python environment with $server in $cache/remote"
        quietly python3 -m venv "$cache/remote/${server%==*}"
        quietly "$cache/remote/${server%==*}/bin/python" -m pip --disable-pip-version-check install "$server" onnxruntime==1.31.1
    done
}
