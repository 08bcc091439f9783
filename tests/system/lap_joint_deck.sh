#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lap_joint_deck.sh PROGRAM: the deck of tools/make-lap-joint, and where CalculiX is installed
# its modes against CalculiX's own, a study of the preload and a field.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

sh "$MASING_SOURCE_ROOT/tools/make-lap-joint" lap.inp 12 4 2 1
expect "16 + 16 elements of 20 nodes" "$(grep -c '^[0-9].*,$' lap.inp)" 64
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
finish
