#!/usr/bin/env bash
# has_fma.sh <object>...: the gemm objects among these must multiply and add in one instruction.
set -euo pipefail
found=0
for object in "$@"; do
    [[ $(basename "$object") == gemm_f32* ]] || continue
    found=1
    fused=$(objdump -d "$object" | grep -c vfmadd || true)
    [ "$fused" -gt 0 ] || { echo "$object: no vfmadd"; exit 1; }
done
[ $found = 1 ] || { echo "no gemm_f32 object"; exit 1; }
