#!/usr/bin/env bash
# install.sh <install.md> <cmake> <source folder>: the line with which the page configures a build does so.
set -euo pipefail
line=$(grep -m 1 '^cmake -B build/own ' "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra words <<< "${line#cmake -B build/own }"
"$2" -S "$3" -B "$work" "${words[@]}" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
! grep -i 'manually-specified variables were not used' -A 9 "$work/log"
