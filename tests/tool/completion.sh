#!/usr/bin/env bash
# inlay completion: every command, every option and the values of those that have a list of them.
. "$(dirname "$0")/expect.sh"

expect 0 'complete -o filenames -F _inlay inlay' completion bash
cp "$work/stdout" "$work/completion"
. "$work/completion"
completed() {  # WORD...: what bash offers for the last one
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _inlay
    echo "${COMPREPLY[@]}"
}
offers() {  # ANSWER WORD...
    local answer=$1; shift
    [ "$(completed "$@")" = "$answer" ] || fail "$*: \"$(completed "$@")\", not \"$answer\""
}

offers '--help -h --version' inlay -
commands=$("$INLAY_TOOL" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(wc -w <<< "$commands")" -gt 15 ] || fail "few commands: $commands"
for command in $commands; do
    [[ " $(completed inlay "$command") " == *" $command "* ]] || fail "no $command"
    options=$("$INLAY_TOOL" "$command" --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr , ' ')
    [ -n "$options" ] || fail "$command has no option"
    for option in $options; do
        [[ " $(completed inlay "$command" "$option") " == *" $option "* ]] || fail "inlay $command: no $option"
    done
done

touch "$work/relu.onnx"
offers profile inlay prof
offers --html inlay plan --ht
offers reference inlay run --providers ref
offers implicit_cpu inlay run --fallback im
offers 'npy pb npz' inlay run --format ''
offers reference inlay compare --a ref
offers 'pb' inlay run --format = p
offers 'embed file mapped' inlay compile --weights ''
offers bash inlay completion ''
offers "$work/relu.onnx" inlay bench "$work/rel"
expect 2 '' completion fish
finish
