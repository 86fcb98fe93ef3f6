#!/usr/bin/env bash
# every_page.sh <docs> <CMakeLists.txt>: each page of Start and How to whose code is C or C++ is compared with sources by a line of that file,
# or is written into files that commands compile.
set -euo pipefail
cd "$1"
missing=0
for page in start/*.md how-to/*.md index.md; do
    grep -qE '^```c(pp)?$' "$page" || continue
    name=${page%.md}
    grep -q 'title="' "$page" || grep -qE "\b$name(\.md|[ )]|\$)" "$2" || { echo "$page: nothing compares its code with what is compiled"; missing=1; }
done
exit $missing
