#!/usr/bin/env bash
# inlay run: inputs from files and random ones, outputs in both formats.
. "$(dirname "$0")/expect.sh"

expect 0 'scores: float [1,10]: min ' run "$digits" --random --seed 3
printed 'random inputs: seed 3'
expect 0 'float [2,10]' run "$digits" --random --shape image=2,1,8,8 --providers reference --threads 1
expect 0 '' run "$digits" --random --quiet
[ -s "$work/stdout" ] && fail "--quiet printed $(cat "$work/stdout")"

expect 0 scores run "$digits" --random --seed 3 --out "$work/pb" --format pb --save-inputs
expect 0 scores run "$digits" --random --seed 3 --out "$work/npy" --save-inputs
for format in pb npy; do
    [ -s "$work/$format/output_0.$format" ] || fail "no output_0.$format"
    expect 0 scores run "$digits" "$work/$format" --out "$work/again"   # the saved inputs give the same output
    cmp "$work/again/output_0.npy" "$work/npy/output_0.npy" || fail "the inputs saved as .$format give another output"
done
expect 0 scores run "$digits" --in image="$work/npy/input_0.npy" --out "$work/again" --format pb
cmp "$work/again/output_0.pb" "$work/pb/output_0.pb" || fail "--in gives another output"

mkdir "$work/named" "$work/wrong"
mv "$work/npy/input_0.npy" "$work/named/image.npy"
expect 0 scores run "$digits" "$work/named"
cp "$work/npy/output_0.npy" "$work/wrong/input_0.npy"
expect 2 'input `image` has shape [1,10]' run "$digits" "$work/wrong"
touch "$work/named/input_1.npy"
expect 2 'one file too many' run "$digits" "$work/named"
expect 2 --out run "$digits" --random --format pb
finish
