#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# waves.sh MASING: the stability of a travelling wave by one sector, and the whole disk in time.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
cat >disk.yaml <<END
masing: 1
structure:
  cyclic: {sectors: 5}
  masses: {disk: 1.0, blade: 0.3}
  springs:
    - {from: ground, to: disk, stiffness: 1e5}
    - {from: disk, to: blade, stiffness: 4e5}
    - {from: disk, to: next.disk, stiffness: 2e5}
  damping: {modal_ratio: 0.01}
joints:
  - {name: root, law: cubic_spring, from: disk, to: blade, coefficient: 1e13}
loads: [{dof: blade, amplitude: 10, engine_order: 2}]
frequency: [250, 260]
harmonics: 7
solver: {step: {max: 0.05}}
outputs: [blade]
END
sed 's/- {name: root.*/- {name: damper, law: jenkins, from: blade, to: next.blade,\
       stiffness: 5e4, slip_force: 2}/; s/250, 260/110, 125/' disk.yaml >damper.yaml

"$program" frf disk.yaml --search 0 --stability hill -o wave.csv 2>said
report "a wave is unstable from where a pair of multipliers leaves the circle" "$(
    grep -q '^  Neimark-Sacker at  *255\.138 Hz' said || cat said)"
report "into another nodal diameter than its own" "$(
    grep -q '^  growing motion  *nodal diameter 0 from 255\.138 Hz' said || cat said)"
"$program" compare disk.yaml --frequency 250,254 --tolerance 1e-5 -o stable.csv 2>log
report "before the disk stays there" "$([ $? -eq 0 ] || cat log)"
"$program" compare disk.yaml --frequency 258 --set integration.cycles=2000 -o left.csv 2>log
expect "behind it does not" $? 1
report "in any periodic motion" "$(grep -q 'at 258 Hz: no steady state within' log || cat log)"

"$program" integrate damper.yaml --frequency 118 -o sector.csv 2>sector
expect "a disk in time" $? 0
"$program" integrate damper.yaml --frequency 118 --set structure.cyclic.unroll=true \
    -o whole.csv 2>whole
cut -d, -f 1,2 whole.csv >own.csv
report "is the whole one, of which sector 0 is told" "$(grep '  blade: max' sector >said
    grep '  blade: max' whole | diff - said
    cut -d, -f 1,2 sector.csv | cmp - own.csv 2>&1)"
report "with energies of a sector" "$(paste -d' ' sector whole | awk '
    /per cycle/ {
        n++
        if (($5 * 5 / $15 - 1) ^ 2 > 1e-8) {
            print
        }
    }
    END { if (n != 1) print n + 0 " lines" }')"
report "and names of the sector" "$(head -n 1 sector.csv | tr , '\n' |
    grep -qx force_damper || head -n 1 sector.csv)"
"$program" compare damper.yaml --frequency 113,118,121 --tolerance 1e-3 \
    --set integration.method=exact -o compare.csv 2>log
report "sliders in time and in the balance" "$([ $? -eq 0 ] || cat log)"
finish
