#!/usr/bin/env bash
# check_readme.sh <README.md> <main.cpp>...: the README opens, within its first ten lines, with the code between `// >>>` and `// <<<` of the
# first program; its next blocks of C++ are those of the others. It has at most 120 lines and 900 words.
set -euo pipefail
readme=$1; shift
read -r lines words _ <<< "$(wc -lw "$readme")"
[ "$lines" -le 120 ] && [ "$words" -le 900 ] || { echo "$readme has $lines lines and $words words; 120 and 900 are the most"; exit 1; }
head -n 10 "$readme" | grep -q '^```cpp$' || { echo "$readme has no code within its first ten lines"; exit 1; }
number=0
for program in "$@"; do
    number=$((number + 1))
    block=$(awk -v wanted=$number '/^```cpp$/ {inside = ++count == wanted; next} /^```$/ {inside = 0} inside' "$readme")
    region=$(awk '/^ *\/\/ >>>$/ {inside = 1; indent = index($0, "/") - 1; next} /^ *\/\/ <<<$/ {exit} inside {print /^ *$/ ? "" : substr($0, indent + 1)}' "$program")
    [ -n "$region" ] || { echo "$program has nothing between the marks"; exit 1; }
    if ! diff <(echo "$block") <(echo "$region"); then
        echo "block $number of $readme (<) differs from $program (>)"
        exit 1
    fi
done
