# For scripts that look at pages: source it after expect.sh. Without chromium the script is skipped, aloud; scripts/setup --browser installs it.
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || { echo "skipped: chromium is missing; scripts/setup --browser installs it"; exit 77; }

# in_browser FILE FRAGMENT FLAG...: the page as it is after its scripts ran, in $work/dom; fails where they wrote to the console. Screenshots go to
# $INLAY_SCREENSHOTS, if that is set.
in_browser() {
    local file=$1 fragment=$2; shift 2
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1500,950 --virtual-time-budget=20000 --enable-logging=stderr --log-level=0 \
        --user-data-dir="$work/browser" --host-resolver-rules='MAP * ~NOTFOUND' "$@" "file://$file$fragment" > "$work/dom" 2> "$work/console"
    [ $? -eq 0 ] || fail "the browser ended with an error: $(tail -n 3 "$work/console")"
    grep -F 'CONSOLE' "$work/console" && fail "$(basename "$file")$fragment: the page wrote to the console"
    return 0
}
dom() { in_browser "$1" "$2" --dump-dom; }
in_dom() { grep -qF -- "$1" "$work/dom" || fail "no \"$1\" in the page"; }
not_in_dom() { ! grep -qF -- "$1" "$work/dom" || fail "\"$1\" is in the page"; }
# screenshot FILE FRAGMENT NAME: in light and dark. A blank picture fails: compressed it is small.
screenshot() {
    local folder=${INLAY_SCREENSHOTS:-$work} theme
    mkdir -p "$folder"
    for theme in light dark; do
        in_browser "$1" "$2" --blink-settings=preferredColorScheme=$([ $theme = dark ] && echo 0 || echo 1) --screenshot="$folder/$3-$theme.png"
        [ "$(stat -c %s "$folder/$3-$theme.png")" -gt 20000 ] || fail "$3-$theme.png is blank"
    done
    cmp -s "$folder/$3-light.png" "$folder/$3-dark.png" && fail "$3: light and dark are the same picture"
    return 0
}
