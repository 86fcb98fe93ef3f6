#!/usr/bin/env bash
# check.sh <file> alone|together <compiler> <flag>...: passes if the file does not compile and the compiler prints the text that the
# file's first line demands, "// must print: TEXT", and, alone, if the file does compile with -DWITHOUT_MISUSE.
set -uo pipefail
file=$1 without=$2; shift 2
wanted=$(sed -n '1s|^// must print: ||p' "$file")
[ -n "$wanted" ] || { echo "$file: the first line must read // must print: TEXT"; exit 1; }
if printed=$(LC_ALL=C "$@" "$file" 2>&1); then echo "$file compiles, and must not"; exit 1; fi
if ! grep -qF -- "$wanted" <<< "$printed"; then
    echo "$file does not compile, but the compiler did not print: $wanted"; echo "$printed" | head -n 60; exit 1
fi
if [ "$without" = alone ] && ! printed=$("$@" -DWITHOUT_MISUSE "$file" 2>&1); then
    echo "$file fails without the misuse too:"; echo "$printed" | head -n 60; exit 1
fi
