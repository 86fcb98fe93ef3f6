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
offers 'bash zsh fish' inlay completion ''
offers "$work/relu.onnx" inlay bench "$work/rel"
expect 2 '' completion tcsh

# The other shells know the same commands and options, and take the text as a script where they are there.
for shell in zsh fish; do
    expect 0 'inlay' completion $shell
    cp "$work/stdout" "$work/inlay.$shell"
    for command in $commands; do
        [ "$shell" = zsh ] && line=$(grep -- "^        $command) " "$work/inlay.zsh") || line=$(grep -- "'__fish_seen_subcommand_from $command'" "$work/inlay.fish")
        for option in $("$INLAY_TOOL" "$command" --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr , ' '); do
            case $shell:$option in
                zsh:*) grep -qF -- "'*$option[" <<< "$line" || fail "zsh: inlay $command: no $option" ;;
                fish:--*) grep -qF -- " -l ${option#--} " <<< "$line" || fail "fish: inlay $command: no $option" ;;
                fish:-*) grep -qF -- " -s ${option#-} " <<< "$line" || fail "fish: inlay $command: no $option" ;;
            esac
        done
    done
    ! command -v $shell > /dev/null || $shell -n "$work/inlay.$shell" || fail "$shell does not take its script"
done
if command -v fish > /dev/null; then
    [ "$(fish -c "source $work/inlay.fish; complete -C 'inlay prof'" | cut -f1)" = profile ] || fail "fish does not complete a command"
    [ "$(fish -c "source $work/inlay.fish; complete -C 'inlay run --format np'" | cut -f1 | tr '\n' ' ')" = 'npy npz ' ] || fail "fish does not complete a value"
fi
finish
