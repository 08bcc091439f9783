#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# flange.sh PROGRAM: the two flanges under 4 kN at 7, 15, 20 and 25 Hz. Loops by harmonic
# balance and by time integration must agree, and the joint identified from the loop at 15 Hz
# must give those at the other frequencies.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model=$MASING_SOURCE_ROOT/examples/flange.yaml
begin "$1"
frequencies=7,15,20,25

# cells FILE EVENT NAME...: cells of columns by name, of rows that contain EVENT
cells() {
    file=$1 event=$2
    shift 2
    awk -F, -v names="$*" -v event="$event" '
        NR == 1 {
            n = split(names, wanted, " ")
            for (i = 1; i <= NF; i++) { column[$i] = i }
            next
        }
        event == "" || index($0, event) {
            for (i = 1; i <= n; i++) {
                printf "%s%s", $column[wanted[i]], i < n ? "," : "\n"
            }
        }' "$file"
}

# apart ROWS NAME A B TOLERANCE: rows of numbers that differ by more than that part
apart() {
    printf '%s\n' "$3" >a
    printf '%s\n' "$4" >b
    report "$2" "$(paste -d, a b | awk -F, -v rows="$1" -v tolerance="$5" '
        { n += NF > 1 }
        {
            for (i = 1; i <= NF / 2; i++) {
                left = $i
                right = $(i + NF / 2)
                gap = left > right ? left - right : right - left
                if (!(right > 0 && gap <= tolerance * right)) {
                    print "row " NR ": " left " and " right
                }
            }
        }
        END { if (n != rows) { print n + 0 " rows" } }')"
}

# loop HZ: time, displacement and force of the joint over the steady period, into HZ.csv
loop() {
    "$program" integrate "$model" --frequency "$1" --quiet -o i.csv 2>err
    expect "time integration at $1 Hz" $? 0
    {
        echo time,displacement,force
        cells i.csv "" time displacement_flange force_flange
    } >"$1.csv"
}

# energy HZ: work of the joint over the closed loop
energy() {
    sed 1d "$1.csv" | awk -F, '
        { x[NR] = $2; f[NR] = $3 }
        END {
            x[0] = x[NR]; x[NR + 1] = x[1]
            for (i = 1; i <= NR; i++) { sum += f[i] * (x[i + 1] - x[i - 1]) / 2 }
            printf "%.17g\n", sum
        }'
}

# response MODEL ROWS: harmonic balance, with rows at the frequencies
response() {
    "$program" frf "$1" --at $frequencies --columns energy,joints --stability none --quiet \
        -o "$2" 2>err
}

response "$model" b.csv
expect "harmonic balance" $? 0
"$program" compare "$model" --frequency $frequencies --quiet -o c.csv 2>err
expect "comparison" $? 0
apart 4 "first harmonics of slip by both" "$(cells c.csv "" slip_h1_hb)" \
    "$(cells c.csv "" slip_h1_ti)" 1e-4
apart 4 "largest slips by both" "$(cells c.csv "" slip_max_hb)" \
    "$(cells c.csv "" slip_max_ti)" 3e-4

loop 15
apart 1 "loss of the joint by both" "$(cells b.csv ,at, loss_flange | sed -n 2p)" \
    "$(energy 15)" 3e-4

"$program" identify 15.csv --terms x --name flange --from free.start.w --to clamped.end.w \
    >joint.yaml 2>err
expect "identification" $? 0
value() {
    sed -n "s/^ *$1: //p" joint.yaml
}
report "e1 and e2 are found" "$(awk -v a="$(value e1)" -v b="$(value e2)" 'BEGIN {
    if (!(a / 3.33e8 > 1 - 1e-5 && a / 3.33e8 < 1 + 1e-5)) { print "e1: " a }
    if (!(b / 7.13e4 > 1 - 1e-5 && b / 7.13e4 < 1 + 1e-5)) { print "e2: " b }
}')"
# the model with the joint that was found
awk 'FILENAME == "joint.yaml" { joint = joint $0 "\n"; next }
    /^joints:/ { printf "%s\n", joint; is_old = 1; next }
    /^[a-z]/ { is_old = 0 }
    !is_old' joint.yaml "$model" >found.yaml
response found.yaml f.csv
expect "harmonic balance with what was found" $? 0
compared="slip_h1 slip_max loss_flange"
# shellcheck disable=SC2086
apart 4 "the loop at 15 Hz predicts the others" "$(cells f.csv ,at, $compared)" \
    "$(cells b.csv ,at, $compared)" 5e-5

# with more harmonics the sampled forces jump again and again near 7 Hz, which a restart leaves
"$program" frf "$model" --set harmonics=7 --stability none -o ragged.csv 2>ragged.err
expect "a ragged stretch is not followed jump by jump" \
    "$? $(wc -l <ragged.csv | awk '{ print $1 < 2000 ? "few" : $1 }')" "0 few"

# fewer modes for a beam of many elements
beam() {
    "$program" integrate "$MASING_SOURCE_ROOT/examples/friction_beam.yaml" --frequency 22 \
        --set structure.beams.0.elements="$1" --set integration.modes="$2" \
        -o "$2.csv" 2>"$2.err"
}
beam 8 all
expect "beam of eight elements" $? 0
beam 60 auto
expect "beam of sixty elements" $? 0
report "the modes that were left out are told of" "$(
    grep -q 'with [0-9]* of 122 modes and 4 residual modes' auto.err || cat auto.err)"
measure() {
    sed -n 's/.* beam.end.w: max \([0-9.e-]*\),.*/\1/p' "$1.err"
}
report "both beams move alike" "$(awk -v a="$(measure all)" -v b="$(measure auto)" 'BEGIN {
    if (!(a / b > 1 - 5e-5 && a / b < 1 + 5e-5)) { print a " and " b }
}')"
finish
