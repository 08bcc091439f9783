#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# result_columns.sh MASING: every column and every word of `event` that a command writes stands
# in doc/results.md, with OUT, JOINT, AXIS, NAME and K for the names and numbers of a model.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
masing=$(realpath "$1")
examples=$MASING_SOURCE_ROOT/examples
page=$MASING_SOURCE_ROOT/doc/results.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# missing FILE OUTPUTS JOINTS [NUMBER]: columns of a CSV file that the page does not have; names
# are regular expressions
missing() {
    head -n 1 "$1" | tr ',' '\n' | sed -E \
        -e "s/^(${4:-no_number})\$/NAME/" \
        -e "s/^($2)\$/OUT/; s/^($2)_/OUT_/" \
        -e "s/(^|_)($3)_(normal|tangential|tangential_2)\$/\1JOINT_AXIS/" \
        -e "s/^($3)_(normal|tangential|tangential_2)_/JOINT_AXIS_/" \
        -e "s/^($3)_/JOINT_/; s/_($3)\$/_JOINT/" \
        -e "s/^force_($3)_(normal|tangential|tangential_2)_/force_JOINT_AXIS_/" \
        -e "s/^force_($3)_/force_JOINT_/; s/^(force_[A-Z_]+)_h[0-9]+/\1_hK/" \
        -e "s/^(peak[2-4])_($2)_max\$/peak2_OUT_max/; s/^peak[34]_freq/peak2_freq/" \
        -e 's/^OUT_h[0-9]+/OUT_hK/; s/^OUT_hK_(hb|ti|cold)$/OUT_h1_\1/' \
        -e 's/^OUT_(max|amp|h1)_slope_(in|out)$/OUT_max_slope_\2/' \
        -e 's/^OUT_(max|amp|hK)_(refined|error)$/OUT_max_\2/' | sort -u |
        while read -r column; do
            grep -qF "\`$column\`" "$page" || echo "$1: $column"
        done
}

run() {
    "$masing" "$@" --quiet 2>stderr || cat stderr
}

all=harmonics,energy,joints,slopes,stability,forces
two=$examples/two_mass_damper.yaml
run frf "$two" --columns $all --check-harmonics -o frf.csv
report "a response" "$(missing frf.csv 'm1|m2' damper)"
report "its loops" "$(missing frf.loops.csv 'm1|m2' damper)"
report "its checked points" "$(missing frf.check.csv 'm1|m2' damper)"
run frf "$examples/normal_motion.yaml" --columns energy,joints,forces -o contact.csv
report "a contact" "$(missing contact.csv 'm1y|m2y|m1x' contact)"
report "its elements" "$(missing contact.contacts.csv 'm1y|m2y|m1x' contact)"
run study "$two" --vary damper.preload=10,20,30 -o study.csv
report "a study" "$(missing study.csv 'm1|m2' damper damper.preload)"
report "its peaks" "$(missing study.peaks.csv 'm1|m2' damper damper.preload)"
run frf "$two" --along damper.preload=5:100 --frequency 22 -o along.csv
report "along a number" "$(missing along.csv 'm1|m2' damper damper.preload)"
run peak "$two" --vary damper.preload=10:60 --minimize -o peak.csv
report "a followed peak" "$(missing peak.csv 'm1|m2' damper damper.preload)"
run mode "$examples/three_masses_iwan.yaml" --columns energy,harmonics --branches -o mode.csv
report "a mode" "$(missing mode.csv 'm1|m3' joint)"
run mode "$examples/three_masses_iwan.yaml" --response -o response.csv
report "the response of a mode" "$(missing response.csv 'm1|m3' joint)"
run integrate "$examples/contact_circle.yaml" --frequency 27 -o time.csv
report "time integration" "$(missing time.csv 'n\.[xyz]' foot)"
run compare "$two" --points 1 --cold --errors -o compare.csv
report "a comparison" "$(missing compare.csv 'm1|m2' damper)"
run ringdown "$examples/three_masses_impact.yaml" --amplitudes 1,2 --history history.csv \
    -o decay.csv
report "a decay" "$(missing decay.csv 'm2|m3' joint)"
report "its history" "$(missing history.csv 'm2|m3' joint)"
run loop "$two" --joint damper --amplitude 1e-3 -o loop.csv
report "a loop" "$(missing loop.csv none none)"
report "its summary" "$(missing loop.summary.csv none none)"
"$masing" check "$two" --csv >check.csv
report "natural frequencies and shapes" "$(missing check.csv 'm1|m2' none)"

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
