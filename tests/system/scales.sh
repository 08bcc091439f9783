#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scales.sh PROGRAM: responses that grow by many orders of magnitude along the curve, by the
# output that is tiny where it begins or by a slider that is far lighter than its contact.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
models=$MASING_SOURCE_ROOT/tests/reference/field
begin "$1"

# column FILE NAME: the values of a column in the rows of --at, by ascending frequency
column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["event"] ~ /(^|;| )at/ { print $at["frequency_hz"], $at[name] }' "$1" |
        sort -g | cut -d' ' -f2
}

# near FILE FILE TOLERANCE: lines that differ by more, relative to the largest
near() {
    [ -s "$1" ] || echo "no values"
    paste "$1" "$2" | awk -v tolerance="$3" 'function abs(x) { return x < 0 ? -x : x }
        { a[NR] = $1; b[NR] = $2; if (abs($2) > most) { most = abs($2) }
          if (NF != 2) { print "one value only: " $0 } }
        END { for (i in a) {
            if (!(abs(a[i] - b[i]) <= tolerance * most)) { print a[i], "and", b[i] } } }'
}

# rows FILE: their number
rows() {
    awk 'END { print NR - 1 }' "$1"
}

# follows NAME MODEL OUTPUT OTHER UPWARDS AT LEFT_OUT: the curve is complete, downwards and
# upwards, with either output first, in no more than some hundred points; all agree at the given
# frequencies, and with time integration within what the model's harmonics leave out
follows() {
    name=$1 model=$models/$2.yaml first=$3 second=$4 upwards=$5 at=$6 left_out=$7
    "$program" frf "$model" --at "$at" --quiet -o down.csv 2>err
    expect "$name: exit status" $? 0
    "$program" frf "$model" --at "$at" --set "outputs=[$second, $first]" --quiet -o other.csv \
        2>err
    expect "$name, the other output first: exit status" $? 0
    "$program" frf "$model" --at "$at" --set "frequency=$upwards" --quiet -o up.csv 2>err
    expect "$name, upwards: exit status" $? 0
    "$program" compare "$model" --frequency "$at" --quiet -o time.csv 2>err
    expect "$name, in time: exit status" $? 0
    for output in "$first" "$second"; do
        column down.csv "${output}_max" >down
        column other.csv "${output}_max" >other
        column up.csv "${output}_max" >up
        expect "$name: a row for each value" "$(wc -l <down)" \
            "$(echo "$at" | tr ',' '\n' | wc -l)"
        report "$name: $output whatever output is first" "$(near other down 1e-9)"
        report "$name: $output in either direction" "$(near up down 1e-9)"
        awk -F, -v name="${output}_max_ti" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $1, $at[name] }' time.csv | sort -g | cut -d' ' -f2 >time
        report "$name: $output in time" "$(near time down "$left_out")"
    done
    for file in down other up; do
        report "$name, $file: points" "$([ "$(rows $file.csv)" -lt 600 ] || rows $file.csv)"
    done
}

follows "a tiny first output" tiny_first_output a d '[5, 300]' 8,10,13,20,40 4e-3
follows "a light slider" stiff_light_slider m1 m2 '[0.1, 6.5]' 0.11,0.12,0.2,0.26,1 4e-3

finish
