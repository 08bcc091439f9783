#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# results.sh PROGRAM: where results go, what stands beside them, and what is left when a
# command cannot end as it should.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model=$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml
begin "$1"

files() {
    find . -type f | sed 's|^\./||' | sort | tr '\n' ' '
}

# column NAME FILE
column() {
    awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) { n = i } } }
        NR > 1 { print n ? $n : "no column " name }' "$2"
}

# lines whose number of fields is not that of the header, or that hold nan or inf
broken_lines() {
    awk -F, 'NR == 1 { n = NF } NF != n || /nan|inf/ { print FILENAME ":" FNR ": " $0 }' "$1"
}

"$program" frf "$model" --set harmonics=3 >out.csv 2>err.txt
expect "frf to standard output" "$?" 0
expect "columns come as promised" "$(head -n 1 out.csv | cut -d , -f 1-5)" \
    "point,branch,frequency_hz,m2_max,m2_amp"
report "every line is whole" "$(broken_lines out.csv)"
report "the summary names the peak" "$(grep -q 'peak .*m2_max = .* Hz' err.txt || cat err.txt)"
report "no bar where there is no terminal" "$(grep "$(printf '\r')" err.txt)"
rm -f out.csv err.txt

"$program" frf "$model" --log-y --set 'frequency=[1, 200]' -o log.svg --quiet
report "a logarithmic axis has powers of ten" "$(grep -q '>10⁻' log.svg || echo none)"
rm -f log.*

"$program" frf "$model" --quiet -o x.csv -o x.svg -o x.png --at 20,25 --columns joints \
    >out.txt 2>err.txt
expect "frf into files" "$?" 0
expect "all files are there" "$(files)" \
    "err.txt out.txt x.csv x.csv.run.yaml x.loops.csv x.loops.png x.loops.svg x.png \
x.png.run.yaml x.svg x.svg.run.yaml "
report "nothing on the other streams" "$(cat err.txt out.txt)"
expect "rows exactly where they were asked for" \
    "$(column frequency_hz x.csv | grep -cE '^(20|25)$')" 2
expect "loops of the joint" "$(column joint x.loops.csv | sort -u)" damper
expect "at the peak and where they were asked for" \
    "$(column event x.loops.csv | uniq -c | xargs), $(column frequency_hz x.loops.csv |
        uniq -c | awk '$2 == 20 || $2 == 25' | xargs)" "1026 at 513 peak, 513 20 513 25"
# m1 is what the damper feels: its harmonics at the angles of a loop, which encloses the loss
"$program" frf "$model" --quiet -o y.csv --at 20,25 --columns harmonics,energy 2>err.txt
report "loops go with the angle, and enclose what is lost" "$(awk -F, '
    FNR == NR && FNR == 1 { for (i = 1; i <= NF; i++) { place[$i] = i } }
    FNR == NR && FNR > 1 && ($place["frequency_hz"] == 20 || $place["frequency_hz"] == 25) {
        f = $place["frequency_hz"]
        loss[f] = $place["loss_damper"]
        for (h = 1; h <= 9; h++) {
            size[f, h] = $place["m1_h" h]
            phase[f, h] = $place["m1_h" h "_phase_deg"]
        }
    }
    FNR != NR && FNR > 1 && $6 == "at" {
        x = 0
        for (h = 1; h <= 9; h++) {
            x += size[$5, h] * cos((h * $4 + phase[$5, h]) * atan2(0, -1) / 180)
        }
        if ((x - $2) ^ 2 > 1e-20) { print "at " $5 " Hz, " $4 " deg: " $2 ", expected " x }
        work[$5] += $4 > 0 ? 0.5 * ($3 + force) * ($2 - before) : 0
        before = $2
        force = $3
    }
    END {
        for (f in loss) {
            if ((work[f] - loss[f]) ^ 2 > 1e-8 * loss[f] ^ 2) {
                print "at " f " Hz lost " loss[f] ", in the loop " work[f]
            }
        }
        if (!(20 in loss) || !(25 in work)) { print "nothing to compare" }
    }' y.csv x.loops.csv)"
rm -f y.*
report "the picture's size" "$(head -c 8 x.png | od -An -c | grep -q 'P *N *G' || echo none)"
if command -v xmllint >/dev/null; then
    report "the pictures are well formed" "$(xmllint --noout x.svg x.loops.svg 2>&1)"
fi

# the record holds a model that gives the same curve again
sed -n '/^model: /,$ { /^model: /d; s/^  //; p; }' x.csv.run.yaml >again.yaml
"$program" frf again.yaml --quiet -o again.csv --at 20,25 --columns joints
expect "the recorded model can be run" "$?" 0
expect "and gives the same bits" "$(cmp x.csv again.csv 2>&1)" ""
expect "the record names the options" "$(grep -c '^  - "--at"$' x.csv.run.yaml)" 1
rm -f ./*

SOURCE_DATE_EPOCH=0 "$program" study "$model" --vary damper.preload=100,0,30 -o s.csv \
    --threads 1 2>err.txt
expect "study into a file" "$?" 0
expect "its files" "$(files)" "err.txt s.csv s.csv.run.yaml s.loops.csv s.peaks.csv "
expect "values in the order given" "$(column damper.preload s.csv | uniq | tr '\n' ' ')" \
    "100 0 30 "
expect "one peak per value" "$(column damper.preload s.peaks.csv | tr '\n' ' ')" "100 0 30 "
report "the summary names the lowest" \
    "$(grep -q 'lowest peak: .* at damper.preload = 30' err.txt || cat err.txt)"
expect "the record's date can be fixed" "$(grep ^date: s.csv.run.yaml)" \
    "date: 1970-01-01T00:00:00Z"
"$program" study "$model" --vary damper.preload=100,0,30 -o t.csv --threads 2 --quiet
expect "the same bits for any number of threads" \
    "$(cmp s.csv t.csv 2>&1 && cmp s.loops.csv t.loops.csv 2>&1)" ""
"$program" study "$model" --vary damper.preload=30,31 >out.csv 2>err.txt
report "without -o the summary stands on standard error" \
    "$(grep -q '^damper.preload *peak/Hz' err.txt || cat err.txt)"
rm -f ./*

"$program" frf "$model" --check-harmonics --starts 3 -o c.csv 2>err.txt
expect "harmonics are checked" "$?" 0
expect "its files" "$(files)" "c.check.csv c.csv c.csv.run.yaml c.loops.csv err.txt "
expect "its columns" "$(head -n 1 c.check.csv | cut -d , -f 1-8)" \
    "frequency_hz,event,refined_hz,harmonics,samples,m2_max,m2_max_refined,m2_max_error"
expect "the peak and ten more" \
    "$(column event c.check.csv | grep -c peak) $(sed 1d c.check.csv | wc -l)" "1 11"
report "every line is whole" "$(broken_lines c.check.csv)"
report "the summary has the errors" \
    "$(grep -q 'error of m1_max  *[0-9.e-]* % at 11 points' err.txt || cat err.txt)"
report "and the range over the starts" \
    "$(grep -q 'other starts .*, in 3 of 3' err.txt || cat err.txt)"
report "nothing to warn about" "$(grep warning err.txt)"
expect "the record has them" \
    "$(grep -cE '^ *(check_harmonics: 19|starts_solved: 3|"m1": .*e-0)' c.csv.run.yaml)" 3
"$program" frf "$model" --quiet -o d.csv 2>err.txt
expect "the curve is the same without" \
    "$(cmp c.csv d.csv 2>&1; cmp c.loops.csv d.loops.csv 2>&1)" ""
rm -f ./*
"$program" study "$model" --vary damper.preload=30,60 --set harmonics=1 --threads 2 \
    --check-tolerance 0.01 -o s.csv 2>err.txt
expect "in a study" "$? $(column damper.preload s.check.csv | uniq -c | tr -s ' \n' ' ')" \
    "0  11 30 11 60 "
report "which warns" "$(grep -q 'warning (damper.preload = .*is wrong by about' err.txt ||
    cat err.txt)"
report "and tells the worst" "$(grep -q 'largest error of harmonics: .* at damper.preload = ' \
    err.txt || cat err.txt)"
"$program" study "$model" --vary damper.preload=30,60 --set harmonics=1 --threads 1 \
    --check-tolerance 0.01 -o t.csv --quiet 2>err.txt
expect "by any number of threads" "$(cmp s.check.csv t.check.csv 2>&1)" ""
rm -f ./*

"$program" check "$model" --csv >out.csv 2>err.txt
expect "check --csv" "$? $(head -n 1 out.csv) $(wc -l <out.csv)" \
    "0 mode,free_hz,stuck_hz,m2_free,m2_stuck,m1_free,m1_stuck 3"
"$program" check "$model" >out.txt 2>err.txt
report "check prints the joint's constants" \
    "$(grep -q 'slip_force .* 15 N' out.txt || cat out.txt)"
"$program" integrate "$model" --frequency 24 --quiet -o i.csv -o i.svg 2>err.txt
expect "integrate" "$? $(head -n 1 i.csv | cut -d , -f 1-2)" "0 time,m2"
report "integrate has nothing to say when quiet" "$(cat err.txt)"
rm -f ./*

# --- outputs that cannot be written ---
"$program" frf "$model" >/dev/full 2>err.txt
status=$?
report "a full device" "$(
    [ $status -eq 1 ] || [ $status -eq 2 ] || echo "exit status $status"
    grep -q 'standard output: cannot write: No space left' err.txt || cat err.txt
)"
"$program" frf "$model" >&- 2>err.txt
status=$?
report "a closed output" "$(
    [ $status -eq 1 ] || [ $status -eq 2 ] || echo "exit status $status"
    grep -q 'standard output: cannot write' err.txt || cat err.txt
)"
ln -s /dev/full full.csv
ln -s /dev/full full.svg
ln -s /dev/full full.png
for ending in csv svg png; do
    "$program" frf "$model" -o full.$ending 2>err.txt
    status=$?
    report "a full device behind a file that ends in .$ending" "$(
        [ $status -eq 1 ] || [ $status -eq 2 ] || echo "exit status $status"
        grep -q "full.$ending: cannot write" err.txt || cat err.txt
    )"
done
rm -f ./*
"$program" frf "$model" --quiet -o x.csv >&- 2>err.txt
expect "a closed output does no harm to a file" "$? $(column point x.csv | head -n 1)" "0 0"
rm -f ./*

# --- ends that come early ---
"$program" frf "$model" --set solver.max_points=12 -o x.csv 2>err.txt
expect "too few points allowed: status 1" "$?" 1
report "the reason is printed" "$(grep -q 'stopped early: .*12' err.txt || cat err.txt)"
report "the points are kept" "$(
    [ "$(wc -l <x.csv)" -ge 10 ] || cat x.csv
    broken_lines x.csv
)"
expect "the record knows" "$(grep -c '^  - is_complete: false' x.csv.run.yaml)" 1
rm -f ./*

# wait_for COMMAND...: until it succeeds, 30 s at most
wait_for() {
    tries=0
    until "$@" || [ $tries -ge 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

if command -v script >/dev/null; then
    script -qfec "$program study $model --vary damper.preload=1:60:3000 -o x.csv" log.txt \
        >/dev/null 2>&1 </dev/null &
    process=$!
    has_bar() {
        grep -qs '%.*points.*left' log.txt
    }
    wait_for has_bar
    kill $process
    wait $process 2>/dev/null
    report "a terminal shows a bar, points and the time left" \
        "$(has_bar || tail -n 3 log.txt)"
    rm -f ./*
fi

# --- Ctrl-C ---
env --default-signal=INT "$program" study "$model" --vary damper.preload=1:60:3000 \
    -o x.csv 2>err.txt &
process=$!
has_rows() { # they are under a name of their own until the end
    [ "$(cat x.csv.unfinished-* 2>/dev/null | wc -l)" -ge 100 ]
}
wait_for has_rows
kill -INT $process
wait $process
expect "Ctrl-C ends a study with status 1" "$?" 1
report "and says so" "$(grep -q 'stopped early: .*interrupted' err.txt || tail -n 3 err.txt)"
report "what was computed is kept, every line whole" "$(
    [ "$(wc -l <x.csv)" -ge 100 ] || echo "too few lines"
    broken_lines x.csv
)"
report "values that were not reached have no numbers, and a warning names them" "$(
    grep -m 3 ' 0\.00000 \|0\.000000e+00' err.txt
    grep -q '^warning (damper.preload = .* of 3000 values): not computed$' err.txt ||
        tail -n 3 err.txt
    awk '/ points: 0$/ { getline; if (/worst_/) { print; exit } }' x.csv.run.yaml
)"
report "the record says so too" \
    "$(grep -q '^ended: "early: .*interrupted' x.csv.run.yaml || head -n 20 x.csv.run.yaml)"

# --- linear peaks beside the peak ---

cat >two.yaml <<'END'
masing: 1
structure:
  masses: {a: 1, b: 1}
  springs: [{from: ground, to: a, stiffness: 10000}, {from: a, to: b, stiffness: 60000}]
  damping: {modal_ratio: 0.01}
joints: [{name: d, law: jenkins, from: ground, to: a, stiffness: 20000, slip_force: 3}]
loads: [{dof: a, amplitude: 1}]
frequency: [15, 80]
outputs: [a]
END
# linear RANGE: what the summary says of the linear peaks; modes lie at 11.0174 and 56.317 Hz
# with the joint free, at 18.2532 and 58.876 Hz with it stuck
linear() {
    "$program" frf two.yaml --set "frequency=$1" 2>&1 >/dev/null | sed -n \
        's/^  linear peak, \([a-z]*\)  *\([-.0-9e]* at [0-9][0-9]\).* Hz\(.*\)$/\1 \2\3/p
         s/^  linear peak, \([a-z]*\)  *\(none.*\)$/\1 \2/p' | sed 's/[0-9.]* %/N %/'
}
expect "a mode outside of the range is no linear peak, nor is another one" \
    "$(linear '[15, 80]')" \
    "stuck 0.002323 at 18; the peak is N % lower
free none of this mode in the range"
expect "each peak beside those of its mode" "$(linear '[5, 80]' | cut -d' ' -f1-4)
$(linear '[40, 80]' | cut -d' ' -f1-4)" "stuck 0.002323 at 18;
free 0.004784 at 11;
stuck 0.0002386 at 58;
free 0.0002163 at 56;"
expect "nothing is compared with an end of the range" "$(linear '[5, 15]')" \
    "stuck none of this mode in the range
free 0.004784 at 11"

# --- joints between rotations ---

lap=$MASING_SOURCE_ROOT/tests/reference/field/lap_joint.yaml
"$program" check "$lap" >out.txt 2>&1
report "their numbers have units of rotations" "$(
    for text in 'slip_force  *2 N m' 'stiffness  *1500 N m/rad' 'phi_max  *0\.0025[0-9]* rad' \
        'R  *4362\.[0-9]* N m/rad^(chi+2)' 'rotation 0 rad, moment 0 N m'; do
        grep -q "^  \(static state *\)\{0,1\}$text\( .*\)\{0,1\}$" out.txt || echo "no '$text'"
    done)"
"$program" loop "$lap" --joint bolt --amplitude 1e-3 -o loop.csv -o loop.svg 2>err.txt
report "so has a loop" "$(
    grep -q '^amplitude/rad  max. moment/(N m)  secant/(N m/rad)' err.txt || cat err.txt
    grep -q 'Rotation (.*rad)' loop.svg && grep -q 'Moment (N m)' loop.svg || echo "axes")"
"$program" peak "$lap" --vary bolt.slip_force=1:3 --minimize -o peak.svg 2>err.txt
report "so has a parameter" "$(
    grep -q 'bolt.slip_force = [0-9.]* N m' err.txt || cat err.txt
    grep -q 'bolt.slip_force (N m)' peak.svg || echo "axis")"
sed 's/^outputs:.*/outputs: [left.end.r]/' "$lap" >turned.yaml
"$program" frf turned.yaml -o frf.svg >out.txt 2>err.txt
report "so has an output" "$(
    grep -q 'left.end.r_max = [-0-9.e]* rad at' err.txt || cat err.txt
    grep -q 'largest rotation' frf.svg || echo "axis")"

# --- a reader that has gone ---

# more rows than a pipe holds
{ "$program" study "$model" --vary damper.preload=10:200:300 2>err.txt; echo $? >status; } |
    head -n 1 >out.txt
expect "no summary of what could not be written" "$(cat status err.txt)" \
    "1
masing study: standard output: cannot write: Broken pipe"
# the work of a joint is the area under its force, and over a period its loss
"$program" integrate "$model" --frequency 22 --columns energy -o w.csv 2>err
loss=$(sed -n 's/.*(in joints \(.*\))$/\1/p' err)
report "work of a joint in time" "$(awk -F, -v loss="$loss" '
    NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } }
    NR > 2 { area += 0.5 * ($at["force_damper"] + f) * ($at["displacement_damper"] - x) }
    NR > 1 {
        f = $at["force_damper"]
        x = $at["displacement_damper"]
        off = $at["work_damper"] - area
        if (off > 1e-9 || off < -1e-9) { print "row " NR - 1 ": " $at["work_damper"], area }
    }
    END {
        part = NR > 100 ? area / loss : 0
        if (!(part > 0.97 && part < 1.01)) { print "of a period: " area " of " loss }
    }' w.csv)"
finish
