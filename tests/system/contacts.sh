#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# contacts.sh PROGRAM: what users get to see of contacts, patches and files of pairs.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# model KEYS STIFFNESS: one DOF along the normal, two tangential ones
model() {
    cat <<EOF
masing: 1
title: Normal motion
structure:
  modes:
    frequencies: [19.99845754, 52.35352651]
    shapes: {x: [0.46531, 0], y: [0.46531, -0.8507], tip: [0.752975, 0.5257]}
    damping_ratio: 0.02
joints:
  - {law: contact, normal_stiffness: $2, tangential_stiffness: $2, friction: 0.5, $1}
loads: [{name: shaker, dof: tip, amplitude: 10}]
frequency: [18, 34]
harmonics: 5
outputs: [tip]
EOF
}
axes="normal: {from: ground, to: x}, tangential: [{from: ground, to: y}]"
model "name: pad, $axes, preload: 30" 4.0e4 >pad.yaml
cat >pairs.csv <<EOF
normal_from,normal_to,tangential_from,tangential_to,area,preload
ground,x,ground,y,1e-4,5
ground,x,ground,y,2e-4,10
ground,x,ground,tip,3e-4,15
EOF
model "name: face, pairs: pairs.csv" 1.0e4 >face.yaml
cat >patch.yaml <<EOF
masing: 1
structure:
  dofs: [n.y, n.rx, n.x]
  mass: [[1, 0, 0], [0, 0.01, 0], [0, 0, 1]]
  stiffness: [[41339, 0, 0], [0, 400, 0], [0, 0, 60000]]
  damping: {modal_ratio: 0.02}
joints:
  - {name: patch, law: contact_patch, from: ground, to: n, normal_stiffness: 4.0e4,
     tangential_stiffness: 4.0e4, friction: 0.5, preload: 30, preload_moment: [0.4, 0.2],
     size: [0.1, 0.06], elements: [6, 4]}
loads:
  - {dof: n.y, amplitude: 6}
  - {dof: n.rx, amplitude: 0.2, phase: 40}
  - {dof: n.x, amplitude: 20}
frequency: [36, 42]
harmonics: 3
outputs: [n.y]
EOF

# cell FILE EVENT COLUMN: of the first row with that event
cell() {
    awk -F, -v event="$2" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) { n[$i] = i } next }
        $n["event"] == event { print $n[name]; exit }' "$1"
}

# total FILE EVENT COLUMN WEIGHT: sum over the elements at that event; with a WEIGHT the mean
total() {
    awk -F, -v event="$2" -v name="$3" -v weight="$4" '
        NR == 1 { for (i = 1; i <= NF; i++) { n[$i] = i } next }
        $n["event"] == event {
            w = weight == "" ? 1 : weight == "count" ? 1 : $n[weight]
            sum += w * $n[name]; all += w
        }
        END { printf "%.17g\n", weight == "" ? sum : sum / all }' "$1"
}

# same NAME A B: equal but for rounding
same() {
    report "$1" "$(awk -v a="$2" -v b="$3" 'BEGIN {
        gap = a > b ? a - b : b - a
        size = b > 0 ? b : -b
        if (a == "" || b == "" || !(gap <= 1e-9 * size)) { print a " is not " b } }')"
}

columns() {
    head -n 1 "$1" | tr , '\n' | grep -c "$2"
}

"$program" frf pad.yaml --at 25,26 --columns joints,energy -o pad.csv -o pad.svg 2>err
expect "a contact" $? 0
for event in "slip onset" lift-off "full contact" stick fold; do
    report "event $event" "$(grep -q "$event" pad.csv || echo "none")"
done
report "the summary tells what is open" "$(grep -q 'open at the peak  *[1-9]' err || cat err)"
same "loss at 25 Hz" "$(total pad.contacts.csv at loss "" | head -n 1)" \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { n[$i] = i } next }
        $n["event"] ~ /(^|, )at/ { s += $n["loss_pad"] } END { printf "%.17g", s }' pad.csv)"
expect "both frequencies and the peak" "$(cut -d, -f2 pad.contacts.csv | sort | uniq -c |
    tr -s ' \n' ' ')" " 2 at 1 event 1 peak "
expect "its axes have names" "$(columns pad.csv '^pad_\(normal\|tangential\)_')" 12
expect "loops of both axes" "$(sed 1d pad.loops.csv | cut -d, -f1 | sort -u | tr '\n' ' ')" \
    "pad_normal pad_tangential "
report "the picture is one of friction" \
    "$(grep -q 'pad_tangential at the peak' pad.loops.svg || echo "it is not")"
report "single contacts are bars" \
    "$(grep -q 'Share of the period' pad.contacts.svg || echo "they are not")"

"$program" frf patch.yaml --at 38 --columns energy --stability none -o patch.csv \
    -o patch.svg 2>err
expect "a patch" $? 0
same "losses of its elements" "$(total patch.contacts.csv at loss "")" \
    "$(cell patch.csv at loss_patch)"
same "its share of slip" "$(total patch.contacts.csv at slip count)" \
    "$(cell patch.csv at slip_patch)"
same "its share of opening" "$(total patch.contacts.csv at open count)" \
    "$(cell patch.csv at open_patch)"
expect "24 elements, twice" "$(sed 1d patch.contacts.csv | wc -l | tr -d ' ')" 48
report "they fill the rectangle" "$(awk -F, '
    NR > 1 { sum += $7 / 2; y = $5 > y ? $5 : y; z = $6 > z ? $6 : z }
    END { if ((sum / 0.006 - 1) ^ 2 > 1e-18 || (y * 12 / 5 / 0.1 - 1) ^ 2 > 1e-18 ||
              (z * 8 / 3 / 0.06 - 1) ^ 2 > 1e-18) { print sum, y, z } }' patch.contacts.csv)"
report "shares add up" "$(awk -F, 'NR > 1 && ($8 + $9 + $10 - 1) ^ 2 > 1e-24' \
    patch.contacts.csv)"
report "the map has a scale and a legend" "$(for word in 'Loss per cycle' stick slip open \
    'y (' 'z (' 'patch at the peak'; do
    grep -qF "$word" patch.contacts.svg || echo "no $word"
done)"

"$program" study face.yaml --vary shaker.amplitude=5,10 --at 26.5 --columns joints,energy \
    --stability none -o face.csv -o face.svg 2>err
expect "a file of pairs" $? 0
expect "one entry, one column of each kind" \
    "$(columns face.csv '^\(slip\|open\|loss\)_face$') $(columns face.csv 'face\[')" "3 0"
for value in 5 10; do
    { head -n 1 face.csv; grep "^$value," face.csv; } >one.csv
    { head -n 1 face.contacts.csv; grep "^$value," face.contacts.csv; } >one.contacts.csv
    same "losses of the contacts at $value N" "$(total one.contacts.csv at loss "")" \
        "$(cell one.csv at loss_face)"
    same "slip is weighted with areas" "$(total one.contacts.csv peak slip area)" \
        "$(grep "^$value," face.peaks.csv | cut -d, -f7)"
done
expect "three contacts at two points of two curves" \
    "$(sed 1d face.contacts.csv | wc -l | tr -d ' ')" 12
expect "columns of contacts" "$(head -n 1 face.contacts.csv)" \
    "shaker.amplitude,frequency_hz,event,joint,element,y,z,area,open,stick,slip,loss"
expect "no loops of many" "$(ls face.loops.* 2>&1 | grep -c '^face')" 0
expect "no event of one of many" "$(grep -c 'onset\|lift' face.csv)" 0
cp face.contacts.csv first.contacts.csv
"$program" study face.yaml --vary shaker.amplitude=5,10 --at 26.5 --threads 1 --quiet \
    --stability none -o face.csv 2>err
report "the same for one thread" "$(cmp first.contacts.csv face.contacts.csv 2>&1)"

"$program" integrate pad.yaml --frequency 20 --quiet -o steady.csv 2>err
expect "integration" $? 0
expect "its columns" "$(head -n 1 steady.csv | cut -d, -f3-4)" \
    "force_pad_normal,force_pad_tangential"
"$program" compare pad.yaml --frequency 26 --quiet -o compare.csv 2>err
expect "comparison" $? 0
report "balance and integration agree" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) { n[$i] = i } next }
    !($n["relative_difference"] < 2e-3) { print $0 }
    END { if (NR < 2) { print "nothing" } }' compare.csv)"

# refused WORD COMMAND...
refused() {
    word=$1
    shift
    "$program" "$@" >out 2>err
    expect "refused: $*" $? 2
    report "it says '$word'" "$(grep -qF -- "$word" err || cat err)"
}
loop=$MASING_SOURCE_ROOT/examples/friction_loop.csv
refused "has several axes" identify "$loop" --law contact
refused "has several axes" identify "$loop" --law contact_patch
refused "'face' is 3 contacts" frf face.yaml --joint face -o y.csv
refused "pad.contacts.csv is written beside" frf pad.yaml -o pad.csv -o pad.contacts.csv

# The same motion on the way along the preload and on the way along the frequency
"$program" frf patch.yaml --along patch.preload=28:34 --frequency 38 --at 30,32 \
    --columns energy --stability none -o along.csv -o along.svg 2>err
expect "a patch along its preload" $? 0
expect "both preloads" "$(sed 1d along.contacts.csv | cut -d, -f1-3 | sort | uniq -c |
    tr -s ' \n' ' ')" " 24 30,38,at 24 32,38,at "
for column in loss slip open; do
    sed '/^32,/d' along.contacts.csv >at30.csv
    same "$column at 30 N" "$(total at30.csv at $column "")" \
        "$(total patch.contacts.csv at $column "")"
done
report "a picture along the preload" "$(grep -q '</svg>' along.contacts.svg || echo none)"
"$program" frf patch.yaml --along patch.preload=28:34 --frequency 38 -o bare.csv 2>err
report "no table without --at" "$(ls bare.contacts.csv 2>/dev/null)"

finish
