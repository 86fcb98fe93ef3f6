#!/usr/bin/env bash
# check.sh <guide.md> <test.cpp>: the guide's ```cpp blocks are the test's regions between `// >>>` and `// <<<`, in order.
set -euo pipefail
blocks=$(awk '/^```cpp$/ {inside = 1; print "--- block"; next} /^```$/ {inside = 0} inside' "$1")
regions=$(awk '/^\/\/ >>>$/ {inside = 1; print "--- block"; next} /^\/\/ <<<$/ {inside = 0} inside' "$2")
[ -n "$blocks" ] || { echo "$1 has no code"; exit 1; }
if ! diff <(echo "$blocks") <(echo "$regions"); then
    echo "$1 (<) differs from $2 (>)"
    exit 1
fi
