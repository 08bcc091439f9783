#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# loop_contact.sh PROGRAM: contacts moved along lines and circles in their tangential plane.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# friction 20 N, slips from 1 mm on
surface="normal_stiffness: 1.0e5, tangential_stiffness: 2.0e4, friction: 0.4, preload: 50"
cat >plane.yaml <<EOF
masing: 1
joints:
  - {name: pad, law: contact, $surface}
  - {name: rail, law: contact, normal: {from: a, to: b}, tangential: [{from: c, to: d}],
     $surface}
  - {name: face, law: contact_patch, size: [0.1, 0.06], elements: [3, 2], from: ground, to: n,
     $surface}
  - {name: damper, law: jenkins, stiffness: 2.0e4, slip_force: 20}
EOF

# column FILE NAME: cells of a column by name
column() {
    awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) { n = i } } next }
        n { print $n }' "$1"
}

# apart TOLERANCE EXPECTED: numbers that are not what is expected
apart() {
    awk -v tolerance="$1" -v expected="$2" '
        { gap = $1 > expected ? $1 - expected : expected - $1 }
        !(gap <= tolerance * expected) { print $1 " is not " expected }
        END { if (NR == 0) { print "nothing" } }'
}

# loop JOINT OPTIONS...: loss of 3 mm
loop() {
    joint=$1
    shift
    "$program" loop plane.yaml --joint "$joint" --amplitude 3e-3 --quiet "$@" -o x.csv 2>err
}

# 4 mu N (X - mu N / k) = 4 20 0.002
for degrees in 0 30 45 123.4 -90 180; do
    loop pad --path "line:$degrees"
    expect "line at $degrees degrees" $? 0
    report "its loss" "$(column x.summary.csv energy_lost | apart 1e-6 0.16)"
done
loop pad
expect "no path is a line" $? 0
report "its loss" "$(column x.summary.csv energy_lost | apart 1e-6 0.16)"
"$program" loop plane.yaml --joint damper --amplitude 3e-3 --quiet -o y.csv 2>err
report "a slider loses the same" "$(column y.summary.csv energy_lost | apart 1e-6 0.16)"
report "and has the same loop" "$(awk -F, '
    NR == FNR { row[FNR] = $3 " " $4; next }
    FNR > 1 { split(row[FNR], a, " "); x = $3 - a[1]; f = $4 - a[2] }
    FNR > 1 && (x * x > 1e-24 || f * f > 1e-12) { print FNR ": " $0 " is not " row[FNR] }
    END { if (FNR < 1000) { print FNR " rows" } }' x.csv y.csv)"
loop face --path line:77
report "a patch is as many contacts" "$(column x.summary.csv energy_lost | apart 1e-6 0.16)"

# 2 pi mu N sqrt(R^2 - (mu N / k)^2)
for joint in pad face; do
    loop "$joint" --path circle -o x.svg
    expect "circle of $joint" $? 0
    report "its loss" "$(column x.summary.csv energy_lost | apart 1e-6 0.35543063)"
    report "its radius" "$(awk -F, 'NR > 1 { print sqrt($3 * $3 + $6 * $6) }' x.csv |
        apart 1e-6 3e-3)"
    report "its force" "$(awk -F, '$5 == 1 { print sqrt($4 * $4 + $7 * $7) }' x.csv |
        apart 1e-6 20)"
done
expect "columns of a circle" "$(head -n 1 x.csv)" \
    "amplitude,cycle,displacement,force,steady,displacement_2,force_2,angle_deg"
report "the picture names the axis" \
    "$(grep -q 'first tangential axis' x.svg || echo "it does not")"

loop rail --path line:180
expect "one tangential direction, there and back" $? 0

# refused OPTIONS... : exit 2 with a word of the message
refused() {
    word=$1
    shift
    "$program" loop plane.yaml --amplitude 3e-3 --quiet "$@" >out 2>err
    expect "refused: $*" $? 2
    report "it says '$word'" "$(grep -qF -- "$word" err || cat err)"
    expect "nothing was written" "$(cat out)" ""
}
refused "the only tangential direction" --joint rail --path circle
refused "expected line:0 or line:180" --joint rail --path line:45
refused "belongs to contacts" --joint damper --path line:0
refused "expected circle or line:DEGREES" --joint pad --path square
refused "expected circle or line:DEGREES" --joint pad --path circle:3
refused "'north'" --joint pad --path line:north
refused "a motion of its own" --joint pad --path circle --motion 1:1,3:0.2

finish
