#!/usr/bin/env bash
# planted.sh <compiler>: weak_symbols.sh must refuse a shared inline function and accept one in its level's namespace.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'inline int shared(int x) { return x; } int use(int x) { return shared(x); }' > "$work/bad.cpp"
echo 'namespace inlay::inline v1::avx2 { inline int own(int x) { return x; } int use(int x) { return own(x); } }' > "$work/good.cpp"
for name in bad good; do "$1" -std=c++20 -O0 -c "$work/$name.cpp" -o "$work/$name.o"; done
if "$here/weak_symbols.sh" avx2 "$work/good.o" "$work/bad.o" 2> /dev/null; then echo "a planted weak symbol went unnoticed"; exit 1; fi
"$here/weak_symbols.sh" avx2 "$work/good.o"
if "$here/weak_symbols.sh" sse2 "$work/good.o" 2> /dev/null; then echo "a weak symbol of another level went unnoticed"; exit 1; fi
