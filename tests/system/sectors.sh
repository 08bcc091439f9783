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

# --- a whole disk begins with the wave of its sector ---
begin_at() { # OVERRIDES: first harmonic and phase at 240 Hz, where all wedges slip and open
    rm -f begun.csv
    "$program" frf "$examples/bladed_disk.yaml" --set structure.cyclic.sectors=8 --set FC=10 \
        --set wake.amplitude=50 --set "frequency=[240,240.01]" --set samples=128 \
        --stability none --quiet -o begun.csv "$@" >log 2>&1
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { printf "%.6e %.5f\n", $at["blade_h1"], $at["blade_h1_phase_deg"] }' begun.csv
}
wave=$(begin_at)
report "a sector finds its wave" "$([ -n "$wave" ] || cat log)"
expect "as the whole disk" "$(begin_at --set structure.cyclic.unroll=true)" "$wave"
near=$(begin_at --set structure.cyclic.unroll=true \
    --set structure.cyclic.mistuning.springs.2.stiffness.3=1.01)
report "and one that is a little mistuned nearby" "$(echo "$near $wave" | awk '
    NF != 4 || $1 == $3 || ($1 / $3 - 1) ^ 2 > 1e-4 || ($2 - $4) ^ 2 > 1')"

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

# --- names of other sectors that are not there ---
hint() { # UNROLLED DOF SENTENCE
    sed "s/to: next.b/to: $2/; s/sectors: 6/sectors: 6, unroll: $1/" two.yaml >hint.yaml
    refused "$2 is unknown" "hint.yaml:10:47: to: unknown DOF '$2'$3" check hint.yaml
}
hint false next.bb " (did you mean 'next.b'?)"
hint false 0.b ": sectors have DOFs of their own with 'unroll: true' only, where they are 0 "
hint true 6.b ": expected a sector from 0 to 5"
hint true 2.bb " (did you mean '2.b'?)"

# --- a name of the far boundary: the following sector's load, an angle of its own earlier ---
cat >lists.yaml <<END
masing: 1
structure:
  cyclic: {sectors: 6, low: [a], high: [b]}
  dofs: [a, m, b, c]
  mass: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0.2]]
  stiffness:
    - [4e4, -1e4, 0, 0]
    - [-1e4, 3e4, -1e4, -2e3]
    - [0, -1e4, 4e4, 0]
    - [0, -2e3, 0, 2e3]
  damping: {modal_ratio: 0.01}
joints: [{name: j, law: jenkins, from: c, to: b, stiffness: 3e3, slip_force: 1}]
loads: [{dof: b, amplitude: 5, engine_order: 2}]
static_loads: [{dof: b, force: 1}]
frequency: 20
harmonics: 3
outputs: [b, c]
END
sed 's/{dof: b, amplitude: 5,/{dof: a, phase: 120, amplitude: 5,/; s/{dof: b, f/{dof: a, f/' \
    lists.yaml >low.yaml
sed 's/{dof: b, amplitude: 5,/{pattern: {b: 2, m: 0}, amplitude: 2.5,/' lists.yaml >sum.yaml
for given in lists low sum; do
    "$program" frf "$given.yaml" -o $given.csv --columns harmonics --quiet 2>log
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { printf "%.9e %.6f %.9e %.9e\n", $at["b_h1"], $at["b_h1_phase_deg"],
            $at["c_max"], $at["c_mean"] }' $given.csv >$given.txt
done
expect "a load on the far boundary" "$(cat lists.txt)" "$(cat low.txt)"
expect "among others" "$(cat sum.txt)" "$(cat low.txt)"
for base in "a: 1, m: 1, c: 1" "b: 1, m: 1, c: 1" "a: 1, b: 1, m: 1, c: 1"; do
    sed "s/^loads.*/loads: [{base_acceleration: 1, direction: {$base}}]/" lists.yaml >base.yaml
    "$program" frf base.yaml -o base.csv --quiet 2>log
    awk -F, 'NR == 2 { printf "%.9e\n", $4 }' base.csv >>base.txt
done
expect "a direction under either name" "$(sort -u base.txt | grep -c e)" 1
refused "or both, with one number" \
    "direction: 'a' and 'b', which is 'a' of the following sector, expected the same number" \
    check base.yaml --set loads.0.direction.b=2
refused "a base moves all sectors alike" \
    "base_acceleration: engine order 2, expected 0: the base moves all sectors alike" \
    check base.yaml --set loads.0.engine_order=2

# --- the speed of the shaft ---
sed -e 's/^frequency: .*/frequency: [5, 20]/' -e '/^harmonics/d' \
    -e 's/slip_force: 1/friction: 0.5, preload_per_speed_squared: 2e-4/' \
    -e 's/^  damping/  per_speed_squared: [{from: a, to: b, stiffness: 0.5}]\n  damping/' \
    two.yaml >speed.yaml
refused "without a speed" "speed.yaml:9:22: per_speed_squared: the speed is not known" \
    check speed.yaml
echo 'frequency_of: shaft' >>speed.yaml
"$program" frf speed.yaml --at 12 -o shaft.csv --quiet >log 2>&1
expect "a curve over the speed" $? 0
"$program" frf speed.yaml --set frequency=12 --set structure.spin_hz=12 -o fixed.csv --quiet \
    >log 2>&1
value() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["frequency_hz"] == 12 { printf "%.9e", $at[name] }' "$1"
}
expect "its point is that of a speed" "$(value shaft.csv b_h2)" "$(value fixed.csv b_h2)"
refused "integrate" "speed.yaml: time integration is not supported where stiffness or" \
    integrate speed.yaml --frequency 12 --set structure.cyclic.unroll=true
"$program" compare speed.yaml --frequency 12 --set structure.cyclic.unroll=true \
    --set structure.spin_hz=12 -o compared.csv --quiet >log 2>&1
expect "integration at a speed" $? 0
report "agrees" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 && !($at["relative_difference"] < 1e-3) { print $0 }' compared.csv)"
for picture in "two.yaml nodal diameter" "speed.yaml speed of the shaft (Hz)"; do
    "$program" check "${picture%% *}" -o lines.svg >log 2>&1
    expect "a picture of ${picture%% *}" $? 0
    report "over the ${picture#* }" "$(grep -qF "${picture#* }" lines.svg || echo none)"
    report "with its orders" "$(grep -qE '>(EO 2|order 2)<' lines.svg || echo none)"
done

# --- sparse files of a sector are its dense rows, with what goes with the speed ---
coordinates() { # NAME ENTRIES, "row column value" of the lower triangle
    {
        echo "%%MatrixMarket matrix coordinate real symmetric"
        echo "4 4 $(echo "$2" | wc -l)"
        echo "$2"
    } >"$1.mtx"
}
coordinates m "1 1 1
2 2 1
3 3 1
4 4 0.2"
coordinates k "1 1 4e4
2 1 -1e4
2 2 3e4
3 2 -1e4
3 3 4e4
4 2 -2e3
4 4 2e3"
coordinates b "1 1 0.5
3 2 -0.2
3 3 0.4
4 2 -0.1
4 4 0.3"
rows='[[0.5, 0, 0, 0], [0, 0, -0.2, -0.1], [0, -0.2, 0.4, 0], [0, -0.1, 0, 0.3]]'
sed -e '/^static/d' -e 's/engine_order: 2/harmonic: 1, engine_order: 1/' \
    -e "s/^  damping/  per_speed_squared: $rows\n  damping/" \
    -e 's/^frequency: .*/frequency: [10, 25]/' lists.yaml >rows.yaml
sed -e 's/^  mass: .*/  mass: m.mtx/' -e 's/^  stiffness:.*/  stiffness: k.mtx/' \
    -e '/^    - \[/d' -e 's/^  per_speed.*/  per_speed_squared: b.mtx/' rows.yaml >files.yaml
for speed in "frequency_of=shaft forces=exact" "structure.spin_hz=14 forces=sampled"; do
    for given in rows files; do
        "$program" frf $given.yaml --set "${speed% *}" --set "${speed#* }" --at 15,20 \
            -o $given.csv --quiet 2>$given.log
        expect "$given, $speed" $? 0
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 1 && $at["event"] ~ /at|peak/ { printf "%.9e %.9e %.9e\n",
                $at["frequency_hz"], $at["b_max"], $at["c_h3"] }' $given.csv >$given.txt
    done
    report "rows of $speed" "$([ "$(wc -l <rows.txt)" -ge 2 ] || cat rows.csv)"
    expect "files are rows with $speed" "$(cat files.txt)" "$(cat rows.txt)"
done
for given in rows files; do
    echo 'uncertain: {j.slip_force: {uniform: [0.5, 2]}}' >>$given.yaml
    "$program" sample $given.yaml --set structure.spin_hz=14 --samples 3 -o $given.csv \
        --quiet 2>log
    awk -F, 'NR > 1 { printf "%.9e %.9e %.9e\n", $2, $3, $4 }' $given.csv >$given.txt
done
expect "drawn as well" "$(cat files.txt)" "$(cat rows.txt)"
report "three times" "$([ "$(sort -u rows.txt | wc -l)" -eq 3 ] || cat rows.csv)"
"$program" frf files.yaml --set structure.spin_hz=0 --at 15,20 -o still.csv --quiet 2>log
"$program" frf files.yaml --set structure.spin_hz=14 --at 15,20 -o files.csv --quiet 2>log
report "the speed counts" "$(cmp -s still.csv files.csv && echo no)"

# --- the mass of a damper, of the manual ---
"$program" peak "$examples/turbine_stage.yaml" --set struts.engine_order=4 \
    --set "frequency=[62.5,105]" \
    --set chambers.amplitude=0 --vary m=1e-6:1e-2 --minimize -o mass.csv 2>log
expect "the best mass" "$(sed -n 's/^ *lowest peak at *//p' log)" "m = 0.00050380372"

sed 's/dof: b,/dof: next.b,/' two.yaml >other.yaml
refused "a load on another sector" \
    "other.yaml:11:15: a load on 'b' of another sector: expected 'b', since all sectors" \
    check other.yaml
sed 's/law: jenkins.*/law: contact, normal: {a: 1}, tangential: [{q: 1}], friction: 0.1,\
    normal_stiffness: 1, tangential_stiffness: 1, preload: 1}]/' two.yaml >q.yaml
refused "weights in a list have no key" "weights: unknown DOF 'q'" check q.yaml
finish
