#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# finite_element_decks.sh RESPONSE: responses of larger decks of tools/ against all equations by
# the test RESPONSE, where CalculiX (and gmsh) is installed.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
response=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# compare NAME STEM FROM_HZ TO_HZ BETA: damping in proportion to the stiffness
compare() {
    ccx "$2" >out 2>&1
    report "CalculiX writes the matrices of $1" "$([ -s "$2.sti" ] || tail -n 5 out)"
    "$response" "$2" "$3" "$4" "$5" >out 2>&1
    report "the response of $1" "$(grep -q '^ok 1' out || cat out)"
    grep '^# ' out
}
sh "$MASING_SOURCE_ROOT/tools/make-lap-joint" beams.inp 6 2 1 1
expect "8 + 8 elements of 20 nodes" "$(grep -c '^[0-9].*,$' beams.inp)" 16
if ! command -v ccx >/dev/null; then
    echo "# skipped: the matrices by CalculiX, ccx is not installed"
    finish
fi
# numbers; with sanitizers the test RESPONSE runs on smaller decks
[ "${MASING_SANITIZED:-}" ] && finish
compare "C3D20 elements" beams 40 1500 2e-6
if ! command -v gmsh >/dev/null; then
    echo "# skipped: plates with a bolt hole, gmsh is not installed"
    finish
fi
sh "$MASING_SOURCE_ROOT/tools/make-bolted-lap" plates.inp 0.1 0.12
compare "C3D10 elements" plates 100 2000 0 # their mass is singular
finish
