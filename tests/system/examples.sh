#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# examples.sh MASING NAME FROM TO OUTPUT AMPLITUDE [MESSAGE]...: runs examples/NAME.yaml, which
# gives each MESSAGE (a pattern) and no other. The curve must lead from FROM to TO (Hz) without
# a gap in its energy balance: at every point
#   |energy_in - energy_lost| <= 1e-6 pi F X,
# F being the AMPLITUDE (N) of the largest load and X the first harmonic of the loaded OUTPUT,
# or, where the frequency is a shaft's, the sum of k X_k over the engine orders k, and
# the losses of structure and joints must be all that is lost.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
masing=$1
model="$MASING_SOURCE_ROOT/examples/$2.yaml"
from=$3 to=$4 output=$5 amplitude=$6
shift 6
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# rows PROGRAM: awk over the rows, cells called by name: cell("energy_in")
rows() {
    awk -F, -v from="$from" -v to="$to" -v output="$output" -v amplitude="$amplitude" '
        function cell(name) {
            if (!(name in column)) {
                print "there is no column " name
                exit
            }
            return $column[name]
        }
        # of the harmonics that there are, each as often as it repeats
        function motion(   name, order, sum) {
            for (name in column) {
                order = substr(name, length(output) + 3)
                if (index(name, output "_h") == 1 && order ~ /^[0-9]+$/) {
                    sum += order * cell(name)
                }
            }
            return sum
        }
        function abs(x) {
            return x < 0 ? -x : x
        }
        NR == 1 {
            for (i = 1; i <= NF; i++) {
                column[$i] = i
            }
            n_columns = NF
            next
        }
        '"$1"'
    ' "$directory/curve.csv" 2>&1 | head -n 5
}

"$masing" check "$model" >"$directory/check" 2>&1
expect "check accepts the model" $? 0
# shellcheck disable=SC2086 # two words or none
"$masing" frf "$model" --columns energy ${MASING_SANITIZED:+--stability none} --quiet \
    -o "$directory/curve.csv" >"$directory/log" 2>&1
expect "frf ends well" $? 0
for message; do
    report "it says: $message" "$(grep -q -e "$message" "$directory/log" ||
        echo "but: $(cat "$directory/log")")"
    sed -i "\,$message,d" "$directory/log"
done
report "and nothing else" "$(cat "$directory/log")"
report "every row has all cells" "$(rows '
    NF != n_columns { print "line " NR ": " NF " cells" }
    { n++ }
    END { if (n < 10) print n + 0 " rows" }')"
report "from one end to the other" "$(rows '
    NR == 2 { first = cell("frequency_hz") }
    # other curves that were found may follow, and end where they like
    NR > 2 && cell("branch") != branch && abs(last / to - 1) <= 1e-12 { is_whole = 1 }
    { last = cell("frequency_hz"); branch = cell("branch") }
    END {
        is_whole = is_whole || abs(last / to - 1) <= 1e-12
        if (abs(first / from - 1) > 1e-12 || !is_whole) {
            print "from " first " to " last
        }
    }')"
report "what goes in is lost" "$(rows '
    {
        scale = 3.14159265358979 * amplitude * motion()
        gap = abs(cell("energy_in") - cell("energy_lost"))
        if (cell("energy_in") == "" || cell("energy_lost") == "" || !(gap <= 1e-6 * scale)) {
            print "line " NR ": in " cell("energy_in") ", lost " cell("energy_lost") ", " \
                gap / scale " apart"
        }
    }')"
report "losses of all parts are what is lost" "$(rows '
    {
        sum = size = 0
        for (name in column) {
            if (name ~ /^loss_/) {
                sum += cell(name)
                size += abs(cell(name))
            }
        }
        if (!(abs(sum - cell("energy_lost")) <= 1e-10 * size)) {
            print "line " NR ": " sum " of " cell("energy_lost")
        }
    }')"
finish
