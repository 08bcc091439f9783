#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# diagnostics.sh: what a failing check of a shell script has found is on standard error, too.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(
    tap_count=6
    report "a check that fails" "what was
found"
    report "one that passes" ""
) >"$folder/out" 2>"$folder/err"
expect "standard output is TAP" "$(cat "$folder/out")" "not ok 7 - a check that fails
# what was
# found
ok 8 - one that passes"
expect "standard error says what failed" "$(cat "$folder/err")" "not ok 7 - a check that fails
what was
found"
finish
