#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# compare.sh MASING: harmonic balance and time integration of the damper agree.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
program=$(realpath "$1")
model="$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 1

apart() {
    awk -F, '
        NR == 1 {
            for (i = 1; i <= NF; i++) {
                column[$i] = i
            }
        }
        NR > 1 {
            n++
            hb = $column["m2_max_hb"]
            ti = $column["m2_max_ti"]
            difference = hb > ti ? hb - ti : ti - hb
            if (!(hb > 0 && difference <= 1e-3 * hb)) {
                print "at " $1 " Hz: " hb " and " ti
            }
            if (!($column["relative_difference"] <= 1e-3) || $column["seconds_ti"] <= 0) {
                print "at " $1 " Hz: " $0
            }
        }
        END {
            if (n != 3) {
                print n + 0 " rows"
            }
        }
    ' "$1"
}

"$program" compare "$model" --frequency 20,21.7,24 -o c.csv >out 2>err
expect "compare" $? 0
report "both methods agree" "$(apart c.csv 2>&1)"
expect "the summary says by how much" "$(grep -c 'largest difference' err)" 1
report "there is a record" "$([ -s c.csv.run.yaml ] || echo none)"
"$program" compare "$model" --points 3 --quiet >points.csv 2>err
expect "points of its own choice" "$? $(wc -l <points.csv)" "0 4"
"$program" compare "$model" --frequency 17 >out 2>err
expect "outside the range" "$? $(wc -c <out)" "2 0"
"$program" compare "$model" -o c.svg >out 2>err
expect "no picture" "$? $(cat c.svg 2>/dev/null | wc -c)" "2 0"
finish
