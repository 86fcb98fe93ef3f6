#!/usr/bin/env bash
# check.sh SOURCE_DIR: builds the provider's code for Windows, compares its declarations with DirectML's header where that is,
# and has DirectML itself, under Wine, make the operators and compile the graphs of one node of each kind. Numbers are
# not looked at: Wine's Direct3D 12 computes wrong ones. 77: what it needs is not here (scripts/setup --provider dml/windows).
set -euo pipefail
source=$1
compiler=x86_64-w64-mingw32-g++-posix
library=${INLAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inlay}/dml/windows/DirectML.dll
for tool in $compiler wine Xvfb; do
    command -v $tool > /dev/null || { echo "there is no $tool"; exit 77; }
done
[ -f "$library" ] || { echo "there is no $library"; exit 77; }
work=$(mktemp -d)
xvfb=
trap '[ -z "$xvfb" ] || kill $xvfb; WINEPREFIX=$work/prefix wineserver -k 2> /dev/null || true; rm -rf "$work"' EXIT

mkdir "$work/include"
ln -s /usr/include/boost "$work/include/boost" # headers alone, of which the host's are as good
flags=(-std=c++20 -Wall -Wextra -Werror -I "$source/src" -I "$source/include" -I "$source/kernels" -isystem "$work/include")
for file in "$source"/src/lowering/*.cpp "$source"/src/provider/dml/*.cpp; do  # engine and options need what is Inlay's own, and are not linked
    object=$work/$(basename "$file").o
    $compiler "${flags[@]}" -c "$file" -o "$object"
    [[ $file == */engine.cpp || $file == */options.cpp ]] || parts+=("$object")
done
if [ -f /usr/include/directx/DirectML.h ]; then
    ln -s /usr/include/directx "$work/include/directx"
    $compiler "${flags[@]}" -fsyntax-only "$source/tests/provider/dml/windows/against_header.cpp"
    echo "the declarations are those of DirectML.h"
else
    echo "the declarations are not compared: there is no /usr/include/directx/DirectML.h"
fi
$compiler "${flags[@]}" -static "${parts[@]}" "$source/tests/provider/dml/windows/operators.cpp" -o "$work/operators.exe"
cp "$library" "$work/DirectML.dll"

Xvfb -displayfd 3 -noreset -screen 0 640x480x24 3> "$work/display" 2> /dev/null &
xvfb=$!
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
export DISPLAY=:$(cat "$work/display") WINEPREFIX=$work/prefix WINEDEBUG=-all
wine wineboot -i > /dev/null 2>&1 || { echo "Wine makes no prefix"; exit 77; }
cd "$work"
VKD3D_DEBUG=fixme wine operators.exe 2> log | tr -d '\r' > lines || { cat lines; exit 1; }
cat lines
# A graph that is not compiled has a shader in DXIL, which Wine's Direct3D does not read, and says: each for this reason alone.
tail -n 1 lines | grep -E '^[0-9]+ nodes, 0 refused, [0-9]+ compiled$'
[ "$(grep -c ' made; ' lines)" -eq "$(grep -c 'Skipping DXIL' log)" ]
