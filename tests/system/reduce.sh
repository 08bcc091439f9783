#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# reduce.sh PROGRAM: a structure is reduced, read again, and refused where something acts on
# what was not kept; files that are wrong.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
cp "$MASING_SOURCE_ROOT"/examples/overlap* .

# model FILE.h5 [SED COMMAND]...: overlap.yaml with its structure from there, as small.yaml
model() {
    file=$1
    shift
    sed "s|calculix: overlap|reduced: $file|" overlap.yaml >small.yaml
    for command; do
        sed -i "$command" small.yaml
    done
}

# peak MODEL: frequency and value
peak() {
    "$program" frf "$1" --quiet -o peak.csv 2>err || cat err
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { column[$i] = i } }
        $column["event"] ~ /peak/ && $column["tip_max"] > largest {
            largest = $column["tip_max"]
            hz = $column["frequency_hz"]
        }
        END { print hz, largest }' peak.csv
}

# near NAME A B: frequencies to 1e-5, peaks to 1e-4
near() {
    report "$1" "$(echo "$2 $3" | awk '
        function off(a, b) { return a > b ? a / b - 1 : b / a - 1 }
        NF != 4 || off($1, $3) > 1e-5 || off($2, $4) > 1e-4 { print }')"
}

full=$(peak overlap.yaml)
for basis in fixed free; do
    "$program" reduce overlap.yaml --basis $basis --keep 40 -o rom.h5 >out 2>err
    expect "reduce --basis $basis" "$? $(wc -c <out)" "0 0"
    report "the summary names the largest difference" "$(
        grep -q '^reduced: 132 DOFs to [0-9]* coordinates: 40 DOFs kept, 60 modes' err &&
            grep -q '^largest difference up to 787.5 Hz, the highest .*e-[0-9]*, mode' err ||
            cat err)"
    model rom.h5
    near "the peak of it ($basis)" "$full" "$(peak small.yaml)"
done
report "the record has the command" "$(grep -q '"reduce"' rom.h5.run.yaml ||
    cat rom.h5.run.yaml)"
report "and says that it is done" "$(grep -q '^complete: true' rom.h5.run.yaml ||
    cat rom.h5.run.yaml)"
"$program" reduce overlap.yaml --basis free --keep 40 --quiet -o rom.h5 2>err
cp rom.h5 first.h5
"$program" reduce overlap.yaml --basis free --keep 40 --quiet -o rom.h5 2>err
report "the same bytes again" "$(cmp rom.h5 first.h5 2>&1)"
report "and nothing to say" "$(cat err)"

"$program" reduce overlap.yaml -o rom.mtx --quiet 2>err
expect "Matrix Market files" "$? $(wc -l <rom_dofs.txt) $(sed -n 2p rom_mass.mtx)" \
    "0 97 97 97"
matrices='  dofs: rom_dofs.txt\n  mass: rom_mass.mtx\n  stiffness: rom_stiffness.mtx'
sed "s|  calculix: overlap|$matrices|" overlap.yaml >matrices.yaml
near "the peak of these" "$full" "$(peak matrices.yaml)"

# dampers make a matrix, which is reduced, too
cat >damped.yaml <<'END'
masing: 1
structure:
  masses: {a: 1, b: 1, c: 1, d: 1}
  springs:
    - {from: ground, to: a, stiffness: 1e4}
    - {from: a, to: b, stiffness: 1e4}
    - {from: b, to: c, stiffness: 1e4}
    - {from: c, to: d, stiffness: 1e4}
  dampers: [{from: ground, to: b, damping: 2}, {from: c, to: d, damping: 1}]
loads: [{dof: a, amplitude: 1}]
frequency: [3, 10]
harmonics: 1
outputs: [{name: tip, dof: d}]
END
damped=$(peak damped.yaml)
"$program" reduce damped.yaml -o damped.h5 -o damped.mtx --quiet 2>err
expect "a damped chain is reduced" "$? $(ls damped_damping.mtx)" "0 damped_damping.mtx"
sed '/^structure:/,/dampers/d; s/^loads/structure: {reduced: damped.h5}\nloads/' damped.yaml \
    >small.yaml
near "with its dampers" "$damped" "$(peak small.yaml)"

# what acts on what was not kept
model rom.h5 's/dof: 48.z, amplitude/dof: 42.z, amplitude/'
refused "a load on a DOF that is gone" \
    "small.yaml:38:5: load 'shaker': DOF '42.z' is not among" check small.yaml
model rom.h5 's/from: 14.x, to: 25.x/from: 13.x, to: 25.x/'
refused "a joint there" "small.yaml:18:5: joint 'x14': DOF '13.x' is not among" check small.yaml
model rom.h5 's/^loads:/loads:\n  - {base_acceleration: 1, direction: {48.z: 1}}/'
refused "an acceleration that was not there" "an acceleration in this direction was not" \
    check small.yaml
others='12.z, {name: v, from: 5.y, to: 9.y}'
model rom.h5 "s/^outputs.*/outputs: [{name: tip, dof: 48.z}, $others]/"
"$program" frf small.yaml --quiet -o all.csv 2>err
expect "outputs may be any DOFs" "$? $(head -n 1 all.csv | grep -c ',12.z_max,.*,v_max,')" "0 1"
model rom.h5 's/^outputs.*/outputs: [12.w]/'
refused "but no others" "unknown DOF '12.w'" check small.yaml

# files
for file in none.h5 cut.h5 foreign.h5 long.h5 overlap.dof changed.h5; do
    case $file in
    none.h5) says="no file 'none.h5' that can be read" ;;
    cut.h5)
        head -c 3000 rom.h5 >cut.h5
        says="cut.h5: byte 3000: the file ends there, expected $(wc -c <rom.h5) bytes" ;;
    foreign.h5)
        tail -c +513 rom.h5 >foreign.h5
        says="foreign.h5: an HDF5 file that 'masing reduce' did not write" ;;
    long.h5)
        { cat rom.h5 && echo; } >long.h5
        says="it is longer than it was written" ;;
    overlap.dof) says="overlap.dof: byte 1: not a file that 'masing reduce' wrote" ;;
    changed.h5)
        { head -c 9000 rom.h5 && printf '\001' && tail -c +9002 rom.h5; } >changed.h5
        says="changed.h5: damaged, or changed by another program" ;;
    esac
    model $file
    refused "$file" "$says" check small.yaml
done
model rom.h5 's/^structure:/structure:\n  calculix: overlap/'
refused "two structures" "does not go with" check small.yaml
model rom.h5
refused "reducing twice" "small.yaml:14:3: structure: it is a reduced one" reduce small.yaml \
    -o x.h5

# the command line
refused "no -o" "-o is missing" reduce overlap.yaml
refused "another ending" "-o x.csv: the ending does not name a format; known endings: .h5" \
    reduce overlap.yaml -o x.csv
refused "a folder that is not there" "none/x.h5: cannot write" reduce overlap.yaml -o none/x.h5
refused "no such node" "--keep: the structure has no DOF or node 'TIP'" reduce overlap.yaml \
    --keep TIP -o x.h5
refused "an empty name" "--keep: an empty name in '5,,6'" reduce overlap.yaml \
    --keep 5,,6 -o x.h5
refused "--modes with --up-to" "do not go together" reduce overlap.yaml --modes 3 --up-to 9 \
    -o x.h5
refused "another basis" "--basis: 'held' is none of fixed, free" reduce overlap.yaml \
    --basis held -o x.h5
refused "more free modes than are left" "leaves no coordinate for it" reduce overlap.yaml \
    --basis free --modes 126 -o x.h5
refused "over its own input" "would be written over" reduce matrices.yaml -o rom.mtx
"$program" reduce overlap.yaml --keep 40-42.y,5,6.z --keep 7 -o x.h5 2>err
report "ranges, nodes and DOFs are kept" "$(grep -q '47 DOFs kept' err || cat err)"
"$program" reduce overlap_surfaces.yaml --keep TIP.z -o x.h5 2>err
"$program" reduce overlap_surfaces.yaml --keep TIP -o y.h5 2>err2
report "node sets are kept" "$(
    grep -q '44 DOFs kept' err || cat err
    grep -q '48 DOFs kept' err2 || cat err2)"
refused "no such set" "'FIXX' (did you mean 'FIX'?)" reduce overlap_surfaces.yaml --keep FIXX \
    -o x.h5
"$program" reduce overlap.yaml --modes 500 -o x.h5 2>err
report "more modes than there are" "$(
    grep -q '^warning: 500 modes were asked for, there are 95' err || cat err)"
cat >bare.yaml <<'END'
masing: 1
structure: {calculix: overlap}
END
refused "nothing to keep" "nothing of the structure is kept" reduce bare.yaml -o x.h5
finish
