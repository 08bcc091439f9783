#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# stick_slip.sh PROGRAM: a mass on a rough plane far below its resonance (lugre): starts that
# are hard to find, what is said where there is none, and verdicts against neighbouring motions.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model=$MASING_SOURCE_ROOT/tests/reference/field/lugre.yaml
begin "$1"

# largest OPTIONS...: x_max of the first row
largest() {
    "$program" frf "$model" --quiet --stability none "$@" -o x.csv >out 2>err
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["x_max"] }' x.csv
}

# settles OPTIONS...: x_max of the motion that time integration settles to
settles() {
    "$program" integrate "$model" --frequency 0.1 --set integration.steps_per_cycle=4096 "$@" \
        -o t.csv 2>&1 | sed -n 's/^  x: max \([0-9.]*\),.*/\1/p'
}

# near PART A B
near() {
    awk -v part="$1" -v a="$2" -v b="$3" \
        'BEGIN { print (b > 0 && (a / b - 1) ^ 2 <= part ^ 2) ? "near" : a " and " b }'
}

# ---- starts: integrated, for which the steps per cycle given are too few ----

slow='--set j.stribeck_velocity=0.05'
expect 'a start from time integration' "$(near 0.01 "$(largest $slow)" "$(settles $slow)")" near
expect 'nothing lies before a start' "$(grep -c 'could not be followed' err)" 0

# ---- starts: by bristles that are softened and become themselves again ----

highest='7 15 25 41'
[ "${MASING_SANITIZED:-}" ] && highest=15 # the sanitizers take ten times as long
for load in 0.97 1 1.03; do
    settled=$(settles --set load_factor=$load)
    for harmonics in $highest; do
        expect "$harmonics harmonics, $load of the load: a start" "$(near 0.04 \
            "$(largest --set harmonics=$harmonics --set load_factor=$load)" "$settled")" near
    done
done

# ---- no start: what would have one has one ----

few='--set harmonics=3 --set samples=16'
"$program" frf "$model" $few --stability none -o x.csv >out 2>err
expect 'a start that samples hide: exit status' $? 1
expect 'a start that samples hide' \
    "$(sed -n 's/^masing frf: stopped early: no solution was found at 0.1 Hz: //p' err)" \
    'not converged; there is one with samples: 64'
expect 'there it is' \
    "$(near 0.03 "$(largest --set harmonics=3 --set samples=64)" "$(settles)")" near

# ---- verdicts: of motions side by side, those draw together ten times a period ----

"$program" integrate "$model" --frequency 0.1 --set integration.steps_per_cycle=4096 --all \
    --quiet -o t.csv 2>err
expect 'neighbouring motions draw together' "$(awk -F, 'NR > 1 && (NR - 2) % 4096 == 0 {
    x[n++] = $2 } END { ratio = (x[5] - x[4]) / (x[4] - x[3])
    print (ratio > 0.05 && ratio < 0.15) ? "yes" : ratio }' t.csv)" yes
verdicts=41
[ "${MASING_SANITIZED:-}" ] && verdicts= # the sanitizers take ten times as long
for harmonics in $verdicts; do
    "$program" frf "$model" --set harmonics=$harmonics -o x.csv >out 2>&1
    expect "$harmonics harmonics: verdicts" "$(sed -n 's/^  unstable  *//p' out)" \
        '0 of 12 points'
done

finish
