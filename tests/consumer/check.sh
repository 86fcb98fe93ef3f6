#!/usr/bin/env bash
# check.sh package|shared_package|source|model|headers|no_build_type <cmake> <build folder> <source folder> [<compiler>
# <include folder of xsimd>]: builds the programs next to this file against the build, installed into a temporary
# folder; or against the shared libraries; or with the source tree in a subfolder; or the model's program alone there,
# with the build's tool; or from the headers alone. Both print the same.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
how=$1 cmake=$2 build=$3 source=$4
digits=$source/examples/digits/digits.onnx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
if [ "$how" = no_build_type ]; then  # Inlay's own sources are optimised, and a warning says that the project's own are not; nothing is built
    "$cmake" -S "$here" -B "$work/build" -G Ninja -DDIGITS="$digits" -DINLAY_SOURCE="$source" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > "$work/log" 2>&1 || fail "$(cat "$work/log")"
    tr -s ' \n' ' ' < "$work/log" | grep -q 'CMAKE_BUILD_TYPE is not set' || fail "no warning: $(cat "$work/log")"
    commands=$work/build/compile_commands.json
    grep '"command".*src/onnx/loader\|"command".*src/kernels/stock.cpp' "$commands" | grep -q -- ' -O3 ' || fail "Inlay's sources are not optimised"
    grep '"command".*consumer/session.cpp' "$commands" | grep -q -- ' -O' && fail "the project's own sources are compiled as Release"
    exit 0
fi
if [ "$how" = model ]; then  # of the kernels only the families that the model names are built, for this machine's instruction set alone
    "$cmake" -S "$here" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DDIGITS="$digits" -DINLAY_SOURCE="$source" -DINLAY_TOOL="$build/bin/inlay" -DINLAY_LEVELS=native > "$work/log" || fail "$(cat "$work/log")"
    "$cmake" --build "$work/build" --target embedded > "$work/log" || fail "$(cat "$work/log")"
    scores=$("$work/build/embedded")
    [[ $scores = 0:* ]] || fail "$scores"
    [ ! -e "$work/build/inlay/libinlay_kernels.a" ] || fail "all kernels are built"
    families=$(find "$work/build/inlay" -name 'libinlay_family_*.a' | wc -l)
    [ "$families" -gt 3 ] && [ "$families" -lt 20 ] || fail "$families families are built"
    runs=()
    for level in sse2 avx2 avx512 avx512bf16 amx; do
        if INLAY_ISA=$level "$work/build/embedded" > "$work/log"; then runs+=("$level"); fi
    done
    [ ${#runs[@]} -eq 1 ] || fail "compiled for one instruction set, it runs with: ${runs[*]}"
    echo "not a model" > "$work/text.onnx"
    ! "$cmake" -S "$here" -B "$work/refused" -G Ninja -DDIGITS="$work/text.onnx" -DINLAY_SOURCE="$source" -DINLAY_TOOL="$build/bin/inlay" > "$work/log" 2>&1 || fail "a text is configured as a model"
    tr -s ' \n' ' ' < "$work/log" | grep -q 'text.onnx: inlay::model: .*no ONNX model' || fail "no reason: $(cat "$work/log")"
    echo "$families families for ${runs[*]}"
    exit 0
fi
if [ "$how" = shared_package ]; then  # configured again; what is installed is the build's
    "$cmake" -S "$source" -B "$work/shared" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DBUILD_SHARED_LIBS=ON -DINLAY_BUILD_{TESTS,EXAMPLES,BENCH}=OFF > "$work/log"
    mkdir -p "$work/shared/bin"
    cp -a "$build"/libinlay_{kernels,onnx}.so* "$build"/libinlay_{built,provider_conformance,ort}.a "$build/inlay.bash" "$work/shared"
    cp -a "$build"/bindings/c/libinlay.so* "$work/shared/bindings/c"
    cp "$build/bin/inlay" "$work/shared/bin"
    for module in re2 images; do
        if [ -e "$build/bin/libinlay_${module}_module.so" ]; then cp "$build/bin/libinlay_${module}_module.so" "$work/shared/bin"; fi
    done
    build=$work/shared
fi
if [ "$how" != source ]; then
    "$cmake" --install "$build" --prefix "$work/first" > "$work/log"
    mv "$work/first" "$work/inlay"  # the package must not know where it was installed
fi
built=$work/build
case $how in
    package) set -- -DCMAKE_PREFIX_PATH="$work/inlay" ;;
    shared_package) set -- -DCMAKE_PREFIX_PATH="$work/inlay" -DCMAKE_DISABLE_FIND_PACKAGE_{Protobuf,ONNX}=ON ;;  # its users need neither
    source)  # the folders that a subproject needs, as far from the build as a preset's are, and with their flags. The launcher compiles in
        # the subproject's own build folder, where all has the names that it has in a preset's, so that ccache has it.
        mkdir -p "$work/inlay/examples"
        cp -r "$source"/{CMakeLists.txt,cmake,include,kernels,src} "$work/inlay"
        cp -r "$source/examples/digits" "$work/inlay/examples"  # the tool has it within, for `inlay demo`
        built=$work/inlay/build
        set -- -DINLAY_SOURCE="$work/inlay" -DCMAKE_BUILD_TYPE=Release -DINLAY_WERROR=ON -DINLAY_FMT=fmt::fmt-header-only
        if command -v ccache > /dev/null; then
            printf '#!/usr/bin/env bash\n[[ "$*" != *" -o inlay/"* ]] || { cd inlay; set -- "${@/#inlay\\//}"; }\nexec ccache "$@"\n' > "$work/launcher"
            chmod +x "$work/launcher"
            set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER="$work/launcher"
            export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros  # as in a preset
        fi ;;
    headers)
        cxx=$5 xsimd=$6
        cp "$here/embedded.cpp" "$work"
        cd "$work"
        PATH=$work/inlay/bin:$PATH
        inlay compile "$digits" --name digits --shape batch=1 --out models
        "$cxx" -std=c++20 -O1 -DINLAY_HEADER_ONLY -I inlay/include -I models -I "$xsimd" -Wa,-I,models embedded.cpp models/digits.S -o embedded
        scores=$(./embedded)
        [[ $scores = 0:* ]] || fail "$scores"
        exit ;;
esac
"$cmake" -S "$here" -B "$built" -G Ninja -DDIGITS="$digits" "$@" > "$work/log" || fail "$(cat "$work/log")"
"$cmake" --build "$built" --target session embedded > "$work/log" || fail "$(cat "$work/log")"
"$built/session" "$digits" > "$work/session"
"$built/embedded" > "$work/embedded"
grep -q '^9:' "$work/session" || fail "session printed: $(cat "$work/session")"
diff "$work/session" "$work/embedded"
