#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# loop.sh PROGRAM: loops of a joint, with and without a structure around it.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
damper=$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml
begin "$1"

cat >joints.yaml <<'END'
masing: 1
joints:
  - {name: slider, law: jenkins, stiffness: 4e4, slip_force: 15}
  - {name: dashpot, law: linear, damping: 3, from: here, to: there}
END

# column NAME FILE
column() {
    awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) { n = i } } }
        NR > 1 { print n ? $n : "no column " name }' "$2"
}

# near NAME ACTUAL EXPECTED TOLERANCE: relative
near() {
    report "$1" "$(awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN {
        d = a - b
        if (a == "" || (d < 0 ? -d : d) > t * (b < 0 ? -b : b)) {
            print "got " a ", expected " b
        }
    }')"
}

# refused NAME MESSAGE ARGUMENT...: exit status 2, MESSAGE on standard error, no output, no file
refused() {
    name=$1 message=$2
    shift 2
    "$program" loop "$@" >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        [ ! -s out ] || echo "standard output is not empty"
        ls x.* 2>/dev/null
        grep -qF -- "$message" err || { echo "the message lacks '$message':" && cat err; }
    )"
}

"$program" loop joints.yaml --joint slider --amplitude 1e-3 >out.csv 2>err
expect "a model of joints alone" "$?" 0
expect "its columns" "$(head -n 1 out.csv)" \
    "amplitude,cycle,displacement,force,steady,angle_deg"
report "the angle of a sine" "$(awk -F, '
    NR > 1 && ($3 - 1e-3 * sin($6 * atan2(0, -1) / 180)) ^ 2 > 1e-30' out.csv)"
expect "the virgin cycle and the steady one" "$(column cycle out.csv | uniq -c | xargs)" \
    "513 1 513 2"
report "the summary stands on standard error" "$(grep -q '^0.001 .* 0.0375 ' err || cat err)"

"$program" loop "$damper" --joint damper --amplitude 5e-4:2e-3:3 --quiet -o x.csv -o x.svg \
    -o x.png >out 2>err
expect "loops of a joint in a structure" "$? $(cat out err)" "0 "
expect "the files" "$(echo x.*)" \
    "x.csv x.csv.run.yaml x.png x.png.run.yaml x.summary.csv x.svg x.svg.run.yaml"
expect "one row per amplitude" "$(column amplitude x.summary.csv | tr '\n' ' ')" \
    "0.00050000000000000001 0.00125 0.002 "
expect "the summary's first columns" "$(head -n 1 x.summary.csv | cut -d , -f 1-4)" \
    "amplitude,max_force,secant_stiffness,energy_lost"
near "energy of the last" "$(column energy_lost x.summary.csv | tail -n 1)" 0.0975 1e-9
near "secant of the last" "$(column secant_stiffness x.summary.csv | tail -n 1)" 7500 1e-9
report "no field is nan" "$(grep -n nan x.csv x.summary.csv)"
report "the picture has a legend" "$(grep -q '>Amplitude (m)<' x.svg || echo none)"
if command -v xmllint >/dev/null; then
    report "the picture is well formed" "$(xmllint --noout x.svg 2>&1)"
fi
sed -n '/^model: /,$ { /^model: /d; s/^  //; p; }' x.csv.run.yaml >again.yaml
"$program" loop again.yaml --joint damper --amplitude 5e-4:2e-3:3 --quiet -o again.csv
expect "the recorded model gives the same bits" "$? $(cmp x.csv again.csv 2>&1)" "0 "
rm -f x.*

"$program" loop joints.yaml --joint slider --amplitude 1e-3 --set slider.slip_force=10 --quiet \
    -o x.csv
near "--set reaches the joint" "$(column energy_lost x.summary.csv)" 0.03 1e-9
sed -n '/^model: /,$ { /^model: /d; s/^  //; p; }' x.csv.run.yaml >again.yaml
report "the record of joints alone" \
    "$(grep -q 'slip_force: 10' again.yaml || cat x.csv.run.yaml)"
"$program" loop again.yaml --joint slider --amplitude 1e-3 --quiet -o again.csv
expect "can be run as well" "$? $(cmp x.csv again.csv 2>&1)" "0 "
rm -f x.*

# pi c (2 pi f) A^2
"$program" loop joints.yaml --joint dashpot --amplitude 0.01 --frequency 5 --quiet -o x.csv
near "a dashpot's loss grows with the frequency" "$(column energy_lost x.summary.csv)" \
    0.029608813203268075 1e-12
expect "a dashpot has no slip and no mean stiffness to speak of" \
    "$(column slip_share x.summary.csv)" ""
rm -f x.*

printf 'displacement\n0\n1e-3\n-1e-3\n' >path.csv
"$program" loop joints.yaml --joint slider --points path.csv --quiet -o x.csv -o x.svg
expect "a path of points" "$? $(column force x.csv | xargs)" "0 0 15 -15"
expect "belongs to no amplitude" "$(column amplitude x.csv | sort -u)" ""
expect "its work" "$(column work x.summary.csv | cut -c 1-8)" "0.030937"
rm -f x.*

"$program" loop joints.yaml --joint slider --amplitude 1e-3 --motion 1:0.5,3:0.5 --cycles 3 \
    --samples 100 --quiet -o x.csv
expect "several harmonics, some cycles" "$? $(column cycle x.csv | uniq -c | xargs)" \
    "0 101 1 101 2 101 3"
rm -f x.*

refused "no amplitude" "--amplitude is missing" joints.yaml --joint slider
refused "too many cycles" "--cycles: more than 100000" joints.yaml --joint slider \
    --amplitude 1 --cycles 1000000000
refused "an amplitude of zero" "--amplitude: 0 is not above zero" \
    joints.yaml --joint slider --amplitude 1,0 -o x.csv
refused "a negative amplitude" "-1 is not above zero" joints.yaml --joint slider --amplitude -1
refused "nan" "'nan' is not a number" joints.yaml --joint slider --amplitude nan
refused "a word" "'wide' is not a number" joints.yaml --joint slider --amplitude wide
refused "an amplitude twice" "stands twice" joints.yaml --joint slider --amplitude 1,2,1
refused "half a range" "from:to:count" joints.yaml --joint slider --amplitude 1:2
refused "no joint" "the joints of joints.yaml: slider, dashpot" joints.yaml --amplitude 1
refused "an unknown joint" "(did you mean 'slider'?); the joints are: slider, dashpot" \
    joints.yaml --joint slidr --amplitude 1 -o x.csv
refused "a motion that is none" "does not move the joint" \
    joints.yaml --joint slider --amplitude 1 --motion 0:0:1
refused "a motion of a word" "'a' is not a number" \
    joints.yaml --joint slider --amplitude 1 --motion 1:a
refused "a motion without weights" "is not HARMONIC:SINE or HARMONIC:SINE:COSINE" \
    joints.yaml --joint slider --amplitude 1 --motion 1
refused "half a harmonic" "the harmonic is a whole number" \
    joints.yaml --joint slider --amplitude 1 --motion 1.5:1
refused "a harmonic twice" "harmonic 1 stands twice" \
    joints.yaml --joint slider --amplitude 1 --motion 1:1,1:2
refused "points and amplitudes" "no --amplitude" \
    joints.yaml --joint slider --amplitude 1 --points path.csv
refused "no such points" "none.csv: cannot be read" joints.yaml --joint slider --points none.csv
printf 'displacement\n0\noops\n' >path.csv
refused "points with a word" "path.csv:3:1: displacement: 'oops' is not a number" \
    joints.yaml --joint slider --points path.csv -o x.csv
printf 'displacement\n0\n1\n' >path.csv
refused "points without time" "expected a column 'time'" \
    joints.yaml --joint dashpot --points path.csv -o x.csv
refused "an odd number of rows" "a multiple of 4" \
    joints.yaml --joint slider --amplitude 1 --samples 10 -o x.csv
refused "a contact's path" "belongs to contacts" \
    joints.yaml --joint slider --amplitude 1 --path circle
refused "a file beside another" "x.summary.csv is written beside -o x.csv" \
    joints.yaml --joint slider --amplitude 1 -o x.csv -o x.summary.csv
echo 'masing: 1' >wrong.yaml
refused "a model without joints" "missing key 'joints'" wrong.yaml --joint a --amplitude 1
printf 'masing: 1\njoints:\n  - {name: a, law: jenkis}\n' >wrong.yaml
refused "an unknown law" "wrong.yaml:3:20: unknown law 'jenkis'" \
    wrong.yaml --joint a --amplitude 1
finish
