#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# long_steps.sh PROGRAM: what steps over corners, and starts with more harmonics, must not lose.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# response MODEL: rows and what is said
response() {
    "$program" frf "$MASING_SOURCE_ROOT/tests/reference/$1.yaml" --stability none -o x.csv \
        >out 2>&1
}

# peaks of 24 sliders in a chain, with their troughs within one step; places of a run with
# solver.step.initial 0.0005 and step.max 0.001
response chain_of_sliders
expect "a chain of sliders is followed" $? 0
for place in 0.0490947 0.0680635; do
    expect "its peak at $place Hz" "$(awk -F, -v at="$place" 'NR == 1 {
            for (i = 1; i <= NF; i++) column[$i] = i }
        $column["event"] ~ /peak/ && ($column["frequency_hz"] / at - 1) ^ 2 < 1e-10 { n++ }
        END { print n + 0 }' x.csv)" 1
done

# where harmonics are chosen, the place at which they do not do is no gap
response chosen_harmonics
expect "chosen harmonics: the whole range" $? 0
expect "no gap is invented" "$(grep -c gap out)" 0

# where fewer do, the curve goes on from their solution: steps at the corners of six contacts
# are shorter than the way there
"$program" frf "$MASING_SOURCE_ROOT/examples/overlap.yaml" --set harmonics=auto \
    --set frequency.0=130.1 --set frequency.1=130.6 --stability none -o fewer.csv >out 2>&1
expect "fewer harmonics among corners: the whole range" $? 0

finish
