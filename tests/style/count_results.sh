#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The closing line of tools/test: what meson's logs hide must be counted as well.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
count="$MASING_SOURCE_ROOT/tools/count-results"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# log NAME JUNIT_CASES JSON_LINES: a build directory called NAME
log() {
    mkdir -p "$directory/$1/meson-logs"
    printf '<testsuites>%s</testsuites>' "$2" >"$directory/$1/meson-logs/testlog.junit.xml"
    printf '%s\n' "$3" >"$directory/$1/meson-logs/testlog.json"
}

# counted DIRECTORY...: the closing line and the exit status
counted() {
    (cd "$directory" && sh "$count" "$@" 2>/dev/null)
    echo "status $?"
}

both() {
    printf '%s\nstatus %s' "$1" "$2"
}

log good '<testcase name="1 - a" classname="masing.x"/>
<testcase name="y" classname="masing"/>' \
    '{"name": "x", "stdout": "\"result\": \"ERROR\"", "result": "OK"}
{"name": "masing:style / y", "result": "OK"}'
log bad '<testcase name="1 - a" classname="masing.x"/>
<testcase name="2 - b" classname="masing.x"><failure/></testcase>
<testcase name="3 - c" classname="masing.x"><skipped/></testcase>' \
    '{"name": "x", "result": "FAIL"}'
log leak '<testcase name="1 - a" classname="masing.x"/>
<testcase name="2 - b" classname="masing.x"/><system-out>&lt;failure/></system-out>' \
    '{"name": "masing:unit / x", "result": "ERROR"}'
log suites '<testcase name="1 - a" classname="masing.masing:unit / x"><failure/></testcase>' \
    '{"name": "masing:unit / x", "result": "ERROR"}'
log late '<testcase name="y" classname="masing"/>' '{"name": "y", "result": "TIMEOUT"}'
log empty '' ''

expect "all good" "$(counted good)" "$(both '2 passed, 0 failed' 0)"
expect "a failed case counts once" "$(counted bad)" "$(both '1 passed, 1 failed' 1)"
expect "the same with names of suites" "$(counted suites)" "$(both '0 passed, 1 failed' 1)"
expect "a leak after the last case" "$(counted leak)" "$(both '2 passed, 1 failed' 1)"
expect "out of time" "$(counted late)" "$(both '0 passed, 1 failed' 1)"
expect "nothing was run" "$(counted empty)" "$(both '0 passed, 0 failed' 1)"
expect "a log is missing" "$(counted good nowhere)" "$(both '2 passed, 1 failed' 1)"
expect "a sum over builds" "$(counted good bad leak)" "$(both '5 passed, 2 failed' 1)"
finish
