#!/usr/bin/env bash
# check.sh package <cmake> <build folder> | check.sh source <cmake> <source folder>: builds and runs the consumer beside this
# file against the build, installed into a temporary folder, or against the source tree.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $1 in
    package)
        "$2" --install "$3" --prefix "$work/first" > "$work/log"
        mv "$work/first" "$work/moved"  # the package must not know where it was installed
        set -- "$1" "$2" -DCMAKE_PREFIX_PATH="$work/moved" ;;
    source) set -- "$1" "$2" -DINLAY_SOURCE="$3" ;;
esac
"$2" -S "$here" -B "$work/build" "$3"
"$2" --build "$work/build" --target consumer
"$work/build/consumer"
