#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# valanis_oscillator.sh PROGRAM: Jalali's oscillator at 9.85 rad/s with the Valanis joint and
# its generalisations, by harmonic balance and by time integration, against event-located
# integration of order 8 and Newton's method.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
reference=$MASING_SOURCE_ROOT/tests/reference/valanis_sdof.csv
begin "$1"
hz=1.567676189455169

# column FILE NAME EVENT: cells of a column by name, of rows that contain EVENT
column() {
    awk -F, -v name="$2" -v event="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) { n = i } } next }
        n && (event == "" || index($0, event)) { print $n }' "$1"
}

# of FILE NAME: "largest smallest turns" of a column over a period
of_period() {
    column "$1" "$2" "" | awk '
        function sign(a) { return a > 0 ? 1 : a < 0 ? -1 : 0 }
        { x[NR] = $1 }
        END {
            x[0] = x[NR]
            x[NR + 1] = x[1]
            largest = smallest = x[1]
            for (i = 1; i <= NR; i++) {
                largest = x[i] > largest ? x[i] : largest
                smallest = x[i] < smallest ? x[i] : smallest
                turns += sign(x[i] - x[i - 1]) != sign(x[i + 1] - x[i])
            }
            printf "%.17g %.17g %d\n", largest, smallest, turns
        }'
}

# published CASE NUMBER: cell of the case that begins with CASE
published() {
    awk -F, -v name="$1" -v n="$2" 'index($1, name) == 1 { print $n }' "$reference"
}

# apart NAME VALUE EXPECTED TOLERANCE: reports whether they differ by more than that part
apart() {
    report "$1" "$(awk -v a="$2" -v b="$3" -v tolerance="$4" 'BEGIN {
        gap = a - b > 0 ? a - b : b - a
        size = b > 0 ? b : -b
        if (a == "" || b == "" || !(gap <= tolerance * size)) {
            print "got " a ", expected " b ", apart by " gap / (size + 1e-300)
        }
    }')"
}

# steady MODEL [OPTION...]: the state by both methods, into b.csv and i.csv
steady() {
    model=$examples/$1.yaml
    shift
    "$program" frf "$model" "$@" --at $hz --columns energy --quiet -o b.csv 2>err
    expect "harmonic balance" $? 0
    "$program" integrate "$model" "$@" --frequency $hz --quiet -o i.csv 2>err
    expect "time integration" $? 0
    # shellcheck disable=SC2046
    set -- $(of_period i.csv m) $(of_period i.csv force_joint)
    x_max=$1 x_min=$2 turns=$3 f_max=$4
}

# referenced CASE MODEL [OPTION...]
referenced() {
    case=$1
    shift
    echo "# $case"
    steady "$@"
    x=$(published "$case" 2)
    apart "largest displacement by balance" "$(column b.csv m_max ,at,)" "$x" 1e-5
    apart "loss by balance" "$(column b.csv energy_lost ,at,)" "$(published "$case" 6)" 2e-5
    apart "work of the load" "$(column b.csv energy_in ,at,)" "$(published "$case" 6)" 2e-5
    apart "largest displacement in time" "$x_max" "$x" 1e-3
    apart "smallest displacement in time" "$x_min" "$(published "$case" 3)" 1e-3
    apart "largest force in time" "$f_max" "$(published "$case" 4)" 1e-3
    expect "reversals in a cycle" "$turns" "$(published "$case" 7)"
}

referenced "Valanis I linear" valanis_oscillator
referenced "Valanis I quadratic" valanis_oscillator --set joint.quadratic_stiffness=2e6
referenced "Ex1" generalized_valanis_1
referenced "Ex2c" generalized_valanis_2

for number in 3 4; do
    echo "# example $number"
    steady generalized_valanis_$number
    apart "balance and integration" "$(column b.csv m_max ,at,)" \
        "$(awk -v a="$x_max" -v b="$x_min" 'BEGIN {
            printf "%.17g\n", (a + b > 0 ? a : -b) }')" 1e-3
done

"$program" frf "$examples/generalized_valanis_2.yaml" --at $hz --quiet -o b.csv 2>err
expect "a single state with sgn v" "$(column b.csv m_max ,at, | wc -l)" 1
sed 's/velocity: sign/velocity: abs/' "$examples/generalized_valanis_2.yaml" >abs.yaml
"$program" frf abs.yaml --at $hz --quiet -o b.csv 2>err
expect "three with |v|" "$(column b.csv m_max ,at, | wc -l)" 3
finish
