#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mistuning.sh MASING: a disk whose sectors differ.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
cp "$examples/mistuned_disk.yaml" "$examples/mistuned_disk.csv" .
model=mistuned_disk.yaml

"$program" frf $model --stability none -o frf.csv >said 2>&1
expect "a response of all blades" $? 0
report "whose table has them" "$(for s in 1 12 23; do
    head -n 1 frf.csv | tr , '\n' | grep -qx "$s.blade_max" || echo "no $s.blade_max"
done)"
# The largest value in the table's columns, but for what lies between its rows.
report "the summary tells how far they spread" "$(awk -F, '
    NR == FNR {
        if (/^  blades / && match($0, /to [0-9.e-]+ m \(sector [0-9]+/)) {
            split(substr($0, RSTART, RLENGTH), word, " ")
            largest = word[2]
            sector = word[5]
        }
        factor = /^  amplification factor/ ? $0 : factor
        next
    }
    FNR == 1 {
        for (i = 1; i <= NF; i++) {
            column[$i] = i
        }
        wanted = column[(sector > 0 ? sector "." : "") "blade_max"]
    }
    FNR > 1 {
        for (name in column) {
            found = name ~ /blade_max$/ && $column[name] > found ? $column[name] : found
        }
        own = $wanted > own ? $wanted : own
    }
    END {
        if (!(largest > 0) || found - own > 1e-4 * largest ||
            (found / largest - 1) ^ 2 > 1e-6) {
            print "said " largest " of sector " sector ", found " own " there, " found
        }
        if (factor !~ /1\.097 of the tuned.*Whitehead.*2\.949 bounds linear disks of one/) {
            print factor
        }
    }' said frf.csv)"
if [ -z "${MASING_SANITIZED:-}" ]; then
    "$program" compare $model --frequency 167.5,168.4,169.2 --set integration.method=exact \
        --tolerance 1e-4 -o compare.csv >log 2>&1
    report "all blades move in time as in the balance" "$([ $? -eq 0 ] || cat log)"
fi

# --- factors by themselves ---
cat >six.yaml <<END
masing: 1
parameters: {FC: 2}
structure:
  cyclic: {sectors: 6, unroll: true, mistuning: six.csv}
  masses: {disk: 1.0, blade: 0.3}
  springs:
    - {from: ground, to: disk, stiffness: 1e5}
    - {from: disk, to: blade, stiffness: 4e5}
    - {from: disk, to: next.disk, stiffness: 2e6}
  damping: {modal_ratio: 0.002}
joints:
  - {name: damper, law: jenkins, from: blade, to: next.blade, stiffness: 1e5, slip_force: \$FC}
loads: [{dof: blade, amplitude: 1, engine_order: 2}]
frequency: [150, 260]
outputs: [blade]
END
factors() {
    printf '%s\n' "$@" >six.csv
}
sed -e 's/cyclic:.*/cyclic: {sectors: 6, unroll: true}/' six.yaml >tuned.yaml
# Of sector 3: another one by its number in the list is the same disk turned.
frequencies() {
    "$program" check "$@" --csv 2>&1 | cut -d, -f 1-3
}
factors springs.1.stiffness 1 1 1 1.1 1 1
frequencies six.yaml >turned
factors springs.1.stiffness 1.1 1 1 1 1 1
sed 's/mistuning: six.csv/mistuning: {springs.1.stiffness: [1, 1, 1, 1, 1.1, 1]}/' six.yaml \
    >list.yaml
same() {
    paste -d, "$1" "$2" | awk -F, 'NR > 1 && ($2 - $5 > 1e-9 * $2 || $5 - $2 > 1e-9 * $2) {
        print NR ": " $2 ", " $5 }'
}
frequencies six.yaml >first
frequencies list.yaml >listed
frequencies tuned.yaml --set mistuning.springs.1.stiffness.2=1.1 >single
frequencies tuned.yaml >tuned
report "a factor belongs to one sector" "$(same first turned && same first listed &&
    same first single)"
report "and makes a difference" "$([ -n "$(same first tuned)" ] || cat first)"
factors FC,masses.blade '1,1' '1,1' '1,1' '1.5,1' '1,1' '1,2'
report "parameters and masses, too" "$("$program" frf six.yaml --stability none \
    -o six.out.csv 2>&1 | grep -q 'blades  *blade_max from' || echo none)"
factors springs.1.stiffness 1 1
refused "too few rows" "six.csv:1:1: mistuning: expected 6 rows, one for each sector, found 2" \
    check six.yaml
factors springs.1.stiffness 1 1 1 1 1 1 1
refused "too many rows" \
    "six.csv:8:1: mistuning: expected 6 rows, one for each sector, found 7" check six.yaml
factors springs.9.stiffness 1 1 1 1 1 1
refused "an unknown number" "six.csv:1:1: mistuning: springs.9.stiffness: no such number" \
    check six.yaml
factors springs.1.from 1 1 1 1 1 1
refused "a text" "six.csv:1:1: mistuning: springs.1.from: this is no number" check six.yaml
factors frequency.0 1 1 1 1 1 1
refused "a number of the disk" \
    "six.csv:1:1: mistuning: frequency.0: this is no number of a sector" check six.yaml
factors springs.1.stiffness 1 1 x 1 1 1
refused "a cell that is no number" "six.csv:4:1: springs.1.stiffness: 'x' is not a number" \
    check six.yaml
factors damper.stiffness,FC 1,1 1,1 1,1 1,-1 1,1 1,1
refused "a number that a sector cannot have" \
    "six.csv:5:1: mistuning: a number of sector 3: six.yaml:12:91: 'slip_force' must be >=" \
    check six.yaml
factors springs.1.stiffness,masses.blade 1,1 1,1 1,1 1,-1 1,1 1,1
refused "of which the column is known" \
    "six.csv:5:3: mistuning: masses.blade of sector 3: blade: a mass cannot be" check six.yaml
refused "a sector alone" "six.yaml:4:49: mistuning: expected 'unroll: true' beside it" \
    check six.yaml --set structure.cyclic.unroll=false
refused "no such sector" "mistuning: '6' is no sector" \
    check tuned.yaml --set mistuning.springs.1.stiffness.6=1
refused "a short list" "springs.1.stiffness: expected 6 factors, one for each sector, found 1" \
    check list.yaml --set mistuning.springs.1.stiffness='[1]'

# --- drawn ---
cat tuned.yaml - >drawn.yaml <<END
uncertain:
  mistuning.springs.1.stiffness: {normal: [1, 0.01]}
END
"$program" sample drawn.yaml --samples 6 --quiet -o sample.csv 2>log
expect "factors are drawn" $? 0
report "for each sector by itself" "$(awk -F, '
    NR == 1 {
        for (i = 1; i <= NF; i++) {
            column[$i] = i
        }
    }
    NR > 1 {
        for (s = 0; s < 6; s++) {
            factor = $column["mistuning.springs.1.stiffness." s]
            if (!(factor > 0.9 && factor < 1.1) || factor in seen) {
                print "sector " s ": " factor
            }
            seen[factor] = 1
        }
        if (!($column["amplification"] > 1 && $column["amplification"] < 1.725) ||
            !($column["blade_largest"] >= $column["blade_max"])) {
            print "amplified by " $column["amplification"]
        }
    }
    END { if (NR != 7) print NR " lines" }' sample.csv)"
sed '/^uncertain/a\  correlation: [[1]]' drawn.yaml >tied.yaml
refused "a correlation of theirs" "tied.yaml:17:16: correlation: not with 'mistuning.'" \
    check tied.yaml
sed 's/damper.preload/mistuning.x/' "$examples/uncertain_damper.yaml" >single.yaml
refused "without sectors" "mistuning.x: expected a structure with 'cyclic'" \
    check single.yaml
finish
