#!/usr/bin/env bash
# check_lines.sh <page.md> <source>...: each line of its CMake and shell code is one of a source.
set -euo pipefail
lines=$(awk '/^```(cmake|sh)$/ {inside = 1; next} /^```$/ {inside = 0} inside && NF' "$1")
[ -n "$lines" ] || { echo "$1 has no code"; exit 1; }
if unknown=$(grep -vxFf <(sed 's/^ *//' "${@:2}") <<< "$lines"); then
    echo "$1 has code that ${*:2} do not have:"
    echo "$unknown"
    exit 1
fi
