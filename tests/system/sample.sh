#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sample.sh PROGRAM: quantiles of the peak, and the value with the lowest, against those that
# its curve over the preload gives by inversion; the same bytes for any number of threads, in
# parts, and after an earlier run; what is refused.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
export SOURCE_DATE_EPOCH=1
cp "$examples/uncertain_damper.yaml" .

# with SECTION: the damper with another section `uncertain`
with() {
    awk -v text="uncertain: $1" '
        /^uncertain:/ { print text; skip = 1; next }
        /^[a-z]/ { skip = 0 }
        !skip { print }' uncertain_damper.yaml
}

# ---- quantiles by inversion ----

with '{damper.preload: {normal: [30, 4]}}' >one.yaml
"$program" study one.yaml --vary damper.preload=10:50:161 -o curve.csv --quiet
expect "the curve of peaks" $? 0

# inverted: the quantiles of the peak from its curve, linear between the values of the study
inverted() {
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "m2_max") at = i; next }
        NR > 2 {
            for (k = 0.005; k < 1; k += 0.01) {
                z = (p + k * ($1 - p) - 30) / 4
                printf "%.12g %.12g\n", m + k * ($at - m), exp(-z * z / 2) * ($1 - p)
            }
        }
        { p = $1; m = $at }' curve.peaks.csv | sort -g | awk '
        { value[NR] = $1; sum += $2; below[NR] = sum }
        END {
            split("0.05 0.5 0.95", q, " ")
            for (k = j = 1; k <= 3; k++) {
                while (below[j] < q[k] * sum) { j++ }
                print value[j]
            }
        }'
}
inverted >truth.txt

# missed FILE: quantiles of a summary that are farther from the true ones than 3 standard
# errors, of which an interval has 1.96 at least on both sides
missed() {
    sed -n -E 's/^  ([59]+ % quantile|median) +([^ ]+) m \(([^ ]+) to ([^ ]+)\)/\2 \3 \4/p' \
        "$1" | paste - truth.txt | awk '
        { error = ($3 - $2) / 2 / 1.96; n++ }
        $4 - $1 > 3 * error || $1 - $4 > 3 * error || !(error < 0.03 * $1) { print }
        END { if (n != 3) { print n " quantiles" } }'
}

for design in random hypercube; do
    "$program" sample one.yaml --samples 1000 --seed 5 --design $design -o $design.csv \
        2>$design.txt
    expect "1000 draws, $design" $? 0
    report "quantiles by inversion, $design" "$(missed $design.txt)"
done
expect "rows" "$(wc -l <random.csv)" 1001
expect "the columns before the peak's" "$(head -1 random.csv | cut -d, -f1-3)" \
    "sample,damper.preload,frequency_hz"
# each preload's own response
report "the peak of a draw is that of its response" "$(sed -n 8p random.csv |
    { IFS=, read -r sample preload hz peak rest
      "$program" study one.yaml --vary "damper.preload=$preload" -o x.csv --quiet
      [ "$(sed -n 2p x.peaks.csv | cut -d, -f2,3)" = "$hz,$peak" ] || echo "$sample $rest"; })"

# ---- the band of responses ----

# largest FILE COLUMN: FREQUENCY LARGEST of the rows at requested frequencies
largest() {
    awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) {
            x = $i == "frequency_hz" ? i : x; y = $i == name ? i : y; e = $i == "event" ? i : e
        } next }
        $e ~ /(^|; )at($|;)/ { k = sprintf("%.6f", $x); most[k] = most[k] > $y ? most[k] : $y }
        END { for (k in most) print k, most[k] }' "$1" | sort -g
}

# one draw: its own response, of three branches the highest, by landing on each frequency
{ cat "$examples/duffing.yaml"; echo 'uncertain: {stiffening.coefficient: {normal: [8e7, 1]}}'
} >duffing.yaml
"$program" sample duffing.yaml --samples 1 --band 41 -o single.csv --quiet
expect "a band of one draw" "$?$(wc -l <single.band.csv)" 0124
coefficient=$(sed -n 2p single.csv | cut -d, -f2)
"$program" frf duffing.yaml --set "stiffening.coefficient=$coefficient" --quiet \
    --stability none --at 15:35:41 -o landed.csv
awk -F, '$1 == 0.5 { printf "%.6f %.12g\n", $2, $3 }' single.band.csv >band.txt
expect "branches over one another" "$(awk -F, '/at/ { n[$3]++ }
    END { for (k in n) if (n[k] == 3) many++; print (many > 3) }' landed.csv)" 1
report "the highest branch, between points of the curve" "$(
    largest landed.csv x_max | paste - band.txt | awk '
        { d = $4 / $2 - 1; n++ }
        $1 != $3 || d > 1e-3 || d < -1e-3 { print }
        END { if (n != 41) print n " frequencies" }')"

# many draws: quantiles at a frequency, of the responses of a study
"$program" sample one.yaml --samples 60 --band 11 -o many.csv --quiet
preloads=$(sed 1d many.csv | cut -d, -f2 | paste -sd,)
"$program" study one.yaml --vary "damper.preload=$preloads" --at 21,22 -o curves.csv --quiet
for hz in 21 22; do
    report "quantiles at $hz Hz" "$(
        awk -F, -v hz=$hz '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == "frequency_hz") x = i
                      for (i = 1; i <= NF; i++) if ($i == "m2_max") y = i; next }
            $x == hz { print $y }' curves.csv | sort -g | awk -v hz=$hz -F, '
            FILENAME == "-" { value[n++] = $1; next }
            $2 == hz {
                at = $1 * (n - 1); i = int(at + 1e-9)
                truth = value[i] + (at - i) * (value[i + 1] - value[i])
                d = $3 / truth - 1; m++
                if (d > 1e-3 || d < -1e-3) { print $0 ", but " truth }
            }
            END { if (n != 60 || m != 3) print n " draws, " m " quantiles" }' - many.band.csv)"
done
"$program" sample one.yaml --samples 3 --band 11 -o page.html -o page.h5 -o page.svg --quiet
expect "in pages and reports" "$?$(grep -l Quantile page.html page.band.svg | wc -l)" 02
report "peaks are the same without it" "$(
    "$program" sample one.yaml --samples 60 -o bare.csv --quiet; cmp bare.csv many.csv)"

# ---- the same bytes ----

sample='sample uncertain_damper.yaml --samples 24 --band 31'
# shellcheck disable=SC2086
"$program" $sample --sobol -o all.csv -o all.svg 2>all.txt
expect "a sample with indices" $? 0
expect "one line of indices for each number" "$(grep -c '+-.*+-' all.txt)" 3
# shellcheck disable=SC2086
"$program" $sample --sobol --threads 1 -o one.csv -o one.svg --quiet
report "the same for one thread" "$(for end in .csv .svg .band.csv .band.svg; do
    cmp all$end one$end; done)"
list=
for k in 1 2 3; do
    # shellcheck disable=SC2086
    "$program" $sample --sobol --shard $k/3 -o part$k.csv --quiet
    list="$list part$k.csv"
done
# shellcheck disable=SC2086
"$program" merge $list -o whole.csv -o whole.svg 2>whole.txt
expect "merged" $? 0
report "the same in three parts" "$(for end in .csv .svg .band.csv .band.svg; do
    cmp all$end whole$end; done)"
expect "the same summary" "$(grep -v points whole.txt)" "$(grep -v points all.txt)"
# shellcheck disable=SC2086
"$program" $sample --sobol -o all.csv -o all.svg --resume 2>resumed.txt
expect "nothing is left to do" "$(grep -c 'nothing is left' resumed.txt)" 1
# shellcheck disable=SC2086
"$program" $sample --seed 1 -o other.csv --quiet
expect "another seed draws other numbers" "$(cmp -s all.csv other.csv; echo $?)" 1

# ---- the value with the lowest quantile ----

# A preload about m with a deviation of 0.2 m: the quantile of the peak over m, by the curve of
# peaks over the preload.
with '{damper.preload: {normal: [30, 6], bounds: [10, 60]}}' |
    sed 's/^harmonics:.*/harmonics: [1]/' >one.yaml # for many curves
"$program" study one.yaml --vary damper.preload=4:160:300:log -o wide.csv --quiet
"$program" sample one.yaml --samples 200 --seed 3 --minimize damper.preload=20:70 \
    -o lowest.csv -o lowest.svg 2>lowest.txt
expect "the lowest quantile" $? 0
awk -F, '
    FILENAME == "wide.peaks.csv" && FNR > 1 { p[++n] = log($1); peak[n] = $column; next }
    FILENAME == "wide.peaks.csv" {
        for (i = 1; i <= NF; i++) if ($i == "m2_max") column = i
        next
    }
    function at(m, z,    x, i) {
        x = (log(m * (1 + 0.2 * z)) - p[1]) / (p[n] - p[1]) * (n - 1) + 1
        i = int(x)
        return peak[i] + (x - i) * (peak[i + 1] - peak[i])
    }
    # the bounds are 10/30 and 60/30 of the mean: z from -10/3 to 5
    function quantile(m,    low, high, q, z, k, above, all) {
        high = 0.02
        for (k = 0; k < 30; k++) {
            q = (low + high) / 2
            above = all = 0
            for (z = -3.33; z < 4; z += 0.02) {
                all += exp(-z * z / 2)
                above += at(m, z) > q ? exp(-z * z / 2) : 0
            }
            if (above > 0.05 * all) { low = q } else { high = q }
        }
        return q
    }
    FNR > 1 {
        truth = quantile($1)
        error = ($8 - $7) / 2 / 1.96
        if ($6 - truth > 4 * error || truth - $6 > 4 * error || !(error < 0.03 * truth)) {
            print "at " $1 ": " $6 ", " truth " is right"
        }
        if ($9 == "minimum") { found = truth; where = $1 }
        lowest = lowest && lowest < truth ? lowest : truth
        count++
    }
    END {
        for (m = 30; m < 42; m += 0.5) {
            truth = quantile(m)
            lowest = lowest < truth ? lowest : truth
        }
        if (count < 17 || !(found < 1.005 * lowest)) {
            print found " at " where " of " count " values, " lowest " is right"
        }
    }' wide.peaks.csv lowest.csv >differences.txt
report "quantiles at all values by inversion, and the lowest" "$(cat differences.txt)"
best=$(sed -n 's/.*lowest 95 % quantile *at damper.preload = \([^ ]*\) N$/\1/p' lowest.txt)
expect "a row for it, by order of the values" "$(awk -F, '/minimum/ { printf "%.6g", $1 }
    NR > 2 && $1 <= before { print "unordered" } { before = $1 }' lowest.csv)" "$best"
expect "between two that are near, by a thousandth of the range" "$(awk -F, '
    near { print ($1 - here < 0.051 && here - before < 0.051); exit }
    /minimum/ { near = 1; here = $1; next } { before = $1 }' lowest.csv)" 1
# the same as the draws about that value
"$program" sample one.yaml --samples 200 --seed 3 -o x.csv \
    --set "uncertain.damper.preload.normal=[$best,$(echo "$best" | awk '{ print $1 / 5 }')]" \
    --set "uncertain.damper.preload.bounds=[$(echo "$best" | awk '{
        print $1 / 3 "," 2 * $1 }')]" 2>x.txt
expect "the draws are those about the value" \
    "$(awk '/^ *95 % q/ { printf "%.4g", $4 }' x.txt)" \
    "$(awk '/^ *95 % q/ { printf "%.4g", $4 }' lowest.txt)"
search='sample one.yaml --samples 40 --minimize'
# shellcheck disable=SC2086
"$program" $search damper.preload=20:70 -o few.csv --quiet
# shellcheck disable=SC2086
"$program" $search joints.0.preload=20:70 --threads 1 -o other.csv --quiet
report "the same by another path, with one thread" "$(
    sed 1d few.csv >left
    sed 1d other.csv | cmp - left)"
# another number: the draws stay, and more load is more peak
# shellcheck disable=SC2086
"$program" $search loads.0.amplitude=9:11 -o load.csv 2>load.txt
expect "the lowest at an end" "$(grep -c 'at the end of the range.*9: extend it' load.txt)" 1
expect "is that of the load" "$(sed -n 2p load.csv | cut -d, -f1,9)" 9,minimum

# killed within the golden section, behind the first 17 values
# shellcheck disable=SC2086
"$program" $search damper.preload=20:70 -o killed.csv --quiet --threads 1 &
pid=$!
while kill -0 $pid 2>/dev/null && { [ ! -s killed.csv.log ] ||
    [ "$(grep -c ^task killed.csv.log)" -lt 750 ]; }; do
    sleep 0.01
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
# shellcheck disable=SC2086
"$program" $search damper.preload=20:70 -o killed.csv --resume --quiet
report "resumed" "$(cmp few.csv killed.csv)"

# draws without a peak are as high as can be: nothing is low that could not be computed
# shellcheck disable=SC2086
"$program" $search damper.preload=20:70 --set solver.max_points=20 -o none.csv \
    2>none.txt
expect "nothing to compare" "$?$(grep -c 'quantile  *none' none.txt)" 01
expect "no quantiles" "$(awk -F, 'NR > 1 && $2 == 40 && $6 == ""' none.csv | wc -l)" 17

# ---- too few draws ----

# shellcheck disable=SC2086
"$program" sample uncertain_damper.yaml --samples 1 -o x.csv 2>few.txt
expect "one draw" "$?$(grep -c '(? to ?)' few.txt)$(grep -c nan few.txt)" 040
# shellcheck disable=SC2086
"$program" $sample --set solver.max_points=20 -o short.csv 2>short.txt
expect "curves that end early" $? 0
expect "curves that end early have no peak" \
    "$(awk -F, 'NR > 1 && $5 == "" && $6 == ""' short.csv | wc -l)" 24
expect "and are told" "$(grep -c '24 of 24 draws have no peak' short.txt)" 1

# ---- what is refused ----

# refuse TEXT SECTION OPTIONS...: with status 2 and a message that has the text
refuse() {
    text=$1
    with "$2" >bad.yaml
    shift 2
    "$program" sample bad.yaml --samples 5 "$@" >out.csv 2>err.txt
    status=$?
    report "refused: $text" "$({ [ $status = 2 ] && grep -qF -- "$text" err.txt; } ||
        { echo "status $status"; cat err.txt; })"
}
number='damper.preload: {normal: [30, 4]}'
two="$number, damper.friction: {uniform: [0.3, 0.7]}"
refuse "bad.yaml:38:13: uncertain: damper.preloads: no such number; did you mean" \
    "{damper.preloads: {normal: [30, 4]}}"
refuse "did you mean" "{dampr.preload: {normal: [30, 4]}}"
refuse "did you mean 'normal'" "{damper.preload: {norml: [30, 4]}}"
refuse "damper.preload: a distribution is missing" "{damper.preload: {}}"
refuse "two distributions, normal and uniform" \
    "{damper.preload: {normal: [30, 4], uniform: [1, 2]}}"
refuse "normal: expected [mean, deviation]" "{damper.preload: {normal: 30}}"
refuse "the deviation is -4, expected a number above 0" "{damper.preload: {normal: [30, -4]}}"
refuse "the median is 0, expected" "{damper.preload: {lognormal: [0, 1]}}"
refuse "expected low, mode and high" "{damper.preload: {triangular: [1, 5, 3]}}"
refuse "bounds: from 3 to 1" "{damper.preload: {normal: [30, 4], bounds: [3, 1]}}"
refuse "lie within its bounds" "{damper.preload: {normal: [30, 1], bounds: [300, 310]}}"
refuse "must be >= 0 N, not -" "{damper.preload: {normal: [-30, 4]}}"
refuse "expected 2 rows" "{$two, correlation: [[1]]}"
refuse "expected a symmetric matrix" "{$two, correlation: [[1, 0.5], [0.4, 1]]}"
refuse "0.9 on the diagonal, expected 1" "{$two, correlation: [[1, 0.5], [0.5, 0.9]]}"
refuse "not positive definite" "{$two, correlation: [[1, 1.2], [1.2, 1]]}"
refuse "of independent numbers" "{$two, correlation: [[1, 0.5], [0.5, 1]]}" --sobol
refuse "none of hypercube, random" "{$number}" --design grid
refuse "joints.0.preload: this is the same number as 'damper.preload'" \
    "{$number, joints.0.preload: {uniform: [20, 30]}}"
refuse "damper.name: expected a number, this is a text" "{damper.name: {normal: [30, 4]}}"
refuse "title: expected a number, this is a text" "{title: {normal: [30, 4]}}"
refuse "damper.preload: draws are beyond the largest number" \
    "{damper.preload: {uniform: [-1e308, 1e308]}}"
refuse "--set joints.0.preload would change nothing; set numbers of uncertain.damper.preload" \
    "{$number}" --set joints.0.preload=20
with "{$number}" >bad.yaml
"$program" sample bad.yaml --samples 50 --set uncertain.damper.preload.normal=[50,1] \
    -o moved.csv --quiet
expect "another mean" "$?,$(awk -F, 'NR > 1 { s += $2 / 50 } END { printf "%.1f", s }' \
    moved.csv)" 0,50.0
# check tries the paths; other analyses do not
for section in "{damper.preloads: {normal: [30, 4]}}" "{title: {normal: [30, 4]}}" \
    "{$number, joints.0.preload: {uniform: [20, 30]}}" \
    "{damper.preload: {normal: [-30, 1]}}"; do
    with "$section" >bad.yaml
    "$program" check bad.yaml >out.txt 2>err.txt
    expect "check refuses: $section" "$?$(grep -c 'bad.yaml:38:[0-9]*: uncertain: ' err.txt)" 21
done
"$program" frf bad.yaml --quiet -o x.csv
expect "frf does not look at the section" $? 0
"$program" check uncertain_damper.yaml --set damper.preload=20 >out.txt
expect "check takes another value of an uncertain number" $? 0
refuse "--minimize title: expected a number, this is a text" "{$number}" --minimize title=5:60
refuse "--minimize damper.fiction: no such number; did you mean" "{$number}" \
    --minimize damper.fiction=5:60
refuse "must be >= 0 N, not -" "{$number}" --minimize damper.preload=-5:60
refuse "this one lies about 0" "{damper.preload: {normal: [0, 4], bounds: [0, 60]}}" \
    --minimize damper.preload=5:60
refuse "neither Sobol's indices, nor" "{$number}" --minimize damper.preload=5:60 --sobol
refuse "neither Sobol's indices, nor" "{$number}" --minimize damper.preload=5:60 --band 9
refuse "--band 1: expected two frequencies at least" "{$number}" --band 1
refuse "neither Sobol's indices, nor" "{$number}" --minimize damper.preload=5:60 \
    --shard 1/2 -o x.csv
refuse "--set joints.0.stiffness would change nothing" "{$number}" \
    --minimize damper.stiffness=3e4:5e4 --set joints.0.stiffness=4e4
refuse "both ends are 5" "{$number}" --minimize damper.preload=5:5
"$program" sample "$examples/two_mass_damper.yaml" --samples 5 2>err.txt
expect "refused: a model without uncertain numbers" \
    "$?$(grep -c "no section 'uncertain'" err.txt)" 21
with "{$two, correlation: [[1, 0.8], [0.8, 1]]}" >bad.yaml
"$program" sample bad.yaml --samples 100 -o correlated.csv --quiet
expect "correlated numbers" $? 0
expect "they are" "$(awk -F, 'NR > 1 { x = ($2 - 30) / 4; y = ($3 - 0.5) / 0.1155
    s += x * y / 100 } END { print (s > 0.6 && s < 0.95) }' correlated.csv)" 1
finish
