#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# manual.sh BUILD_DIRECTORY: the manual says what the program does. Generated tables are
# current, links lead somewhere, each command is in the man page.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$MASING_SOURCE_ROOT" || exit 1

# what is written by hand around the tables must be there at all
stale() {
    sh tools/make-reference "$1" "$work/reference" && cmp "$work/reference" \
        doc/model-reference.md || echo "run: sh tools/make-reference $1"
    for section in laws solver integration; do
        grep -qx "<!-- begin $section -->" doc/model-reference.md || echo "no $section"
    done
}

dead_links() {
    for page in *.md doc/*.md; do
        grep -oE '\]\([^)#:]+' "$page" | cut -c 3- | while read -r target; do
            [ -e "$(dirname "$page")/$target" ] || echo "$page: $target does not exist"
        done
    done
}

# the commands that --help lists as supported
commands() {
    "$1/masing" --help | sed -n '/^commands:/,/^$/p' | grep '^  ' | grep -v 'not supported' |
        awk '{ print $1 }'
}

undocumented() {
    for command in $(commands "$1"); do
        grep -q "^\*$command\*" doc/masing.1.scd || echo "$command is not in the man page"
    done
}

unexplained() {
    for law in $("$1/masing" law | sed 1d | cut -d ' ' -f 1); do
        grep -qF "\`$law\`" doc/laws.md || echo "$law is not in doc/laws.md"
    done
}

report "every law is explained" "$(unexplained "$1" 2>&1)"
report "generated tables are current" "$(stale "$1" 2>&1)"
report "links lead somewhere" "$(dead_links 2>&1)"
expect "there are commands" "$(commands "$1" | grep -cx law)" 1
report "every command is in the man page" "$(undocumented "$1" 2>&1)"
finish
