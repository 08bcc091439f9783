# SPDX-License-Identifier: GPL-2.0-or-later
# TAP for shell scripts: source it, call `report NAME FINDINGS` (nothing found: it passed) or
# `expect NAME ACTUAL EXPECTED`; call `finish` last.
tap_count=0
tap_failed=0

# begin PROGRAM: sets $program and $examples, and goes into a $folder that is removed at the end
begin() {
    program=$(realpath "$1")
    examples=$MASING_SOURCE_ROOT/examples
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder" || exit 1
}

# report NAME FINDINGS: what was found goes to standard error as well, which meson shows of a
# test that fails (--print-errorlogs); of TAP on standard output it does not
report() {
    tap_count=$((tap_count + 1))
    if [ -z "$2" ]; then
        echo "ok $tap_count - $1"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $1"
        printf '%s\n' "$2" | sed 's/^/# /'
        printf 'not ok %d - %s\n%s\n' "$tap_count" "$1" "$2" >&2
    fi
}

expect() {
    if [ "$2" = "$3" ]; then
        report "$1" ""
    else
        report "$1" "got '$2', expected '$3'"
    fi
}

# refused NAME MESSAGE ARGUMENT...: $program ends with status 2, MESSAGE on standard error and
# nothing on output
refused() {
    name=$1 message=$2
    shift 2
    "$program" "$@" >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        [ ! -s out ] || echo "standard output is not empty"
        grep -qF -- "$message" err || { echo "message lacks '$message':" && cat err; }
    )"
}

finish() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ] && [ "$tap_count" -gt 0 ]
    exit
}
