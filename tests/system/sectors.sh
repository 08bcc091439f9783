#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sectors.sh MASING: one sector of a disk, and the whole disk, from the command line.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
model=$examples/ring_damper.yaml

"$program" check "$model" --csv >modes.csv 2>log
expect "check lists modes" $? 0
report "with their nodal diameter first" "$(awk -F, '
    NR == 1 && $1 "," $2 "," $3 != "nodal_diameter,mode,free_hz" { print $0 }
    NR > 1 && ($1 != int((NR - 2) / 4) || $2 != (NR - 2) % 4 + 1) { print NR ": " $1 ", " $2 }
    END { if (NR != 53) print NR " lines" }' modes.csv)"
"$program" check "$model" >said 2>log
report "for people, too" "$(grep -q 'of one sector of 24 in nodal diameters 0 to 12' said ||
    head -n 3 said)"

refused "ringdown" "ring_damper.yaml:8:11: cyclic: a ringdown is not supported" \
    ringdown "$model" --set 'ringdown.impulse.mode=1' --set ringdown.impulse.amplitude=1
refused "reduce" "cyclic: a reduction is not supported" reduce "$model" -o x.h5
refused "krylov" "cyclic: 'solver.linear: krylov' is not supported" \
    frf "$model" --set solver.linear=krylov -o x.csv

"$program" frf "$model" --set structure.cyclic.unroll=true --set structure.cyclic.sectors=4 \
    --set loads.0.engine_order=1 --stability none --quiet -o whole.csv 2>log
expect "the whole disk" $? 0
report "has joints of all sectors" "$(for s in 0 1 2 3; do
    head -n 1 whole.csv | tr , '\n' | grep -qx "slip_$s.groove" || echo "no slip_$s.groove"
done)"
report "and outputs of the first" "$(head -n 1 whole.csv | grep -q ',tip_max,' ||
    head -n 1 whole.csv)"

# --- two modes have the peak between their natural frequencies: that counts which is loaded ---
cat >two.yaml <<END
masing: 1
structure:
  cyclic: {sectors: 6}
  masses: {a: 1.0, b: 0.5}
  springs:
    - {from: ground, to: a, stiffness: 3e4}
    - {from: a, to: next.a, stiffness: 2e4}
    - {from: a, to: b, stiffness: 1e4}
  damping: {modal_ratio: 0.01}
joints: [{name: j, law: jenkins, from: b, to: next.b, stiffness: 3e3, slip_force: 1}]
loads: [{dof: b, amplitude: 5, engine_order: 2}]
frequency: [10, 40]
harmonics: 3
outputs: [b]
END
linear_peaks() {
    "$program" frf two.yaml --set structure.cyclic.unroll="$1" --stability none -o two.csv \
        2>&1 | sed -nE 's/^ +(linear peak, [a-z]+) +([^;]*);.*/\1 \2/p'
}
expect "linear peaks of a wave" "$(linear_peaks false | tr '\n' ' ')" \
    "linear peak, stuck 0.01922 at 29.7439 Hz linear peak, free 0.02764 at 21.0984 Hz "
expect "and of the whole disk" "$(linear_peaks true)" "$(linear_peaks false)"

sed 's/dof: b,/dof: next.b,/' two.yaml >other.yaml
refused "a load on another sector" \
    "other.yaml:11:15: a load on 'b' of another sector: expected 'b', since all sectors" \
    check other.yaml
sed 's/law: jenkins.*/law: contact, normal: {a: 1}, tangential: [{q: 1}], friction: 0.1,\
    normal_stiffness: 1, tangential_stiffness: 1, preload: 1}]/' two.yaml >q.yaml
refused "weights in a list have no key" "weights: unknown DOF 'q'" check q.yaml
finish
