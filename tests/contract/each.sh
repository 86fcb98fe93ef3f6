#!/usr/bin/env bash
# each.sh <source folder>: a test compares each package's capability table with its provider, or docs/reference/contracts.md says
# why not.
set -euo pipefail
cd "$1"
# The kernels of cpu and cuda are the table; acl's library runs under an emulator only; a server takes whole models;
# rocm's table is that of another program's kernels.
without="acl cpu cuda remote rocm"
wrong=0
for package in $(ls src/provider/*/{contract,rules}.hpp | xargs -n1 dirname | sort -u | xargs -n1 basename); do
    if [[ " $without " == *" $package "* ]]; then
        [ ! -e "tests/provider/$package/contract.cpp" ] || { echo "$package has a test: it need not be left out"; wrong=1; }
    else
        grep -q "${package}" "tests/provider/$package/contract.cpp" || { echo "nothing holds the table of $package against its provider"; wrong=1; }
    fi
done
exit $wrong
