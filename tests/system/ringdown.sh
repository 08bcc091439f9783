#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ringdown.sh PROGRAM: free decays of an example and of a record, their files, what is refused.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# refused NAME MESSAGE ARGUMENT...: exit status 2, MESSAGE on standard error, no output, no file
refused() {
    name=$1 message=$2
    shift 2
    "$program" ringdown "$@" >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        [ ! -s out ] || echo "standard output is not empty"
        ls x.* 2>/dev/null
        grep -qF -- "$message" err || { echo "the message lacks '$message':" && cat err; }
    )"
}

model=$examples/three_masses_iwan.yaml
few='--set ringdown.steps=40000 --set ringdown.segments=10'
"$program" ringdown "$model" $few -o x.csv -o x.svg -o x.png --history h.csv >out 2>err
expect "three masses" "$? $(cat out)" "0 "
report "the summary" "$(
    grep -q '^2  *8  *0 .*0\.193.* 0\.0004' err || cat err
    grep -q 'mode 2: 0\.19348214 Hz with the joints stuck (damping ratio 0\.0001' err ||
        cat err
)"
expect "the files" "$(echo x.*)" \
    "x.csv x.csv.run.yaml x.png x.png.run.yaml x.svg x.svg.run.yaml"
expect "the columns" "$(head -n 1 x.csv)" "mode,time,amplitude,frequency_hz,damping_ratio"
report "amplitude falls, frequency rises, damping falls" "$(awk -F, 'NR > 2 {
    if (!($3 < a && $4 > f && $5 < z)) { print "line " NR ": " $0 }
}
{ a = $3; f = $4; z = $5 }' x.csv)"
report "the picture names both quantities" \
    "$(for text in 'Frequency (Hz)' 'Damping ratio' 'ring-down of mode 2'; do
        grep -q "$text" x.svg || echo "no '$text'"
    done)"
expect "the history" "$(head -n 1 h.csv) $(wc -l <h.csv)" \
    "time,m1,m3,force_joint,displacement_joint 40002"

# the same decay as a record of displacements: what the time steps distort is left in
"$program" ringdown "$model" $few --uncorrected --quiet >direct
"$program" ringdown "$model" --record h.csv --quantity displacement --modes 2 --from 3 \
    --segments 10 --quiet >out
report "a record of it says the same" "$(awk -F, '
    NR == FNR { f[NR] = $4; z[NR] = $5; next }
    FNR > 1 {
        n++
        if (($4 / f[FNR] - 1) ^ 2 > 1e-12 || ($5 / z[FNR] - 1) ^ 2 > 1e-4) {
            print "line " FNR ": " $0 ", not " f[FNR] ", " z[FNR]
        }
    }
    END { if (n != 8) { print n " rows" } }' direct out)"
printf 'channel,mode1\nfrequency_hz,0.1934\nm1,1\n' >shapes.csv
"$program" ringdown --record h.csv --shapes shapes.csv --quantity displacement \
    --segments 12 -o x.csv >out 2>err
expect "a record without a model" "$? $(wc -l <x.csv)" "0 11"
report "its channels" "$(grep -q '^  channels m1$' err || cat err)"
"$program" ringdown "$model" --record h.csv --quantity displacement --modes 2 --segments 10 \
    >out 2>err
unused="^warning: 2 of the record's channels take no part.*: force_joint, displacement_joint$"
report "and those that have no part in it" "$(grep -q "$unused" err || cat err)"
rm -f x.*

# as it stands in the tutorial; without noise: mode 2 from 0.19326 to 0.1933 Hz
record="--record $examples/three_masses_record.csv --quantity displacement --from 2"
for shapes in "$examples/three_masses_impact.yaml" \
    "--shapes $examples/three_masses_shapes.csv"; do
    "$program" ringdown $shapes $record --segments 12 >out 2>err
    expect "the example record with ${shapes##*/}" "$? $(grep -c warning err)" "0 0"
    report "its second mode" "$(awk -F, '$1 == 2 {
        n++
        f = 0.1932574 + 0.000045 * ($2 - 314) / 874
        z = 0.000403 - 0.0000423 * ($2 - 314) / 874
        if (($4 / f - 1) ^ 2 > 1e-8 || ($5 / z - 1) ^ 2 > 0.006) { print }
    }
    END { if (n < 8) { print n " rows" } }' out)"
done

"$program" ringdown "$model" $few --amplitudes 1,9 --set ringdown.impulse.shape=free \
    --quiet >out
expect "several impulses" "$(sed -n '1p;2p;$p' out | cut -d, -f6 | tr '\n' ' ')" "impulse 1 9 "

# variant SECTION: the model with another `ringdown:`
variant() {
    sed "s/^ringdown:.*/$1/" "$model" >model.yaml
}

hit='dof: m2, amplitude: 3, frequency: 0.27'
variant "ringdown: {impulse: {$hit}, steps: 80000, modes: [3, 1]}"
"$program" ringdown model.yaml -o x.svg --quiet
expect "a picture for each mode" "$? $(echo x.*)" "0 x.mode1.svg x.mode3.svg x.svg.run.yaml"
rm -f x.*
variant ''
refused "a model without the section" "model.yaml:1:1: missing key 'ringdown'" model.yaml \
    -o x.csv
variant 'ringdown: {impulse: {mode: 4, amplitude: 1}}'
refused "a mode that is not there" ":28: ringdown.impulse.mode: 4, expected 1 to 3" model.yaml
variant 'ringdown: {impulse: {mode: 1, amplitude: 1}, modes: [2, 5]}'
refused "another one" "ringdown.modes: 5, expected 1 to 3" model.yaml
variant 'ringdown: {impulse: {mode: 1, amplitude: 1}, modes: [2, 2]}'
refused "one mode twice" "modes: 2 stands here twice" model.yaml
variant 'ringdown: {impulse: {mode: 1, amplitude: 1}, step: 3}'
refused "a step that is too long" "ringdown.step: 3 s, expected at most" model.yaml
variant 'ringdown: {impulse: {mode: 1, amplitude: 1}, step: 0.1, steps: 1000}'
refused "a decay that is too short" "periods each of mode 1, expected at least 4" model.yaml
variant 'ringdown: {impulse: {mode: 1, amplitude: 1}, segments: 2}'
refused "too few segments" "segments: expected a whole number from 3" model.yaml
refused "neither model nor record" "MODEL is missing"
refused "shapes without a record" "--shapes goes with --record" "$model" --shapes shapes.csv
refused "a record with impulses" "--amplitudes goes with a model" --record h.csv --amplitudes 1
refused "a quantity that is none" "'jerk' is none of displacement, velocity" --record h.csv \
    --quantity jerk
refused "a file that is written twice" "-o x.csv would be written over --history x.csv" \
    "$model" --history x.csv -o x.csv
refused "a file by two ways to it" "-o x.csv would be written over --history ./x.csv" \
    "$model" --history ./x.csv -o x.csv
refused "a record as output" "-o h.csv would be written over --record h.csv" --record h.csv \
    -o h.csv
refused "the model as history" "would be written over MODEL $model" "$model" \
    --history "$model"
refused "no number" "--from: 'abc' is not a number" --record h.csv --from abc
refused "nothing after a time" "from 9e+09 s to" --record h.csv --from 9e9
refused "a mode twice" "mode 1 stands twice" --record h.csv --modes 1,1
refused "too many segments" "expected at most" --record h.csv --segments 1000000000
printf 'channel,mode1\nm1,0\n' >zero.csv
refused "a shape of nothing" "mode 1 does not move at any channel" --record h.csv \
    --shapes zero.csv
variant 'ringdown: {impulse: {mode: 1, amplitude: 1, frequency: 1e-9}}'
refused "a long impulse" "ringdown.impulse.frequency: 1e-09 Hz, half a period" model.yaml
variant 'ringdown: {impulse: {dof: m1, amplitude: 1, frequency: 1}, step: 3, modes: [1, 3]}'
refused "a step too long for one mode" "8 steps in a period of mode 3" model.yaml
refused "a modal model without a number" "is not of the form" "$model" --modal x.yaml

# a mode as a model of its own
"$program" mode "$model" --set harmonics=1 --quiet >mode2.csv
"$program" identify mode2.csv --modal-iwan 2 --model "$model" -o x.csv -o x.svg \
    >modal.yaml 2>err
expect "a modal Iwan model" "$? $(head -n 1 x.csv)" "0 amplitude,frequency_hz,damping_ratio,$(
)frequency_fitted_hz,damping_ratio_fitted,used"
report "its summary" "$(grep -q 'slips as a whole from amplitude 41\.3' err || cat err)"
report "its picture" "$(grep -q 'modal Iwan model' x.svg || echo "no legend")"
rm -f x.*
"$program" ringdown "$model" $few --modal 2=modal.yaml -o x.csv >out 2>err
expect "a decay beside it" "$? $(head -n 1 x.csv | cut -d, -f6-)" \
    "0 model_frequency_hz,model_damping_ratio"
report "they agree" "$(awk -F, 'NR > 1 && ($7 / $5 - 1) ^ 2 > 1e-4' x.csv)"
rm -f x.*
"$program" identify mode2.csv --modal-iwan 2 --stuck 0.19348214 --free 0.1882785 --quiet \
    >out 2>err
expect "with given frequencies" "$? $(grep -c 'law: iwan4' out)" "0 1"

# what the data do not hold
awk -F, 'NR == 1 || $2 < 10 { print $2 "," $3 "," ($2 < 0.01 ? -1 : 1) * $4 }' mode2.csv |
    sed '1s/.*/amplitude,frequency_hz,damping_ratio/' >micro.csv
"$program" identify micro.csv --modal-iwan 2 --model "$model" >out 2>err
expect "microslip alone" "$? $(grep -c '# not determined by the data' out) $(
    grep -c 'not determine slip_force and beta: other values' err) $(
    grep -c 'rows have no positive damping ratio' err)" "0 2 1 1"
awk 'BEGIN { print "amplitude,frequency_hz,damping_ratio"
    for (i = 1; i < 21; i++) print i * i "," 0.15 - i / 1000 "," (i * 7 % 4 + 1) ^ 2 / 100 }' \
    >none.csv
"$program" identify none.csv --modal-iwan 1 --stuck 0.16 --free 0.12 >out 2>err
expect "data of no such mode" "$? $(wc -c <out) $(grep -c 'follows these data' err)" "1 0 1"

printf 'amplitude,x\n1,2\n' >h2.csv
# refused_identify NAME MESSAGE ARGUMENT...
refused_identify() {
    name=$1 message=$2
    shift 2
    "$program" identify "$@" >out 2>err
    expect "$name" "$? $(wc -c <out) $(grep -cF -- "$message" err)" "2 0 1"
}
refused_identify "one frequency alone" "from both --stuck and --free" mode2.csv --modal-iwan 2 \
    --stuck 1
refused_identify "no data" "DATA.csv is missing" --modal-iwan 2
refused_identify "a law beside it" "--law has no meaning" mode2.csv --modal-iwan 2 --law jenkins
refused_identify "its options alone" "--stuck needs --modal-iwan N" mode2.csv --stuck 1
refused_identify "columns that are not there" "column 'frequency_hz' is missing" h2.csv \
    --modal-iwan 2 --model "$model"
refused_identify "another mode" "mode: 4, expected 1 to 3" mode2.csv --modal-iwan 4 \
    --model "$model"
refused_identify "a structure that loses more than all" "nothing is left for the joints" \
    mode2.csv --modal-iwan 2 --stuck 0.19348214 --free 0.1882785 --damping 0.5
refused_identify "amplitudes the wrong way" "the smaller one first" mode2.csv --modal-iwan 2 \
    --leave-out 400,30
# two modes that no band parts, with their shapes; 2 % noise from a small generator
awk 'function normal(  s, i) {
        s = -6
        for (i = 0; i < 12; i++) { seed = (seed * 16807) % 2147483647; s += seed / 2147483647 }
        return s
    }
    BEGIN {
        seed = 14; pi = atan2(0, -1)
        print "t [ms];a [mm];b [mm];c [mm]"
        for (i = 0; i <= 10000; i++) {
            t = i / 500
            p = exp(-0.004 * 40 * pi * t) * cos(40 * pi * sqrt(1 - 0.004 ^ 2) * t)
            q = exp(-0.006 * 41.6 * pi * t) * cos(41.6 * pi * sqrt(1 - 0.006 ^ 2) * t + 0.7)
            printf "%.9g;%.7g;%.7g;%.7g\n", 1e3 * t, p + 0.6 * q + 0.03 * normal(),
                0.8 * p - q + 0.03 * normal(), 0.3 * p + 0.9 * q + 0.03 * normal()
        }
    }' >near.csv
printf 'channel,mode1,mode2\nfrequency_hz,20,20.8\na,1,0.6\nb,0.8,-1\nc,0.3,0.9\n' \
    >near_shapes.csv
"$program" ringdown --record near.csv --shapes near_shapes.csv --quantity displacement \
    -o near.out.csv 2>err
expect "near modes with shapes" "$? $(cut -d, -f1 near.out.csv | sort -u | tr '\n' ' ')" \
    "0 1 2 mode "
values='s/.*mode: \([12]\), frequency_hz: \([^,]*\),.*damping_ratio: \([^,]*\),.*/\1 \2 \3/p'
report "both to 1 % over the record" "$(sed -n "$values" near.out.csv.run.yaml | awk '
    BEGIN { f[1] = 20; f[2] = 20.8; z[1] = 0.004; z[2] = 0.006 }
    { n++; if (($2 / f[$1] - 1) ^ 2 > 1e-8 || ($3 / z[$1] - 1) ^ 2 > 1e-4) { print } }
    END { if (n != 2) { print n " modes" } }')"
expect "columns of intervals" "$(head -n 1 near.out.csv)" \
    "mode,time,amplitude,frequency_hz,damping_ratio,frequency_interval_hz,damping_interval"
report "amplitudes are in the header's unit" "$(awk -F, 'NR == 2 && ($3 < 3e-4 || $3 > 6e-4)' \
    near.out.csv)"
rm -f near*
finish
