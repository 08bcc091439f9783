#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# event_names.sh PROGRAM: events are what they are whatever the joints are called. Joints whose
# names read like events give the rows, the summary and the picture of one with a plain name.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# model JOINT: two masses, two dampers; the first one's name is given
model() {
    cat <<END
masing: 1
structure:
  masses: {m1: 1.0, m2: 1.0}
  springs:
    - {from: ground, to: m1, stiffness: 41339}
    - {from: m1, to: m2, stiffness: 41328}
  damping: {modal_ratio: 0.02}
joints:
  - {name: "$1", law: jenkins, from: ground, to: m1, stiffness: 40000, slip_force: 15}
  - {name: flange, law: jenkins, from: m1, to: m2, stiffness: 10000, slip_force: 3}
loads: [{name: shaker, dof: m2, amplitude: 10}]
frequency: [18, 28]
harmonics: 9
outputs: [m2]
mode: {number: 1, amplitude: [1e-4, 1e-2]}
END
}

# plain: what names the joint, in rows and summaries, taken for `plain`
plain() {
    sed -e "s/($joint)/(plain)/g" -e "1s/slip_$joint,/slip_plain,/" \
        -e "s/$joint\.\(stiffness\|slip_force\)/plain.\1/"
}

# ask LABEL COMMAND ARGUMENT...: rows, picture and summary, without padding and seconds, the
# last but one number of a table's line
ask() {
    label=$1 command=$2
    shift 2
    "$program" $command model.yaml "$@" -o x.csv -o x.svg 2>err
    expect "$joint: $label ends well" $? 0
    plain <x.csv >"$kind.$label.rows"
    plain <err | sed -e 's/ in [0-9.e-]* s\>//' -e 's/  */ /g' \
        -e 's/^\([0-9].*\) [^ ]* \([^ ]*\)$/\1 \2/' >"$kind.$label.summary"
    mv x.svg "$kind.$label.picture"
}

# answer NAME KIND: everything that follows a curve, of a model with this joint
answer() {
    joint=$1 kind=$2
    model "$joint" >model.yaml
    ask response frf --at 21,25
    ask along frf --along load_factor=0.2:3 --frequency 21
    ask mode mode --at 1e-3
    ask peak peak --vary flange.slip_force=1:8 --minimize
    ask study study --vary flange.slip_force=2,6
}

answer plain plain
expect "the plain response has neither folds nor jumps" \
    "$(grep -h 'fold\|jump' plain.response.rows plain.response.summary)" ""
expect "it has a slip onset" "$(grep -c 'slip onset (plain)' plain.response.rows)" 1
for name in manifold fold peak speaker 'branch point' 'period doubling' Neimark-Sacker \
    minimum crossing 'slip onset'; do
    answer "$name" other
    for part in rows summary picture; do
        report "$name: $part" "$(
            for label in response along mode peak study; do
                diff plain.$label.$part other.$label.$part
            done 2>&1 | head -n 20
        )"
    done
done
finish
