#!/usr/bin/env bash
# check.sh <guide.md> <source>...: the guide's ```cpp, ```c and ```java blocks are the sources' regions between `// >>>` and `// <<<`, or the same in
# comments of C, in order; they are indented as the marks are. A mark may name a page, `// >>> guide`: then its region is that page's alone.
set -euo pipefail
page=$(basename "$1" .md)
blocks=$(awk '/^```(c|cpp|java)$/ {inside = 1; print "--- block"; next} /^```$/ {inside = 0} inside' "$1")
regions=$(awk -v page="$page" '
    $0 ~ "^ *(// >>>|/\\* >>>)( " page ")?( \\*/)?$" {inside = 1; indent = index($0, "/") - 1; print "--- block"; next}
    /^ *(\/\/ <<<|\/\* <<< \*\/)$/ {inside = 0}
    inside {print /^ *$/ ? "" : substr($0, indent + 1)}' "${@:2}")
[ -n "$blocks" ] || { echo "$1 has no code"; exit 1; }
if ! diff <(echo "$blocks") <(echo "$regions"); then
    echo "$1 (<) differs from ${*:2} (>)"
    exit 1
fi
