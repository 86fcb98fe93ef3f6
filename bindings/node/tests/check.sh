#!/usr/bin/env bash
# check.sh tests|types|example PACKAGE MODELS DIGITS [PLUGIN|EXAMPLE]: installs the package for node.js in a fresh folder and there runs its tests,
# checks its types with tsc, or runs its example, which prints what EXAMPLE, the program in C, does. 77: what it needs is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
how=$1 package=$2 models=$3 digits=$4
skip() { echo "skipped: $*"; exit 77; }
command -v node > /dev/null || skip "there is no node"
[ -f "$package" ] || [ -n "$(find /usr/include /usr/local/include -name node_api.h -print -quit)" ] || skip "there are no headers of node"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"name": "user", "private": true}' > package.json
if command -v npm > /dev/null; then
    npm install --offline --no-audit --no-fund --cache "$work/cache" "$package" > log 2>&1 || { cat log; exit 1; }
else
    mkdir -p node_modules/inlay-onnx
    tar -xzf "$package" -C node_modules/inlay-onnx --strip-components=1
fi
export INLAY_MODELS=$models INLAY_DIGITS=$digits
case $how in
    tests)
        cp "$here"/*.test.js "$here"/*.test.mjs "$here"/worker*.js "$here"/common.js "$work"
        export INLAY_PLUGIN=$5
        node --expose-gc --test "$work"/*.test.js "$work"/*.test.mjs ;;
    types)
        command -v tsc > /dev/null || skip "there is no tsc"
        cp "$here"/types.ts "$work"
        tsc --noEmit --strict --target es2020 --lib es2020 --module nodenext --moduleResolution nodenext "$work/types.ts" ;;
    example)
        cp "$here"/../examples/digits.js "$work"
        node "$work/digits.js" "$digits" | tee printed
        grep '^[0-9]: ' printed > scores
        [ "$(wc -l < scores)" -eq 10 ] || { echo "not ten scores"; exit 1; }
        diff scores <("$5" "$digits" | grep '^[0-9]: ')
        cp "$digits" digits.onnx
        for page in node_modules/inlay-onnx/README.md "$here/../../../docs/reference/node.md"; do  # their code runs, too
            sed -n '/^```js$/,/^```$/{/^```/!p}' "$page" > page.mjs
            node page.mjs > printed 2>&1 && grep -q 'CPUExecutionProvider' printed || { cat printed; exit 1; }
        done ;;
    *) echo "unknown: $how"; exit 2 ;;
esac
