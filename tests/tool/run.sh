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

# Sizes of symbols, one by one or in a range; several runs; NumPy's archives.
expect 0 'float [5,10]' run "$digits" --random --shape batch=5
expect 0 'float [5,10]' run "$digits" --random --set batch=5  # as it was called
expect 0 'batch=3:' run "$digits" --random --shape batch=2..3 --out "$work/sizes" --save-inputs
printed 'float [2,10]'
[ "$(grep -c seed "$work/stdout")" -eq 1 ] || fail "not one seed: $(cat "$work/stdout")"
for file in input_0 output_0; do [ -s "$work/sizes/batch=3/$file.npy" ] || fail "no $file of the second size"; done
expect 0 '"settings": [' run "$digits" --random --shape batch=2..3 --json
expect 0 '4 runs: median ' run "$digits" --random --runs 4
printed 'the same results'
expect 0 '"changed": null' run "$digits" --random --runs 2 --json
expect 0 scores run "$digits" --random --seed 3 --out "$work/npz" --format npz --save-inputs
for file in inputs outputs; do [ -s "$work/npz/$file.npz" ] || fail "no $file.npz"; done
expect 0 scores run "$digits" "$work/npz/inputs.npz" --out "$work/again"
expect 0 scores run "$digits" --random --seed 3 --out "$work/same"
cmp "$work/again/output_0.npy" "$work/same/output_0.npy" || fail "the inputs saved as .npz give another output"
expect 2 'no input of that name' run "$digits" "$work/npz/outputs.npz"
head -c 300 "$work/npz/inputs.npz" > "$work/half.npz"
expect 2 'half.npz' run "$digits" "$work/half.npz"
expect 2 'they have batch' run "$digits" --random --shape N=1..2
expect 2 'is no size' run "$digits" --random --shape batch=3..2
expect 2 'is no size' run "$digits" --random --shape batch=1...2
expect 2 'more than 10000 runs' run "$digits" --random --shape batch=1..10001
expect 2 'add --random' run "$digits" "$work/npz/inputs.npz" --shape batch=1
expect 2 '--runs' run "$digits" --random --runs 0
finish
