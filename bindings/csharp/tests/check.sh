#!/usr/bin/env bash
# check.sh tests PACKAGE MODELS DIGITS PLUGIN: the tests, compiled against the package where it is unpacked into a fresh folder.
# check.sh digits PACKAGE DIGITS EXAMPLE: the example there prints the scores of EXAMPLE, the program of examples/c, wherever
# libinlay.so is: next to the assembly, at a path that Inlay.ML.dll.config maps, in a folder of LD_LIBRARY_PATH.
# check.sh code PAGE...: each line of a page's C# is one of the example or the tests.
# 77: what it needs is not there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
how=$1; shift
if [ "$how" = code ]; then
    lines=$(awk '/^```csharp$/ {inside = 1; next} /^```$/ {inside = 0} inside && NF' "$@" | sed 's/^ *//; s/ *$//')
    [ -n "$lines" ] || { echo "there is no code in $*"; exit 1; }
    ! grep -vxFf <(sed 's/^ *//' "$here"/../examples/*/*.cs "$here"/*.cs) <<< "$lines" || { echo "no source has these lines of $*"; exit 1; }
    exit 0
fi
for program in mcs mono python3; do
    command -v $program > /dev/null || { echo "skipped: there is no $program; scripts/setup --languages installs Mono"; exit 77; }
done
package=$1; shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m zipfile -e "$package" "$work/package"
version=$(sed -n 's|.*<version>\(.*\)</version>.*|\1|p' "$work/package/Inlay.ML.nuspec")
grep -q "<Version>$version</Version>" "$here/../Inlay.ML/Inlay.ML.csproj" || { echo "Inlay.ML.csproj is not of version $version"; exit 1; }
app="$work/Programme größe 日本"
mkdir "$app" "$work/elsewhere"
cp "$work/package/lib/net472/Inlay.ML.dll" "$app"
native=$work/package/runtimes/linux-x64/native/libinlay.so

scores() {  # scores [VARIABLE=VALUE]: of the example, compared
    env "$@" mono "$app/Digits.exe" "$digits" > "$work/scores" 2> "$work/plan" || { cat "$work/plan"; exit 1; }
    [ "$(wc -l < "$work/scores")" -eq 10 ] || { echo "not ten scores:"; cat "$work/scores"; exit 1; }
    diff "$work/scores" <("$example" "$digits" | grep '^[0-9]: ')
    grep -q '"schema":"inlay.plan"' "$work/plan" || { echo "no plan:"; cat "$work/plan"; exit 1; }
}
case $how in
    tests)
        cp "$(dirname "$native")"/*.so "$app"
        mcs -warnaserror -unsafe -debug "-r:$app/Inlay.ML.dll" "-out:$app/Tests.exe" "$here"/*.cs
        mono --debug "$app/Tests.exe" "$@" ;;
    digits)
        digits=$1 example=$2
        mcs -warnaserror "-r:$app/Inlay.ML.dll" "-out:$app/Digits.exe" "$here/../examples/Digits/Digits.cs"
        if mono "$app/Digits.exe" "$digits" > "$work/scores" 2>&1; then echo "the example ran without the library"; exit 1; fi
        grep -q DllNotFoundException "$work/scores" || { cat "$work/scores"; exit 1; }
        cp "$native" "$work/elsewhere"
        scores LD_LIBRARY_PATH="$work/elsewhere"
        mv "$work/elsewhere/libinlay.so" "$work/elsewhere/renamed.so"
        echo "<configuration><dllmap dll=\"inlay\" target=\"$work/elsewhere/renamed.so\"/></configuration>" > "$app/Inlay.ML.dll.config"
        scores A=B
        rm "$app/Inlay.ML.dll.config"
        cp "$native" "$app"
        scores A=B ;;
    *) echo "unknown: $how"; exit 2 ;;
esac
