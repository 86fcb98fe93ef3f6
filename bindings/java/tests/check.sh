#!/usr/bin/env bash
# check.sh package|example JAR MODELS DIGITS C_EXAMPLE PLUGIN VERSION: uses the jar as a user would, in a fresh folder. package: its tests, with the checks of
# -Xcheck:jni, none of whose warnings may stand in the log. example: its program prints the scores that C_EXAMPLE prints. 77: what it needs is
# not there.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
how=$1 jar=$2 models=$3 digits=$4 c_example=$5 plugin=$6 version=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "skipped: $*"; exit 77; }
command -v javac > /dev/null || skip "there is no JDK"
[ "$jar" != none ] || skip "there was no JDK of version 17 when the build was configured"
cp "$jar" "$work/inlay.jar"
mkdir "$work/classes" "$work/temporary"
cd "$work"
case $how in
    package)
        junit=/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar
        [ -f "${junit%%:*}" ] || skip "there is no JUnit 4: scripts/setup --languages installs it"
        mapfile -t sources < <(find "$here/src/test/java" -name '*.java')
        javac --release 17 -Xlint:all,-try -Werror -cp "inlay.jar:$junit" -d classes "${sources[@]}"
        mapfile -t tests < <(cd classes && find . -name '*Test.class' | sed 's|^\./||; s|\.class$||; s|/|.|g' | sort)
        status=0
        java -ea -Xmx256m -Xcheck:jni -Djava.io.tmpdir="$work/temporary" -Dmodels="$models" -Ddigits="$digits" -Dplugin="$plugin" -Dversion="$version" -cp "classes:inlay.jar:$junit" \
            org.junit.runner.JUnitCore "${tests[@]}" > log 2>&1 || status=$?
        grep -v '^	at ' log | tail -n 60
        if grep -nE '(WARNING|FATAL ERROR) in native method|WARNING: JNI' log; then  # JUnit's dots may stand before it
            echo "-Xcheck:jni has warnings"
            exit 1
        fi
        exit $status ;;
    example)
        javac --release 17 -Xlint:all -Werror -cp inlay.jar -d classes "$here/examples/Digits.java"
        java -Xcheck:jni -Djava.io.tmpdir="$work/temporary" -cp classes:inlay.jar Digits "$digits" > scores
        cat scores
        ! grep 'in native method' scores
        [ "$(grep -c '^[0-9]: ' scores)" -eq 10 ] || { echo "not ten scores"; exit 1; }
        diff <(grep '^[0-9]: ' scores) <("$c_example" "$digits" | grep '^[0-9]: ') ;;
    *) echo "unknown: $how"; exit 2 ;;
esac
