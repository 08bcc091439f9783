#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# base_motion.sh PROGRAM: outputs of a structure on a moving base, against closed forms.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
table=$MASING_SOURCE_ROOT/tests/reference/field/shaker_table.yaml
begin "$1"

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

# Two masses, the second on the first, no symmetry: K - Omega^2 M + i Omega C by Cramer's rule.
cat >two.yaml <<'E2'
masing: 1
structure:
  masses: {a: 2.0, b: 1.0}
  springs:
    - {from: ground, to: a, stiffness: 8e4}
    - {from: a, to: b, stiffness: 3e4}
  dampers: [{from: a, to: b, damping: 8}]
loads: [{name: table, base_acceleration: 5, direction: {a: 1, b: 1}}]
frequency: [10, 60]
harmonics: 2
outputs:
  - {name: t, dof: b, quantity: transmissibility}
  - {name: x, dof: a, frame: absolute}
  - {name: d, from: a, to: b, frame: absolute}
E2

# right_two HZ OUTPUT
right_two() {
    awk -v OFMT=%.15g -v hz="$1" -v what="$2" 'BEGIN {
        w = 2 * atan2(0, -1) * hz
        pr = 11e4 - 2 * w * w; qr = 3e4 - w * w; mr = -3e4; ci = 8 * w # p, q + i c; m - i c
        dr = pr * qr - mr * mr; di = ci * (pr + qr + 2 * mr)
        n = dr * dr + di * di
        ar = -5 * (2 * qr - mr); ai = -5 * 3 * ci # times the determinant
        br = -5 * (pr - 2 * mr); bi = -5 * 3 * ci
        xr = (ar * dr + ai * di) / n; xi = (ai * dr - ar * di) / n
        yr = (br * dr + bi * di) / n; yi = (bi * dr - br * di) / n
        if (what == "t") print sqrt((5 - w * w * yr) ^ 2 + (w * w * yi) ^ 2) / 5
        if (what == "x") print sqrt((xr - 5 / w / w) ^ 2 + xi * xi)
        if (what == "d") print sqrt((yr - xr) ^ 2 + (yi - xi) ^ 2)
    }'
}
for hz in 15 27 41; do
    "$program" frf two.yaml --quiet --at $hz >out 2>err
    "$program" integrate two.yaml --frequency $hz >time 2>err
    for output in t x d; do
        near "two masses: $output at $hz Hz" "$(value ${output}_max at out)" \
            "$(right_two $hz $output)" 1e-9
        near "two masses: $output at $hz Hz in time" \
            "$(sed -n "s/^  $output: max \([^,]*\),.*/\1/p" err)" \
            "$(right_two $hz $output)" 1e-4
    done
done
"$program" compare two.yaml --quiet --points 4 --tolerance 1e-5 >out 2>err
expect "two masses: both ways agree" $? 0

# The response by a mode alone: of one mass, and of two equal ones that the base moves in their
# first mode, it is the whole response.
(cat base.yaml && echo 'mode: {number: 1, amplitude: [1e-6, 1]}') >one.yaml
sed 's/masses: {m: 2.0}/masses: {m: 2.0, n: 2.0}/; s/direction: {m: 1}/direction: {m: 1, n: 1}/
    s/^  springs: \[/&{from: ground, to: n, stiffness: 8e4}, /
    s/^  springs: \[/&{from: m, to: n, stiffness: 5e4}, /' one.yaml >equal.yaml
for model in one equal; do
    "$program" mode $model.yaml --response >out 2>err
    report "by a mode alone: $model" "$(awk -F, 'NR == 1 {
            for (i = 1; i <= NF; i++) c[$i] = i
            next
        }
        $c["curve"] == "estimate" {
            pi = atan2(0, -1); w = 2 * pi * $c["frequency_hz"]; r = w / 200; z = 0.05
            size = sqrt((1 - r * r) ^ 2 + 4 * z * z * r * r)
            t = sqrt(1 + 4 * z * z * r * r) / size
            right["t"] = t; right["a"] = t * 9.81; right["v"] = right["a"] / w
            right["x"] = right["v"] / w; right["r"] = 9.81 / 4e4 / size
            for (o in right) {
                e = $c[o "_h1"] / right[o] - 1
                if (!(e * e < 1e-18)) print o " at " $c["frequency_hz"] ": " e
            }
            n++
        }
        END { if (n < 100) print n " rows" }' out)"
done
sed '/^mode:/d' "$table" >joint.yaml
echo 'mode: {number: 1, amplitude: [1e-8, 1e-1]}' >>joint.yaml
for settings in frame=relative frame=absolute quantity=transmissibility; do
    "$program" mode joint.yaml --response --set outputs.0.$settings >out 2>err
    report "by a mode alone with a joint, $settings" "$(awk '
        $1 == "difference" { f = $2 + 0; print (f * f < 0.04 ? "" : $0); n++ }
        END { if (n != 1) print "no comparison" }' err | grep .)"
done

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
