#!/usr/bin/env bash
# error_codes.sh <errors.md> <error.hpp>: the page has a row for each code, which the tool's errors lead to, and for no other.
set -euo pipefail
codes=$(sed -n '/^enum class error_code/,/^};/s/^ *\([a-z_]*\),\{0,1\}$/\1/p' "$2" | grep . | sort)
rows=$(sed -n 's/^| <a id="\([a-z_]*\)"><\/a>`\1` |.*/\1/p' "$1" | sort)
[ "$(wc -l <<< "$codes")" -gt 10 ] || { echo "$2 has too few codes"; exit 1; }
diff <(echo "$rows") <(echo "$codes") || { echo "the rows of $1 (<) are not the codes of $2 (>)"; exit 1; }
