#!/usr/bin/env bash
# inlay size: groups, sums, and files that are not what they say.
. "$(dirname "$0")/expect.sh"

# The tool itself holds every kernel. The rows add up to the totals, and these to what binutils count.
expect 0 '  gemm_f32 (avx2)' size "$INLAY_TOOL"
for line in '  softmax (reference)' '  softmax_f32 (sse2)' '  the rest of Inlay' '  everything else'; do printed "$line"; done
awk 'NR > 1 { for (k = 1; k <= 4; ++k) { if ($5 == "total") total[k] = $k; else sum[k] += $k } } $1 != $2 + $3 + $4 && NR > 1 { exit 1 }
     END { for (k = 1; k <= 4; ++k) if (total[k] == 0 || sum[k] != total[k]) exit 1 }' "$work/stdout" || fail "the rows do not add up: $(cat "$work/stdout")"
awk 'NR > 2 && $1 > last && $5 != "total" { exit 1 } { last = $1 }' "$work/stdout" || fail "the rows are not sorted: $(cat "$work/stdout")"
[ "$(awk '$5 == "total" { print $2, $3, $4 }' "$work/stdout")" = "$(size "$INLAY_TOOL" | awk 'NR == 2 { print $1, $2, $3 }')" ] || fail "size counts: $(size "$INLAY_TOOL")"
expect 0 '"schema": "inlay.size"' size "$INLAY_TOOL" --json
for line in '"version": 1' '"kind": "operator"' '"place": "avx512"' '"in_no_symbol": '; do printed "$line"; done

# A level's family, its static functions found by their file; one operator; a model; two names of the same bytes; gaps.
cat > "$work/small.s" <<'END'
    .file "family_f32.cpp"
    .section .rodata.w, "a", @progbits
    .globl inlay_weights_tiny, alias_of_the_weights
    .type inlay_weights_tiny, @object
    .size inlay_weights_tiny, 100
    .type alias_of_the_weights, @object
    .size alias_of_the_weights, 100
alias_of_the_weights:
inlay_weights_tiny: .zero 100
    .zero 28
    .globl _ZN5inlay2v14avx210family_f32E
    .type _ZN5inlay2v14avx210family_f32E, @object
    .size _ZN5inlay2v14avx210family_f32E, 16
_ZN5inlay2v14avx210family_f32E: .zero 16
    .text
    .type static_of_the_family, @function
    .size static_of_the_family, 30
static_of_the_family: .zero 30
    .type _ZN5inlay2v14avx2L4bodyEPf, @function
    .size _ZN5inlay2v14avx2L4bodyEPf, 20
_ZN5inlay2v14avx2L4bodyEPf: .zero 20
    .globl _ZN5inlay2v16kernelINS0_2op4reluENS0_6device3cpuENS0_5typesIJfEEEE3runEv
    .type _ZN5inlay2v16kernelINS0_2op4reluENS0_6device3cpuENS0_5typesIJfEEEE3runEv, @function
    .size _ZN5inlay2v16kernelINS0_2op4reluENS0_6device3cpuENS0_5typesIJfEEEE3runEv, 40
_ZN5inlay2v16kernelINS0_2op4reluENS0_6device3cpuENS0_5typesIJfEEEE3runEv: .zero 40
    .globl _ZN5inlay2v16kernelIN4mine5swishENS0_6device9referenceENS0_5typesIJfEEEE3runEv
    .type _ZN5inlay2v16kernelIN4mine5swishENS0_6device9referenceENS0_5typesIJfEEEE3runEv, @function
    .size _ZN5inlay2v16kernelIN4mine5swishENS0_6device9referenceENS0_5typesIJfEEEE3runEv, 50
_ZN5inlay2v16kernelIN4mine5swishENS0_6device9referenceENS0_5typesIJfEEEE3runEv: .zero 50
    .globl _ZN5inlay2v18embeddedINS_6models4tinyEJNS0_3cpuEEE3runEv
    .type _ZN5inlay2v18embeddedINS_6models4tinyEJNS0_3cpuEEE3runEv, @function
    .size _ZN5inlay2v18embeddedINS_6models4tinyEJNS0_3cpuEEE3runEv, 60
_ZN5inlay2v18embeddedINS_6models4tinyEJNS0_3cpuEEE3runEv: .zero 60
    .bss
    .globl mine, of_a_thread
    .type mine, @object
    .size mine, 70
mine: .zero 70
    .section .tdata, "awT", @progbits
    .zero 4
    .type of_a_thread, @object
    .size of_a_thread, 8
of_a_thread: .zero 8
END
${CXX:-c++} -c -o "$work/small.o" "$work/small.s" || fail "the assembler"
expect 0 total size "$work/small.o"
row() { [ "$(grep -F -- "$2" "$work/stdout" | awk '{ print $1, $2, $3, $4 }')" = "$1" ] || fail "$2 is not $1: $(cat "$work/stdout")"; }
row '100 100 0 0' 'weights of tiny'
row '66 66 0 0' 'family_f32 (avx2)'
row '40 40 0 0' 'relu (cpu)'
row '50 50 0 0' 'swish (reference)'
row '60 60 0 0' 'model of tiny'
row '78 0 8 70' 'everything else'
row '32 28 4 0' 'in no symbol'
row '426 344 12 70' total

strip -o "$work/stripped" "$INLAY_TOOL"
expect 2 'stripped: it has no symbol table' size "$work/stripped"
expect 2 'no ELF file' size "$digits"
expect 2 'nowhere' size "$work/nowhere"
expect 2 "$work" size "$work"
head -c 70 "$work/small.o" > "$work/short.o"
expect 2 'cut short' size "$work/short.o"

# A file with one wrong byte is counted or refused; nothing else may happen.
bytes=$(stat -c %s "$work/small.o")
for ((at = 0; at < bytes; at += 7)); do
    cp "$work/small.o" "$work/wrong.o"
    printf '\xff' | dd of="$work/wrong.o" bs=1 seek=$at conv=notrunc status=none
    "$INLAY_TOOL" size "$work/wrong.o" > /dev/null 2> "$work/stderr"
    got=$?
    [ $got -eq 0 ] || [ $got -eq 2 ] || fail "byte $at wrong: exit status $got: $(cat "$work/stderr")"
done
finish
