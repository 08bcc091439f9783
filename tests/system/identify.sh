#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# identify.sh PROGRAM: joint parameters from measured loops on the command line.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
loop=$MASING_SOURCE_ROOT/examples/friction_loop.csv
begin "$1"

# value KEY FILE
value() {
    sed -n "s/^ *$1: *//p" "$2"
}

# near NAME ACTUAL EXPECTED SHARE
near() {
    report "$1" "$(awk -v a="$2" -v b="$3" -v share="$4" 'BEGIN {
        d = a - b
        if (a == "" || d * d > share * share * b * b) { print "got " a ", expected " b } }')"
}

# refused NAME TEXT ARGUMENTS...
refused() {
    name=$1 text=$2
    shift 2
    "$program" identify "$@" >out 2>err
    status=$?
    report "refused: $name" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        [ ! -s out ] || echo "something stands on standard output"
        grep -qF -- "$text" err || { echo "no '$text' in:"; cat err; }
    )"
}

SOURCE_DATE_EPOCH=0 "$program" identify "$loop" --law jenkins --name damper --to m2 -o fit.csv \
    -o fit.svg -o fit.png >joint.yaml 2>err.txt
expect "the example is identified" "$?" 0
expect "the entry begins as in a model" "$(head -n 5 joint.yaml | tr '\n' '|')" \
    "joints:|  - name: damper|    law: jenkins|    from: ground|    to: m2|"
near "stiffness" "$(value stiffness joint.yaml)" 4e4 0.005
near "slip force" "$(value slip_force joint.yaml)" 15 0.003
report "the summary has misfit, interval and condition" "$(
    for text in 'rms misfit 0.1' '95 % interval' '+- ' 'condition number' 'steady cycles'; do
        grep -qF -- "$text" err.txt || echo "no '$text'"
    done)"
expect "measured and fitted points" "$(head -n 1 fit.csv) $(wc -l <fit.csv)" \
    "loop,sample,time,displacement,force,force_fitted,residual 201"
expect "files" "$(echo ./*)" "./err.txt ./fit.csv ./fit.csv.run.yaml ./fit.png \
./fit.png.run.yaml ./fit.svg ./fit.svg.run.yaml ./joint.yaml"
expect "the record holds the result" \
    "$(sed -n '/^result: /,$ { /^result: /d; s/^  //; p; }' fit.csv.run.yaml)" \
    "$(cat joint.yaml)"
report "the picture has both" "$(
    for text in '>measured<' '>fitted<' 'Displacement'; do
        grep -q "$text" fit.svg || echo "no '$text'"
    done)"

# the entry can be used as it stands
{
    printf 'masing: 1\nstructure:\n  masses: {m1: 1, m2: 1}\n  springs:\n'
    printf '    - {from: ground, to: m1, stiffness: 4e4}\n'
    printf '    - {from: m1, to: m2, stiffness: 4e4}\n'
    cat joint.yaml
    printf 'loads: [{name: shaker, dof: m2, amplitude: 10}]\nfrequency: [18, 28]\n'
    printf 'outputs: [m2]\n'
} >model.yaml
"$program" check model.yaml >out 2>err
expect "a model takes the entry" "$?" 0
rm -f ./*

# what `masing loop` writes: a loop per amplitude
cat >iwan.yaml <<'END'
masing: 1
joints:
  - {name: j, from: ground, to: m1, law: iwan4, slip_force: 10, stiffness: 1, chi: -0.5,
     beta: 5}
END
"$program" loop iwan.yaml --joint j --amplitude 2,8,20 -o loops.csv --quiet 2>err
"$program" identify loops.csv --law iwan4 >iwan.txt 2>err
expect "loops of the program itself" "$? $(grep -c 'steady cycles' err)" "0 3"
near "chi" "$(value chi iwan.txt)" -0.5 1e-9
near "beta" "$(value beta iwan.txt)" 5 1e-9
rm -f ./*

"$program" identify "$loop" "$loop" --law jenkins --quiet >a.yaml 2>err
expect "quiet: no summary" "$? $(cat err)" "0 "
"$program" identify "$loop" --law jenkins --fix friction=0.5 --quiet >b.yaml 2>err
near "friction and preload instead of a slip force" "$(value preload b.yaml)" 30 0.003
"$program" identify "$loop" --law jenkins --vary slip_force --start stiffness=4e4 --quiet \
    >c.yaml 2>err
expect "a start that does not vary is kept" "$(value stiffness c.yaml)" 40000
awk '/^#|disp/ || $0' "$loop" | awk -F, '!/^#/ && NF == 2 && $1 != "displacement" {
        $1 *= 0.1; $2 = 4e4 * $1; printf "%.9g,%.9g\n", $1, $2; next } { print }' >stuck.csv
"$program" identify stuck.csv --law jenkins >d.yaml 2>err
report "a joint that sticks: said so in both places" "$(
    grep -q '^# the data do not determine slip_force' d.yaml || cat d.yaml
    grep -q 'warning: the data do not determine slip_force' err || cat err)"
"$program" identify "$loop" --law cubic_spring >e.yaml 2>err
report "a law that does not follow the data" "$(grep -q 'does not follow' err || cat err)"

# --- laws side by side ---
# estimate NAME: its value in the summary
estimate() {
    awk -v name="$1" '$1 == name { print $2 }' err
}

beside=$MASING_SOURCE_ROOT/tests/reference/field/spring_beside_jenkins_loop.csv
"$program" identify "$beside" --law jenkins+linear --name lap --to m2 >s.yaml 2>err
expect "a spring beside a friction joint" "$?" 0
near "the spring" "$(estimate linear.stiffness)" 1.5e5 0.05
near "the joint's stiffness" "$(estimate jenkins.stiffness)" 2e6 0.01
near "its slip force" "$(estimate jenkins.slip_force)" 120 0.01
expect "both joints stand in the entry" "$(grep -E 'name|law|to|joints' s.yaml | tr -d ' ' |
    tr '\n' '|')" \
    "joints:|-name:lap_jenkins|law:jenkins|to:m2|-name:lap_linear|law:linear|to:m2|"
awk -F, '!/^t/ { $3 += 40 } { print $2 "," $3 }' OFS=, "$beside" >offset.csv
"$program" identify offset.csv --law linear+jenkins >o.yaml 2>err
near "an offset of the force, without times" "$(estimate offset)" 40 0.05
near "beside it the spring" "$(estimate linear.stiffness)" 1.5e5 0.05
near "and the slip force" "$(estimate jenkins.slip_force)" 120 0.01
report "no advice to fit what would need times" "$(grep 'not fitted' err)"
report "the entry tells of the offset" "$(
    grep -q '^# beside it the measured force has an offset of [34]' o.yaml || cat o.yaml)"
"$program" identify offset.csv --law jenkins+linear --fix linear.stiffness=1.5e5 \
    --fix offset=0 >o.yaml 2>err
expect "numbers of one of the laws, and the offset, can be held" \
    "$? $(grep -c '^offset \|^linear.stiffness' err)" "0 0"
refused "a law of a sum that is none" "unknown law 'lin'" "$beside" --law jenkins+lin
refused "a number without its law" "no parameter 'stiffness'; there are jenkins.stiffness" \
    "$beside" --law jenkins+linear --fix stiffness=1
rm -f ./*

# --- files of laboratories ---
clamped=$MASING_SOURCE_ROOT/examples/clamped_lap_loop.csv
"$program" identify "$clamped" --law jenkins+linear --columns x=2,f=3 --name lap >c.yaml 2>err
expect "semicolons, decimal commas, units" "$?" 0
near "the spring of the example" "$(estimate linear.stiffness)" 1.2e6 0.03
near "its friction" "$(estimate jenkins.slip_force)" 250 0.01
near "its offset" "$(estimate offset)" -18 0.05
grep -v '^#' "$clamped" | tail -n +2 >bare.csv
"$program" identify bare.csv --law jenkins+linear --columns 't=1[ms],x=2[mm],f=3[kN]' \
    >b.yaml 2>err
expect "without a header" "$(cat b.yaml)" "$("$program" identify "$clamped" --quiet \
    --law jenkins+linear 2>/dev/null)"
rm -f ./*

# --- linear least squares ---
valanis=$MASING_SOURCE_ROOT/examples/valanis_loop.csv
if "$program" law | grep -q '^generalized_valanis'; then
    "$program" identify "$valanis" --terms x -o v.csv >v.yaml 2>err
    expect "Jalali's first example" "$? $(grep -c warning err)" "0 0"
    near "E1" "$(value e1 v.yaml)" 10 1e-6
    near "E2" "$(value e2 v.yaml)" 20 1e-6
    near "alpha" "$(sed -n 's/.*coefficient: \([^,}]*\).*/\1/p' v.yaml)" 5 1e-6
    report "the law follows the loop" "$(awk -F, 'NR > 1 && ($7 > 1e-5 || $7 < -1e-5)' v.csv)"
    "$program" identify "$valanis" --terms x --branches separate --tikhonov auto >w.yaml 2>err
    expect "constants for each direction" "$? $(grep -c 'e1:' w.yaml)" "0 2"
    # found in the middle of the branches, where it is small, the term has no end at their ends
    "$program" identify "$valanis" --terms "x,exp(5000*x)" --ends 0.3 >e.yaml 2>err
    expect "a law without a steady loop is printed all the same" "$? $(grep -c 'e1:' e.yaml)" \
        "0 1"
    report "and said to have none" "$(
        text='warning: the law with these constants does not lead to a steady loop'
        grep -qx "$text" err || cat err)"
    refused "terms that are none" "'y' is no term" "$valanis" --terms y
    refused "terms that are alike on one branch" "cannot be told apart" "$valanis" \
        --terms "x, x*sgn(v)" --branches loading
    refused "options of the other way" "--fix is for other laws" "$valanis" --fix e1=1
else
    refused "a law that is not there yet" "unknown law" "$valanis"
fi
rm -f ./*

# --- frequency responses ---
examples=$MASING_SOURCE_ROOT/examples
SOURCE_DATE_EPOCH=0 "$program" identify --model "$examples/two_mass_damper.yaml" \
    --response "$examples/damper_response_10N.csv:1" \
    --response "$examples/damper_response_20N.csv:2" --fix friction=0.5 \
    --set damper.stiffness=60000 --set damper.preload=50 -o r.csv -o r.svg >r.yaml 2>err
expect "a damper from its responses at two levels" "$?" 0
near "its stiffness" "$(value stiffness r.yaml)" 40000 0.02
near "its preload" "$(value preload r.yaml)" 30 0.02
expect "the entry is the model's joint" "$(head -n 5 r.yaml | tr '\n' '|')" \
    "joints:|  - name: damper|    law: jenkins|    from: ground|    to: m1|"
expect "measured and fitted amplitudes" "$(head -n 1 r.csv) $(wc -l <r.csv)" \
    "response,load_factor,frequency_hz,amplitude,amplitude_fitted,phase_deg,phase_fitted_deg 75"
report "the summary of responses" "$(
    grep -q '37 frequencies, load factor 2' err || cat err
    grep -q 'rms misfit 0.00[45]' err || cat err)"
report "their picture" "$(grep -q 'Frequency (Hz)' r.svg || echo none)"
grep -v '^frequency' "$examples/two_mass_damper.yaml" >sweepless.yaml
"$program" identify --model sweepless.yaml --response "$examples/damper_response_10N.csv:1" \
    --fix friction=0.5 --set damper.stiffness=60000 --set damper.preload=50 >r.yaml 2>err
expect "a model without a range takes that of the measurement" "$?" 0
near "its stiffness" "$(value stiffness r.yaml)" 40000 0.02
model=$examples/two_mass_damper.yaml
response=$examples/damper_response_10N.csv
refused "responses without a model" "--response needs --model" --response "$response:1"
refused "a model without responses" "--response FILE:FACTOR is missing" --model "$model"
refused "loops beside a model" "data come from --response" "$loop" --model "$model"
refused "a load factor of zero" "a load factor is above zero" --model "$model" \
    --response "$response:0"
refused "a measure that is none" "none of max, amp, h1" --model "$model" \
    --response "$response:1" --measure h2
refused "a law beside a model" "--law is for loops" --model "$model" --law jenkins \
    --response "$response:1"
refused "a joint that is not there" "there is no joint 'x'" --model "$model" --joint x \
    --response "$response:1"
refused "a response that is a loop" "unknown column 'displacement'" --model "$model" \
    --response "$loop:1"
printf 'frequency_hz,amplitude\n20,1e-3\n-1,2e-3\n' >negative.csv
printf 'frequency_hz,amplitude,phase_deg\n20,1e-3,0\n21,2e-3,\n' >phases.csv
refused "a negative frequency" "negative.csv:3:1: a frequency is above zero" --model "$model" \
    --response negative.csv
refused "a phase that is missing" "phases.csv:3:1: phases stand in every row" \
    --model "$model" --response phases.csv
rm -f ./*

: >empty.csv
printf 'displacement,force\n' >header.csv
printf 'displacement,force\n0,0\n1,1\n' >short.csv
printf 'displacement,force\n0,0\n1,nan\n' >nan.csv
printf 'displacement,force\n0,0\n1,x\n' >word.csv
printf 'lvdt,force\n0,0\n1,1\n' >names.csv
awk 'BEGIN { print "displacement,force"; for (i = 0; i < 9; i++) print "1," i }' >still.csv
awk 'BEGIN { print "displacement,force"; for (i = 0; i < 9; i++) print i ",0" }' >soft.csv
awk 'BEGIN { print "displacement,force,time"; for (i = 0; i < 9; i++) print i "," i ",1" }' \
    >frozen.csv
refused "no file" "DATA.csv... is missing" --law jenkins
refused "a file that is not there" "nosuch.csv: cannot be read" nosuch.csv --law jenkins
refused "an empty file" "empty.csv:1:1: the file is empty" empty.csv --law jenkins
refused "a header alone" "header.csv:1:1: a loop has at least 8 rows, found 0" header.csv \
    --law jenkins
refused "too few rows" "short.csv:2:1: a loop has at least 8 rows, found 2" short.csv \
    --law jenkins
refused "nan" "nan.csv:3:3: force: 'nan' is not a number" nan.csv --law jenkins
refused "a word" "word.csv:3:3: force: 'x' is not a number" word.csv --law jenkins
refused "other names" "names.csv:1:1: unknown column 'lvdt'; expected displacement or x" \
    names.csv --law jenkins
refused "a column that is not there" "there is no column 3, but 2 columns" names.csv \
    --law jenkins --columns x=3,f=2
refused "columns of another kind" "'harmonics' is not of the form x=2" names.csv \
    --law jenkins --columns harmonics
refused "no motion" "the displacement never changes" still.csv --law jenkins
refused "no force" "the force never changes" soft.csv --law jenkins
refused "time that stands" "frozen.csv:3:1: time must increase" frozen.csv --law jenkins
refused "an unknown law" "did you mean 'jenkins'?" "$loop" --law jenkin
refused "an unknown parameter" "no parameter 'stiff'" "$loop" --law jenkins --fix stiff=1
refused "a value out of range" "'stiffness' must be > 0" "$loop" --law jenkins \
    --fix stiffness=-1
refused "a parameter given twice" "'stiffness' is given twice" "$loop" --law jenkins \
    --fix stiffness=1 --start stiffness=2
refused "fixed and varied" "is fixed and varied" "$loop" --law jenkins --fix stiffness=1 \
    --vary stiffness
refused "everything fixed" "no number varies" "$loop" --law jenkins --fix stiffness=1 \
    --fix slip_force=1
refused "a list without a start" "give --start coefficients=..." "$loop" \
    --law polynomial_spring
refused "velocity without time" "a column 'time' is needed" "$loop" --law quadratic_damper
refused "options of the other way" "--terms is for the law generalized_valanis" "$loop" \
    --law jenkins --terms x
refused "open and steady" "exclude each other" "$loop" --law jenkins --open --steady
refused "too many starts" "--trials: more than 10000" "$loop" --law jenkins --trials 100000000
refused "a name that needs quotes" "--name 'x: y': expected letters" "$loop" --law jenkins \
    --name "x: y"
refused "a share out of range" "share left out at each end is in [0, 0.5), not 0.6" "$loop" \
    --ends 0.6
refused "a regularisation out of range" "neither 'auto' nor a number" "$loop" --tikhonov -1
"$program" identify "$loop" --law jenkins -o nosuch/x.csv >out 2>err
expect "a folder that is not there" "$? $(grep -c 'nosuch/x.csv: cannot write' err)" "1 1"
finish
