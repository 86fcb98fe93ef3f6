#!/usr/bin/env bash
# has_fma.sh <instruction> <family> <object>...: the family's objects among these must multiply and add in one instruction, this one.
set -euo pipefail
instruction=$1; family=$2; shift 2
found=0
for object in "$@"; do
    [[ $(basename "$object") == $family* ]] || continue
    found=1
    fused=$(objdump -d "$object" | grep -c "$instruction" || true)
    [ "$fused" -gt 0 ] || { echo "$object: no $instruction"; exit 1; }
done
[ $found = 1 ] || { echo "no $family object"; exit 1; }
