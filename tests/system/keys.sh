#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# keys.sh PROGRAM: an analysis demands only the keys that it needs, in any of their forms.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model=$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml
field=$MASING_SOURCE_ROOT/tests/reference/field
begin "$1"

# works NAME ARGUMENT...: exit status 0
works() {
    name=$1
    shift
    "$program" "$@" --quiet >out 2>err
    report "$name" "$([ $? -eq 0 ] || cat err)"
}

# column NAME FILE: the values of a column, one a line
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        c { print $c }' "$2"
}

# near NAME FOUND RIGHT PART: FOUND is RIGHT to a part of it
near() {
    report "$1" "$(awk -v a="$2" -v b="$3" -v part="$4" 'BEGIN {
        d = a - b; if (d < 0) d = -d; s = b < 0 ? -b : b
        if (a == "" || !(d <= part * s)) print "found " a ", expected " b }')"
}

# what the curve of the whole model is at 22 Hz
"$program" frf "$model" --quiet --at 22 >out 2>err
m2=$(column m2_max out | sed -n "$(column event out | grep -n at | cut -d: -f1)p")

# --- keys that are not there ---

works "check of masses and springs alone" check "$field/bare.yaml" --csv
near "and its frequency" "$(column free_hz out)" 15.915494309189533 1e-12

grep -v '^frequency\|^outputs\|^peak' "$model" >less.yaml
works "check without frequency and outputs" check less.yaml
report "and it names no range" "$(grep 'frequency [0-9]' out)"
works "loops without" loop less.yaml --joint damper --amplitude 1e-3
works "integration without" integrate less.yaml --frequency 22
expect "and its columns" "$(head -1 out)" "time,force_damper,displacement_damper"
cp out less.csv
works "integration with" integrate "$model" --frequency 22
near "the motion is the same" "$(column displacement_damper less.csv | sed -n 40p)" \
    "$(column displacement_damper out | sed -n 40p)" 1e-9
works "and a picture of the force" integrate less.yaml --frequency 22 -o x.svg
report "which names it" "$(grep -q 'Force of damper' x.svg || echo "it does not")"
printf 'mode: {number: 1, amplitude: [1e-4, 1]}\n' | cat less.yaml - >mode.yaml
works "a mode without" mode mode.yaml --at 0.01,0.1
column frequency_hz out >less.hz
expect "and its columns" "$(head -1 out | cut -d, -f1-4)" \
    "point,amplitude,frequency_hz,damping_ratio"
{
    cat less.yaml
    echo 'ringdown: {impulse: {dof: m2, amplitude: 50, frequency: 40}}'
} >decay.yaml
works "a decay without" ringdown decay.yaml

refused "a response without a frequency" "less.yaml:1:1: missing key 'frequency'" frf less.yaml
refused "a study" "missing key 'frequency'" study less.yaml --vary damper.preload=10,20
refused "a peak" "missing key 'frequency'" peak less.yaml --vary damper.preload=10:20
refused "a comparison" "missing key 'frequency'" compare less.yaml
refused "a response without outputs" "1:1: missing key 'outputs'" \
    frf less.yaml --set frequency=[18,28]
refused "a comparison without outputs" "missing key 'outputs'" compare less.yaml --frequency 22
refused "a peak at one frequency" "expected a range" \
    peak "$model" --set frequency=22 --vary damper.preload=10:20

grep -v '^frequency' "$model" >no_range.yaml
works "a comparison at frequencies without a range" compare no_range.yaml --frequency 21,22
expect "at each of them" "$(column frequency_hz out | tr '\n' ' ')" "21 22 "
near "like the curve" "$(column m2_max_hb out | sed -n 2p)" "$m2" 1e-6
works "a curve along a number without a range" \
    frf no_range.yaml --frequency 22 --along damper.preload=20:40 --at 30
near "like the curve" "$(awk -F, '/,at,/ { print $5 }' out)" "$m2" 1e-6

# --- one frequency ---

works "one frequency" frf "$model" --set frequency=22
expect "is one point" "$(column frequency_hz out)" 22
cp out one.csv
near "as the curve has there" "$(column m2_max one.csv)" "$m2" 1e-8
near "and the same loss" "$(column energy_lost one.csv)" "$(column energy_in one.csv)" 1e-8
"$program" frf "$model" --set frequency=22 >out 2>err
report "nothing is said of a range" "$(grep 'end of the range' err)"
works "one frequency is its --at" frf "$model" --set frequency=22 --at 22
refused "and no other" "outside the range" frf "$model" --set frequency=22 --at 23
works "frequencies one by one" study "$model" --vary frequency=21:23:3 -o s.csv
expect "a row each" "$(column frequency_hz s.peaks.csv | tr '\n' ' ')" "21 22 23 "

# --- units: 1320 rpm and 138.2300767579509 rad/s are 22 Hz ---

works "revolutions per minute" frf "$model" --set frequency=1320 --set frequency_unit=rpm
near "are hertz in results" "$(column frequency_hz out)" 22 1e-14
near "and the same response" "$(column m2_max out)" "$(column m2_max one.csv)" 1e-10
works "a range of them" frf "$model" --set frequency=[1080,1680] --set frequency_unit=rpm
near "begins where it should" "$(column frequency_hz out | head -1)" 18 1e-12
works "radians per second" \
    frf "$model" --set frequency=138.2300767579509 --set frequency_unit=rad_s
near "likewise" "$(column m2_max out)" "$(column m2_max one.csv)" 1e-10

# --- outputs: all ---

works "all outputs" frf "$model" --set outputs=all --set frequency=22 -o all.csv
expect "are all DOFs" "$(head -1 all.csv | tr , '\n' | grep '_max$' | tr '\n' ' ')" \
    "m1_max m2_max "
sed -n '/^model: /,$p' all.csv.run.yaml | sed '1d;s/^  //' >resolved.yaml
works "the record is a model" frf resolved.yaml
expect "with the same rows" "$(cut -d, -f1-18 out)" "$(cut -d, -f1-18 all.csv)"

# --- matrices whose DOFs have no names ---

cat >matrices.yaml <<'E2'
masing: 1
structure:
  mass: [[1, 0], [0, 1]]
  stiffness: [[82667, -41328], [-41328, 41328]]
  damping: {modal_ratio: 0.02}
joints:
  - {name: damper, law: jenkins, from: ground, to: 1, stiffness: 40000, slip_force: 15}
loads: [{dof: 2, amplitude: 10}]
frequency: 22
harmonics: 9
outputs: [2, 1]
E2
works "DOFs without names" frf matrices.yaml
near "are counted from 1" "$(column 2_max out)" "$(column m2_max one.csv)" 1e-10
works "their number" frf matrices.yaml --set structure.dofs=2
refused "another number" "mass: expected 3 rows" frf matrices.yaml --set structure.dofs=3
refused "no number at all" "expected a whole number from 1" \
    frf matrices.yaml --set structure.dofs=0
cp "$MASING_SOURCE_ROOT"/examples/cantilever_*.mtx .
cat >files.yaml <<'E2'
masing: 1
structure: {mass: cantilever_mass.mtx, stiffness: cantilever_stiffness.mtx}
E2
works "files without names" check files.yaml --csv
expect "have their rows' number" "$(sed 1d out | wc -l)" \
    "$(grep -v '^%' cantilever_mass.mtx | head -1 | cut -d' ' -f1)"

# --- studies over words ---

works "two ways" study "$model" --vary forces=exact,sampled -o words.csv -o words.svg
expect "are words in a table" "$(column forces words.peaks.csv | paste -sd' ')" "exact sampled"
expect "and in the rows" "$(column forces words.csv | sort -u | tr '\n' ' ')" "exact sampled "
expect "and in the record" "$(grep -c 'value: "exact"\|value: "sampled"' words.csv.run.yaml)" 2
report "and in the picture" "$(grep -q '>sampled<' words.svg || echo "they are not")"
"$program" frf "$model" --quiet --set forces=sampled >out 2>err
expect "with the same rows" "$(grep ^sampled words.csv | cut -d, -f2-)" "$(sed 1d out)"
"$program" study "$model" --vary damper.law=jenkins,dahl -o laws.csv >out 2>err
expect "laws side by side" "$? $(column damper.law laws.peaks.csv | paste -sd' ')" \
    "0 jenkins dahl"
report "the lowest is one of them" \
    "$(grep -q 'lowest peak: .* at damper.law = dahl' err || cat err)"
report "no list is to be extended" "$(grep extend err)"
refused "keys that do not fit" "missing key 'chi'" \
    study "$model" --vary damper.law=jenkins,iwan4
refused "no such word" "expected one of auto, sampled, exact" \
    study "$model" --vary forces=exact,all
refused "a word twice" "stands twice" study "$model" --vary forces=exact,exact
refused "a number that is none" "is not a number" study "$model" --vary damper.preload=1,2x
refused "columns of different kinds" "rows of different columns" \
    study "$model" --vary harmonics=3,7 --columns harmonics

# --- names that people look for ---

for word in friction Coulomb; do
    refused "law $word" "what is meant may be jenkins" law $word
done
refused "law gap" "what is meant may be unilateral_spring, contact" law gap
refused "law spring" "what is meant may be linear, cubic_spring" law spring
refused "a model's gap" "unilateral_spring" check "$model" --set damper.law=gap
for law in $("$program" law friction 2>&1 | sed 's/.*may be //; s/;.*//; s/,//g'); do
    report "$law is there" "$("$program" law $law 2>&1 >out)"
done

# --- where integration starts: a hardening spring with two stable motions at 1.5 rad/s ---

cat >two.yaml <<'E2'
masing: 1
structure:
  masses: {x: 1.0}
  springs: [{from: ground, to: x, stiffness: 1}]
  damping: {modal_ratio: 0.02}
joints: [{name: c, law: cubic_spring, from: ground, to: x, coefficient: 0.5}]
loads: [{dof: x, amplitude: 0.2}]
frequency: [0.5, 2.5]
frequency_unit: rad_s
integration: {cycles: 2000}
outputs: [x]
E2
hz=0.2387324146378431
"$program" frf two.yaml --quiet --at $hz >out 2>err
large=$(column x_max out | sed -n "$(column event out | grep -nx at | cut -d: -f1 | head -1)p")
small=$(column x_max out | sed -n "$(column event out | grep -nx at | cut -d: -f1 | tail -1)p")
# from STATE RIGHT: largest value of the motion that integration from STATE settles on
from() {
    { cat two.yaml && echo "initial: {$1}"; } >start.yaml
    "$program" integrate start.yaml --frequency $hz >out 2>err
    near "from $1" "$(sed -n 's/^  x: max \([^,]*\),.*/\1/p' err)" "$2" 1e-3
}
from "displacements: {x: 0.1}" "$small" # which of them: by the Runge-Kutta method
from "displacements: {x: 1.8}" "$large"
from "displacements: {x: -1.8}" "$small"
from "velocities: {x: 2}" "$large"
from "displacements: {x: 1.9}, velocities: {x: -0.5}" "$large"
"$program" integrate start.yaml --frequency $hz --all >out 2>err
near "the history begins there" "$(column x out | head -1)" 1.9 1e-12
{ cat two.yaml && echo 'initial: {}'; } >start.yaml
refused "an empty start" "expected displacements or velocities" \
    integrate start.yaml --frequency $hz

# --- lists, standard input, help ---

works "a range of --at" frf "$model" --at 20:22:3
expect "has its rows" "$(awk -F, '/,at,/ { print $3 }' out | tr '\n' ' ')" "20 21 22 "
works "a logarithmic one of amplitudes" mode mode.yaml --at 0.01:0.1:2:log
works "a range of frequencies to compare" compare "$model" --frequency 20:22:2
expect "has its rows" "$(column frequency_hz out | tr '\n' ' ')" "20 22 "
refused "a range that is none" "from:to:count" frf "$model" --at 20:22

"$program" frf - --quiet --set frequency=22 <"$model" >out 2>err
expect "a model from standard input" "$(cat out)" "$(cat one.csv)"
echo 'masing: 2' | "$program" check - >out 2>err
expect "what is wrong with it" "$? $(cut -c1-30 err)" "2 standard input:1:9: masing: ex"
for command in check frf study peak mode integrate compare ringdown loop identify law; do
    expect "$command -h" "$("$program" $command -h)" "$("$program" $command --help)"
done
for command in check compare loop ringdown; do
    refused "columns of $command" "not supported yet" $command "$model" --columns energy
done

finish
