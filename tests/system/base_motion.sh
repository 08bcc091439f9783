#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# base_motion.sh PROGRAM: outputs of a structure on a moving base, against closed forms.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
program=$(realpath "$1")
table=$MASING_SOURCE_ROOT/tests/reference/field/shaker_table.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# near NAME FOUND RIGHT PART: FOUND is RIGHT to a part of it
near() {
    report "$1" "$(awk -v a="$2" -v b="$3" -v part="$4" 'BEGIN {
        d = a - b; if (d < 0) d = -d; s = b < 0 ? -b : b
        if (a == "" || !(d <= part * s)) print "found " a ", expected " b }')"
}

# value COLUMN EVENT FILE: of the first row with this event
value() {
    awk -F, -v name="$1" -v event="$2" 'NR == 1 { for (i = 1; i <= NF; i++) {
            if ($i == name) c = i; if ($i == "event") e = i } next }
        $e == event { print $c; exit }' "$3"
}

# One mass on a spring and a damper from the base, w0 = 200 rad/s, zeta = 0.05; the base moves
# with 9.81 cos(Omega t + 30 deg).
cat >base.yaml <<'E2'
masing: 1
structure:
  masses: {m: 2.0}
  springs: [{from: ground, to: m, stiffness: 8e4}]
  damping: {modal_ratio: 0.05}
loads:
  - {name: table, base_acceleration: 9.81, direction: {m: 1}, phase: 30}
frequency: [10, 80]
harmonics: 2
outputs:
  - {name: t, dof: m, quantity: transmissibility}
  - {name: a, dof: m, quantity: acceleration, frame: absolute}
  - {name: v, dof: m, quantity: velocity, frame: absolute}
  - {name: x, dof: m, frame: absolute}
  - {name: r, dof: m, frame: relative}
E2

# right HZ WHAT: closed forms, r = Omega/w0: |1 + 2 i zeta r| / |1 - r^2 + 2 i zeta r|
right() {
    awk -v OFMT=%.15g -v hz="$1" -v what="$2" 'BEGIN {
        pi = atan2(0, -1); w = 2 * pi * hz; r = w / 200; z = 0.05
        t = sqrt((1 + 4 * z * z * r * r) / ((1 - r * r) ^ 2 + 4 * z * z * r * r))
        phase = (atan2(2 * z * r, 1) - atan2(2 * z * r, 1 - r * r)) * 180 / pi + 30
        if (what == "t") print t
        if (what == "a") print t * 9.81
        if (what == "v") print t * 9.81 / w
        if (what == "x") print t * 9.81 / w / w
        if (what == "r") print 9.81 / 4e4 / sqrt((1 - r * r) ^ 2 + 4 * z * z * r * r)
        if (what == "phase") print phase
    }'
}

for hz in 15 31 60; do
    "$program" frf base.yaml --quiet --at $hz >out 2>err
    for output in t a v x r; do
        near "$output at $hz Hz" "$(value ${output}_max at out)" "$(right $hz $output)" 1e-9
    done
    near "its phase at $hz Hz" "$(value t_h1_phase_deg at out)" "$(right $hz phase)" 1e-9
    "$program" integrate base.yaml --frequency $hz >out 2>err
    for output in t a v x r; do
        near "$output at $hz Hz in time" \
            "$(sed -n "s/^  $output: max \([^,]*\),.*/\1/p" err)" "$(right $hz $output)" 1e-5
    done
done
"$program" compare base.yaml --quiet --frequency 20,31 --tolerance 1e-5 >out 2>err
expect "both ways agree" $? 0
"$program" frf base.yaml >out 2>err
report "the summary compares with the same linear peak" \
    "$(grep -q 'linear peak, stuck .* 0.0 %' err || cat err)"

# Half power of the relative displacement: r^2 = 1 - 2 z^2 -+ 2 z sqrt(1 - z^2)
"$program" frf base.yaml --set peak.output=r >out 2>err
for side in 1 -1; do
    hz=$(awk -v OFMT=%.15g -v side=$side 'BEGIN { z = 0.05; pi = atan2(0, -1)
        print 100 / pi * sqrt(1 - 2 * z * z - side * 2 * z * sqrt(1 - z * z)) }')
    near "half power, side $side" \
        "$(sed -n 's/.*half-power bandwidth .*(\(.*\) to \(.*\) Hz):.*/\1 \2/p' err |
            cut -d' ' -f$((side == 1 ? 1 : 2)))" "$hz" 1e-5
done
near "its quality factor" "$(sed -n 's/.*Q = //p' err)" "$(awk 'BEGIN { z = 0.05
    w = 1 - 2 * z * z; d = 2 * z * sqrt(1 - z * z)
    print sqrt(w) / (sqrt(w + d) - sqrt(w - d)) }')" 1e-3

# A base that moves twice as often, and half of a DOF.
sed 's/phase: 30/harmonic: 2/
    s/r, dof: m, frame: relative/r, frame: absolute, weights: {m: 0.5}/' base.yaml >twice.yaml
"$program" frf twice.yaml --quiet --at 15.5 >out 2>err
near "a base in its second harmonic" "$(value t_max at out)" "$(right 31 t)" 1e-9
near "half of a DOF has half of it" "$(value r_max at out)" \
    "$(right 31 x | awk -v OFMT=%.15g '{ print $1 / 2 }')" 1e-9

# With a joint: the peak followed over the base's amplitude is that of whole curves.
for quantity in transmissibility acceleration; do
    options="--quiet --set outputs.0.quantity=$quantity --set outputs.0.frame=absolute"
    options="$options --vary table.base_acceleration=5,15"
    "$program" study "$table" $options -o s.csv >out 2>err
    "$program" peak "$table" $options >out 2>err
    for row in 2 3; do
        near "$quantity, row $row" "$(sed -n ${row}p out | cut -d, -f4)" \
            "$(sed -n ${row}p s.peaks.csv | cut -d, -f3)" 1e-8
    done
    sed -n 3p s.peaks.csv | cut -d, -f3 >$quantity
done
near "transmissibility is acceleration over the base's" "$(cat transmissibility)" \
    "$(awk -v OFMT=%.15g '{ print $1 / 15 }' acceleration)" 1e-9

# refused NAME MESSAGE ARGUMENT...
refused() {
    name=$1 message=$2
    shift 2
    "$program" "$@" >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        grep -qF -- "$message" err || cat err
    )"
}
refused "nothing to divide by" "transmissibility: the base's amplitude is 0" \
    frf base.yaml --set load_factor=0
sed 's/base_acceleration: 9.81, direction: {m: 1}, phase: 30/dof: m, amplitude: 1/' \
    base.yaml >f.yaml
refused "no base that moves" "expected one load with base_acceleration, found 0" frf f.yaml
refused "a frame of another kind" "expected one of relative, absolute" \
    frf base.yaml --set outputs.1.frame=fixed

finish
