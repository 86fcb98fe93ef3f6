#!/usr/bin/env bash
# weak_symbols.sh <level> <object>...: fails if an object of an instruction-set level defines a weak symbol whose name does
# not carry that level: the linker keeps one copy of a weak symbol, and could give a machine without AVX-512 the AVX-512 copy.
set -euo pipefail
level=$1; shift
[ $# -gt 0 ] || { echo "no objects to check" >&2; exit 1; }
bad=0
for object in "$@"; do
    symbols=$(nm -C --defined-only "$object")
    weak=$(awk '$2 ~ /^[WVu]$/' <<< "$symbols" | grep -vE "\b(xsimd_$level|inlay::v1::$level|inlay::v1::isa::$level)\b" || true)
    if [ -n "$weak" ]; then printf '%s: weak without %s:\n%s\n' "$object" "$level" "$weak" >&2; bad=1; fi
done
exit $bad
