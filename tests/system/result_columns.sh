#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# result_columns.sh MASING: every column that a command writes stands in the record beside the
# file with the unit that doc/results.md gives it, OUT, JOINT, AXIS, NAME and K being the names
# and numbers of a model; every word of `event` stands in doc/results.md.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
masing=$(realpath "$1")
examples=$MASING_SOURCE_ROOT/examples
page=$MASING_SOURCE_ROOT/doc/results.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# COLUMN:UNIT of every column in the tables of the page
awk -F'|' '
    /^\| column/ { unit = /\| group/ ? 4 : 3 }
    /^\| `/ {
        if ($unit ~ /^ 0(, | to )1 $/) { $unit = "" }
        n = split($2, names, ", *")
        m = split($unit, units, ",")
        for (i = 1; i <= n; i++) {
            gsub(/[ `]/, "", names[i])
            u = units[m > 1 ? i : 1]
            gsub(/^ +| +$/, "", u)
            print names[i] ":" u
        }
    }' "$page" >units

# differing FILE OUTPUTS JOINTS [NUMBER]: columns of a CSV file that the record beside the run's
# first file does not have in this order, or the page not with that unit; names are regular
# expressions
differing() {
    awk -v file="  - file: \"$1\"" '
        /^[^ ]|^  - / { is_it = $0 == file }
        is_it && /^      "/ { sub(/^ *"/, ""); sub(/"$/, ""); sub(/": "/, ":"); print }' \
        "${1%%.*}.csv.run.yaml" >recorded
    expected=$(head -n 1 "$1" | tr ',' '\n')
    [ "$(cut -d: -f1 recorded)" = "$expected" ] || echo "$1: the record has: $(cat recorded)"
    sed -E \
        -e "s/^(${4:-no_number}):.*\$/NAME:its own/" \
        -e "s/^($2):m/OUT:OUT/; s/^($2)_([a-z0-9_]*):m/OUT_\2:OUT/; s/^($2)_/OUT_/" \
        -e "s/(^|_)($3)_(normal|tangential|tangential_2):/\1JOINT:/" \
        -e "s/^($3)_(normal|tangential|tangential_2)_/JOINT_/" \
        -e "s/^($3)_/JOINT_/; s/_($3):/_JOINT:/" \
        -e "s/^force_($3)_((normal|tangential|tangential_2)_)?/force_JOINT_/" \
        -e 's/^force_JOINT_h[0-9]+/force_JOINT_hK/' \
        -e "s/^peak[2-4]_($2)_max:m/peak2_OUT_max:OUT/; s/^peak[34]_freq/peak2_freq/" \
        -e 's/^OUT_h[0-9]+/OUT_hK/; s/^OUT_hK_(hb|ti|cold):/OUT_h1_\1:/' \
        -e 's/^OUT_(max|amp|h1|hK)_slope_(in|out):/OUT_max_slope_\2:/' \
        -e 's/^OUT_(max|amp|hK)_(refined|error):/OUT_max_\2:/' recorded | sort -u |
        while read -r column; do
            grep -qxF "$column" units || echo "$1: $column"
        done
}

run() {
    "$masing" "$@" --quiet 2>stderr || cat stderr
}

all=harmonics,energy,joints,slopes,stability,forces
two=$examples/two_mass_damper.yaml
run frf "$two" --columns $all --check-harmonics -o frf.csv
report "a response" "$(differing frf.csv 'm1|m2' damper)"
report "its loops" "$(differing frf.loops.csv 'm1|m2' damper)"
report "its checked points" "$(differing frf.check.csv 'm1|m2' damper)"
run frf "$examples/normal_motion.yaml" --columns energy,joints,forces -o contact.csv
report "a contact" "$(differing contact.csv 'm1y|m2y|m1x' contact)"
report "its elements" "$(differing contact.contacts.csv 'm1y|m2y|m1x' contact)"
run study "$two" --vary damper.preload=10,20,30 -o study.csv
report "a study" "$(differing study.csv 'm1|m2' damper damper.preload)"
report "its peaks" "$(differing study.peaks.csv 'm1|m2' damper damper.preload)"
run study "$examples/normal_motion.yaml" --vary contact.preload=25,50 -o pads.csv
report "peaks of a contact" "$(differing pads.peaks.csv 'm1y|m2y|m1x' contact contact.preload)"
run frf "$two" --along damper.preload=5:100 --frequency 22 -o along.csv
report "along a number" "$(differing along.csv 'm1|m2' damper damper.preload)"
run peak "$two" --vary damper.preload=10:60 --minimize -o peak.csv
report "a followed peak" "$(differing peak.csv 'm1|m2' damper damper.preload)"
run sample "$examples/uncertain_damper.yaml" --samples 5 --band 5 -o drawn.csv
report "draws" "$(differing drawn.csv 'm1|m2' damper 'damper.(preload|friction|stiffness)')"
report "the band of their responses" "$(differing drawn.band.csv 'm1|m2' damper)"
run sample "$examples/uncertain_damper.yaml" --samples 5 --minimize damper.preload=20:60 \
    -o robust.csv
report "values of a preload" "$(differing robust.csv 'm1|m2' damper damper.preload)"
run mode "$examples/three_masses_iwan.yaml" --columns energy,harmonics --branches -o mode.csv
report "a mode" "$(differing mode.csv 'm1|m3' joint)"
run mode "$examples/three_masses_iwan.yaml" --response -o response.csv
report "the response of a mode" "$(differing response.csv 'm1|m3' joint)"
run integrate "$examples/contact_circle.yaml" --frequency 27 --columns energy -o time.csv
report "time integration" "$(differing time.csv 'n\.[xyz]' foot)"
run compare "$two" --points 1 --cold --errors -o compare.csv
report "a comparison" "$(differing compare.csv 'm1|m2' damper)"
report "its loops" "$(differing compare.loops.csv 'm1|m2' damper)"
run ringdown "$examples/three_masses_impact.yaml" --amplitudes 1,2 --history history.csv \
    -o decay.csv
report "a decay" "$(differing decay.csv 'm2|m3' joint)"
report "its history" "$(head -n 1 history.csv | tr ',' '\n' |
    sed -E 's/^(m2|m3)$/OUT/; s/_joint$/_JOINT/' |
    while read -r column; do grep -q "^$column:" units || echo "$column"; done)"
run loop "$two" --joint damper --amplitude 1e-3 -o loop.csv
report "a loop" "$(differing loop.csv none none)"
report "its summary" "$(differing loop.summary.csv none none)"
run check "$two" -o check.csv
report "natural frequencies and shapes" "$(differing check.csv 'm1|m2' none)"

run frf "$examples/lap_joint.yaml" -o turn.csv -o turn.svg
expect "units of a joint that turns" \
    "$(sed -nE 's/^ *"(displacement|force)": (.*)$/\2/p' turn.svg.run.yaml | tr '\n' ' ')" \
    '"rad" "N m" '
run frf "$examples/lap_joint.yaml" -o alone.svg
expect "a picture alone" "$(grep -A 1 '^files' alone.svg.run.yaml | head -n 1)" "files: []"

# words of the library's table, as headers for programs list their kinds
words() {
    sed -nE 's/^ *\[MASING_EVENT_[A-Z_]+\] = "([^"]+)",$/\1/p' \
        "$MASING_SOURCE_ROOT/src/base/event.c"
}
unexplained() {
    words | while read -r word; do
        grep -qE "^\| \`$word( \(JOINT\))?\` \|" "$page" || echo "$word"
    done
}
expect "there are words of events" "$(words | grep -cx fold)" 1
report "every word of an event" "$(unexplained)"
finish
