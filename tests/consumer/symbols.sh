#!/usr/bin/env bash
# symbols.sh <nm> <source folder> <shared library>...: each exports what public headers declare, and nothing else: nothing from src, of
# protobuf, onnx, Boost or the standard library.
set -euo pipefail
nm=$1 source=$2; shift 2
declared=$(find "$source/include/inlay" "$source/kernels" -name '*.hpp' -exec grep -hoE '[a-zA-Z_0-9]+' {} + | sort -u)
for library in "$@"; do
    names=$("$nm" -D --defined-only "$library" | awk '{print $3}')
    foreign=$(grep -vE '^_Z(NK?R?|T[ISV]N)5inlay2v1' <<< "$names" | c++filt || true)
    inner=$(c++filt <<< "$names" | { grep -oP '^.*?inlay::v1::\K[a-z_0-9:~]+' || true; } | tr -s ':~' '\n' | sort -u | comm -23 - <(echo "$declared"))
    if [ -n "$foreign$inner" ]; then
        echo "$library exports what no public header declares; cmake/public.map should not list it: $foreign $inner"
        exit 1
    fi
    grep -q '^_ZN5inlay2v1' <<< "$names" || { echo "$library exports nothing of Inlay's"; exit 1; }
done
