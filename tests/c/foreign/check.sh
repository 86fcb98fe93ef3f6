#!/usr/bin/env bash
# check.sh python|package LIBRARY MODEL EXAMPLE ...: another language runs the digits model by way of libinlay.so, and prints the scores
# that EXAMPLE, the program of examples/c, prints. package: the build folder, CMake and the example's source come after it; the package
# is installed and moved, and found by pkg-config and by a project in C. 77: what it needs is not there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
how=$1 library=$2 model=$3 example=$4; shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "skipped: $*"; exit 77; }
case $how in
    python)
        command -v python3 > /dev/null || skip "there is no python3"
        PYTHONDONTWRITEBYTECODE=1 python3 "$here/digits.py" "$library" "$model" > "$work/scores" ;;
    package)
        command -v pkg-config > /dev/null || skip "there is no pkg-config"
        build=$1 cmake=$2 source=$3
        "$cmake" --install "$build" --prefix "$work/first" > "$work/log" || { cat "$work/log"; exit 1; }
        mv "$work/first" "$work/inlay"
        "$cmake" --install "$build" --prefix "$work/component" --component c > "$work/log" || { cat "$work/log"; exit 1; }
        [ -z "$(find "$work/component" -name '*.a')" ] || { echo "the component c has static libraries"; exit 1; }
        PKG_CONFIG_PATH=$(dirname "$(find "$work/component" -name inlay.pc)")
        export PKG_CONFIG_PATH
        read -ra flags < <(pkg-config --cflags --libs inlay)
        cc -std=c11 -Wall -Wextra -pedantic -Werror "$source" "${flags[@]}" -Wl,-rpath,"$(pkg-config --variable=libdir inlay)" -o "$work/program"
        "$work/program" "$model" > "$work/by_pkg_config"
        cat > "$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(inlay 0.2 REQUIRED)
add_executable(program main.c)
target_compile_definitions(program PRIVATE DIGITS="${DIGITS}")
target_link_libraries(program PRIVATE inlay::c)
END
        cp "$source" "$work/main.c"
        { "$cmake" -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/inlay" -DDIGITS="$model" && "$cmake" --build "$work/build"; } > "$work/log" || { cat "$work/log"; exit 1; }
        "$work/build/program" > "$work/by_cmake"
        diff "$work/by_pkg_config" "$work/by_cmake"
        grep '^[0-9]: ' "$work/by_cmake" > "$work/scores" ;;
    *) echo "unknown: $how"; exit 2 ;;
esac
[ "$(wc -l < "$work/scores")" -eq 10 ] || { echo "not ten scores:"; cat "$work/scores"; exit 1; }
diff "$work/scores" <("$example" "$model" | grep '^[0-9]: ')
