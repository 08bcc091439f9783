#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mode.sh PROGRAM: nonlinear modes of the examples, their files, and what is refused.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# refused NAME MESSAGE ARGUMENT...: exit status 2, MESSAGE on standard error, no output, no file
refused() {
    name=$1 message=$2
    shift 2
    "$program" mode "$@" >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        [ ! -s out ] || echo "standard output is not empty"
        ls x.* 2>/dev/null
        grep -qF -- "$message" err || { echo "the message lacks '$message':" && cat err; }
    )"
}

model=$examples/three_masses_iwan.yaml
"$program" mode "$model" -o x.csv -o x.svg -o x.png --columns energy --at 1,300 >out 2>err
expect "three masses" "$? $(cat out)" "0 "
report "the summary" "$(grep -q 'slip onset .* 41\.39.* 0\.19293.*0\.00081' err || cat err)"
expect "the files" "$(echo x.*)" \
    "x.csv x.csv.run.yaml x.png x.png.run.yaml x.svg x.svg.run.yaml"
expect "the columns" "$(head -n 1 x.csv)" "point,amplitude,frequency_hz,damping_ratio,$(
)m1_h1,m1_h2,m1_h3,m1_h4,m1_h5,m1_h6,m1_h7,m3_h1,m3_h2,m3_h3,m3_h4,m3_h5,m3_h6,m3_h7,$(
)energy_in,loss_structure,loss_joint,event"
expect "the ends, and the rows asked for" \
    "$(cut -d, -f2 x.csv | grep -x -e 1 -e 300 -e 0.001 -e 10000 -e '0\.00099*9' -e 1e-3 |
        wc -l)" 4
report "what is put in is lost" "$(awk -F, 'NR > 1 {
    lost = $(NF - 2) + $(NF - 1)
    d = $(NF - 3) - lost
    if ((d < 0 ? -d : d) > 1e-6 * lost) { print "line " NR ": " $(NF - 3) ", " lost }
}' x.csv)"
report "damping rises to a maximum in between and falls" "$(awk -F, 'NR > 1 {
    if (first == "") { first = $4 }
    if ($4 > most) { most = $4; at = $2 }
    last = $4
}
END {
    if (!(at > 60 && at < 110 && most > 50 * first && last < most / 10)) {
        print first, most, at, last
    }
}' x.csv)"
report "the picture names both quantities" \
    "$(for text in 'Frequency (Hz)' 'Damping ratio' 'mode 2'; do
        grep -q "$text" x.svg || echo "no '$text'"
    done)"
rm -f x.*

"$program" mode "$model" --set mode.number=1 --quiet >out 2>err
expect "rows on standard output" "$? $(head -n 1 out | cut -d, -f1-5)" \
    "0 point,amplitude,frequency_hz,damping_ratio,m1_h1"
expect "another mode by --set" "$(sed -n 2p out | cut -d, -f3 | cut -c1-7)" "0.06755"

# one harmonic: the damper that gives the first harmonic of the force takes the joint's loss, pi
# omega c X^2; spring and damper have its force
"$program" mode "$model" --set harmonics=[1] --columns energy,joints --quiet >out 2>err
report "what the joint does" "$(awk -F, '
    function differ(a, b) { return (a > b ? a - b : b - a) > 1e-3 * b }
    NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } pi = atan2(0, -1) }
    NR > 1 {
        x = $at["joint_displacement_amp"]
        omega = 2 * pi * $at["frequency_hz"]
        c = $at["joint_equivalent_damping"]
        k = $at["joint_equivalent_stiffness"]
        if (differ(pi * omega * c * x * x, $at["loss_joint"]) ||
            differ(x * sqrt(k * k + omega * omega * c * c), $at["joint_force_h1"])) {
            print "row " NR - 1 ": " $0
        }
    }
    END { if (NR < 20) { print NR " rows" } }' out; cat err)"

"$program" mode "$examples/bolted_beams.yaml" --set harmonics=1 --quiet >out 2>err
expect "bolted beams" $? 0
expect "rigid-body modes are not counted" "$(sed -n 2p out | cut -d, -f3 | cut -c1-5)" "121.1"

"$program" mode "$model" --response -o x.csv -o x.svg >out 2>err
expect "the response of a mode" "$? $(cat out) $(cut -d, -f1 x.csv | sort -u | tr '\n' ' ')" \
    "0  curve estimate full "
expect "its columns" "$(head -n 1 x.csv)" \
    "curve,branch,point,amplitude,frequency_hz,m1_h1,m3_h1"
report "its summary" "$(grep -q 'difference .* of the amplitude' err || cat err)"
report "its picture has both curves" \
    "$(for text in full estimate 'mode 2 by itself'; do
        grep -q "$text" x.svg || echo "no '$text'"
    done)"
"$program" mode "$model" --response --response-tolerance 1e-4 --quiet >out 2>err
report "a difference is warned of" \
    "$(grep -q 'does not give the response to 0.01 %' err || cat err)"
rm -f x.*

"$program" mode "$model" --branches --quiet -o x.csv -o x.svg >out 2>err
expect "branches" "$? $(head -n 1 x.csv | cut -d, -f1-4)" \
    "0 point,branch,amplitude,frequency_hz"
expect "nothing branches off" "$(cut -d, -f2 x.csv | sort -u | tr '\n' ' ')" "1 branch "
rm -f x.*

# variant SECTION: the model with another `mode:`
variant() {
    sed "s/^mode:.*/$1/" "$model" >model.yaml
}

variant ''
refused "a model without the section" "model.yaml:1:1: missing key 'mode'" model.yaml -o x.csv
variant 'mode: {number: 4, amplitude: [1, 2]}'
refused "a mode that is not there" ":16: mode.number: 4, expected 1 to 3" model.yaml -o x.csv
variant 'mode: {number: 2, amplitude: [2, 1]}'
refused "amplitudes that fall" "amplitude: from 2 to 1, expected the smaller one first" \
    model.yaml
variant 'mode: {number: 2, amplitude: [0, 1]}'
refused "an amplitude of zero" ":31: amplitude: must be greater than 0, found 0" model.yaml
variant 'mode: {number: 2, amplitude: 1}'
refused "a single amplitude" ":30: amplitude: expected [from, to]" model.yaml
variant 'mode: {number: 2, amplitudes: [1, 2]}'
refused "a misspelt key" "unknown key 'amplitudes' (did you mean 'amplitude'?)" model.yaml
refused "an amplitude outside of the range" "amplitude 20000 lies outside" "$model" --at 20000
refused "a tolerance of nothing" "goes with --response" "$model" --response-tolerance 0.1
refused "amplitudes of a response" "--at is for rows of the mode" "$model" --response --at 1
refused "branches of a response" "--branches is for rows of the mode" \
    "$model" --response --branches
refused "columns that are not there" "known: harmonics, energy, joints" "$model" \
    --columns slopes
finish
