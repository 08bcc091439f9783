#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# values.sh PROGRAM: rows at given frequencies change nothing else of a curve, and none is
# missing without a word.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
models=$MASING_SOURCE_ROOT/tests/reference/field
begin "$1"

# curve FILE: branch, frequency and amplitudes of the output that defines the peak, without the
# rows that --at alone asks for
curve() {
    awk -F, 'NR > 1 && $0 !~ /,at,[0-9]*$/ { print $2, $3, $4, $5, $7 }' "$1"
}

# differs FILE FILE: where curves differ by more than rounding, which grows along a curve, and
# largest responses that do by more than 1e-9
differs() {
    curve "$1" >first
    curve "$2" >second
    paste -d' ' first second | awk 'function abs(x) { return x < 0 ? -x : x }
        NF != 10 { print NR ": a row too many"; next }
        { for (i = 1; i <= 5; i++) {
              if (abs($i - $(i + 5)) > 1e-7 * abs($(i < 3 ? i : 3))) {
                  print NR ", " i ": " $i " and " $(i + 5) } }
          if ($3 > most) { most = $3; other = $8 } }
        END { if (!(abs(most - other) <= 1e-9 * most)) { print most " and " other } }'
}

# spread FILE: frequencies all over the curve, with the peak's own and its neighbours
spread() {
    awk -F, 'NR == 1 { next }
        { if (NR == 2) { low = high = $3 }
          if ($3 < low) { low = $3 }
          if ($3 > high) { high = $3 }
          if ($4 > most) { most = $4; at = $3 } }
        END { for (i = 0; i < 24; i++) {
                printf "%.17g,", low + (high - low) * (i + 0.37) / 24 }
            if (at > low && at < high) { printf "%.17g,", at * (1 + 1e-6) }
            printf "%.17g\n", 0.5 * (low + high) }' "$1"
}

# added NAME STATUS MODEL OPTIONS...: the same curve with and without values
added() {
    name=$1 status=$2
    shift 2
    "$program" frf "$@" --quiet -o without.csv 2>err
    expect "$name: exit status" $? "$status"
    values=$(spread without.csv)
    "$program" frf "$@" --at "$values" --quiet -o with.csv 2>err
    expect "$name, with values: exit status" $? "$status"
    report "$name: the same curve" "$(differs without.csv with.csv)"
    echo "$values" | tr ',' '\n' | sort -g >wanted
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["event"] ~ /(^| )at($|;)/ { print $3 }' with.csv | sort -gu >found
    grep '^warning: no row at' err >missing
    report "$name: each value has a row, or a warning" "$(
        [ -s missing ] || [ "$(wc -l <found)" -eq "$(sort -gu wanted | wc -l)" ] ||
            diff wanted found)"
}

for example in two_mass_damper duffing normal_motion lift_off contact_pairs rough_damper \
    three_mass_chain symmetry_breaking period_doubling three_masses_iwan; do
    added "$example" 0 "$examples/$example.yaml" --stability none
    report "$example: no value is missing" "$(cat missing)"
done
added "a tiny first output" 0 "$models/tiny_first_output.yaml"
added "a light slider" 0 "$models/stiff_light_slider.yaml"
added "unbounded" 1 "$models/submultiple.yaml"

# missing NAME STATUS TEXT MODEL OPTIONS...: the warning that names values without a row
missing() {
    name=$1 status=$2 text=$3
    shift 3
    "$program" frf "$@" --quiet -o x.csv 2>err
    expect "$name: exit status" $? "$status"
    expect "$name: text" "$(grep '^warning: no row at' err)" "warning: no row at $text"
}

missing "a curve that ends early" 1 "0.11, 0.12 Hz: the curve ended before" \
    "$models/stiff_light_slider.yaml" --set solver.max_points=60 --at 3,0.11,0.12
missing "an unbounded place" 1 "0.159155 Hz: the curve is unbounded there, or ended before" \
    "$models/submultiple.yaml" --at 0.159155,0.2
missing "a number that varies" 1 "damper.preload = 250, 260: the curve ended before" \
    "$examples/two_mass_damper.yaml" --along damper.preload=5:300 --frequency 22 \
    --set solver.max_points=10 --at 10,250,260

finish
