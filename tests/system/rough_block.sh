#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rough_block.sh PROGRAM: Jamshidi's block at 65 Hz under four forces. What the load puts in is
# what the interface loses in a loop of that amplitude, and another method agrees.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model=$MASING_SOURCE_ROOT/examples/rough_block.yaml
begin "$1"

# column FILE NAME EVENT: cells of a column by name, of rows that contain EVENT
column() {
    awk -F, -v name="$2" -v event="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) { n = i } } next }
        n && (event == "" || index($0, event)) { print $n }' "$1"
}

# apart TOLERANCE: pairs of lines that differ by more than that part
apart() {
    awk -v tolerance="$1" '
        { gap = $1 > $2 ? $1 - $2 : $2 - $1 }
        NF != 2 || !(gap <= tolerance * $2) { print $0 ": apart by " gap }
        END { if (NR != 4) { print NR " values" } }'
}

"$program" study "$model" --vary shaker.amplitude=3,4,6,8 --at 65 --quiet \
    --columns energy,joints -o study.csv 2>err
expect "four forces" $? 0
column study.csv block_amp ,at, >amplitudes
"$program" loop "$model" --joint interface --amplitude "$(paste -sd , amplitudes)" --quiet \
    -o loop.csv 2>err
expect "four loops" $? 0
report "the interface loses what its loops lose" \
    "$(column study.csv energy_lost ,at, >mine
    column loop.summary.csv energy_lost "" | paste -d ' ' mine - | apart 1e-4)"
report "the load puts it in" \
    "$(column study.csv energy_in ,at, | paste -d ' ' mine - | apart 1e-6)"
expect "partial slip at 3 N, full slip above" \
    "$(column study.csv slip_interface ,at, | awk '{ print ($1 > 0) }' | paste -sd ' ')" \
    "0 1 1 1"
for force in 3 4 6 8; do
    "$program" compare "$model" --set shaker.amplitude=$force --frequency 65 --quiet \
        >compare.csv 2>err
    column compare.csv block_h1_hb "" >hb
    column compare.csv block_h1_ti "" | paste -d ' ' hb -
done >pairs
report "time integration agrees" "$(apart 1e-3 <pairs)"

# a preload study is one response for each interface that a preload makes
"$program" study "$model" --vary interface.preload=5,10,20,40 --quiet -o preloads.csv 2>err
expect "four preloads" $? 0
for preload in 5 10 20 40; do
    "$program" study "$model" --set interface.preload=$preload --vary shaker.amplitude=8,9 \
        --quiet -o alone.csv 2>err
    column alone.peaks.csv block_max "" | head -n 1
done >alone
column preloads.peaks.csv block_max "" >together
report "each preload is a model of its own" "$(paste -d ' ' together alone | apart 1e-12)"
# stiffness and limit are proportional to the preload, the slip displacement grows a little
for preload in 10 20; do
    "$program" check "$model" --set interface.preload=$preload 2>err | awk '
        $1 == "stiffness" || $1 == "slip_force" || $1 == "slip_displacement" { print $2 }'
done >constants
expect "three constants for each preload" "$(awk 'END { print NR }' constants)" 6
report "the constants follow the preload" "$(awk '
    { value[NR] = $1 }
    END {
        for (i = 1; i <= 2; i++) {
            ratio = value[i + 3] / value[i]
            if (!(ratio > 1.99999 && ratio < 2.00001)) { print value[i] " does not double" }
        }
        if (!(value[6] > 1.01 * value[3] && value[6] < 1.02 * value[3])) { print "x_L" }
    }' constants)"
finish
