#!/usr/bin/env bash
# exports.sh <nm> <readelf> <source folder> <libinlay.so>: the library exports the functions of <inlay.h>, each of the version that
# bindings/c/exports.map has for it, and nothing else; its soname is that of the interface; nothing of Inlay, onnx or C++ symbols is missing.
set -euo pipefail
nm=$1 readelf=$2 source=$3 library=$4
fail() { echo "FAILED: $*"; exit 1; }
header=$(sed 's|/\*.*\*/||' "$source/include/inlay.h" | grep -oE '\binlay_[a-z_0-9]+\(' | tr -d '(' | sort -u)
listed=$(sed 's/#.*//' "$source/bindings/c/exports.map" | awk '/\{/ {version = $1} {while (match($0, /inlay_[a-z_0-9]+;/)) {print substr($0, RSTART, RLENGTH - 1) "@@" version; $0 = substr($0, RSTART + RLENGTH)}}' | sort)
exported=$("$nm" -D --with-symbol-versions --defined-only "$library" | awk '$2 != "A" {print $3}' | sort)
[ "$(wc -l <<< "$header")" -ge 90 ] || fail "the header has too few functions: $header"
diff <(sed 's/@@.*//' <<< "$listed") <(echo "$header") || fail "exports.map (<) and <inlay.h> (>) differ"
diff <(echo "$exported") <(echo "$listed") || fail "what is exported (<) is not what exports.map lists (>)"
"$readelf" -d "$library" | grep -q 'SONAME.*\[libinlay\.so\.1\]' || fail "the soname is not libinlay.so.1"
if "$readelf" -d "$library" | grep -E 'NEEDED.*(onnx|inlay)'; then fail "it needs another library of Inlay or onnx"; fi
