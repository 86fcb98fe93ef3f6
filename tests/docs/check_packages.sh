#!/usr/bin/env bash
# check_packages.sh <packages.md> <tests/consumer>: each line of its CMake and shell code is one of CMakeLists.txt or check.sh there.
set -euo pipefail
lines=$(awk '/^```(cmake|sh)$/ {inside = 1; next} /^```$/ {inside = 0} inside && NF' "$1")
[ "$(wc -l <<< "$lines")" -ge 8 ] || { echo "$1 has too little code"; exit 1; }
if unknown=$(grep -vxFf <(sed 's/^ *//' "$2/CMakeLists.txt" "$2/check.sh") <<< "$lines"); then
    echo "$1 has code that $2 does not have:"
    echo "$unknown"
    exit 1
fi
