#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# peak.sh PROGRAM: peaks followed over numbers of the examples, their files and pictures.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

model=$examples/two_mass_damper.yaml
"$program" peak "$model" --vary damper.preload=5:300 --minimize -o x.csv -o x.svg >out 2>err
expect "two masses" "$? $(cat out)" "0 "
expect "the files" "$(echo x.*)" "x.csv x.csv.run.yaml x.svg x.svg.run.yaml"
expect "the columns" "$(head -n 1 x.csv)" "point,damper.preload,frequency_hz,$(
)m2_max,m2_amp,m2_h1,m1_max,m1_amp,m1_h1,slip_damper,at_limit,number,event,iterations"
report "the summary has the optimum" "$(
    for text in 'damper.preload = 33\.8425.* N' 'm2_max = 0\.0021953.* m at 22\.0773.* Hz' \
        'within 1 % of it  *30\.8.* to 37\.5.* N' 'within 5 % of it  *27\.8.* to 43\.1.* N' \
        'damper\.stiffness  *-0\.625' 'damper\.preload  *+0\.00000'; do
        grep -q "$text" err || { echo "no '$text':" && cat err; }
    done)"
report "rows are in order, the lowest among them" "$(awk -F, 'NR > 1 {
    if ($1 != NR - 2) { print "row " NR - 1 " is point " $1 }
    if (NR > 2 && $2 <= before) { print $2 " after " before }
    before = $2
    if (!lowest || $4 < lowest) { lowest = $4; event = $13 }
}
END { if (event != "minimum" || before != 300) { print lowest, event, before } }' x.csv)"
report "the picture shows both quantities" "$(
    for text in 'damper.preload (N)' 'Frequency of the peak (Hz)' 'largest displacement'; do
        grep -q "$text" x.svg || echo "no '$text'"
    done)"
rm -f x.*

# cells FILE EVENT NAME...: cells by name of the first row whose event is EVENT, or of row EVENT
cells() {
    awk -F, -v event="$2" -v names="$(shift 2; echo "$*")" '
        NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } n = split(names, name, " ") }
        NR > 1 && (NR - 1 == event || $at["event"] == event) {
            for (i = 1; i <= n; i++) { printf "%s%.6e", i > 1 ? " " : "", $at[name[i]] }
            print ""
            exit
        }' "$1"
}
wanted="frequency_hz m2_max m2_h3 m1_h9 loss_structure loss_damper"
"$program" peak "$model" --vary damper.preload=20,30 --columns energy,harmonics -o p.csv \
    --quiet >out 2>err
"$program" frf "$model" --set damper.preload=30 --columns energy,harmonics -o f.csv --quiet
expect "harmonics and losses are those of the response at its peak" \
    "$(cat err)$(cells p.csv 2 $wanted)" "$(cells f.csv peak $wanted)"
"$program" peak "$model" --vary damper.preload=20,30 --columns joints >out 2>err
expect "columns that a peak does not have" "$? $(cat out err)" "2 masing peak: --columns: \
'joints' is not supported yet for this command; known: harmonics, energy"
"$program" peak "$model" --vary harmonics=3,5 --columns harmonics >out 2>err
expect "where the harmonics vary" "$? $(cat out) $(grep -c 'of different columns' err)" "2  1"
"$program" peak "$model" --vary harmonics=3,5 --columns energy >out 2>err
expect "losses are there" "$? $(head -n 1 out | tr ',' '\n' | grep -c loss_)" "0 2"
rm -f p.* f.*

"$program" peak "$model" --vary damper.preload=10:40:4 --measure h1 --quiet >out 2>err
expect "rows at values" "$? $(cut -d, -f2 out | tr '\n' ' ')$(cat err)" \
    "0 damper.preload 10 20 30 40 "
"$program" peak "$model" --vary damper.preload=5,100,300 --minimize -o x.svg >out 2>err
expect "the lowest among values that are far apart" "$? $(cat out)$(
    grep -c 'damper.preload = 33\.842[56].* N\|30\.8278 to 37\.5153 N' err)$(
    grep warning err)" "0 2"
report "straight lines between given values, and no band" "$(grep 'within' x.svg
    sed -n 's/.*d="M\([^"]*\)" fill="none" stroke="#3a528a".*/\1/p' x.svg | tr 'C' ' ' |
    awk '{
        for (i = 3; i < NF; i += 6) {
            dx = $(i + 4) - $(i - 2); dy = $(i + 5) - $(i - 1)
            for (k = i; k < i + 4; k += 2) {
                off = ($k - $(i - 2)) * dy - ($(k + 1) - $(i - 1)) * dx
                off /= sqrt(dx * dx + dy * dy)
                if (off > 0.02 || off < -0.02) { print "off by " off }
            }
            n++
        }
    }
    END { if (n != 6) { print n + 0 " stretches" } }')"
rm -f x.*
"$program" peak "$model" --vary damper.preload=100:50,20 >out 2>err
expect "no values" "$?" "2"
"$program" peak "$model" --vary damper.preload=50:100 --minimize --quiet >out 2>err
report "the lowest at an end is warned about" \
    "$(grep -q 'the lowest peak.*at the end of the range, damper.preload = 50' err || cat err)"

"$program" peak "$examples/normal_motion.yaml" --set harmonics=3 --vary contact.preload=10:300 \
    --quiet >out 2>err
expect "a peak that turns back" "$?" "0"
ended='at 25\.8[0-9]* Hz turns back at contact\.preload = 73\.7[0-9]* or leaves the response'
report "a peak that turns back is warned about, with its value and what is followed then" "$(
    text="^warning: the peak $ended: from there on the largest one that is left is followed"
    grep -q "$text\$" err || cat err)"

"$program" peak "$model" --vary damper.stiffness=2e4,4e4,8e4 --vary damper.preload=20:80:4:log \
    -o y.csv -o y.svg -o y.png >out 2>err
expect "a map" "$? $(cat out)$(ls y.* | tr '\n' ' ')" \
    "0 y.csv y.csv.run.yaml y.png y.png.run.yaml y.svg y.svg.run.yaml "
expect "rows of a map: both numbers first, along the one with more values" \
    "$(head -n 1 y.csv | cut -d, -f1-4) $(awk -F, 'NR > 1 { printf "%d/%d ", $2, $3 }' y.csv)" \
    "point,damper.preload,damper.stiffness,frequency_hz $(
    )20/20000 31/20000 50/20000 80/20000 $(
    )20/40000 31/40000 50/40000 80/40000 $(
    )20/80000 31/80000 50/80000 80/80000 "
report "the lowest of a map" "$(
    grep -q 'lowest peak.* at damper.preload = 31\.7.*, damper.stiffness = 80000' err || cat err
    grep -q 'end of the range, damper.stiffness = 80000' err || cat err)"
report "the map names what it shows" "$(
    for text in 'damper.preload (N)' 'damper.stiffness (10' 'largest' 'lowest: '; do
        grep -q "$text" y.svg || echo "no '$text'"
    done)"

"$program" peak "$examples/three_mass_chain.yaml" --vary load_factor=1:2:3 --number 1,2 \
    --quiet >out 2>err
expect "peaks by their numbers" "$? $(awk -F, 'NR == 1 {
    for (i = 1; i <= NF; i++) { if ($i == "number") { c = i } }
    next
}
{ print $c }' out | tr '\n' ' ')" "0 1 1 1 2 2 2 "

# --- no peak in the frequency range ---

field=$MASING_SOURCE_ROOT/tests/reference/field
# peaks RANGE DIRECTION: rows whose value of at_limit is not whether the frequency is an end of
# the range, then the event of each row, once, and whether the picture shows a band
peaks() {
    rm -f z.*
    "$program" peak "$field/no_peak_in_range.yaml" --vary "d.slip_force=$2" --minimize \
        --set "frequency=$1" -o z.csv -o z.svg 2>err || echo "status $?"
    awk -F, -v range="$1" 'BEGIN { split(substr(range, 2), end, /[],]/) }
        NR > 1 && $8 != ($3 == end[1] || $3 == end[2]) { print "row " $0 }
        NR > 1 && $10 == "minimum" && $8 { print "an end of the range is the minimum" }
        $10 == "minimum" { n++ }
        END { printf "%d of them the minimum;", n }' z.csv
    grep -c 'of the lowest' z.svg
}
expect "no row is the minimum where there is no peak, and no band is shown" \
    "$(peaks '[23,60]' 0.1:10)$(grep 'lowest' err)" "0 of them the minimum;0"
report "the summary says so" "$(
    grep -q '^  peak  *none in the frequency range$' err || cat err)"
for range in '[60,23]' '[40,60]'; do
    expect "nor in $range" "$(peaks $range 10:0.1)$(grep 'lowest' err)" \
        "0 of them the minimum;0"
done
# 1.45929 N at 19.4964 Hz: the lowest in the model's own range, by whole responses
for range in '[10,30]' '[30,10]' '[10,20]' '[19.3,30]'; do
    expect "the lowest peak within $range" "$(peaks $range 0.1:10)$(
        sed -n 's/.*lowest peak at .*= \(1\.4592[0-9]\).* N.*/ \1/p' err)" \
        "1 of them the minimum;1 1.45929"
done
expect "the lowest peak beside values without one" "$(peaks '[22,30]' 0.1:10)$(
    grep -c 'is beside values without one in the frequency range: extend that beyond 22 Hz' \
        err)" "1 of them the minimum;11"

"$program" peak "$examples/rough_damper.yaml" --vary pad.preload=20:200 --minimize -o z.csv \
    2>err
report "numbers within numbers have their units" "$(
    grep -q 'pad.topography.height_std .*(at 0.0002 m)$' err || cat err)"

# The peak that is followed comes off the response; one response goes round and round there
# on its own path, 17000 points and 40 s of them. What is told is the peak of whole responses.
normal=$examples/normal_motion.yaml
"$program" peak "$normal" --set harmonics=3 --vary contact.preload=70:80 -o off.csv 2>err
expect "a peak comes off" "$? $(grep -c 'turns back at contact.preload' err)" "0 1"
report "in the time of some whole responses" "$(
    sed -nE 's/^ +points +[0-9]+ in ([0-9.]+) s,.*/\1/p' err |
        awk '!($1 < 15) { print $1 " s" } END { if (NR != 1) { print "no line" } }')"
report "and the peaks are those of whole responses" "$(
    awk -F, 'NR > 1 && ($2 < 70.6 || ($2 > 71.5 && $2 < 73.4) || $2 > 79.9) { print $2, $4 }' \
        off.csv | awk 'NR % 3 == 1' | while read -r preload peak; do
        "$program" frf "$normal" --set harmonics=3 --set "contact.preload=$preload" \
            --stability none -o whole.csv 2>err.txt
        sed -nE 's/^ +peak +m2y_max = ([^ ]+) m.*/\1/p' err.txt | awk -v is="$peak" \
            '(is / $1 - 1) ^ 2 > 1e-7 { print is, "for", $1 } # ripple of 512 samples
            END { if (NR == 0) { print "no peak" } }'
    done)"

# --- a map where some values have no peak: their rows are missing, and each is named ---
"$program" peak "$model" --vary damper.preload=10,20,30,40 --vary solver.max_points=3,9,4000 \
    -o map.csv 2>err
expect "a map with values that fail" "$? $(sed 1d map.csv | cut -d, -f2,3 | tr '\n' ' ')" \
    "1 10,4000 20,4000 30,4000 40,4000 "
expect "which are named" "$(
    sed -nE 's/^warning: (.*): the limit of [0-9]+ points .*/\1/p' err | tr '\n' ';')" \
    "solver.max_points = 3: rows are missing;solver.max_points = 9: rows are missing;"

# --- samples make slopes ripple: a peak lies in the middle of equal values, 0.002 of the range
# to both sides, whatever the slope of its tangent ---
damper=$examples/underplatform_damper.yaml
"$program" frf "$damper" --quiet -o whole.csv 2>err
peaks=$(awk -F, '/,peak,/ { printf "%.12g\n", $3 }' whole.csv)
expect "two peaks of a rippled response" "$(printf '%s\n' "$peaks" | wc -l)" 2
report "each in the middle" "$(
    for hz in $peaks; do
        sides=$(awk -v hz="$hz" 'BEGIN { printf "%.12g,%.12g", hz - 0.36, hz + 0.36 }')
        "$program" frf "$damper" --quiet --at "$sides" -o sides.csv 2>err
        awk -F, -v hz="$hz" '
            function is_near(a, b) { return (a / b - 1) ^ 2 < 1e-22 }
            is_near($3, hz - 0.36) { low = $4 }
            is_near($3, hz + 0.36) { high = $4 }
            is_near($3, hz) { top = $4 }
            END {
                drop = 2 * top - low - high
                if (!(drop > 0 && (high - low) ^ 2 < 1e-6 * drop ^ 2))
                    print hz ": " low, top, high
            }' sides.csv
    done)"
finish
