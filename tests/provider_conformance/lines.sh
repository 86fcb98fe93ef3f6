#!/usr/bin/env bash
# lines.sh MOST FILE: fails where the file has as many lines or more.
lines=$(wc -l < "$2") || exit 2
echo "$lines lines"
[ "$lines" -gt 0 ] && [ "$lines" -lt "$1" ]
