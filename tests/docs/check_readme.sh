#!/usr/bin/env bash
# check_readme.sh <README.md> <main.cpp>: the README opens, within its first ten lines, with the code between `// >>>` and `// <<<`.
set -euo pipefail
head -n 10 "$1" | grep -q '^```cpp$' || { echo "$1 has no code within its first ten lines"; exit 1; }
block=$(awk '/^```cpp$/ {inside = 1; next} /^```$/ {if (inside) exit} inside' "$1")
region=$(awk '/^ *\/\/ >>>$/ {inside = 1; indent = index($0, "/") - 1; next} /^ *\/\/ <<<$/ {exit} inside {print /^ *$/ ? "" : substr($0, indent + 1)}' "$2")
[ -n "$region" ] || { echo "$2 has nothing between the marks"; exit 1; }
if ! diff <(echo "$block") <(echo "$region"); then
    echo "$1 (<) differs from $2 (>)"
    exit 1
fi
