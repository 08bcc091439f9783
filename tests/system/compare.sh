#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# compare.sh MASING: harmonic balance and time integration of the damper agree.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model="$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml"
begin "$1"

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
"$program" compare "$model" --points 3 --frequency 20 >out 2>err
expect "points or frequencies" "$? $(grep -c 'expected one of them' err)" "2 1"
stop="$MASING_SOURCE_ROOT/examples/period_doubling.yaml"
"$program" compare "$stop" --frequency 30 --quiet >out 2>err
expect "the frequency as it was written" "$? $(sed -n 2p out | cut -d, -f1)" "0 30"
"$program" compare "$stop" --frequency 60 --cold --tolerance 1e-2 >out 2>multiple
expect "periods that double" "$? $(grep -c 'time, 1 sub-harmonic' multiple)" "1 1"
expect "from rest, too" "$(grep -c 'rest  *1 of 1 steady, 1 sub-harmonic' multiple)" 1
"$program" compare "$model" --frequency 17 >out 2>err
expect "outside the range" "$? $(wc -c <out)" "2 0"

cell() {
    awk -F, -v row="$2" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR == row + 1 { print (name in column) ? $column[name] : "no column" }' "$1"
}

"$program" compare "$model" --frequency 20,24 --tolerance 2e-3 --cold --errors -o t.csv \
    -o t.svg -o t.png >out 2>err
expect "within the tolerance" "$? $(grep -c 'passed' err)" "0 1"
expect "both points pass" "$(cell t.csv 1 passed) $(cell t.csv 2 passed)" "1 1"
expect "the curve and its points" \
    "$(grep -c 'time integration' t.svg) $(head -c 4 t.png | tail -c 3)" "1 PNG"
expect "both loops" "$(cut -d, -f4 t.loops.csv | sort -u | tr '\n' ' ')" \
    "harmonic balance method time integration "
report "their picture" "$([ -s t.loops.svg ] || echo none)"
report "both slip both ways" "$(awk -F, '
    NR > 1 {
        loop = $1 " " $4
        n[loop]++
        low[loop] += $6 < -14.99
        high[loop] += $6 > 14.99
    }
    END {
        for (loop in n) {
            loops++
            if (n[loop] < 250 || !low[loop] || !high[loop]) {
                print loop, n[loop], low[loop], high[loop]
            }
        }
        if (loops != 4) {
            print loops + 0 " loops"
        }
    }' t.loops.csv)"
"$program" compare "$model" --frequency 20,24 --tolerance 1e-4 --quiet -o t.csv 2>err
expect "beyond it" "$? $(grep -c 'failed: 1 of 2 points differ .* at 20 Hz' err)" "1 1"
expect "which point" "$(cell t.csv 1 passed) $(cell t.csv 2 passed)" "0 1"
"$program" compare "$model" --frequency 21.7 --quiet --set integration.steady=shooting \
    --set integration.method=accurate --tolerance 1e-3 --set harmonics=25 -o s.csv 2>err
expect "by shooting, with events" "$? $(cell s.csv 1 passed) $(cell s.csv 1 settled_on)" \
    "0 1 same"
"$program" compare "$MASING_SOURCE_ROOT/examples/duffing.yaml" --frequency 23 -o d.csv 2>err
expect "another branch is named" \
    "$? $(cell d.csv 2 settled_on) $(grep -c 'is unstable then' err)" "0 point 1"
"$program" compare "$model" --frequency 20 -o p.svg 2>err
expect "pictures alone" "$? $(grep -c 'points  *1, 1 of them' err) $(ls p.svg.run.yaml)" \
    "0 1 p.svg.run.yaml"
expect "by its number" "$(cell d.csv 2 settled_point)" "$(cell d.csv 3 point)"
finish
