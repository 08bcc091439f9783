#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iteration.sh PROGRAM: solver.linear on the command line, the summary, what is refused.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
damper=$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml

# frf OPTIONS...: by iteration
frf() {
    "$program" frf "$damper" --set solver.linear=krylov "$@" -o x.csv >out 2>&1
}

frf
expect "a response by iteration" $? 0
line='^  Krylov iterations +[1-9][0-9.]* per Newton step or tangent, [0-9]+ in all$'
expect "iterations per Newton step" "$(grep -cE "$line" out)" 1
expect "the peak memory" "$(grep -cE '^  peak memory +[1-9][0-9.]* MB$' out)" 1
"$program" frf "$damper" -o dense.csv >dense 2>&1
expect "the peak with stuck joints" "$(grep 'linear peak, stuck' out)" \
    "$(grep 'linear peak, stuck' dense)"
expect "is there" "$(grep -c 'linear peak, stuck' out)" 1
line='branch points  *not looked for (solver.linear: krylov)'
expect "no branch points" "$(grep -c "$line" out)" 1
line='^    krylov_(solves|iterations): [1-9]'
expect "the record has them" "$(grep -cE "$line" x.csv.run.yaml)" 2

"$program" frf "$damper" -o x.csv >out 2>&1
expect "few unknowns have a matrix" "$(grep -c Krylov out)" 0
expect "and no such lines in the record" "$(grep -c krylov_solves x.csv.run.yaml)" 0

frf --branches
expect "branches are refused" $? 2
expect "with the reason" "$(grep -c 'branches are not followed .*solver.linear: krylov' out)" 1

frf --set solver.krylov_tolerance=1
expect "a tolerance has its range" $? 2
expect "which is told" "$(grep -c 'krylov_tolerance.*0.1' out)" 1

"$program" frf "$damper" --set solver.linear=sparse -o x.csv >out 2>&1
expect "other words are refused" $? 2
expect "with those that there are" "$(grep -c 'auto.*dense.*krylov' out)" 1

"$program" frf "$damper" --along damper.preload=10:40 --frequency 22 \
    --set solver.linear=krylov -o x.csv >out 2>&1
expect "along a parameter" $? 0
expect "with iterations, too" "$(grep -c '^  Krylov iterations' out)" 1

"$program" peak "$damper" --vary damper.preload=5:100 --minimize --set solver.linear=krylov \
    -o x.csv >out 2>&1
expect "peaks by iteration" $? 0
krylov=$(grep -c minimum x.csv)
expect "have their minimum" "$krylov" 1

# tangents tell where a flat curve has its peak
for way in dense krylov; do
    "$program" frf "$MASING_SOURCE_ROOT/examples/flange.yaml" --set solver.linear=$way \
        -o $way.csv >out 2>&1
    awk -F, '/,peak/ { printf "%.5f Hz ", $3 }' $way.csv >$way.peaks
done
expect "peaks of a flat curve" "$(cat krylov.peaks)" "$(cat dense.peaks)"

# dampers that couple modes, and springs so soft that they count as rounding of a free body
cat >free.yaml <<'MODEL'
masing: 1
structure:
  mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1.5]]
  stiffness: [[10000000000.0001, -1e10, 0], [-1e10, 2e10, -1e10], [0, -1e10, 10000000000.0001]]
  damping: [[1000, -1000, 0], [-1000, 1000, 0], [0, 0, 0]]
  dofs: [m1, m2, m3]
joints: [{name: d, law: jenkins, from: m1, to: m2, stiffness: 1e9, slip_force: 100}]
loads: [{dof: m3, amplitude: 1}]
outputs: [{name: m3, dof: m3}]
frequency: [0.02, 0.2]
MODEL
for way in dense krylov; do
    "$program" frf free.yaml --set solver.linear=$way --at 0.03 -o free.csv >out 2>&1
    awk -F, '$3 == 0.03 { printf "%.6g\n", $4 }' free.csv >free.$way
done
expect "a free body's motion" "$(cat free.krylov)" "$(cat free.dense)"
expect "is there" "$(wc -l <free.dense)" 1

# the stuck peak by iteration does not know what joints resist a velocity by
awk '{ print } /^joints:/ {
    print "  - {name: dash, law: linear, from: m1, to: m2, stiffness: 100, damping: 60}" }' \
    "$damper" >dash.yaml
"$program" frf dash.yaml --set solver.linear=krylov -o x.csv >out 2>&1
expect "no peak with stuck dashpots" "$(grep -c 'linear peak' out)" 0

finish
