# A later XNNPACK than Debian's, in $cache/xnnpack-newer: the library of executorch, and the headers of torch, of which
# nothing else is kept. The headers are the same for all systems; the wheel for this one is the smallest.
debian=(unzip)
install_sdk() {
    local work; work=$(mktemp -d "$cache/xnnpack-newer-work.XXXXXX")
    mkdir -p "$work"/kept/{lib,include}
    say "fetching the library of executorch 1.5.1 and the headers of torch 2.11.0"
    pip download --no-deps -d "$work" executorch==1.5.1
    pip download --no-deps -d "$work" --only-binary=:all: --python-version 3.11 --platform macosx_11_0_arm64 torch==2.11.0
    quietly unzip -j "$work"/executorch-*.whl executorch/lib/libexecutorch{,_threadpool,_backend_xnnpack}.so -d "$work/kept/lib"
    quietly unzip -j "$work"/torch-*.whl torch/include/{xnnpack,pthreadpool}.h -d "$work/kept/include"
    rm -rf "$cache/xnnpack-newer"
    mv -T "$work/kept" "$cache/xnnpack-newer"
    rm -rf "$work"
}
