#!/usr/bin/env bash
# cxx17.sh <source folder> <compiler>: each public header, included by a program in C++17, is one #error and the end of the compilation.
# Not fixed_text.hpp and type_list.hpp, which are parts of others and include none.
set -uo pipefail
source=$1 compiler=$2 wrong=0 count=0
for header in "$source"/include/inlay/*.hpp "$source"/include/inlay/{sdk,provider}/*.hpp; do
    name=${header#"$source/include/"}
    case $name in inlay/sdk/fixed_text.hpp | inlay/sdk/type_list.hpp) continue ;; esac
    count=$((count + 1))
    printed=$(LC_ALL=C "$compiler" -std=c++17 -fsyntax-only -I "$source/include" -I "$source/kernels" -x c++ - <<< "#include <$name>" 2>&1)
    if ! grep -q 'error: .*inlay: its headers are C++20' <<< "$printed" || [ "$(grep -c 'error:' <<< "$printed")" -ne 2 ]; then
        echo "$name in C++17: $printed" | head -n 8
        wrong=1
    fi
done
[ "$count" -gt 50 ] || { echo "only $count headers were found"; exit 1; }
exit $wrong
