#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lap_joint_deck.sh PROGRAM: the deck of tools/make-lap-joint, and where CalculiX is installed
# its modes against CalculiX's own, a study of the preload and a field.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

sh "$MASING_SOURCE_ROOT/tools/make-lap-joint" lap.inp 12 4 2 1
expect "16 + 16 elements of 20 nodes" "$(grep -c '^[0-9].*,$' lap.inp)" 64
# Eight millimetres around the quarters of the lap: a cross of five nodes of each bolt.
expect "10 nodes under heads, 10 under nuts" "$(awk '/^\*/ { set = $0 }
    set ~ /HEADS|NUTS/ && /^[0-9]/ { n[set]++ }
    END { for (set in n) print n[set] }' lap.inp | tr '\n' ' ')" "10 10 "
if ! command -v ccx >/dev/null; then
    echo "# skipped: the matrices by CalculiX, ccx is not installed"
    finish
fi
ccx lap >out 2>&1
report "CalculiX writes the matrices" "$([ -s lap.sti ] || tail -n 5 out)"
sed 's/,SOLVER=MATRIXSTORAGE//' lap.inp >own.inp
ccx own >out 2>&1

cat >free.yaml <<'END_OF_MODEL'
masing: 1
structure: {calculix: lap, mesh: lap.inp, damping: {modal_ratio: 0.002}}
loads: [{name: shaker, set: TIP, direction: z, amplitude: 0.1}]
frequency: [20, 600]
harmonics: 3
outputs: [{name: tip, set: TIP, direction: z}]
END_OF_MODEL
"$program" check free.yaml --csv >free.csv 2>err
report "modes are CalculiX's own, rigid ones by number" "$(
    awk 'NF == 5 && $1 ~ /^[0-9]+$/ { print $4 } /P A R T/ { exit }' own.dat |
        awk -F, 'NR == FNR { own[++n] = $1; next }
            FNR > 1 && FNR <= 7 && $2 != 0 { print "mode " $1 ": " $2 " Hz is not rigid" }
            FNR > 7 && FNR <= n + 1 {
                n_compared++
                if (!($2 > own[FNR - 1] * (1 - 1e-6) && $2 < own[FNR - 1] * (1 + 1e-6))) {
                    print "mode " $1 ": " $2 " Hz, expected " own[FNR - 1]
                }
            }
            END { if (n_compared != 4) print n_compared " of 4 compared" }' - free.csv)"

sed 's/^loads/joints:\
  - {name: lap, law: contact, surfaces: {from: LOWER, to: UPPER, match: 1e-4}, per_area: true,\
     normal_stiffness: 2e11, tangential_stiffness: 1e11, friction: 0.3, preload: 4e6}\
&/; s/^frequency: .*/frequency: [26, 30]/; s/^harmonics: .*/harmonics: 1/' free.yaml >lap.yaml
"$program" check lap.yaml >out 2>&1
report "the lap's area" "$(grep -q ' area  *0.0015 m^2' out || cat out)"
"$program" study lap.yaml --vary lap.preload=2.5e6,3e6,4e6 --stability none -o study.csv \
    >out 2>&1
expect "a study of the preload" "$?" 0
report "has a peak of each" "$(awk -F, 'NR > 1 && $2 > 28.2 && $2 < 28.3 { n++ }
    END { if (n != 3) print n " of 3 peaks" }' study.peaks.csv)"
"$program" frf lap.yaml --stability none --quiet -o field.vtkhdf >out 2>&1
report "a field at the peak" "$([ -s field_peak.vtkhdf ] && [ -s field_peak_pairs.vtkhdf ] ||
    cat out)"

# Bolts as static loads press the lap together: the tighter, the less friction damps.
cat >bolts.yaml <<'END_OF_MODEL'
masing: 1
parameters: {bolt: 2000}
structure: {calculix: lap, mesh: lap.inp, damping: {modal_ratio: 0.002}}
joints:
  - {name: lap, law: contact, surfaces: {from: LOWER, to: UPPER, match: 1e-4}, per_area: true,
     normal_stiffness: 2e13, tangential_stiffness: 1e13, friction: 0.3, preload: 0}
static_loads:
  - {set: HEADS, direction: z, force: -2 * $bolt}
  - {set: NUTS, direction: z, force: 2 * $bolt}
loads: [{name: shaker, set: TIP, direction: y, amplitude: 0.2}]
frequency: [68, 72]
harmonics: 1
outputs: [{name: tip, set: TIP, direction: y}]
END_OF_MODEL
"$program" check bolts.yaml --set frequency=[20,40] --csv >rigid.csv 2>err
expect "slipping, the upper beam has three rigid-body motions in its plane" \
    "$(awk -F, 'NR > 1 && NR <= 4 { print $2 }' rigid.csv | tr '\n' ' ')" "0 0 0 "
"$program" study bolts.yaml --vary bolt=1000,2000,4000 --stability none -o bolts.csv >out 2>&1
expect "a study of the bolts" "$?" 0
report "tighter ones damp less" "$(awk -F, 'NR == 1 {
        for (i = 1; i <= NF; i++) { column[$i] = i }
        next
    }
    { damping = $column["equivalent_damping_ratio"] }
    NR > 2 && !(damping > 0 && damping < before) { print "bolt " $1 ": " damping }
    { before = damping; n++ }
    END { if (n != 3) print n " of 3 peaks" }' bolts.peaks.csv)"
finish
