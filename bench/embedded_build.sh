# The checks next to this file source it: it builds static programs that embed a model, the way the documentation says.
#   CHECK.sh MODEL.onnx SHAPES     SHAPES as `inlay compile --shapes` takes them: batch=1,sequence=128; or - if the model needs none
# and in the environment INLAY_TOOL: the tool; INLAY_KERNELS: libinlay_kernels.a; CXX: the compiler (default c++).
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 MODEL.onnx SHAPES, with INLAY_TOOL and INLAY_KERNELS set" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernels=$(realpath "$INLAY_KERNELS")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=$work/headers  # as they lie when installed
mkdir "$include"
cp -R "$here"/../{include,kernels}/inlay "$include"
# Long plans are long constant expressions; g++'s limits stop at some hundred nodes.
flags=(-std=c++20 -O2 -DNDEBUG -ffunction-sections -fdata-sections -fconstexpr-ops-limit=2000000000 -fconstexpr-loop-limit=100000000 -DMODEL=model '-DMODEL_HEADER=<inlay/models/model.hpp>')
fail() { echo "FAILED: $*" >&2; exit 1; }

shapes=()
[ "$2" = - ] || shapes=(--shapes "$2")
"$INLAY_TOOL" compile "$1" --name model --out "$work" --quiet "${shapes[@]}"
(cd "$work" && ${CXX:-c++} -c model.S -o weights.o)

# build PROGRAM SOURCE INCLUDE LIBRARY FLAG...: links PROGRAM in $work.
build() {
    local program=$1 source=$2 headers=$3 library=$4; shift 4
    ${CXX:-c++} "${flags[@]}" -I"$work" -I"$headers" -c "$here/$source" -o "$work/$program.o"
    ${CXX:-c++} "$work/$program.o" "$work/weights.o" "$library" -Wl,--gc-sections "$@" -o "$work/$program"
}
