#!/usr/bin/env bash
# mixed.sh <compiler> <object>...: objects with INLAY_HEADER_ONLY and different instruction sets must not link, and the linker must say why.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if "$@" -o "$work/program" 2> "$work/log"; then echo "they link"; exit 1; fi
grep -q inlay_is_header_only_in_all_files_for_ "$work/log" || { cat "$work/log"; exit 1; }
