#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# loop_mindlin_dahl.sh PROGRAM: five cycles of examples/mindlin_dahl.yaml at 0.8 and 1.2 times
# the displacement at which the contact slips as a whole. The full differential form is
# Mindlin's law; the simplified one comes to it.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model=$MASING_SOURCE_ROOT/examples/mindlin_dahl.yaml
begin "$1"
slip_displacement=9.208333333333333e-8

# five JOINT PART FILE
five() {
    "$program" loop "$model" --joint "$1" --cycles 5 --quiet -o "$3.csv" \
        --amplitude "$(awk "BEGIN { printf \"%.17g\", $2 * $slip_displacement }")" 2>err
    expect "five cycles of $1 at $2" "$? $(wc -l <"$3.csv")" "0 2566"
}

# errors A B: per cycle, the largest difference of the forces in parts of T_c
errors() {
    paste -d , "$1" "$2" | awk -F, 'NR > 1 {
        d = ($4 - $10) / 30
        d = d < 0 ? -d : d
        worst[$2] = d > worst[$2] ? d : worst[$2]
        if ($1 != $7 || $3 != $9) { print "rows differ" }
    }
    END {
        if (NR != 2566) { print "rows are missing" }
        for (c = 1; c <= 5; c++) { printf "%.17g ", worst[c] }
    }'
}

for case in "0.8 08" "1.2 12"; do
    part=${case% *} name=${case#* }
    five mindlin "$part" "mindlin_$name"
    five full "$part" "full_$name"
    five "simplified_$name" "$part" "simplified_$name"
    report "the full form is Mindlin's at $part" "$(
        errors "mindlin_$name.csv" "full_$name.csv" | awk '{
            for (c = 1; c <= 5; c++) {
                if ($0 !~ /^[0-9]/ || !($c <= 1e-12)) { print "cycle " c ": " $c }
            }
        }')"
    errors "mindlin_$name.csv" "simplified_$name.csv" >"errors_$name"
    loss=$(sed 1d "mindlin_$name.summary.csv" | cut -d , -f 4)
    report "loss at $part" "$(awk -v loss="$loss" -v part="$part" \
        -v unit="$(awk "BEGIN { printf \"%.17g\", 30 * $slip_displacement }")" 'BEGIN {
            # 8 int B - 4 X B(X) with B = 1 - (1 - u)^(3/2), and 4 (X - 1) more beyond 1
            u = part < 1 ? part : 1
            expected = 8 * (u - 0.4 * (1 - (1 - u) ^ 2.5)) - 4 * u * (1 - (1 - u) ^ 1.5)
            expected += 4 * (part - u)
            ratio = loss / (unit * expected)
            if (!(ratio - 1 <= 1e-9 && 1 - ratio <= 1e-9)) { print loss " " expected * unit }
        }')"
done
# what the simplified form's start has done to the first cycle
report "below full slip the simplified form's error falls five-fold per cycle" "$(
    awk '{
        if (!($1 > 0.05)) { print "it begins with " $1 }
        for (c = 3; c <= 5; c++) {
            if (!($c < $(c - 1) / 4.8 && $c > $(c - 1) / 5.2)) { print $(c - 1) / $c }
        }
    }' errors_08)"
report "full slip makes it forget its start" \
    "$(awk '!($1 > 0.05 && $2 < 1e-12 && $5 < 1e-12)' errors_12)"
finish
