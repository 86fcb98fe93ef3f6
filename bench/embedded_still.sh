#!/usr/bin/env bash
# embedded_still.sh MODEL.onnx SHAPES: 1000 runs of an embedded model make no system call, and a million no heap call if MODEL is small:
# RUNS in the environment says how many (default 1000).
. "$(dirname "$0")/embedded_build.sh"

build serve embedded_serve.cpp "$include" "$kernels" -static
strace -f -o "$work/trace" "$work/serve" <<< "still 1000" > "$work/answers" || fail "strace"
[ "$(tail -n 1 "$work/answers")" = 1000 ] || fail "the program answered: $(tail -n 1 "$work/answers")"
[ "$(grep -c ' getppid()' "$work/trace")" -eq 2 ] || fail "no marks in the trace: the test sees nothing"
calls=$(awk '/ getppid\(\)/ { ++marks; next } marks == 1' "$work/trace")
[ -z "$calls" ] || fail "system calls of 1000 runs: $calls"
echo "no system call in 1000 runs"

runs=${RUNS:-1000}
${CXX:-c++} -O2 -shared -fPIC "$here/embedded_heap.cpp" -o "$work/heap.so"
${CXX:-c++} "$work/serve.o" "$work/weights.o" "$kernels" -Wl,--gc-sections -o "$work/shared"   # a static program ignores what is preloaded
LD_PRELOAD="$work/heap.so" "$work/shared" <<< "heap $runs" > "$work/answers"
[ "$(tail -n 1 "$work/answers")" = 0 ] || fail "heap calls of $runs runs: $(tail -n 1 "$work/answers")"
printf '#include <cstdio>\n#include <cstdlib>\nextern "C" long heap_calls();\nint main() { const long n = heap_calls(); void* volatile p = std::malloc(1); std::free(p); std::printf("%%ld", heap_calls() - n); }\n' > "$work/two.cpp"
${CXX:-c++} -O0 "$work/two.cpp" "$work/heap.so" -Wl,-rpath,"$work" -o "$work/two"
[ "$(LD_PRELOAD="$work/heap.so" "$work/two")" = 2 ] || fail "the counter does not count"
echo "no heap call in $runs runs"
